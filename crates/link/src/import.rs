//! What components cannot do without.

use model::Reference;
use yaml::Span;

use crate::{Item, Phase, Place};

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
    /// Pods need it to start.
    Pod,
    /// Pods, or claims, are of a class.
    Class,
    /// A source, a store or an issuer proves itself with it.
    Credentials,
    /// A source is made from another.
    Upstream,
    /// An ExternalSecret reads from a store.
    Store,
    /// A Certificate is signed by an issuer.
    Issuer,
    /// An object asks for something, and the controller of its kind does it.
    Controller,
}

/// How much depends on an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// It only tells that one component may have to do with another.
    Hint,
    /// Pods and controllers do without it what they can, and wait.
    Runtime,
    /// Flux or the API server refuses without it.
    Hard,
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
    /// It is not the component that waits for it, but what this object of it,
    /// by position, asks a controller for: see [`crate::Event::Working`].
    pub acting: Option<usize>,
    /// The reference as written, where there is one.
    pub reference: Option<Reference>,
}

impl Import {
    /// How much depends on it.
    pub fn strength(&self) -> Strength {
        match self.phase {
            _ if self.acting.is_some() => Strength::Runtime,
            Phase::Start | Phase::Applied => Strength::Hard,
            Phase::Ready => Strength::Runtime,
        }
    }

    /// Whether the object that meets it must do its work, not only be there.
    pub(crate) fn is_for_work(&self) -> bool {
        match self.cause {
            Cause::Source
            | Cause::Upstream
            | Cause::Store
            | Cause::Issuer
            | Cause::Controller
            | Cause::HealthCheck => true,
            Cause::Pod => matches!(
                &self.place.item,
                Item::Object { kind, .. } if kind == "PersistentVolumeClaim"
            ),
            _ => false,
        }
    }
}
