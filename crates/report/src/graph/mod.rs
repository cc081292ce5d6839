//! Pictures of the graph: components, and what comes before what.
//!
//! A [`Picture`] is read from a [`link::Linked`]: its events are folded to the
//! components they happen to, its needs to edges between them. Arrows follow
//! time: they lead from what comes first to what waits for it.

mod document;
mod dot;
mod layout;
mod mermaid;
mod page;
mod picture;
mod read;
mod select;
mod svg;
mod words;

pub use document::{graph_json, graph_schema};
pub use dot::dot;
pub use mermaid::mermaid;
pub use page::page;
pub use picture::{Edge, EdgeKind, Node, NodeState, Picture, Trouble};
pub use select::{Grouping, Selection, Unknown};
pub use svg::svg;
