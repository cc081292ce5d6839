//! Mapping, list or scalar.

use ecow::eco_format;
use yaml::{Node, Span, Value};

use crate::error::Error;

/// What a node is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mapping.
    Mapping,
    /// A list.
    Sequence,
    /// A scalar.
    Scalar,
}

impl Kind {
    /// Of a node.
    pub fn of(node: &Node) -> Self {
        match node.value {
            Value::Mapping(_) => Kind::Mapping,
            Value::Sequence(_) => Kind::Sequence,
            Value::Scalar(_) => Kind::Scalar,
        }
    }

    /// A node with nothing in it.
    pub fn empty(self) -> Node {
        match self {
            Kind::Mapping => Node::map::<&str>([]),
            Kind::Sequence => Node::seq([]),
            Kind::Scalar => Node::string(""),
        }
    }

    /// Upstream's word.
    fn word(self) -> &'static str {
        match self {
            Kind::Mapping => "MappingNode",
            Kind::Sequence => "SequenceNode",
            Kind::Scalar => "ScalarNode",
        }
    }
}

/// Fails unless a node is of a kind or null.
pub fn expect_kind(expected: Kind, node: &Node) -> Result<(), Error> {
    if node.is_null() || Kind::of(node) == expected {
        return Ok(());
    }
    Err(wrong_kind(expected, node))
}

/// The complaint that a node is not of the expected kind.
pub fn wrong_kind(expected: Kind, found: &Node) -> Error {
    complaint(expected, Kind::of(found).word(), &yaml::emit_v3(found)).at(found.span)
}

/// The same of a text without any node in it, that stands at `span`.
pub fn no_kind(expected: Kind, span: Span) -> Error {
    complaint(expected, "", "null\n").at(span)
}

fn complaint(expected: Kind, kind: &str, content: &str) -> Error {
    let expected = expected.word();
    Error::new(eco_format!(
        "wrong node kind: expected {expected} but got {kind}: node contents:\n{content}"
    ))
}
