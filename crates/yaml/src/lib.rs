//! YAML exactly as Go's Kubernetes tools read and print it.
//!
//! * [`Node`]: an owned tree with byte spans; cheap to clone (children are
//!   copy-on-write), so one parsed file can feed many builds.
//! * [`Sources`]: the texts that spans point into, and how a span becomes
//!   `file:line:column`.
//! * [`parse`]: a file of resources as kustomize reads it; [`sigs_to_json`]:
//!   YAML 1.1 as sigs.k8s.io/yaml reads it; [`from_json`];
//!   [`events`]: the same of large texts, in passing.
//! * [`canonical`]: what a node is as JSON: the form in which resources are
//!   compared, hashed and printed.
//! * [`json_to_yaml`], [`emit_v2`]: what `kustomize build` prints; [`emit_v3`]: what kyaml's
//!   nodes print as; [`to_json`].
//! * [`unknown`]: markers for values that no file tells.
//!
//! This room knows no Kubernetes object and no file system.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod bare;
mod canonical;
mod comments;
mod decode;
mod documents;
mod error;
mod events;
mod expand;
mod json_read;
mod limits;
mod node;
mod path;
mod read;
mod scalar;
mod sigs;
mod source;
mod stack;
pub mod unknown;
mod write;

pub use bare::{alike, is_text_to_both};
pub use canonical::{canonical, disturbing_comment, into_canonical};
pub use comments::Comments;
pub use documents::{
    Duplicate, First, Parsed, first_node, parse, parse_raw, parse_with_duplicates, values,
};
pub use error::{Error, ErrorKind};
pub use events::{Event, events};
pub use json_read::from_json;
pub use limits::Limits;
pub use node::{Entry, Mapping, Node, Style, Tag, Tagging, Text, Value};
pub use path::{Step, display_path};
pub use read::input::decode;
pub use read::raw::{RawDocument, RawKind, RawNode};
pub use scalar::plain::{float_text, is_string_in_1_1, plain_tag, was_no_string};
pub use sigs::{json_to_yaml, json_to_yaml_mapped, numbers_as_floats, sigs_to_json};
pub use source::{FileId, Location, Origin, SourceFile, Sources, Span};
pub use write::json::to_json;
pub use write::v2::{Places, emit_v2, emit_v2_mapped};
pub use write::v3::{emit_v3, emit_v3_indented};
