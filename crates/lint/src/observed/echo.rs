//! Which failures only follow from others.
//!
//! A component that waits for one that fails is not ready either, and says so
//! in the words of its controller: `DependencyNotReady`, `timeout waiting for:
//! [HelmRelease/media/plex status: 'InProgress']`, `no matches for kind`. Such a
//! failure counts as an echo only where the message or the graph names what it
//! waits for, and that is not ready itself.

use link::{Export, Import, Item, Linked, Supply};
use model::{ComponentKey, ComponentKind};
use observed::State;

use super::Observed;

/// Reasons of both controllers for a dependency that is not met.
const DEPENDENCY: &str = "DependencyNotReady";

/// How each component's failure relates to others.
pub(crate) struct Echoes {
    /// For each component, those whose trouble explains its own.
    causes: Vec<Vec<usize>>,
    /// Whether a component's failure comes from elsewhere.
    is_echo: Vec<bool>,
}

impl Echoes {
    /// Looks at every failure.
    pub(crate) fn of(linked: &Linked<'_>, observed: &Observed<'_>) -> Self {
        let count = linked.world.components.len();
        let causes: Vec<Vec<usize>> = (0..count)
            .map(|at| match observed.failure(linked, at) {
                Some((reason, message)) => causes(linked, observed, at, reason, message),
                None => Vec::new(),
            })
            .collect();
        // Failures that only name each other echo nothing: somewhere behind an
        // echo there is a failure of its own, or something still under way.
        let mut grounded: Vec<bool> = causes.iter().map(Vec::is_empty).collect();
        let mut is_echo = vec![false; count];
        loop {
            let mut changed = false;
            for (at, causes) in causes.iter().enumerate() {
                let is_grounded = |cause: &usize| grounded.get(*cause) == Some(&true);
                if grounded.get(at) == Some(&false)
                    && causes.iter().any(is_grounded)
                    && let (Some(own), Some(echo)) = (grounded.get_mut(at), is_echo.get_mut(at))
                {
                    *own = true;
                    *echo = true;
                    changed = true;
                }
            }
            if !changed {
                return Echoes { causes, is_echo };
            }
        }
    }

    /// Whether a component's failure comes from elsewhere.
    pub(crate) fn is_echo(&self, at: usize) -> bool {
        self.is_echo.get(at) == Some(&true)
    }

    /// The components that fail because of one.
    pub(crate) fn behind(&self, cause: usize) -> Vec<usize> {
        let all = self.causes.iter().enumerate();
        all.filter(|(at, causes)| self.is_echo(*at) && causes.contains(&cause))
            .map(|(at, _)| at)
            .collect()
    }
}

fn causes(
    linked: &Linked<'_>,
    observed: &Observed<'_>,
    at: usize,
    reason: &str,
    message: &str,
) -> Vec<usize> {
    let mut found = waited_for(linked, observed, at, reason, message);
    let own = linked
        .imports
        .iter()
        .filter(|import| import.component == at);
    for import in own {
        if names(message, &import.place.item) {
            found.extend(makers_in_trouble(linked, observed, import));
        }
    }
    found.extend(webhooks(linked, observed, at, message));
    found.retain(|cause| *cause != at);
    found.sort_unstable();
    found.dedup();
    found
}

/// Dependencies that are not ready; and, where a health check failed, what was
/// waited for, if all of it is components that are not ready.
fn waited_for(
    linked: &Linked<'_>,
    observed: &Observed<'_>,
    at: usize,
    reason: &str,
    message: &str,
) -> Vec<usize> {
    let Some(component) = linked.component(at) else {
        return Vec::new();
    };
    let find = |key: &ComponentKey| linked.find(&component.home, key);
    if reason == DEPENDENCY {
        let dependencies = component.spec.depends_on().iter();
        return dependencies
            .filter_map(|dependency| {
                find(&ComponentKey {
                    kind: component.key.kind,
                    namespace: dependency.namespace.clone(),
                    name: dependency.name.clone(),
                })
            })
            .filter(|at| is_in_trouble(linked, observed, *at))
            .collect();
    }
    let mut found = Vec::new();
    for name in unhealthy(message) {
        match component_of(name).and_then(|key| find(&key)) {
            Some(at) if is_in_trouble(linked, observed, at) => found.push(at),
            // Something of its own is not healthy either.
            _ => return Vec::new(),
        }
    }
    found
}

/// The objects that a failed health check lists: `Kind/namespace/name status:
/// 'InProgress'`.
fn unhealthy(message: &str) -> impl Iterator<Item = &str> {
    let parts = message.split(" status: '");
    let count = parts.clone().count();
    parts.take(count - 1).filter_map(|before| {
        let name = before.rsplit([' ', '[', ',']).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// The component of `Kind/namespace/name`.
fn component_of(name: &str) -> Option<ComponentKey> {
    let mut parts = name.split('/');
    let kind = match parts.next()? {
        "Kustomization" => ComponentKind::Kustomization,
        "HelmRelease" => ComponentKind::HelmRelease,
        _ => return None,
    };
    Some(ComponentKey {
        kind,
        namespace: parts.next()?.into(),
        name: parts.next()?.into(),
    })
}

/// Whether a component is not ready, or not there because what applies it is in
/// trouble. One that is suspended, or fails, or is being worked on, is; so is
/// nobody who is ready.
fn is_in_trouble(linked: &Linked<'_>, observed: &Observed<'_>, at: usize) -> bool {
    match observed.of(linked, at) {
        Some(state) => matches!(state.state, State::Failing { .. } | State::Undecided),
        None => linked.component(at).is_some_and(|component| {
            let mut parents = component.parents.iter();
            parents.any(|parent| {
                let parent = observed.of(linked, *parent);
                parent.is_some_and(|p| matches!(p.state, State::Failing { .. } | State::Undecided))
            })
        }),
    }
}

/// Whether the words of a failure name an item, as the API server and the
/// controllers do.
fn names(message: &str, item: &Item) -> bool {
    let quoted = |text: &str| {
        [("\"", "\""), ("'", "'"), ("/", "'"), ("/", "\"")]
            .iter()
            .any(|(open, close)| message.contains(&format!("{open}{text}{close}")))
    };
    match item {
        Item::Namespace(name) => message.contains("namespace") && quoted(name),
        Item::Crd { kind, .. } => message.contains("no matches for kind") && quoted(kind),
        Item::Object { name, .. } => quoted(name),
    }
}

/// Who makes an import, if none of them is ready.
fn makers_in_trouble(linked: &Linked<'_>, observed: &Observed<'_>, import: &Import) -> Vec<usize> {
    let makers = match linked.supply(import) {
        Supply::Made(exports) => exports.iter().map(|export| export.component).collect(),
        Supply::Component(one) => vec![one],
        Supply::Runtime(components) => components,
        Supply::Given | Supply::Nothing => Vec::new(),
    };
    in_trouble(linked, observed, makers)
}

/// A list of components, if none of them is ready.
fn in_trouble(linked: &Linked<'_>, observed: &Observed<'_>, makers: Vec<usize>) -> Vec<usize> {
    match makers.iter().all(|at| is_in_trouble(linked, observed, *at)) {
        true => makers,
        false => Vec::new(),
    }
}

/// Who makes the Service of a webhook that did not answer: `failed calling
/// webhook … Post "https://name.namespace.svc:443/…"`.
fn webhooks(linked: &Linked<'_>, observed: &Observed<'_>, at: usize, message: &str) -> Vec<usize> {
    let Some(component) = linked.component(at) else {
        return Vec::new();
    };
    if !message.contains("webhook") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for address in message.split("https://").skip(1) {
        let end = address.find([':', '/', '"', '?']).unwrap_or(address.len());
        let mut parts = address.get(..end).unwrap_or_default().split('.');
        let (Some(name), Some(namespace), Some("svc")) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let exports = linked.exports.producers(&link::Place {
            cluster: component.cluster.clone(),
            item: Item::Object {
                group: "".into(),
                kind: "Service".into(),
                namespace: namespace.into(),
                name: name.into(),
            },
        });
        let makers = exports.iter().map(|export: &&Export| export.component);
        found.extend(in_trouble(linked, observed, makers.collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_health_check_waited_for_is_listed() {
        let message = "health check failed after 30s: timeout waiting for: [HelmRelease/media/plex \
                       status: 'InProgress', Namespace/x status: 'NotFound': not found]";
        let found: Vec<_> = unhealthy(message).collect();
        assert_eq!(found, ["HelmRelease/media/plex", "Namespace/x"]);
        assert_eq!(unhealthy("no such file").count(), 0);
        assert!(component_of("HelmRelease/media/plex").is_some());
        assert!(component_of("Namespace/x").is_none());
    }

    #[test]
    fn an_item_is_named_in_quotes() {
        let namespace = Item::Namespace("media".into());
        assert!(names("namespaces \"media\" not found", &namespace));
        assert!(!names("namespaces \"media-2\" not found", &namespace));
        let crd = Item::Crd {
            group: "example.org".into(),
            kind: "Widget".into(),
        };
        assert!(names(
            "no matches for kind \"Widget\" in version \"example.org/v1\"",
            &crd
        ));
    }
}
