//! Texts that are no texts any more once variables are filled in.

use std::cell::Cell;

use ecow::{EcoString, eco_format};
use model::{Identity, Problem};
use yaml::{Node, Sources, Tag, Value};

use super::variables::Variables;
use crate::envsubst;

/// Longest text of a value that is kept.
const MAX_SHOWN: usize = 60;

/// Finds them in an object, before and after. Both have their keys sorted.
/// Values that grew into collections are left out: that is done on purpose.
pub(super) struct Search<'a> {
    pub(super) variables: &'a Variables,
    pub(super) sources: &'a Sources,
    pub(super) object: &'a Identity,
    found: Vec<Problem>,
    path: Vec<EcoString>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        variables: &'a Variables,
        sources: &'a Sources,
        object: &'a Identity,
    ) -> Self {
        Search {
            variables,
            sources,
            object,
            found: Vec::new(),
            path: Vec::new(),
        }
    }

    pub(super) fn run(mut self, old: &Node, new: &Node) -> Vec<Problem> {
        self.compare(old, new);
        self.found
    }

    fn compare(&mut self, old: &Node, new: &Node) {
        match (&old.value, &new.value) {
            (Value::Mapping(olds), Value::Mapping(news)) => {
                let mut news = news.iter().peekable();
                for old in olds {
                    let Some(key) = old.key.text() else { continue };
                    while news.next_if(|new| new.key.text() < Some(key)).is_some() {}
                    if let Some(new) = news.next_if(|new| new.key.text() == Some(key)) {
                        self.below(key.clone(), &old.value, &new.value);
                    }
                }
            }
            (Value::Sequence(olds), Value::Sequence(news)) => {
                for (at, (old, new)) in olds.iter().zip(news).enumerate() {
                    self.below(eco_format!("[{at}]"), old, new);
                }
            }
            (Value::Scalar(text), Value::Scalar(_)) => {
                let typed = matches!(new.tag, Tag::Null | Tag::Bool | Tag::Int | Tag::Float);
                if typed && old.tag == Tag::Str && !envsubst::is_plain(text) {
                    self.note(old, text, new);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: EcoString, old: &Node, new: &Node) {
        // Nothing below changed unless there is an expression in it, and of
        // scalars most have none.
        if let Value::Scalar(text) = &old.value
            && envsubst::is_plain(text)
        {
            return;
        }
        self.path.push(step);
        self.compare(old, new);
        self.path.pop();
    }

    fn note(&mut self, old: &Node, written: &EcoString, new: &Node) {
        let Some(text) = self.text(written) else {
            return;
        };
        self.found.push(Problem::Retyped {
            object: self.object.clone(),
            field: self.path.clone(),
            written: written.clone(),
            text,
            value: new.clone(),
            quoted: self.is_quoted(old),
            span: old.span,
        });
    }

    /// What the text became before it was read; `Some(None)` where a Secret is
    /// in it. `None` where something in it is not defined, which is told
    /// otherwise.
    fn text(&self, written: &str) -> Option<Option<EcoString>> {
        let is_secret = Cell::new(false);
        let lookup = |name: &str, has_default: bool| {
            is_secret.set(is_secret.get() || self.variables.is_secret(name));
            self.variables.look_up(name, has_default)
        };
        let expansion = envsubst::expand(written, &lookup).ok()?;
        if !expansion.undefined.is_empty() {
            return None;
        }
        let shown = !is_secret.get() && expansion.text.len() <= MAX_SHOWN;
        Some(shown.then(|| expansion.text.as_str().into()))
    }

    fn is_quoted(&self, node: &Node) -> bool {
        let place = self.sources.resolve(node.span);
        place
            .and_then(|span| Some((self.sources.get(span.file)?, span)))
            .and_then(|(file, span)| file.text.get(span.start as usize..)?.chars().next())
            .is_some_and(|first| matches!(first, '"' | '\''))
    }
}
