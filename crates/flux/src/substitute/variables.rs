//! The variables of one Kustomization.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ecow::{EcoString, eco_format};
use model::{Object, Problem};
use rustc_hash::FxHashMap;
use yaml::{Node, Span};

use crate::envsubst::Value;

/// What a ConfigMap or Secret brings to a substitution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provided {
    /// What brings it, `Kind/namespace/name`.
    pub provider: EcoString,
    /// The variables.
    pub variables: Vec<Variable>,
    /// It may have more keys than are known here.
    pub open: bool,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: EcoString,
    /// Its value; `None` when it cannot be read here.
    pub value: Option<EcoString>,
    /// Where it is written.
    pub span: Span,
}

impl Provided {
    /// What a rendered ConfigMap or Secret brings.
    pub fn of(object: &Object) -> Self {
        let node = &*object.node;
        let secret = object.identity.kind == "Secret";
        let mut variables: Vec<Variable> = entries(node, "data")
            .map(|(name, value)| variable(name, value, secret))
            .collect();
        // The API server folds it into data, where it wins.
        if secret {
            variables.extend(entries(node, "stringData").map(|(n, v)| variable(n, v, false)));
        }
        Provided {
            provider: eco_format!("{}", object.identity),
            variables,
            open: node.get("data").is_some_and(|data| data.unknown),
        }
    }
}

fn entries<'a>(node: &'a Node, field: &str) -> impl Iterator<Item = (&'a Node, &'a Node)> {
    let entries = node.get(field).map(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| (&entry.key, &entry.value))
}

fn variable(name: &Node, value: &Node, encoded: bool) -> Variable {
    let text = value.text().filter(|_| !is_unknown(value));
    Variable {
        name: name.text().cloned().unwrap_or_default(),
        value: match (text, encoded) {
            (Some(text), true) => decode(text),
            (text, _) => text.cloned(),
        },
        span: if value.span.is_none() {
            name.span
        } else {
            value.span
        },
    }
}

fn is_unknown(node: &Node) -> bool {
    node.unknown
        || node
            .text()
            .is_some_and(|text| yaml::unknown::contains(text))
}

/// The text of a base64 value, line breaks ignored. `None` when it is none.
fn decode(text: &str) -> Option<EcoString> {
    let joined: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
    let bytes = STANDARD.decode(joined).ok()?;
    String::from_utf8(bytes).ok().map(EcoString::from)
}

/// What a variable has for a value.
#[derive(Clone, Debug)]
struct Known {
    text: EcoString,
    unknown: bool,
    provider: EcoString,
    span: Span,
}

/// The variables of one Kustomization, later ones over earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    known: FxHashMap<EcoString, Known>,
    /// Something that may bring any variable.
    open: Option<EcoString>,
    /// A source that is missing: what is undefined for its lack is no finding of
    /// its own.
    incomplete: Option<EcoString>,
}

/// Where a list of variables comes from.
pub(crate) enum Provider<'a> {
    /// An entry of `substituteFrom`.
    Source(&'a Provided),
    /// An entry of `substituteFrom` that is not there.
    Missing(&'a str),
    /// `postBuild.substitute`, a mapping.
    Inline(&'a Node),
}

impl Variables {
    /// Adds what a provider brings.
    pub(crate) fn add(&mut self, provider: &Provider<'_>) {
        match provider {
            Provider::Source(provided) => {
                if provided.open {
                    self.open.get_or_insert_with(|| provided.provider.clone());
                }
                for variable in &provided.variables {
                    self.insert(&provided.provider, variable);
                }
            }
            Provider::Missing(name) => {
                self.incomplete.get_or_insert_with(|| (*name).into());
            }
            Provider::Inline(node) => {
                for entry in node.entries() {
                    let variable = variable(&entry.key, &entry.value, false);
                    self.insert(&"substitute".into(), &variable);
                }
            }
        }
    }

    fn insert(&mut self, provider: &EcoString, variable: &Variable) {
        let text = match &variable.value {
            // No value has a line break.
            Some(text) => text.replace("\n", ""),
            None => marker(provider, &variable.name),
        };
        let known = Known {
            text,
            unknown: variable.value.is_none(),
            provider: provider.clone(),
            span: variable.span,
        };
        self.known.insert(variable.name.clone(), known);
    }

    /// Whether there is none, and none can be.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.open.is_none() && self.incomplete.is_none()
    }

    /// The value of a variable for an expression that has a default, or has not.
    pub(crate) fn look_up(&self, name: &str, has_default: bool) -> Option<Value<'_>> {
        if let Some(known) = self.known.get(name) {
            return Some(Value {
                text: known.text.as_str().into(),
                unknown: known.unknown,
            });
        }
        let open = match (&self.open, &self.incomplete) {
            (Some(provider), _) => provider,
            (None, Some(missing)) if !has_default => missing,
            _ => return None,
        };
        Some(Value {
            text: marker(open, name).to_string().into(),
            unknown: true,
        })
    }

    /// Whether the value of a variable is a Secret's.
    pub(crate) fn is_secret(&self, name: &str) -> bool {
        let known = self.known.get(name);
        known.is_some_and(|known| known.provider.starts_with("Secret/"))
    }

    /// Names that are no identifiers, sorted: a single one fails the build.
    pub(crate) fn invalid_names(&self) -> Vec<Problem> {
        let mut invalid: Vec<_> = self
            .known
            .iter()
            .filter(|(name, _)| !is_identifier(name))
            .collect();
        invalid.sort_by_key(|(name, _)| *name);
        let problem = |(name, known): (&EcoString, &Known)| Problem::InvalidVariableName {
            name: name.clone(),
            provider: known.provider.clone(),
            span: known.span,
        };
        invalid.into_iter().map(problem).collect()
    }
}

/// Stands for the value of a provider's key.
fn marker(provider: &str, name: &str) -> EcoString {
    yaml::unknown::marker(&format!("{provider}#{name}"))
}

/// `^[_[:alpha:]][_[:alpha:][:digit:]]*$`
fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
