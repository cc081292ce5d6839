//! YAML exactly as Go's Kubernetes tools read and print it.
//!
//! * [`Node`]: an owned tree with byte spans; cheap to clone (children are
//!   copy-on-write), so one parsed file can feed many builds.
//! * [`Sources`]: the texts that spans point into, and how a span becomes
//!   `file:line:column`.
//!
//! This room knows no Kubernetes object and no file system.

mod node;
mod source;

pub use node::{Entry, Mapping, Node, Style, Tag, Text, Value};
pub use source::{FileId, Location, Origin, SourceFile, Sources, Span};
