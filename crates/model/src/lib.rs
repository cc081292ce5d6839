//! The rendered world, whoever filled it: components, their objects, and what
//! was found out about them while rendering.

mod component;
mod duration;
mod durations;
mod key;
mod object;
mod problem;
mod spec;
mod world;

pub use component::{Component, Rendered, State};
pub use duration::duration;
pub use durations::{Durations, Measured};
pub use key::{ComponentKey, ComponentKind};
pub use object::{Identity, Object, Template};
pub use problem::{Fault, Problem};
pub use spec::{
    Dependency, Duration, HealthExpression, HelmReleaseSpec, KustomizationSpec, Reference, Spec,
    SubstituteSource,
};
pub use world::{
    Artifact, Assumption, HelmfileRelease, Repository, SourceKey, Unreached, UnreachedFile, World,
};
