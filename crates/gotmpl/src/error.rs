//! Errors, with the text Go gives them.

use std::fmt;

use crate::strconv::quote;

/// Why a template could not be parsed or executed. Its text is Go's.
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    place: Option<Place>,
    message: String,
    tag: Option<&'static str>,
    cause: Option<Error>,
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text is no template.
    Parse,
    /// Executing failed.
    Execute,
    /// A limit of [`crate::Limits`] was reached.
    Limit,
    /// There is no such template.
    Missing,
}

/// Where an error happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the template text that was parsed.
    pub text: String,
    /// The name of the template that was executing; nothing while parsing.
    pub executing: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 0; 0 while parsing.
    pub column: usize,
    /// The node as text.
    pub node: String,
}

impl Error {
    pub(crate) fn parse(name: &str, line: usize, message: String) -> Self {
        let place = Place {
            text: name.to_owned(),
            executing: None,
            line,
            column: 0,
            node: String::new(),
        };
        Error::new(ErrorKind::Parse, Some(place), Failure::from(message))
    }

    pub(crate) fn missing(message: String) -> Self {
        Error::new(ErrorKind::Missing, None, Failure::from(message))
    }

    pub(crate) fn execute(place: Place, failure: Failure) -> Self {
        let kind = match failure.limit {
            true => ErrorKind::Limit,
            false => ErrorKind::Execute,
        };
        Error::new(kind, Some(place), failure)
    }

    fn new(kind: ErrorKind, place: Option<Place>, failure: Failure) -> Self {
        Error(Box::new(Inner {
            kind,
            place,
            message: failure.message,
            tag: failure.tag,
            cause: failure.cause,
        }))
    }

    /// What the error is about.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it happened.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The message without its place. It ends with the text of the cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The error of a template that this one executed.
    pub fn cause(&self) -> Option<&Error> {
        self.0.cause.as_ref()
    }

    /// The innermost error: where things really went wrong.
    pub fn root(&self) -> &Error {
        let mut error = self;
        while let Some(cause) = error.cause() {
            error = cause;
        }
        error
    }

    /// What a function of the host marked the failure with.
    pub fn tag(&self) -> Option<&'static str> {
        self.root().0.tag
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.0.message;
        let Some(place) = &self.0.place else {
            return write!(f, "template: {message}");
        };
        write!(f, "template: {}:{}", place.text, place.line)?;
        if let Some(name) = &place.executing {
            let name = quote(name.as_bytes());
            write!(f, ":{}: executing {name} at <{}>", place.column, place.node)?;
        }
        write!(f, ": {message}")
    }
}

impl std::error::Error for Error {}

/// What a function of the host failed with.
#[derive(Clone, Debug)]
pub struct Failure {
    message: String,
    tag: Option<&'static str>,
    limit: bool,
    cause: Option<Error>,
}

impl Failure {
    /// A failure that [`Error::tag`] recognizes.
    pub fn tagged(tag: &'static str, message: impl Into<String>) -> Self {
        Failure {
            tag: Some(tag),
            ..Failure::from(message.into())
        }
    }

    /// A limit that was reached.
    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Failure {
            limit: true,
            ..Failure::from(message.into())
        }
    }

    /// The same with a tag.
    pub(crate) fn with_tag(self, tag: &'static str) -> Self {
        Failure {
            tag: Some(tag),
            ..self
        }
    }

    /// The same with other words before it.
    pub fn within(self, words: &str) -> Self {
        Failure {
            message: format!("{words}{}", self.message),
            ..self
        }
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure {
            message,
            tag: None,
            limit: false,
            cause: None,
        }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Failure::from(message.to_owned())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            message: error.to_string(),
            tag: None,
            limit: error.kind() == ErrorKind::Limit,
            cause: Some(error),
        }
    }
}
