//! Scalars: what their text means and how values are printed.

pub(crate) mod base64;
pub(crate) mod number;
pub(crate) mod plain;
pub(crate) mod resolve;
pub(crate) mod timestamp;
