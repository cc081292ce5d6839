//! How long waits take. The figures are the controllers' own defaults and
//! constants where the configuration does not say otherwise.

use kubeapi::Crd;
use model::{Component, HelmReleaseSpec, KustomizationSpec, Spec};
use schedule::Delay;

use crate::{Cause, Import, Linked, handling};

const SECOND: u64 = 1_000_000_000;
/// What kustomize-controller waits for one stage of its apply.
const STAGE: u64 = 60 * SECOND;
/// How often health is looked at.
const POLL: u64 = 5 * SECOND;
/// `--requeue-dependency` of both controllers.
const REQUEUE: u64 = 30 * SECOND;
/// The longest pause between two tries of a release that failed before Helm
/// stored it (`--max-retry-delay`).
const BACK_OFF: u64 = 15 * 60 * SECOND;

/// How many tries of a release are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// All that its retries allow.
    Budget,
    /// The first, where they are without limit.
    OneTry,
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

/// Between all objects of a component being accepted and its being ready.
pub(crate) fn health(component: &Component, patience: Patience) -> Delay {
    match &component.spec {
        Spec::Kustomization(spec) => kustomization_health(spec),
        Spec::HelmRelease(spec) => release_health(spec, patience),
    }
}

fn kustomization_health(spec: &KustomizationSpec) -> Delay {
    if !spec.wait && spec.health_checks.is_empty() {
        return Delay::ZERO;
    }
    Delay::up_to(spec.effective_timeout().saturating_add(POLL))
}

/// Every try takes at most the timeout, and so does the uninstall after each
/// that failed.
fn release_health(spec: &HelmReleaseSpec, patience: Patience) -> Delay {
    let timeout = spec.effective_timeout();
    match (u64::try_from(spec.effective_retries()), patience) {
        (Ok(retries), _) => {
            let runs = retries.saturating_mul(2).saturating_add(1);
            Delay::up_to(timeout.saturating_mul(runs))
        }
        (Err(_), Patience::OneTry) => Delay::up_to(timeout),
        (Err(_), Patience::Budget) => Delay::unlimited(0),
    }
}

/// Between a child being ready and the parent that waits for it seeing so.
pub(crate) fn seen() -> Delay {
    Delay::up_to(POLL)
}

impl Linked<'_> {
    /// How long a component waits before it looks at its dependencies again.
    pub(crate) fn requeue(&self) -> u64 {
        let controllers = &self.config.controllers;
        let set = controllers.requeue_dependency.as_ref();
        set.or(self.config.timing.dependency_requeue.as_ref())
            .map_or(REQUEUE, |duration| duration.nanos)
    }

    /// What passes until an import is noticed to be met, where no declared order
    /// makes it so beforehand.
    pub(crate) fn retry(&self, import: &Import) -> Delay {
        let Some(component) = self.component(import.component) else {
            return Delay::ZERO;
        };
        match (&component.spec, import.cause) {
            (_, Cause::Source) => Delay::up_to(self.requeue()),
            // Pods are tried again by Kubernetes, within the health check.
            (_, Cause::Pod | Cause::HealthCheck) => Delay::ZERO,
            (Spec::Kustomization(spec), _) => {
                Delay::up_to(spec.effective_retry_interval().unwrap_or(0))
            }
            (Spec::HelmRelease(_), _) => Delay::up_to(BACK_OFF),
        }
    }
}
