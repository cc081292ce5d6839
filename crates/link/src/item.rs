//! What components make and need.

use ecow::EcoString;
use model::{ComponentKey, ComponentKind, Identity, Reference};

/// API group of Flux Kustomizations.
pub(crate) const KUSTOMIZE_GROUP: &str = "kustomize.toolkit.fluxcd.io";
/// API group of HelmReleases.
pub(crate) const HELM_GROUP: &str = "helm.toolkit.fluxcd.io";
/// API group of sources.
pub(crate) const SOURCE_GROUP: &str = "source.toolkit.fluxcd.io";

/// Something one component makes and another needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A namespace.
    Namespace(EcoString),
    /// The definition of a kind of custom resources.
    Crd {
        /// API group.
        group: EcoString,
        /// Kind.
        kind: EcoString,
    },
    /// Any other object, whatever its API version.
    Object {
        /// API group; empty for the core group.
        group: EcoString,
        /// Kind.
        kind: EcoString,
        /// Namespace; empty for cluster-scoped objects.
        namespace: EcoString,
        /// Name.
        name: EcoString,
    },
}

impl Item {
    /// The item an object is. Of a CRD this is the object, not what it
    /// defines.
    pub fn of(identity: &Identity) -> Item {
        // Another group may have a kind of this name too.
        if identity.group.is_empty() && identity.kind == "Namespace" {
            return Item::Namespace(identity.name.clone());
        }
        Item::Object {
            group: identity.group.clone(),
            kind: identity.kind.clone(),
            namespace: identity.namespace.clone(),
            name: identity.name.clone(),
        }
    }

    /// The Flux object of a component.
    pub fn component(key: &ComponentKey) -> Item {
        let (group, kind) = match key.kind {
            ComponentKind::Kustomization => (KUSTOMIZE_GROUP, "Kustomization"),
            ComponentKind::HelmRelease => (HELM_GROUP, "HelmRelease"),
        };
        Item::Object {
            group: group.into(),
            kind: kind.into(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        }
    }

    /// The object of a group that a reference names.
    pub(crate) fn referenced(group: &str, reference: &Reference) -> Item {
        Item::Object {
            group: group.into(),
            kind: reference.kind.clone(),
            namespace: reference.namespace.clone(),
            name: reference.name.clone(),
        }
    }

    /// The group of what it defines: of the definition of a kind, by kind or as the
    /// object it is.
    pub(crate) fn defined_group(&self) -> Option<&str> {
        match self {
            Item::Crd { group, .. } => Some(group),
            Item::Object {
                group, kind, name, ..
            } if group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition" => {
                name.split_once('.').map(|(_, group)| group)
            }
            _ => None,
        }
    }

    /// Whether it is an object of Flux's own controllers, such as a component or
    /// a source.
    pub fn is_flux(&self) -> bool {
        matches!(self, Item::Object { group, .. } if group.ends_with(".toolkit.fluxcd.io"))
    }

    /// Whether its name, or its namespace, is not known, or is text that should
    /// have been filled in. Nothing is decided about it.
    pub fn is_undecided(&self) -> bool {
        let open = |text: &EcoString| yaml::unknown::contains(text) || text.contains("${");
        match self {
            Item::Namespace(name) => open(name),
            Item::Crd { group, kind } => open(group) || open(kind),
            Item::Object {
                kind,
                namespace,
                name,
                ..
            } => open(kind) || open(namespace) || open(name),
        }
    }
}

/// Prints as ``namespace `x` ``, ``the CRD of `Kind` (group)`` or
/// `` Kind `namespace/name` ``.
impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Item::Namespace(name) => write!(f, "namespace `{name}`"),
            Item::Crd { group, kind } => write!(f, "the CRD of `{kind}` ({group})"),
            Item::Object {
                kind,
                namespace,
                name,
                ..
            } if namespace.is_empty() => write!(f, "{kind} `{name}`"),
            Item::Object {
                kind,
                namespace,
                name,
                ..
            } => write!(f, "{kind} `{namespace}/{name}`"),
        }
    }
}

/// An item of one cluster: items of the same name elsewhere are others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The cluster; empty for the one the entrypoint bootstraps.
    pub cluster: EcoString,
    /// What.
    pub item: Item,
}
