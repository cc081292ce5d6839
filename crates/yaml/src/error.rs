//! What a text was refused for.

use std::fmt;

use crate::{Span, Text};

/// Which step refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The bytes are no text YAML allows.
    Input,
    /// The text is no YAML.
    Syntax,
    /// An alias or a merge that cannot be followed.
    Alias,
    /// A mapping key appears twice.
    Duplicate,
    /// A value that cannot be decoded or written as JSON.
    Value,
    /// A limit of [`crate::Limits`] was reached.
    Limit,
}

/// A refused text or tree.
///
/// [`fmt::Display`] gives the words Go's tools print, line number and all, so
/// that a message can be looked up. The line in those words is upstream's own
/// count, which is relative to the document's part of the file and often one
/// off; [`Error::span`] is the true place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which step refused.
    pub kind: ErrorKind,
    /// The cause in upstream's words, without prefix and line.
    pub cause: Text,
    /// The line upstream prints, if it prints one.
    pub line: Option<u32>,
    /// The place in the text; [`Span::NONE`] for nodes no text holds.
    pub span: Span,
    prefix: &'static str,
}

/// How the message about a text that is no YAML begins.
pub(crate) const MALFORMED: &str = "MalformedYAMLError: yaml: ";

impl Error {
    /// Whether the text as a whole is no YAML.
    pub fn is_malformed(&self) -> bool {
        self.prefix == MALFORMED
    }

    pub(crate) fn new(kind: ErrorKind, cause: impl Into<Text>, span: Span) -> Self {
        Error {
            kind,
            cause: cause.into(),
            line: None,
            span,
            prefix: "yaml: ",
        }
    }

    pub(crate) fn on_line(mut self, line: u32) -> Self {
        self.line = (line != 0).then_some(line);
        self
    }

    pub(crate) fn prefixed(mut self, prefix: &'static str) -> Self {
        self.prefix = prefix;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.cause)
    }
}

impl std::error::Error for Error {}
