//! ConfigMaps and Secrets that substitution reads: rendered ones, ones that
//! another object makes at run time, and ones that exist outside the repository.

use std::sync::Arc;

use ecow::EcoString;
use model::{Object, Reference};
use rustc_hash::FxHashMap;
use yaml::Node;

use crate::Settings;
use crate::placed::Placed;
use crate::spec::text;

/// A ConfigMap or Secret, or what makes one.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// What it is or makes.
    pub target: Target,
    /// What is known of its content.
    pub content: Provided,
}

/// A ConfigMap or Secret by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    /// `ConfigMap` or `Secret`.
    pub kind: EcoString,
    /// Namespace.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
}

/// What is known of the content of a ConfigMap or Secret.
#[derive(Clone, Debug)]
pub(crate) enum Provided {
    /// The object itself.
    Object(Arc<Object>),
    /// Made at run time by this object, with these keys; `None` when it may have
    /// any.
    Made(Arc<Object>, Option<Vec<EcoString>>),
    /// The entry of [`Settings::substitutions`] at this index.
    External(usize),
    /// A Secret that exists outside the repository, with these keys; `None` when
    /// it may have any.
    Declared(Option<Vec<EcoString>>),
    /// Its name is not known, so neither is what provides it.
    Undecided,
    /// Nothing provides it.
    Missing,
}

/// The same content, as far as substitution sees it.
impl PartialEq for Provided {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Provided::Object(a), Provided::Object(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.node.get("data") == b.node.get("data")
                        && a.node.get("stringData") == b.node.get("stringData"))
            }
            (Provided::Made(_, a), Provided::Made(_, b)) => a == b,
            (Provided::External(a), Provided::External(b)) => a == b,
            (Provided::Declared(a), Provided::Declared(b)) => a == b,
            (Provided::Undecided, Provided::Undecided) | (Provided::Missing, Provided::Missing) => {
                true
            }
            _ => false,
        }
    }
}

impl Provider {
    /// What an object provides, if anything.
    pub fn of(object: &Arc<Object>) -> Option<Provider> {
        let identity = &object.identity;
        match (identity.group.as_str(), identity.kind.as_str()) {
            ("", "ConfigMap" | "Secret") => Some(Provider {
                target: Target {
                    kind: identity.kind.clone(),
                    namespace: identity.namespace.clone(),
                    name: identity.name.clone(),
                },
                content: Provided::Object(object.clone()),
            }),
            ("external-secrets.io", "ExternalSecret") => external_secret(object),
            ("bitnami.com", "SealedSecret") => Some(sealed_secret(object)),
            _ => None,
        }
    }
}

fn external_secret(object: &Arc<Object>) -> Option<Provider> {
    let spec = object.node.get("spec")?;
    let target = spec.get("target");
    let get = |path: &[&str]| target.and_then(|target| target.path(path));
    if matches!(
        get(&["creationPolicy"]).and_then(Node::as_str),
        Some("Merge" | "None")
    ) {
        return None;
    }
    let keys = |node: Option<&Node>| -> Vec<EcoString> {
        let entries = node.map(Node::entries).unwrap_or_default().iter();
        entries
            .filter_map(|entry| entry.key.text().cloned())
            .collect()
    };
    let template = keys(get(&["template", "data"]));
    let open = spec
        .get("dataFrom")
        .is_some_and(|from| !from.items().is_empty())
        || get(&["template", "templateFrom"]).is_some();
    let data = spec.get("data").map(Node::items).unwrap_or_default();
    let listed = data
        .iter()
        .filter_map(|entry| text(entry.get("secretKey")))
        .collect();
    let known = match (template.is_empty(), open) {
        (false, _) if get(&["template", "templateFrom"]).is_none() => Some(template),
        (_, true) => None,
        _ => Some(listed),
    };
    Some(Provider {
        target: Target {
            kind: text(get(&["manifest", "kind"])).unwrap_or_else(|| "Secret".into()),
            namespace: object.identity.namespace.clone(),
            name: text(get(&["name"])).unwrap_or_else(|| object.identity.name.clone()),
        },
        content: Provided::Made(object.clone(), known),
    })
}

fn sealed_secret(object: &Arc<Object>) -> Provider {
    let keys = object
        .node
        .path(&["spec", "encryptedData"])
        .map(Node::entries)
        .unwrap_or_default();
    Provider {
        target: Target {
            kind: "Secret".into(),
            namespace: object.identity.namespace.clone(),
            name: object.identity.name.clone(),
        },
        content: Provided::Made(
            object.clone(),
            Some(
                keys.iter()
                    .filter_map(|entry| entry.key.text().cloned())
                    .collect(),
            ),
        ),
    }
}

/// Everything a world provides, by cluster and name.
pub(crate) struct Values<'a> {
    settings: &'a Settings,
    known: FxHashMap<Placed<Target>, Provided>,
}

impl<'a> Values<'a> {
    pub fn new(settings: &'a Settings) -> Self {
        Values {
            settings,
            known: FxHashMap::default(),
        }
    }

    /// Adds a provider. Of several, an object wins over what makes one, and else
    /// the first.
    pub fn add(&mut self, cluster: &EcoString, provider: &Provider) {
        let at = (cluster.clone(), provider.target.clone());
        let old = self.known.get(&at);
        let better = matches!(
            (old, &provider.content),
            (None, _) | (Some(Provided::Made(..)), Provided::Object(_))
        );
        if better {
            self.known.insert(at, provider.content.clone());
        }
    }

    /// What provides a ConfigMap or Secret to the Flux of a cluster.
    pub fn look_up(&self, cluster: &EcoString, reference: &Reference) -> Provided {
        let target = Target {
            kind: reference.kind.clone(),
            namespace: reference.namespace.clone(),
            name: reference.name.clone(),
        };
        if yaml::unknown::contains(&target.name) || yaml::unknown::contains(&target.namespace) {
            return Provided::Undecided;
        }
        let external = || {
            let entries = &self.settings.substitutions;
            let found = entries.iter().position(|entry| {
                entry.kind == target.kind
                    && entry.name == target.name
                    && (entry.namespace.is_empty() || entry.namespace == target.namespace)
            });
            found.map_or(Provided::Missing, Provided::External)
        };
        match self.known.get(&(cluster.clone(), target.clone())) {
            Some(provided) => provided.clone(),
            None => external(),
        }
    }

    /// What provides a ConfigMap or Secret to the releases of a cluster.
    pub fn look_up_values(&self, cluster: &EcoString, reference: &Reference) -> Provided {
        let found = self.look_up(cluster, reference);
        if found != Provided::Missing || reference.kind != "Secret" {
            return found;
        }
        let mut declared = self.settings.secrets.iter();
        let secret = declared.find(|secret| {
            secret.name == reference.name && secret.namespace == reference.namespace
        });
        secret.map_or(found, |secret| Provided::Declared(secret.keys.clone()))
    }
}
