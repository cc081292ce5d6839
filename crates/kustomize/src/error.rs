//! Why a build failed.

use ecow::EcoString;
use yaml::Span;

/// A failed build: the cause as kustomize words it, the steps that led there
/// and the place that is to blame, if a text holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The innermost cause.
    pub message: EcoString,
    /// What was being done, outermost first.
    pub context: Vec<EcoString>,
    /// The place in a source text that causes it.
    pub span: Option<Span>,
    /// A remote address that could not be had offline, when that is the cause.
    pub remote: Option<EcoString>,
    /// What kind of cause it is.
    pub cause: Cause,
}

/// What kind of thing a build failed of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// A file or directory that is not there, or one where the other is asked for.
    Missing,
    /// A text that is no YAML.
    Malformed,
    /// A file that is no kustomization.
    Kustomization,
    /// What upstream does there is not modelled: its build may well work.
    Unmodelled,
    /// Anything else: what the files say does not go together.
    #[default]
    Content,
}

impl Error {
    /// An error with its innermost cause.
    pub fn new(message: impl Into<EcoString>) -> Self {
        Error {
            message: message.into(),
            context: Vec::new(),
            span: None,
            remote: None,
            cause: Cause::default(),
        }
    }

    /// Says what kind of cause it is, unless that is known.
    pub(crate) fn of(mut self, cause: Cause) -> Self {
        if self.cause == Cause::Content {
            self.cause = cause;
        }
        self
    }

    /// Whether a file that cannot be read, or is not there, is the cause: then
    /// the build fails whatever other files or remote bases bring.
    pub fn is_of_files(&self) -> bool {
        self.remote.is_none() && !matches!(self.cause, Cause::Content | Cause::Unmodelled)
    }

    /// Says what was being done.
    pub fn during(mut self, context: impl Into<EcoString>) -> Self {
        self.context.insert(0, context.into());
        self
    }

    /// Says which place is to blame, unless a more exact one is known.
    pub fn at(mut self, span: Span) -> Self {
        if self.span.is_none() && !span.is_none() {
            self.span = Some(span);
        }
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for step in &self.context {
            write!(f, "{step}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
