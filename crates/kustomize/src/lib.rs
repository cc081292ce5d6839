//! `kustomize build` as a pure function: a file tree and a directory in,
//! resources out. Equal to kustomize v5.8.1 (api and kyaml v0.21.1) as far as
//! no program is run: Helm charts, exec, Go and container plugins are refused.
//!
//! This room knows nothing of who builds, or why.

mod accumulate;
mod build;
mod decode;
mod documents;
mod error;
pub mod field_spec;
mod generate;
pub mod git_url;
pub mod hash;
pub mod iam_policy;
mod id;
pub mod kustomization;
pub mod label_selector;
mod load;
mod name_reference;
pub mod options;
pub mod origin;
mod output;
mod plugin;
mod regexp;
pub mod resmap;
pub mod resource;
mod run;
mod scalar;
pub mod selector;
mod shared;
mod sort;
mod step;
mod syntax;
pub mod tables;
mod trail;
pub mod transform;
mod vars;

pub use build::{build, build_root};
pub use documents::Documents;
pub use error::{Cause, Error};
pub use id::{Gvk, ResId};
pub use options::{LoadRestrictions, Options, Remote, RemoteUse, Reorder};
pub use output::Output;
pub use resmap::ResMap;
pub use resource::Resource;
pub use selector::Selector;
pub use syntax::{objects, objects_of};

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
