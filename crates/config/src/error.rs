//! Why a configuration was refused.

use std::fmt;

use yaml::{Location, Sources, Span};

/// A refused configuration: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in a sentence without a final stop.
    pub message: String,
    /// What to do, if there is something to say.
    pub help: Option<String>,
    /// Keys from the top to the place, outermost first: `externals`, `secrets`,
    /// `[0]`.
    pub path: Vec<String>,
    /// The place.
    pub span: Option<Span>,
}

impl Error {
    /// An error without a place yet.
    pub fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            help: None,
            path: Vec::new(),
            span: None,
        }
    }

    /// Adds what to do.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says the place, unless a more exact one is known.
    pub(crate) fn at(mut self, span: Span) -> Self {
        if self.span.is_none() && !span.is_none() {
            self.span = Some(span);
        }
        self
    }

    /// Says which key the error happened below.
    pub(crate) fn below(mut self, key: impl Into<String>) -> Self {
        self.path.insert(0, key.into());
        self
    }

    /// The place as people read it.
    pub fn location(&self, sources: &Sources) -> Option<Location> {
        sources.location(self.span?)
    }

    /// The dotted path of the place: `externals.secrets[0].name`.
    pub fn dotted(&self) -> String {
        let mut dotted = String::new();
        for key in &self.path {
            if !dotted.is_empty() && !key.starts_with('[') {
                dotted.push('.');
            }
            dotted.push_str(key);
        }
        dotted
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.dotted();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::new(message.to_string())
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Error::new(format!("unknown key `{field}`")).with_help(choice(field, expected, "keys"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Error::new(format!("unknown value `{variant}`"))
            .with_help(choice(variant, expected, "values"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Error::new(format!("the key `{field}` appears twice")).with_help("keep one of them")
    }

    fn missing_field(field: &'static str) -> Self {
        Error::new(format!("the key `{field}` is missing"))
    }
}

/// A sentence with the nearest of the known names, and all of them.
pub(crate) fn choice(given: &str, known: &[&str], what: &str) -> String {
    let all = format!("known {what}: {}", known.join(", "));
    match nearest(given, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? ({all})"),
        None => all,
    }
}

/// The known name that looks most like `given`, if one is near enough to be
/// meant. Case, `-` and `_` do not count.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let given = plain(given);
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&given, &plain(name)), name))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}
