//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.

mod artifact_generator;
mod artifact_generator_copy;
mod artifact_generator_glob;
pub mod build;
mod entrypoint;
mod entrypoint_overlays;
mod entrypoint_roots;
mod entrypoint_survey;
pub mod envsubst;
mod generate;
pub mod ignore;
mod instance;
mod instance_patches;
mod number;
mod release;
mod settings;
mod sops;
mod source;
mod source_definition;
mod source_mirror;
mod source_url;
mod spec;
mod substitute;
mod walk;
mod walk_build;
mod walk_extract;
mod walk_finish;
mod walk_gaps;
mod walk_values;
mod walk_world;
mod workspace;

pub use model::duration;
pub use settings::{ExternalSubstitution, Progress, Settings, SourceOverride};
pub use source_mirror::{AddressMirror, IndexMirror, Mirror};
pub use substitute::{Provided, Variable};
pub use walk::render;
