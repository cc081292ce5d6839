//! Post-build substitution: variables filled into built objects, as
//! kustomize-controller does it.
//!
//! An object is printed, its text expanded, and the result read back by the
//! YAML 1.1 route of the Kubernetes tools. So a quoted placeholder loses its
//! quotes before the value goes in, and the value alone decides the type; all
//! numbers of the object pass through `float64`.

mod object;
mod place;
mod respan;
mod retyped;
mod variables;

pub(crate) use object::Substitution;
pub use variables::{Provided, Variable};
pub(crate) use variables::{Provider, Variables};

#[cfg(test)]
mod tests;
