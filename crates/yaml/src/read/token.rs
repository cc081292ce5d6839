//! Tokens: what the scanner hands to the grammar.

use std::borrow::Cow;

use crate::Style;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    StreamEnd,
    Version {
        major: u8,
        minor: u8,
    },
    TagHandle {
        handle: &'a str,
        prefix: Cow<'a, str>,
    },
    DocumentStart,
    DocumentEnd,
    BlockSequence,
    BlockMapping,
    BlockEnd {
        /// Where it counts as standing for the comments before it.
        reach: usize,
    },
    FlowSequence,
    FlowSequenceEnd,
    FlowMapping,
    FlowMappingEnd,
    Item,
    Comma,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag {
        handle: &'a str,
        suffix: Cow<'a, str>,
    },
    Scalar {
        value: Cow<'a, str>,
        style: Style,
    },
}

/// A token and its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind<'a>,
    pub start: usize,
    pub end: usize,
}

/// A refusal: where, and what was being read when. Turned into an
/// [`crate::Error`] where the file is known.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub problem: Cow<'static, str>,
    /// Start of the construct that was being read.
    pub context: Option<usize>,
    pub at: usize,
    /// Refused by the scanner, not by the grammar: upstream counts its lines
    /// differently.
    pub scanner: bool,
    pub limit: bool,
}

/// Which of Go's two readers to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// go.yaml.in/yaml/v2, behind sigs.k8s.io/yaml.
    V2,
    /// go.yaml.in/yaml/v3, behind kyaml.
    V3,
}
