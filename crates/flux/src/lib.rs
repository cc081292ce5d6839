//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.

pub mod envsubst;
pub mod ignore;
mod settings;
mod source;
mod spec;
mod walk;

pub use settings::{ExternalSubstitution, Progress, Settings, SourceOverride};
pub use source::Mirror;
pub use spec::duration;
pub use walk::render;
