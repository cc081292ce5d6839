//! A component: one Flux Kustomization or HelmRelease.

use ecow::EcoString;
use std::sync::Arc;
use yaml::Span;

use crate::{ComponentKey, Object, Problem, Reference, SourceKey, Spec};

/// One component of a world.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its key.
    pub key: ComponentKey,
    /// The cluster its Flux object lives in; empty for the one the entrypoint
    /// bootstraps.
    pub home: EcoString,
    /// The cluster its objects are applied to: `home`, or the kubeconfig's
    /// `namespace/name` where `spec.kubeConfig` names one.
    pub cluster: EcoString,
    /// Components that apply its Flux object, by index in
    /// [`crate::World::components`], ascending, itself left out. Empty for a
    /// root: the bootstrap applied it, whoever applies it again later.
    pub parents: Vec<usize>,
    /// Its Flux object, the first of them where several components apply one;
    /// `None` for a root that no file holds.
    pub object: Option<Arc<Object>>,
    /// What it asks for.
    pub spec: Spec,
    /// The source its files come from, when the reference resolved.
    pub source: Option<SourceKey>,
    /// `spec.suspend`.
    pub suspended: bool,
    /// What rendering gave.
    pub state: State,
    /// What went wrong or stayed unknown on the way.
    pub problems: Vec<Problem>,
    /// ConfigMaps and Secrets that substitution read, as found, whether
    /// optional or not.
    pub substitutes_from: Vec<Reference>,
}

/// What rendering a component gave.
#[derive(Clone, Debug)]
pub enum State {
    /// All its objects are known.
    Rendered(Rendered),
    /// Some of its objects are known; others cannot be known here, for this
    /// reason.
    Partial(Rendered, EcoString),
    /// Its objects cannot be known here, for this reason.
    Opaque(EcoString),
    /// Flux itself will fail to render it; [`Component::problems`] says why.
    /// Holds the objects there would be without the failure, as far as they
    /// are known.
    Failed(Rendered),
}

/// The objects of a rendered component.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// In the order kustomize gives.
    pub objects: Vec<Arc<Object>>,
}

impl Component {
    /// Its objects as far as they are known; those of a failed component are
    /// what there would be.
    pub fn objects(&self) -> &[Arc<Object>] {
        match &self.state {
            State::Rendered(objects) | State::Partial(objects, _) | State::Failed(objects) => {
                &objects.objects
            }
            State::Opaque(_) => &[],
        }
    }

    /// Where its Flux object is written; [`Span::NONE`] when no file holds it.
    pub fn span(&self) -> Span {
        self.object.as_ref().map_or(Span::NONE, |o| o.node.span)
    }

    /// Whether all its objects are known.
    pub fn is_rendered(&self) -> bool {
        matches!(self.state, State::Rendered(_))
    }
}
