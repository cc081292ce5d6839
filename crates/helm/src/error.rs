//! Errors with the text Helm gives them.

use std::collections::BTreeMap;
use std::fmt;

use crate::funcs::templates::{END, START};

/// Why a chart could not be rendered.
#[derive(Clone, Debug)]
pub struct Error {
    message: String,
    /// What the template engine said.
    cause: Option<gotmpl::Error>,
    /// Texts that were rendered before it failed.
    rendered: Option<BTreeMap<String, String>>,
    looked_up: bool,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// What the template engine said, with its places.
    pub fn cause(&self) -> Option<&gotmpl::Error> {
        self.cause.as_ref()
    }

    /// The texts that were rendered before the release was refused, by the
    /// paths of their templates; nothing when it was refused before any
    /// template was looked at.
    pub fn rendered(&self) -> Option<&BTreeMap<String, String>> {
        self.rendered.as_ref()
    }

    /// Whether the template that failed had looked up objects in the cluster. None
    /// were found, as there is no cluster: in one it might not fail.
    pub fn looked_up(&self) -> bool {
        self.looked_up
    }

    /// A thread with more stack might not meet it.
    pub(crate) fn is_of_stack(&self) -> bool {
        let tag = self.cause.as_ref().and_then(gotmpl::Error::tag);
        tag == Some(gotmpl::Limits::STACK)
    }

    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            cause: None,
            rendered: None,
            looked_up: false,
        }
    }

    /// Says that it happened while templates were rendered.
    pub(crate) fn of_render(self, texts: BTreeMap<String, String>) -> Self {
        Error {
            rendered: Some(texts),
            ..self
        }
    }

    pub(crate) fn parse(path: &str, error: &gotmpl::Error) -> Self {
        let text = error.to_string();
        let parts: Vec<&str> = text.split(": ").collect();
        let message = match (parts.get(1), parts.last()) {
            (Some(place), Some(message)) => format!("parse error at ({place}): {message}"),
            _ => format!("parse error in ({path}): {text}"),
        };
        Error {
            message,
            cause: Some(error.clone()),
            rendered: None,
            looked_up: false,
        }
    }

    pub(crate) fn execute(error: &gotmpl::Error, looked_up: bool) -> Self {
        Error {
            message: execution(error),
            cause: Some(error.clone()),
            rendered: None,
            looked_up,
        }
    }
}

fn execution(error: &gotmpl::Error) -> String {
    let text = error.to_string();
    if error.place().is_none() {
        return text;
    }
    let mut parts = text.splitn(3, ": ");
    let (_, Some(place), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return text;
    };
    if let Some((_, behind)) = rest.split_once(START)
        && let Some((message, _)) = behind.rsplit_once(END)
    {
        return format!("execution error at ({place}): {message}");
    }
    trace(error).unwrap_or(text)
}

/// The places that an error went through, one below the other; nothing where
/// something else than a template spoke in between.
fn trace(error: &gotmpl::Error) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut current = Some(error);
    while let Some(error) = current {
        let called = error.message().strip_prefix("error calling ");
        let inner = called.and_then(|called| called.split_once(": "));
        match (error.cause(), inner) {
            (Some(cause), Some((_, inner))) if inner != cause.to_string() => return None,
            (None, Some(_)) => return None,
            _ => {}
        }
        let line = place(error)?;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        current = error.cause();
    }
    Some(lines.concat().trim().to_owned())
}

fn place(error: &gotmpl::Error) -> Option<String> {
    let text = error.to_string();
    let rest = text.strip_prefix("template: ")?;
    if rest.starts_with("no template ") {
        return Some(format!("{text}\n"));
    }
    let until_template = |message: &str| {
        let end = message.find(" template:").unwrap_or(message.len());
        message.get(..end).unwrap_or(message).to_owned()
    };
    if let Some((place, after)) = rest.split_once(": executing ") {
        let (name, after) = after.strip_prefix('"')?.split_once('"')?;
        let (node, message) = after.strip_prefix(" at <")?.split_once(">: ")?;
        let message = until_template(message);
        return Some(format!(
            "{place}\n  executing \"{name}\" at <{node}>:\n    {message}\n"
        ));
    }
    let (place, message) = rest.rsplit_once(": ")?;
    Some(format!("{place}\n  {}\n", until_template(message)))
}
