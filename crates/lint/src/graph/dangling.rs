//! What was probably meant by a reference that leads nowhere.

use ecow::{EcoString, eco_format};
use kubeapi::Scope;
use link::{Cause, Import, Item, Linked};
use model::{Component, ComponentKey, ComponentKind};
use yaml::Span;

use crate::suggest::nearest;
use crate::words;

/// Reasons with their places, and what to do.
pub(super) struct Hint {
    /// Why it leads nowhere.
    pub reasons: Vec<(EcoString, Span)>,
    /// What to do.
    pub help: EcoString,
}

/// An API version that does not have the kind.
pub(super) struct WrongVersion {
    /// The API version and kind as written.
    pub written: EcoString,
    /// Where the kind is.
    pub why: EcoString,
    /// What to do.
    pub help: EcoString,
}

/// Whether a health check names a kind under a group of Kubernetes that has none of
/// it, while a rendered object of that name is in another one. The version does not
/// matter: the controller asks for the kind in whatever version is served.
pub(super) fn wrong_api_version(linked: &Linked<'_>, import: &Import) -> Option<WrongVersion> {
    let (Cause::HealthCheck, Some(reference)) = (import.cause, &import.reference) else {
        return None;
    };
    let Item::Object { kind, group, .. } = &import.place.item else {
        return None;
    };
    if !kubeapi::is_builtin(group) || kubeapi::kinds_of(group, kind).next().is_some() {
        return None;
    }
    let right = rendered_as(linked, import)?;
    Some(WrongVersion {
        written: reference.api_version.clone().unwrap_or_default(),
        why: eco_format!("{kind} is served as `{right}`"),
        help: eco_format!("write `apiVersion: {right}`"),
    })
}

/// The API version of a rendered object of the kind and name, whatever its
/// group.
fn rendered_as(linked: &Linked<'_>, import: &Import) -> Option<EcoString> {
    let reference = import.reference.as_ref()?;
    linked
        .world
        .components
        .iter()
        .filter(|component| component.cluster == import.place.cluster)
        .flat_map(Component::objects)
        .map(|object| &object.identity)
        .find(|identity| {
            identity.kind == reference.kind
                && identity.name == reference.name
                && identity.namespace == reference.namespace
        })
        .map(|identity| words::api_version(&identity.group, &identity.version))
}

/// Whether a health check leaves the namespace out, an object of that name has
/// one, and nothing says that the kind has namespaces. An object of a
/// cluster-wide kind loses the namespace that a kustomization gave it when it
/// is applied, so that may be the very object.
pub(super) fn may_be_cluster_wide(linked: &Linked<'_>, import: &Import) -> bool {
    let Item::Object {
        group,
        kind,
        namespace,
        name,
    } = &import.place.item
    else {
        return false;
    };
    let cluster = &import.place.cluster;
    let crds = linked.exports.crds(cluster, group, kind);
    import.cause == Cause::HealthCheck
        && namespace.is_empty()
        && !kubeapi::is_builtin(group)
        && crds.iter().all(|crd| crd.crd.scope == Scope::Cluster)
        && (linked.exports.names(cluster, group, kind).iter()).any(|(_, known)| known == name)
}

/// What was probably meant.
pub(super) fn hint(linked: &Linked<'_>, import: &Import) -> Hint {
    let found = match import.cause {
        Cause::DependsOn { .. } => dependency(linked, import),
        Cause::Source => source(linked, import),
        _ => health_check(linked, import),
    };
    found.unwrap_or_else(|| Hint {
        reasons: Vec::new(),
        help: match import.cause {
            Cause::DependsOn { .. } => {
                "remove the entry, or add what it names below an entrypoint".into()
            }
            Cause::Source => eco_format!("add {} below an entrypoint", import.place.item),
            // It may well be right: a chart may make what it names.
            _ if !linked.suspects_of(import).is_empty() => {
                "if none of them makes it, name an object that this Kustomization applies, or \
                 remove the entry"
                    .into()
            }
            _ => "name an object that this Kustomization applies, or remove the entry".into(),
        },
    })
}

fn wanted(import: &Import) -> Option<(&EcoString, &EcoString)> {
    match &import.place.item {
        Item::Object {
            namespace, name, ..
        } => Some((namespace, name)),
        _ => None,
    }
}

fn dependency(linked: &Linked<'_>, import: &Import) -> Option<Hint> {
    let kind = linked.component(import.component)?.key.kind;
    let (namespace, name) = wanted(import)?;
    if name.is_empty() {
        return Some(Hint {
            reasons: Vec::new(),
            help: "give the entry a `name`".into(),
        });
    }
    elsewhere(linked, import, kind, name)
        .or_else(|| other_kind(linked, import, kind, name))
        .or_else(|| misspelled(linked, import, kind, namespace, name))
}

fn keys<'a>(
    linked: &'a Linked<'_>,
    import: &'a Import,
) -> impl Iterator<Item = (usize, &'a ComponentKey)> {
    let components = linked.world.components.iter().enumerate();
    components
        .filter(|(_, component)| component.home == import.place.cluster)
        .map(|(at, component)| (at, &component.key))
}

fn span_of(linked: &Linked<'_>, at: usize) -> Span {
    linked.component(at).map_or(Span::NONE, Component::span)
}

/// The same name in another namespace.
fn elsewhere(
    linked: &Linked<'_>,
    import: &Import,
    kind: ComponentKind,
    name: &str,
) -> Option<Hint> {
    let same: Vec<(usize, &ComponentKey)> = keys(linked, import)
        .filter(|(_, key)| key.kind == kind && key.name == name)
        .collect();
    let (_, first) = same.first()?;
    let dependant = &linked.component(import.component)?.key;
    let (wanted, _) = wanted(import)?;
    let why = if *wanted == dependant.namespace {
        eco_format!("; without a `namespace` the dependant's own is meant, `{wanted}`")
    } else {
        EcoString::new()
    };
    let reasons = same
        .iter()
        .map(|(at, _)| {
            let reason = eco_format!("{} exists{why}", linked.described(*at));
            (reason, span_of(linked, *at))
        })
        .collect();
    let help = match same.len() {
        1 => eco_format!("add `namespace: {}` to the entry", first.namespace),
        _ => "add the `namespace` of the one that is meant to the entry".into(),
    };
    Some(Hint { reasons, help })
}

/// A component of the other kind.
fn other_kind(
    linked: &Linked<'_>,
    import: &Import,
    kind: ComponentKind,
    name: &str,
) -> Option<Hint> {
    let (namespace, _) = wanted(import)?;
    let (at, _) = keys(linked, import)
        .filter(|(_, key)| key.kind != kind && key.name == name)
        .min_by_key(|(at, key)| (key.namespace != *namespace, *at))?;
    let only = match kind {
        ComponentKind::Kustomization => "a Kustomization's `dependsOn` finds Kustomizations only",
        ComponentKind::HelmRelease => "a HelmRelease's `dependsOn` finds HelmReleases only",
    };
    let mut reasons = vec![(
        eco_format!("{} exists, but {only}", linked.described(at)),
        span_of(linked, at),
    )];
    let help = match kind {
        ComponentKind::Kustomization => {
            let parents = linked.component(at)?.parents.iter();
            let applied_by = parents
                .copied()
                .find(|parent| *parent != import.component && !linked.is_root(*parent));
            match applied_by {
                Some(parent) => {
                    let key = &linked.component(parent)?.key;
                    reasons.push((
                        eco_format!("{} applies it", linked.described(parent)),
                        span_of(linked, parent),
                    ));
                    eco_format!(
                        "depend on {}, with `wait: true` on it where the release must be ready",
                        by_name(key, &linked.component(import.component)?.key)
                    )
                }
                None => "depend on the Kustomization that applies it".into(),
            }
        }
        ComponentKind::HelmRelease => {
            let parents = &linked.component(import.component)?.parents;
            match parents.first() {
                Some(parent) => eco_format!(
                    "put the dependency on {}, which applies the release",
                    linked.described(*parent)
                ),
                None => "put the dependency on the Kustomization that applies the release".into(),
            }
        }
    };
    Some(Hint { reasons, help })
}

/// How to name a component in the `dependsOn` of another.
fn by_name(key: &ComponentKey, from: &ComponentKey) -> EcoString {
    if key.namespace == from.namespace {
        return eco_format!("`{}`", key.name);
    }
    eco_format!("`{}` in namespace `{}`", key.name, key.namespace)
}

fn misspelled(
    linked: &Linked<'_>,
    import: &Import,
    kind: ComponentKind,
    namespace: &str,
    name: &str,
) -> Option<Hint> {
    let same_kind: Vec<(usize, &ComponentKey)> = keys(linked, import)
        .filter(|(at, key)| key.kind == kind && *at != import.component)
        .collect();
    let names = |here: bool| {
        let keys = same_kind.iter();
        keys.filter(move |(_, key)| (key.namespace == namespace) == here)
            .map(|(_, key)| key.name.as_str())
    };
    let near = nearest(name, names(true)).or_else(|| nearest(name, names(false)))?;
    let (at, key) = same_kind
        .iter()
        .filter(|(_, key)| key.name == near)
        .min_by_key(|(_, key)| key.namespace != namespace)?;
    let dependant = &linked.component(import.component)?.key;
    Some(Hint {
        reasons: vec![(
            eco_format!("{} exists", linked.described(*at)),
            span_of(linked, *at),
        )],
        help: eco_format!("did you mean {}?", by_name(key, dependant)),
    })
}

/// Kinds that deliver content to Flux.
const SOURCE_KINDS: [&str; 6] = [
    "GitRepository",
    "OCIRepository",
    "HelmRepository",
    "HelmChart",
    "Bucket",
    "ExternalArtifact",
];

fn source(linked: &Linked<'_>, import: &Import) -> Option<Hint> {
    let Item::Object {
        group,
        kind,
        namespace,
        name,
    } = &import.place.item
    else {
        return None;
    };
    let cluster = &import.place.cluster;
    let of_kind = |kind: &str| linked.exports.names(cluster, group, kind);
    if let Some((other, _)) = of_kind(kind).iter().find(|(_, known)| known == name) {
        return Some(Hint {
            reasons: vec![(
                eco_format!("{kind} `{other}/{name}` exists in another namespace"),
                Span::NONE,
            )],
            help: eco_format!("add `namespace: {other}` to the reference"),
        });
    }
    for other in SOURCE_KINDS {
        let found = of_kind(other).iter().find(|(_, known)| known == name);
        if let Some((other_namespace, _)) = found.filter(|_| other != kind) {
            let place = match other_namespace == namespace {
                true => EcoString::new(),
                false => eco_format!(" and `namespace: {other_namespace}`"),
            };
            return Some(Hint {
                reasons: vec![(
                    eco_format!("{other} `{other_namespace}/{name}` exists"),
                    Span::NONE,
                )],
                help: eco_format!("write `kind: {other}`{place}"),
            });
        }
    }
    let near = nearest(name, of_kind(kind).iter().map(|(_, name)| name.as_str()))?;
    Some(Hint {
        reasons: Vec::new(),
        help: eco_format!("did you mean {kind} `{near}`?"),
    })
}

fn health_check(linked: &Linked<'_>, import: &Import) -> Option<Hint> {
    let Item::Object {
        group,
        kind,
        namespace,
        name,
    } = &import.place.item
    else {
        return None;
    };
    let known = linked.exports.names(&import.place.cluster, group, kind);
    if let Some((right, _)) = known.iter().find(|(_, known)| known == name) {
        let why = match namespace.is_empty() {
            true => {
                "; a health check without a `namespace` is not looked up in the Kustomization's own"
            }
            false => "",
        };
        return Some(Hint {
            reasons: vec![(
                eco_format!("{kind} `{right}/{name}` exists{why}"),
                Span::NONE,
            )],
            help: eco_format!("write `namespace: {right}`"),
        });
    }
    let here = known.iter().filter(|(other, _)| other == namespace);
    let near = nearest(name, here.map(|(_, name)| name.as_str()))?;
    Some(Hint {
        reasons: vec![(
            eco_format!("{kind} `{namespace}/{near}` exists"),
            Span::NONE,
        )],
        help: eco_format!("did you mean `{near}`?"),
    })
}
