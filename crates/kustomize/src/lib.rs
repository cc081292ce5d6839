//! `kustomize build` as a pure function: a file tree and a directory in,
//! resources out. Equal to kustomize v5.8.1 (api and kyaml v0.21.1) as far as
//! no program is run: Helm charts, exec, Go and container plugins are refused.
//!
//! This room knows no Flux word.

mod documents;
mod error;

pub use documents::Documents;
pub use error::Error;
