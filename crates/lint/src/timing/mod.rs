//! How long can a bootstrap take, and why?

pub(crate) mod critical_path;
