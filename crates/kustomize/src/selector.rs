//! Which objects a patch or replacement is for.

use ecow::EcoString;
use regex::Regex;

use crate::error::Error;
use crate::id::{Gvk, ResId};
use crate::label_selector::LabelSelector;
use crate::regexp;
use crate::resource::Resource;

/// A selector as written. Group, version, kind, name and namespace are regular
/// expressions for the whole text; empty ones match anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Type, name and namespace.
    pub id: ResId,
    /// A label selector over labels.
    pub label_selector: EcoString,
    /// A label selector over annotations.
    pub annotation_selector: EcoString,
}

/// A selector ready for matching.
#[derive(Clone, Debug)]
pub struct Compiled {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Lazy,
    annotations: Lazy,
}

/// What is wrong with an expression counts only once an object is held against
/// it.
type Lazy = Result<LabelSelector, Error>;

impl Selector {
    /// Prepares it. Fails on an invalid regular expression.
    pub fn compile(&self) -> Result<Compiled, Error> {
        Ok(Compiled {
            group: Pattern::new(&self.id.gvk.group)?,
            version: Pattern::new(&self.id.gvk.version)?,
            kind: Pattern::new(&self.id.gvk.kind)?,
            name: Pattern::new(&self.id.name)?,
            namespace: Pattern::new(&self.id.namespace)?,
            labels: LabelSelector::parse(&self.label_selector),
            annotations: LabelSelector::parse(&self.annotation_selector),
        })
    }
}

/// As messages have it.
impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}:a={}:l={}",
            self.id, self.annotation_selector, self.label_selector
        )
    }
}

impl Compiled {
    /// Whether it takes an object: by type as it is now, by the name and
    /// namespace it has now or had first, by labels and by annotations. Fails on
    /// an invalid label selector, if it comes to that.
    pub fn matches(&self, resource: &Resource) -> Result<bool, Error> {
        let now = resource.id();
        let first = resource.original_id();
        let namespaces = [first.effective_namespace(), now.effective_namespace()];
        let by_id = namespaces.iter().any(|ns| self.namespace.matches(ns))
            && (self.name.matches(&first.name) || self.name.matches(&now.name))
            && self.matches_gvk(&now.gvk);
        Ok(by_id
            && satisfies(&self.labels, resource, "labels")?
            && satisfies(&self.annotations, resource, "annotations")?)
    }

    /// Whether the type matches.
    pub fn matches_gvk(&self, gvk: &Gvk) -> bool {
        self.group.matches(&gvk.group)
            && self.version.matches(&gvk.version)
            && self.kind.matches(&gvk.kind)
    }

    /// Whether type, name and namespace *as written* match.
    pub fn matches_id(&self, id: &ResId) -> bool {
        self.matches_gvk(&id.gvk)
            && self.name.matches(&id.name)
            && self.namespace.matches(&id.namespace)
    }

    /// Whether labels and annotations match. Fails on an invalid label selector.
    pub fn matches_metadata(&self, resource: &Resource) -> Result<bool, Error> {
        let annotations = satisfies(&self.annotations, resource, "annotations")?;
        let labels = satisfies(&self.labels, resource, "labels")?;
        Ok(annotations && labels)
    }
}

fn satisfies(selector: &Lazy, resource: &Resource, map: &str) -> Result<bool, Error> {
    let selector = selector.as_ref().map_err(Error::clone)?;
    Ok(selector.matches(|key| below(resource, map, key)))
}

fn below<'a>(resource: &'a Resource, map: &str, key: &str) -> Option<&'a str> {
    let value = resource.node().path(&["metadata", map, key])?;
    Some(value.text().map_or("", |text| text.as_str()))
}

#[derive(Clone, Debug)]
enum Pattern {
    Any,
    /// Nearly every pattern is a plain name.
    Exact(EcoString),
    /// Or an API group, whose dots each stand for any character.
    Dotted(EcoString),
    Regex(Regex),
}

impl Pattern {
    fn new(text: &EcoString) -> Result<Self, Error> {
        if text.is_empty() {
            return Ok(Pattern::Any);
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b':');
        if text.bytes().all(plain) {
            return Ok(Pattern::Exact(text.clone()));
        }
        if text.bytes().all(|b| plain(b) || b == b'.') {
            return Ok(Pattern::Dotted(text.clone()));
        }
        regexp::compile(&format!("^(?:{text})$")).map(Pattern::Regex)
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Exact(exact) => exact == text,
            Pattern::Dotted(dotted) => {
                let mut rest = text.chars();
                let same = |p: char| {
                    rest.next()
                        .is_some_and(|c| c == p || (p == '.' && c != '\n'))
                };
                dotted.chars().all(same) && rest.next().is_none()
            }
            Pattern::Regex(regex) => regex.is_match(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_dotted_patterns_match_as_expressions_do() {
        let texts = [
            "apps",
            "apps.io",
            "appsxio",
            "apps.io.x",
            "xapps.io",
            "apps.i",
            "",
        ];
        for pattern in ["apps", "apps.io", ".apps", "apps.", "...."] {
            let quick = Pattern::new(&pattern.into()).unwrap();
            assert!(!matches!(quick, Pattern::Regex(_)));
            let full = regexp::compile(&format!("^(?:{pattern})$")).unwrap();
            for text in texts {
                assert_eq!(quick.matches(text), full.is_match(text), "{pattern} {text}");
            }
        }
    }
}
