//! Reading: characters, tokens, grammar, and the two trees it can fill.

mod blank;
mod block;
pub(crate) mod chars;
mod comments;
mod grammar;
pub(crate) mod input;
pub(crate) mod place;
mod property;
pub(crate) mod raw;
mod scalar;
mod scanner;
pub(crate) mod tag;
mod token;
pub(crate) mod tree;

pub(crate) use grammar::{Grammar, Properties, Sink};
pub(crate) use token::{Dialect, Refusal};
