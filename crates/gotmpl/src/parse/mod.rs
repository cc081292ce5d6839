//! From text to nodes: [`lexer`] makes tokens, [`parser`] an arena of nodes,
//! [`show`] text again for messages.

pub(crate) mod ast;
mod expr;
mod lexer;
pub(crate) mod number;
mod parser;
mod show;
mod token;

pub(crate) use parser::{Settings, parse};
pub(crate) use show::{show, show_list};
