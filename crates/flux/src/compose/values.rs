//! The values of a release: those of its references, in order, and its own.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use helm::Data;
use model::Problem;
use yaml::{Node, Span, Text};

use super::Request;
use crate::Settings;
use crate::chart::data;
use crate::spec::{items, text};
use crate::values::Provided;

/// Values of a release.
pub(super) struct Composed {
    pub values: Data,
    /// Why there may be more of them, or others.
    pub open: Option<EcoString>,
    /// References that are not optional and name nothing.
    pub missing: Vec<Problem>,
}

/// Why the controller composes no values.
pub(super) struct Fault {
    pub message: EcoString,
    pub span: Span,
}

/// An entry of `valuesFrom`.
struct Entry<'a> {
    namespace: &'a str,
    kind: EcoString,
    name: EcoString,
    key: EcoString,
    target: EcoString,
    literal: bool,
    optional: bool,
}

/// What an entry brings.
enum Brought {
    Text(EcoString),
    /// It is there, and nobody here can read it. What stands for it, if something
    /// does already.
    Unreadable(Option<Text>),
    /// An optional one that is not there.
    Nothing,
    /// One that should be there.
    Missing,
}

/// Gathers the values of a release.
///
/// The controller lays its own values over the others before it sets anything
/// at a path, and again at the end. That a value set at a path stays all the
/// same is due to maps that both then share; where they share none, the
/// release's own value wins. See [`Layers`].
pub(super) fn compose(request: &Request<'_>) -> Result<Composed, Fault> {
    let object = request.object;
    let own = object.path(&["spec", "values"]).map(data::of_node);
    let mut layers = Layers::new(own.filter(|own| matches!(own, Data::Map(_))));
    let mut composed = Composed {
        values: Data::map(),
        open: None,
        missing: Vec::new(),
    };
    let entries = items(object.path(&["spec", "valuesFrom"]));
    for (at, node) in entries.enumerate() {
        let entry = Entry::read(node, &request.key.namespace);
        let provided = request.provided.get(at).unwrap_or(&Provided::Missing);
        let fault = |message: EcoString| Fault {
            message,
            span: node.span,
        };
        match entry.brought(provided, request.settings).map_err(fault)? {
            Brought::Nothing => {}
            Brought::Missing => {
                let entry = request.spec.values_from.get(at);
                let missing = entry.map(|entry| Problem::MissingSubstituteSource {
                    reference: entry.reference.clone(),
                });
                composed.missing.extend(missing);
            }
            Brought::Text(text) if entry.target.is_empty() => {
                let values =
                    data::of_text(&text).map_err(|error| fault(entry.unresolved(&error)))?;
                layers.lay_over(&values);
            }
            Brought::Unreadable(_) if entry.target.is_empty() => {
                composed.open.get_or_insert_with(|| {
                    eco_format!(
                        "values of {} {}/{} are not readable here",
                        entry.kind,
                        entry.namespace,
                        entry.name
                    )
                });
            }
            Brought::Text(text) => layers
                .set(&entry.target, &text, entry.literal)
                .map_err(|error| fault(entry.unresolved(&error)))?,
            Brought::Unreadable(marker) => {
                let marker = marker.unwrap_or_else(|| {
                    yaml::unknown::marker(&eco_format!(
                        "{}/{}/{}#{}",
                        entry.kind,
                        entry.namespace,
                        entry.name,
                        entry.key
                    ))
                });
                layers
                    .set(&entry.target, &marker, true)
                    .map_err(|error| fault(entry.unresolved(&error)))?;
            }
        }
    }
    composed.values = layers.finish();
    Ok(composed)
}

impl<'a> Entry<'a> {
    fn read(node: &'a Node, namespace: &'a str) -> Self {
        let at = |field: &str| text(node.get(field));
        let flag = |field: &str| node.get(field).and_then(Node::as_bool) == Some(true);
        Entry {
            namespace,
            kind: at("kind").unwrap_or_default(),
            name: at("name").unwrap_or_default(),
            key: at("valuesKey").unwrap_or_else(|| "values.yaml".into()),
            target: at("targetPath").unwrap_or_default(),
            literal: flag("literal"),
            optional: flag("optional"),
        }
    }

    /// The controller's words for an entry it cannot use.
    fn unresolved(&self, reason: &str) -> EcoString {
        let optional = if self.optional { " optional" } else { "" };
        eco_format!(
            "could not resolve{optional} {} chart values reference '{}/{}' with key '{}': {reason}",
            self.kind,
            self.namespace,
            self.name,
            self.key
        )
    }

    fn brought(&self, provided: &Provided, settings: &Settings) -> Result<Brought, EcoString> {
        if !matches!(self.kind.as_str(), "ConfigMap" | "Secret") {
            return Err(self.unresolved("unsupported values reference kind"));
        }
        let absent = |keys: &[EcoString]| match self.optional {
            true => Ok(Brought::Nothing),
            false => {
                let keys = match keys {
                    [] => EcoString::from("it has no keys"),
                    keys => eco_format!("it has {}", keys.join(", ")),
                };
                Err(eco_format!("{} ({keys})", self.unresolved("key not found")))
            }
        };
        Ok(match provided {
            Provided::Missing if self.optional => Brought::Nothing,
            Provided::Missing => Brought::Missing,
            Provided::Undecided | Provided::Made(..) | Provided::Declared(_) => {
                Brought::Unreadable(None)
            }
            Provided::Object(object) => match self.of_object(&object.node) {
                Some(brought) => brought,
                None => return absent(&keys(&object.node)),
            },
            Provided::External(index) => {
                let external = settings.substitutions.get(*index);
                let variables = external.map(|e| e.variables.as_slice()).unwrap_or_default();
                match variables.iter().find(|(name, _)| *name == self.key) {
                    Some((_, Some(value))) => Brought::Text(value.clone()),
                    Some((_, None)) => Brought::Unreadable(None),
                    // An entry that lists nothing leaves its content open.
                    None if variables.is_empty() => Brought::Unreadable(None),
                    None => {
                        let names: Vec<_> =
                            variables.iter().map(|(name, _)| name.clone()).collect();
                        return absent(&names);
                    }
                }
            }
        })
    }

    /// What the key of a rendered ConfigMap or Secret holds.
    fn of_object(&self, object: &Node) -> Option<Brought> {
        let secret = self.kind == "Secret";
        let plain = object.path(&["stringData", &self.key]);
        if let Some(value) = plain.filter(|_| secret) {
            return Some(readable(value));
        }
        let data = object.get("data");
        match data.and_then(|data| data.get(&self.key)) {
            Some(value) if secret && !is_unknown(value) => Some(decoded(value)),
            Some(value) => Some(readable(value)),
            None => data
                .is_some_and(|data| data.unknown)
                .then_some(Brought::Unreadable(None)),
        }
    }
}

fn keys(object: &Node) -> Vec<EcoString> {
    let fields = ["data", "stringData"].into_iter();
    let entries = fields
        .filter_map(|field| object.get(field))
        .flat_map(Node::entries);
    entries
        .filter_map(|entry| entry.key.text().cloned())
        .collect()
}

/// Whether nothing of a value is known. Of a text that holds a marker among
/// other things the rest is.
fn is_unknown(value: &Node) -> bool {
    value.text().is_none_or(|text| {
        yaml::unknown::is_marker(text) || (value.unknown && !yaml::unknown::contains(text))
    })
}

fn readable(value: &Node) -> Brought {
    match value.text() {
        Some(text) if !is_unknown(value) => Brought::Text(text.clone()),
        text => Brought::Unreadable(text.and_then(|text| own_marker(text))),
    }
}

/// The marker that a text is already.
fn own_marker(text: &str) -> Option<Text> {
    let text = text.trim();
    yaml::unknown::is_marker(text).then(|| text.into())
}

fn decoded(value: &Node) -> Brought {
    use base64::Engine as _;
    let engine = base64::engine::general_purpose::STANDARD;
    let joined: String = value
        .text()
        .map(|text| text.split_ascii_whitespace().collect())
        .unwrap_or_default();
    let text = engine
        .decode(joined)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    match text {
        Some(text) if !yaml::unknown::is_marker(text.trim()) => Brought::Text(text.into()),
        text => Brought::Unreadable(text.as_deref().and_then(own_marker)),
    }
}

/// A step from a map to what it holds.
type Key = Arc<[u8]>;

/// Values being laid over each other as the controller does it: by maps that
/// are copied where both layers have one, and else shared. What is set inside of
/// something shared changes the release's own values, too, and so survives when
/// they are laid over everything at the end.
struct Layers {
    result: Data,
    own: Option<Data>,
    /// Ways to what the result shares with the release's own values.
    shared: Vec<Vec<Key>>,
}

impl Layers {
    fn new(own: Option<Data>) -> Self {
        Layers {
            result: Data::map(),
            own,
            shared: Vec::new(),
        }
    }

    fn lay_over(&mut self, values: &Data) {
        data::lay_over(&mut self.result, values);
    }

    fn set(&mut self, path: &str, value: &str, literal: bool) -> Result<(), EcoString> {
        self.shared.clear();
        if let Some(own) = &self.own {
            share(&self.result, own, &mut Vec::new(), &mut self.shared);
            data::lay_over(&mut self.result, own);
        }
        let set = match literal {
            true => self.result.set_text_at_path(path, value.as_bytes()),
            false => self.result.set_at_path(path, value.as_bytes()),
        };
        set.map_err(EcoString::from)?;
        for way in &self.shared {
            let changed = at(&self.result, way);
            let kept = self.own.as_mut().and_then(|own| at_mut(own, way));
            if let (Some(changed), Some(kept)) = (changed, kept) {
                match (&*kept, changed) {
                    // A longer list is another list.
                    (Data::List(old), Data::List(new)) if old.len() != new.len() => {}
                    (Data::List(_), Data::List(_)) | (Data::Map(_), Data::Map(_)) => {
                        *kept = changed.clone();
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Data {
        if let Some(own) = &self.own {
            data::lay_over(&mut self.result, own);
        }
        self.result
    }
}

/// Finds what a result comes to share with values that are laid over it.
fn share(result: &Data, own: &Data, way: &mut Vec<Key>, shared: &mut Vec<Vec<Key>>) {
    let Data::Map(entries) = own else {
        return;
    };
    for (key, value) in entries {
        let below = match result {
            Data::Map(known) => known.get(key),
            _ => None,
        };
        way.push(key.clone());
        match (value, below) {
            (Data::Map(_), Some(known @ Data::Map(_))) => share(known, value, way, shared),
            (Data::Map(_) | Data::List(_), _) => shared.push(way.clone()),
            _ => {}
        }
        way.pop();
    }
}

fn at<'d>(data: &'d Data, way: &[Key]) -> Option<&'d Data> {
    way.iter().try_fold(data, |data, key| match data {
        Data::Map(entries) => entries.get(key),
        _ => None,
    })
}

fn at_mut<'d>(data: &'d mut Data, way: &[Key]) -> Option<&'d mut Data> {
    way.iter().try_fold(data, |data, key| match data {
        Data::Map(entries) => entries.get_mut(key),
        _ => None,
    })
}
