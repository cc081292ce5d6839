//! What a Kubernetes object *is*: its API group, version and kind, its scope,
//! and what a CustomResourceDefinition defines.

mod crd;
mod group;
mod kinds;

pub use crd::{Crd, CrdVersion};
pub use group::{BUILTIN_NAMESPACES, is_aggregated, is_builtin, is_flux, split_api_version};
pub use kinds::{Kind, NEWEST, Release, Scope, kind, kinds_of, scope, served};
