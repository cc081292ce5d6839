//! How long waits take. The figures are the controllers' own defaults and
//! constants where the configuration does not say otherwise.

use kubeapi::Crd;
use model::{Component, HelmReleaseSpec, KustomizationSpec, Measured, Object, Spec};
use schedule::Delay;

use crate::{Cause, Export, Import, Linked, handling, pods};

const SECOND: u64 = 1_000_000_000;
/// What kustomize-controller waits for one stage of its apply.
const STAGE: u64 = 60 * SECOND;
/// How often health is looked at.
const POLL: u64 = 5 * SECOND;
/// The longest pause between two tries of a release that failed before Helm
/// stored it (`--max-retry-delay`).
const BACK_OFF: u64 = 15 * 60 * SECOND;

/// How many tries of a release are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// All that its retries allow.
    Budget,
    /// All, but the first alone where they are without limit.
    OneTry,
    /// The first: every release succeeds at once.
    First,
}

/// Between the start of a component and all its objects being accepted.
pub(crate) fn apply(component: &Component) -> Delay {
    if matches!(component.spec, Spec::HelmRelease(_)) {
        return Delay::ZERO;
    }
    let stages = [definitions(component), has_classes(component)];
    let waits = stages.iter().filter(|stage| **stage).count() as u64;
    Delay::up_to(waits * STAGE)
}

/// Between the start of a component and its definitions being there.
pub(crate) fn define(component: &Component) -> Delay {
    Delay::up_to(if definitions(component) { STAGE } else { 0 })
}

/// Between a CRD being accepted and its kind being served.
pub(crate) fn served() -> Delay {
    Delay::up_to(STAGE)
}

fn definitions(component: &Component) -> bool {
    component.objects().iter().any(|object| {
        let identity = &object.identity;
        handling(object).applied
            && match (identity.group.as_str(), identity.kind.as_str()) {
                ("", "Namespace") | ("rbac.authorization.k8s.io", "ClusterRole") => true,
                _ => Crd::read(&object.node).is_some(),
            }
    })
}

fn has_classes(component: &Component) -> bool {
    let objects = component.objects().iter();
    objects
        .filter(|object| handling(object).applied)
        .any(|object| object.identity.kind.ends_with("Class"))
}

/// Between all objects of a component being accepted and its being ready, with
/// another timeout than its own where one is given.
pub(crate) fn health(component: &Component, patience: Patience, timeout: Option<u64>) -> Delay {
    match &component.spec {
        Spec::Kustomization(spec) => kustomization_health(component, spec, timeout),
        Spec::HelmRelease(spec) => release_health(component, spec, patience, timeout),
    }
}

fn kustomization_health(
    component: &Component,
    spec: &KustomizationSpec,
    timeout: Option<u64>,
) -> Delay {
    let waits = |object: &Object| handling(object).waited_for;
    let is_empty =
        component.is_rendered() && !component.objects().iter().any(|object| waits(object));
    let waited_for = match spec.wait {
        true => !is_empty,
        false => !spec.health_checks.is_empty(),
    };
    if !waited_for {
        return Delay::ZERO;
    }
    let timeout = timeout.unwrap_or_else(|| spec.effective_timeout());
    Delay::up_to(timeout.saturating_add(POLL))
}

/// Every try waits at most the timeout for the objects, unless it is not to, for
/// each hook and for the tests, and the uninstall after each that failed likewise.
fn release_health(
    component: &Component,
    spec: &HelmReleaseSpec,
    patience: Patience,
    timeout: Option<u64>,
) -> Delay {
    let timeout = timeout.unwrap_or_else(|| spec.effective_timeout());
    let objects = u64::from(!spec.disable_wait);
    let waits = |hooks: [&str; 2]| timeout.saturating_mul(objects + count_hooks(component, hooks));
    let tests = if spec.tests { timeout } else { 0 };
    let install = waits(["pre-install", "post-install"]).saturating_add(tests);
    let uninstall = waits(["pre-delete", "post-delete"]);
    match (u64::try_from(spec.effective_retries()), patience) {
        (_, Patience::First) | (Err(_), Patience::OneTry) => Delay::up_to(install),
        (Ok(retries), _) => {
            let again = uninstall.saturating_add(install).saturating_mul(retries);
            Delay::up_to(install.saturating_add(again))
        }
        (Err(_), Patience::Budget) => Delay::unlimited(0),
    }
}

/// How many objects of a rendered chart are hooks of these events.
fn count_hooks(component: &Component, events: [&str; 2]) -> u64 {
    let is_hook = |object: &Object| {
        let hooks = object.annotation("helm.sh/hook").unwrap_or_default();
        hooks.split(',').any(|hook| events.contains(&hook.trim()))
    };
    let objects = component.objects().iter();
    objects.filter(|object| is_hook(object)).count() as u64
}

/// Between an object being applied and what it asks for being done: the pods of
/// a workload start within the timeout, and controllers act at once.
pub(crate) fn work(component: &Component, object: usize) -> Delay {
    let object = component.objects().get(object);
    if object.and_then(|object| pods::pods(object)).is_none() {
        return Delay::ZERO;
    }
    start_of_pods(component)
}

/// Between a child being ready and the parent that waits for it seeing so.
pub(crate) fn seen() -> Delay {
    Delay::up_to(POLL)
}

/// What pods take to start, as far as a component has the patience for it.
fn start_of_pods(component: &Component) -> Delay {
    Delay::up_to(match &component.spec {
        Spec::Kustomization(spec) => spec.effective_timeout(),
        Spec::HelmRelease(spec) => spec.effective_timeout(),
    })
}

impl Linked<'_> {
    /// What passes between an object of another component being there, or doing
    /// its work, and it being seen to be healthy.
    pub(crate) fn until_healthy(&self, import: &Import, export: &Export) -> Delay {
        let object = self
            .component(export.component)
            .zip(export.object)
            .and_then(|(owner, at)| owner.objects().get(at));
        let waiting = self.component(import.component);
        match (object.and_then(|object| pods::pods(object)), waiting) {
            (Some(_), Some(waiting)) if !self.does_work(import, export) => {
                start_of_pods(waiting).plus(seen())
            }
            _ => seen(),
        }
    }

    /// Whether the export meets the import only by what its object does.
    fn does_work(&self, import: &Import, export: &Export) -> bool {
        matches!(self.event_of(import, export), crate::Event::Working(..))
    }

    /// How long a component waits before it looks at its dependencies again.
    pub(crate) fn requeue(&self) -> u64 {
        self.controllers.requeue
    }

    /// What was measured of a component.
    pub fn measured(&self, at: usize) -> Option<&Measured> {
        let component = self.component(at)?;
        self.durations?.get(&component.key)
    }

    /// What passes until an import is noticed to be met, where no declared order
    /// makes it so beforehand.
    pub fn retry(&self, import: &Import) -> Delay {
        let Some(component) = self.component(import.component) else {
            return Delay::ZERO;
        };
        match (&component.spec, import.cause) {
            (spec, Cause::Source) => Delay::up_to(match spec {
                Spec::Kustomization(spec) if !self.is_told_of_artifacts(import.component) => {
                    let retry = spec.effective_retry_interval().unwrap_or(0);
                    retry.max(self.requeue())
                }
                _ => self.requeue(),
            }),
            // source-controller does not watch Secrets; it pauses longer each
            // time it fails.
            (_, Cause::Credentials) if import.acting.is_some() => Delay::up_to(BACK_OFF),
            // Kubernetes tries pods again, which then take their time to start.
            (_, Cause::Pod | Cause::Class) => start_of_pods(component).plus(seen()),
            // Controllers see what they wait for.
            _ if import.acting.is_some() => Delay::ZERO,
            (_, Cause::HealthCheck) => seen(),
            (Spec::Kustomization(spec), _) => {
                Delay::up_to(spec.effective_retry_interval().unwrap_or(0))
            }
            // What Helm stored is tried again after the strategy's own pause.
            (Spec::HelmRelease(spec), _) if spec.retry_on_failure => {
                Delay::up_to(BACK_OFF.max(spec.effective_retry_interval()))
            }
            (Spec::HelmRelease(_), _) => Delay::up_to(BACK_OFF),
        }
    }
}
