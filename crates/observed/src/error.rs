//! Why a file could not be taken.

use std::fmt;

use ecow::EcoString;
use yaml::{Sources, Span};

/// A file that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in a sentence.
    pub message: EcoString,
    /// Where; [`Span::NONE`] when it is about the file as a whole.
    pub span: Span,
    /// What to do.
    pub help: Option<EcoString>,
}

impl Error {
    pub(crate) fn new(message: impl Into<EcoString>, span: Span) -> Self {
        Error {
            message: message.into(),
            span,
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<EcoString>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `file:line:column` of the place, where there is one.
    pub fn place(&self, texts: &Sources) -> Option<String> {
        let at = texts.location(self.span)?;
        Some(format!("{}:{}:{}", at.file, at.line, at.column))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
