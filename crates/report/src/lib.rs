//! Findings as text and JSON.
//!
//! A [`Run`] is all a report needs: the rendered repository, what was judged
//! about each entrypoint, and how long it took. [`text`] is for people,
//! [`json`] for programs. Both order findings the same way and neither shows
//! the value of a Secret.

mod document;
mod excerpt;
mod group;
mod json;
mod mask;
mod order;
mod run;
mod summary;
mod text;
mod wording;

pub use document::{json, json_schema};
pub use json::{Document, SCHEMA_VERSION};
pub use run::{Judged, Notice, Run};
pub use text::{TextOptions, text};
pub use wording::{clean, duration};
