//! Sources and rendering: what could not be had, or may change.

pub(crate) mod floating_ref;
pub(crate) mod remote_base;
pub(crate) mod render_gap;
pub(crate) mod source_unavailable;
