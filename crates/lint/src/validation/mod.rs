//! Validation: will what is rendered be accepted, and does it say what was meant?

pub(crate) mod unread_value;
