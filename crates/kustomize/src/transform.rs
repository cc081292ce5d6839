//! What transformers do to one object. Everything written keeps the span of
//! the value that sets it.

pub mod field;
pub mod images;
pub mod json_patch;
pub mod kind;
pub mod links;
pub mod merge;
pub mod metadata;
pub mod namespace;
pub mod path;
pub(crate) mod printed;
pub mod rename;
pub mod replacement;
pub mod replicas;
pub mod scalar;
pub mod value_add;
