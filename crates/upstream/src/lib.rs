//! The upstream programs on `PATH`, beside the native renderers.
//!
//! An [`Engine`] gives the programs what the native renderers are given, and
//! either compares what they make of it, object by object, or has it count
//! instead. Nothing of a repository is executed: programs are found on `PATH`
//! alone, and read copies of the files.

#![forbid(unsafe_code)]

mod checkout;
mod compare;
mod engine;
mod flux_program;
mod helm_program;
mod kustomize_program;
mod objects;
mod program;

pub use compare::{Change, Difference};
pub use engine::{Comparison, Engine, Role, Verdict};
pub use program::{Program, Programs};
