//! Writing: the two YAML emitters and JSON.

mod analyze;
mod comments;
pub(crate) mod json;
mod order;
mod out;
pub(crate) mod v2;
pub(crate) mod v3;
