//! How soon a commit is noticed, and what it does to those that read it.

use ecow::EcoString;
use model::{Object, SourceKey, Spec};
use schedule::{Delay, Producer};
use yaml::Node;

use crate::item::SOURCE_GROUP;
use crate::{Cause, Import, Linked, Reason};

/// What `flux bootstrap` sets as the interval of the root source, in
/// nanoseconds.
const DEFAULT: u64 = 60_000_000_000;
const NOTIFICATION_GROUP: &str = "notification.toolkit.fluxcd.io";

/// How soon a component's source is fetched again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pickup {
    /// At most, in nanoseconds.
    pub delay: u64,
    /// The source.
    pub source: Option<SourceKey>,
    /// What the figure rests on.
    pub basis: Basis,
}

/// What the time until a source is fetched again rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A Receiver tells Flux of each commit.
    Receiver,
    /// Its `interval`.
    Interval,
    /// Its definition is not among the rendered objects: the interval that
    /// `flux bootstrap` gives.
    Assumed,
}

impl Linked<'_> {
    /// How soon the source of a component is fetched again after a commit.
    pub fn pickup(&self, component: usize) -> Pickup {
        let source = self.component(component).and_then(|c| c.source.clone());
        let found = source.as_ref().and_then(|source| self.source(source));
        let interval = found
            .and_then(|object| object.node.str_at(&["spec", "interval"]))
            .and_then(|text| text.parse::<config::Duration>().ok());
        let is_told = source.as_ref().is_some_and(|source| self.is_told(source));
        let (delay, basis) = match interval {
            _ if is_told => (0, Basis::Receiver),
            Some(interval) => (interval.nanos, Basis::Interval),
            None => (DEFAULT, Basis::Assumed),
        };
        Pickup {
            delay,
            source,
            basis,
        }
    }

    /// Whether the files of two components come from one source.
    pub fn share_source(&self, one: usize, other: usize) -> bool {
        let of = |at| self.component(at).and_then(|c| c.source.as_ref());
        of(one).is_some() && of(one) == of(other)
    }

    fn source(&self, key: &SourceKey) -> Option<&Object> {
        self.every_object().find(|object| {
            let identity = &object.identity;
            identity.group == SOURCE_GROUP
                && identity.kind == key.kind
                && identity.name == key.name
                && identity.namespace == key.namespace
        })
    }

    /// Whether a Receiver names the source.
    fn is_told(&self, key: &SourceKey) -> bool {
        let mut receivers = self.every_object().filter(|object| {
            object.identity.kind == "Receiver" && object.identity.group == NOTIFICATION_GROUP
        });
        receivers.any(|receiver| {
            let resources = receiver.node.path(&["spec", "resources"]);
            resources
                .map_or(&[][..], Node::items)
                .iter()
                .any(|resource| {
                    let namespace = resource.str_at(&["namespace"]);
                    resource.str_at(&["kind"]) == Some(&key.kind)
                        && resource
                            .str_at(&["name"])
                            .is_some_and(|name| name == "*" || name == key.name)
                        && namespace.unwrap_or(&receiver.identity.namespace) == key.namespace
                })
        })
    }

    /// The objects of all components.
    pub(crate) fn every_object(&self) -> impl Iterator<Item = &Object> {
        let components = self.world.components.iter();
        components.flat_map(|component| component.objects().iter().map(AsRef::as_ref))
    }

    /// Whether Flux looks again at once when an object changes that variables or
    /// values are read from: it carries `reconcile.fluxcd.io/watch: Enabled`, and
    /// Flux is 2.7 or later.
    pub fn is_watched(&self, object: &Object) -> bool {
        const WATCH: &str = "reconcile.fluxcd.io/watch";
        self.is_flux_since(2, 7) && object.label(WATCH).is_some_and(|value| value == "Enabled")
    }

    /// Whether Flux is this release or a later one. Where it is not known, it is
    /// taken to be the newest.
    pub fn is_flux_since(&self, major: u32, minor: u32) -> bool {
        let mut release = self.world.flux_version.trim_start_matches('v').split('.');
        let mut number = || release.next().and_then(|n| n.parse::<u32>().ok());
        match (number(), number()) {
            (Some(is), Some(at)) if is == major => at >= minor,
            (Some(is), _) => is > major,
            (None, _) => true,
        }
    }

    /// When a component whose variables or values changed is reconciled again.
    pub(crate) fn noticed(&self, import: &Import, producer: &Producer<Reason>) -> Delay {
        if !matches!(import.cause, Cause::Substitute | Cause::Values) {
            return Delay::ZERO;
        }
        let maker = self
            .graph
            .key(producer.event)
            .and_then(crate::Event::component);
        let exports = self.exports.producers(&import.place);
        let watched = maker.is_some_and(|(maker, _)| {
            exports.iter().any(|export| {
                let objects = self.component(maker).map_or(&[][..], |c| c.objects());
                let object = export.object.and_then(|at| objects.get(at));
                export.component == maker && object.is_some_and(|object| self.is_watched(object))
            })
        });
        if watched {
            return Delay::ZERO;
        }
        let interval = self.component(import.component).map(|c| match &c.spec {
            Spec::Kustomization(spec) => spec.interval,
            Spec::HelmRelease(spec) => spec.interval,
        });
        Delay::up_to(interval.flatten().unwrap_or(0))
    }
}

/// Prints as a clause.
impl std::fmt::Display for Pickup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match &self.source {
            Some(source) => EcoString::from(source.to_string()),
            None => "its source".into(),
        };
        match self.basis {
            Basis::Receiver => write!(f, "a Receiver tells of commits to {name}"),
            Basis::Interval => write!(f, "{name} is fetched at its interval"),
            Basis::Assumed => write!(
                f,
                "{name} is fetched at its interval, which is not in the repository: 1m is assumed"
            ),
        }
    }
}
