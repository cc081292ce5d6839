//! `kustomize build` as a pure function: a file tree and a directory in,
//! resources out. Equal to kustomize v5.8.1 (api and kyaml v0.21.1) as far as
//! no program is run: Helm charts, exec, Go and container plugins are refused.
//!
//! This room knows no Flux word.

mod documents;
mod error;
pub mod field_spec;
pub mod id;
pub mod kustomization;
pub mod label_selector;
pub mod options;
pub mod origin;
mod regexp;
pub mod resmap;
pub mod resource;
pub mod selector;
pub mod tables;
pub mod transform;

pub use documents::Documents;
pub use error::Error;
pub use id::{Gvk, ResId};
pub use options::{LoadRestrictions, Options, Remote, RemoteUse, Reorder};
pub use resmap::ResMap;
pub use resource::Resource;
pub use selector::Selector;
