//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.

pub mod build;
pub mod envsubst;
mod generate;
pub mod ignore;
mod number;
mod settings;
mod sops;
mod source;
mod spec;
mod substitute;
mod walk;

pub use settings::{ExternalSubstitution, Progress, Settings, SourceOverride};
pub use source::Mirror;
pub use spec::duration;
pub use substitute::{Provided, Variable};
pub use walk::render;
