//! What components cannot do without.

use model::Reference;
use yaml::Span;

use crate::{Phase, Place};

/// Why a component needs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// `dependsOn`. With a `readyExpr` the dependency must only exist.
    DependsOn {
        /// There is a `readyExpr`.
        ready_expr: bool,
    },
    /// `sourceRef` or `chartRef`.
    Source,
    /// `postBuild.substituteFrom`.
    Substitute,
    /// `valuesFrom`.
    Values,
    /// `serviceAccountName` of the Flux object.
    ServiceAccount,
    /// `decryption.secretRef`.
    Decryption,
    /// `kubeConfig`.
    KubeConfig,
    /// Objects live in the namespace.
    Namespace,
    /// The release goes into the namespace.
    TargetNamespace,
    /// Objects are custom resources.
    CustomResource,
    /// A bare Pod runs as the account; the API server looks it up when the Pod
    /// is applied.
    PodAccount,
    /// `healthChecks`.
    HealthCheck,
    /// Pods that are waited for need it to start.
    Pod,
}

/// Something a component needs.
#[derive(Clone, Debug)]
pub struct Import {
    /// The component, by index in [`model::World::components`].
    pub component: usize,
    /// Why.
    pub cause: Cause,
    /// What, and in which cluster.
    pub place: Place,
    /// The phase that the component cannot reach without it.
    pub phase: Phase,
    /// It may be missing.
    pub optional: bool,
    /// Where the value is written that demands it.
    pub span: Span,
    /// The objects of the component that demand it, by position; empty where
    /// its Flux object does.
    pub objects: Vec<usize>,
    /// The reference as written, where there is one.
    pub reference: Option<Reference>,
}
