//! What source objects say: where a source's files come from, what is taken of
//! them, and how the place is asked.

pub(crate) mod definition;
pub(crate) mod introduction;
