//! A component: one Flux Kustomization or HelmRelease.

use ecow::EcoString;
use std::sync::Arc;

use crate::{ComponentKey, Object, Problem, Reference, SourceKey, Spec};

/// One component of a world.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its key.
    pub key: ComponentKey,
    /// The cluster its objects are applied to; empty for the one Flux runs in.
    pub cluster: EcoString,
    /// Components that apply its Flux object, by index in
    /// [`crate::World::components`]. Empty for a root.
    pub parents: Vec<usize>,
    /// Its Flux object; `None` for a root that no file holds.
    pub object: Option<Object>,
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
    /// Its objects cannot be known here, for this reason.
    Opaque(EcoString),
    /// Flux itself will fail to render it; [`Component::problems`] says why.
    Failed,
}

/// The objects of a rendered component.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// In the order kustomize gives.
    pub objects: Vec<Arc<Object>>,
}

impl Component {
    /// Its objects; empty unless rendered.
    pub fn objects(&self) -> &[Arc<Object>] {
        match &self.state {
            State::Rendered(rendered) => &rendered.objects,
            _ => &[],
        }
    }

    /// Whether its objects are known.
    pub fn is_rendered(&self) -> bool {
        matches!(self.state, State::Rendered(_))
    }
}
