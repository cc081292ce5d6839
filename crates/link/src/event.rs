//! What happens to a component.

use ecow::EcoString;

use crate::Sought;

/// How far a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Source, dependencies and variables or values are there, and its
    /// definitions (CRDs, namespaces, cluster roles) are applied.
    Start,
    /// Every object of it is accepted.
    Applied,
    /// Its `Ready` condition is true.
    Ready,
}

/// An event of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// A component, by index in [`model::World::components`], reached a phase.
    Component(usize, Phase),
    /// An object of a component, by position in
    /// [`model::Component::objects`], is served: its controller has what it
    /// needs for what the object asks for.
    Working(usize, usize),
    /// The first of the components of a cluster that could not be rendered has
    /// applied what nobody here can see. It may be what something needs.
    Unrendered(EcoString, Sought),
}

impl Event {
    /// Component and phase.
    pub fn component(&self) -> Option<(usize, Phase)> {
        match self {
            Event::Component(component, phase) => Some((*component, *phase)),
            Event::Working(..) | Event::Unrendered(..) => None,
        }
    }

    /// The component it belongs to.
    pub fn owner(&self) -> Option<usize> {
        match self {
            Event::Component(component, _) | Event::Working(component, _) => Some(*component),
            Event::Unrendered(..) => None,
        }
    }
}
