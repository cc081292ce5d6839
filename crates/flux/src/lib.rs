//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.

mod artifact_generator;
pub mod build;
mod chart;
mod compose;
mod engine;
mod entrypoint;
pub mod envsubst;
mod generate;
mod helmfile;
pub mod ignore;
mod instance;
mod number;
mod release;
mod settings;
mod sops;
mod source;
mod spec;
mod substitute;
mod taken;
mod unreached;
mod walk;
mod workspace;

pub use chart::{ChartContent, artifact_tag, chart_version};
pub use engine::{ChartRender, ComposedRelease, Engine, KustomizeBuild};
pub use model::duration;
pub use settings::{ExternalSecret, ExternalSubstitution, Progress, Settings, SourceOverride};
pub use source::introduction::{HeldSecret, Introduction};
pub use source::mirror::{
    Absence, AddressMirror, Asked, BucketAddress, Checkout, IndexMirror, Mirror,
};
pub use substitute::{Provided, Variable};
pub use walk::render;
