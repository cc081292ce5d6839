//! One Flux Kustomization, built as kustomize-controller 1.9 builds it: from an
//! artifact to the objects it would apply.
//!
//! The steps, in the controller's order: the path is joined below the artifact;
//! a kustomization file is found, or made, and the spec merged into it; inputs
//! of secret generators are decrypted; kustomize builds; every object is
//! decrypted, then substituted; the result is read back. Owner labels, the
//! normalisation through typed schemas and everything of server-side apply are
//! not part of it; `commonMetadata` is.

mod lost;
mod path;
mod read_back;
mod run;

use std::sync::Arc;

use ecow::EcoString;
use kustomize::{Documents, Remote};
use model::{ComponentKey, KustomizationSpec, Object, Problem, Reference};
use yaml::Node;

pub use run::build;

use crate::engine::Engine;
use crate::mirror::Absence;
use crate::substitute::Provided;

/// What a build asks of the rest of the cluster.
pub trait Env {
    /// What the ConfigMap or Secret of a `substituteFrom` entry brings; `None`
    /// when there is none. Asked at most once for each entry, in order.
    fn variables(&self, reference: &Reference) -> Option<Provided>;
    /// Why a remote base or file, by its address as written, could not be had;
    /// `None` when nobody knows.
    fn absence(&self, _address: &str) -> Option<Absence> {
        None
    }
}

/// What is to be built.
pub struct Request<'a> {
    /// The artifact.
    pub documents: &'a Documents,
    /// Which component it is.
    pub key: &'a ComponentKey,
    /// Its Flux object.
    pub object: &'a Node,
    /// The same, typed.
    pub spec: &'a KustomizationSpec,
    /// An undefined variable without a default fails the build.
    pub strict: bool,
    /// The controllers refuse remote bases.
    pub no_remote_bases: bool,
    /// Serves remote bases.
    pub remote: Option<Arc<dyn Remote>>,
    /// What stands beside kustomize, if anything.
    pub engine: Option<&'a dyn Engine>,
}

/// What a build gives.
#[derive(Clone, Debug)]
pub struct Built {
    /// Whether the objects are what Flux would apply.
    pub outcome: Outcome,
    /// The objects, in the order kustomize gives. Of a failed build those that
    /// would be there without the failure, as far as they are known.
    pub objects: Vec<Arc<Object>>,
    /// What was found out on the way.
    pub problems: Vec<Problem>,
}

/// How a build ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The objects are known.
    Rendered,
    /// Some are known; others cannot be known here, for this reason.
    Partial(EcoString),
    /// They cannot be known here, for this reason.
    Opaque(EcoString),
    /// Flux fails as well; the problems say why.
    Failed,
}

#[cfg(test)]
mod tests;
