//! Findings in the forms that people and programs read.
//!
//! A [`Run`] is all a report needs: the rendered repository, what was judged
//! about each entrypoint, and how long it took. [`text`], [`markdown`] and
//! [`html`] are for people, [`json`], [`sarif`], [`gitlab`], [`github`] and
//! [`junit`] for programs. All of them order findings the same way and none
//! shows the value of a Secret.
//!
//! A [`Picture`] is the graph of one entrypoint as it is drawn: by [`dot`],
//! [`mermaid`], [`svg`] and [`page`], or written out by [`graph_json`].

mod conceal;
mod document;
mod entry;
mod escape;
mod excerpt;
mod fingerprint;
mod gantt;
mod github;
mod gitlab;
mod graph;
mod group;
mod html;
mod json;
mod junit;
mod markdown;
mod mask;
mod order;
mod run;
mod sarif;
mod story;
mod summary;
mod text;
mod timing;
mod wording;

pub use conceal::concealed;
pub use document::{json, json_schema};
pub use gantt::timing_svg;
pub use github::github;
pub use gitlab::gitlab;
pub use graph::{
    Edge, EdgeKind, Grouping, Node, NodeState, Picture, Selection, Trouble, Unknown, dot,
    graph_json, graph_schema, mermaid, page, svg,
};
pub use html::html;
pub use json::{Document, SCHEMA_VERSION};
pub use junit::junit;
pub use markdown::markdown;
pub use run::{Judged, Notice, Run};
pub use sarif::sarif;
pub use text::{TextOptions, text};
pub use timing::{Timed, timing_json, timing_text};
pub use wording::{clean, duration};
