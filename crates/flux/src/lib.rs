//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.

mod apis;
mod artifact_generator;
pub mod build;
mod chart;
mod compose;
mod content;
mod engine;
mod entrypoint;
pub mod envsubst;
mod extract;
mod generate;
mod helmfile;
pub mod ignore;
mod instance;
mod mirror;
mod number;
mod placed;
mod release;
mod settings;
mod sops;
mod source;
mod spec;
mod substitute;
mod taken;
mod unreached;
mod values;
mod version;
mod walk;
mod workspace;

pub use engine::{ChartRender, ComposedRelease, Engine, KustomizeBuild};
pub use mirror::introduction::{HeldSecret, Introduction};
pub use mirror::{
    Absence, AddressMirror, Asked, BucketAddress, ChartContent, Checkout, Choose, Grounds,
    IndexMirror, Mirror, Name, absent_entry,
};
pub use model::duration;
pub use settings::{ExternalSecret, ExternalSubstitution, Progress, Settings, SourceOverride};
pub use substitute::{Provided, Variable};
pub use version::{of_artifact as artifact_tag, of_repository as chart_version};
pub use walk::render;
