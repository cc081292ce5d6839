//! Helm charts as Helm 4 renders them.
//!
//! A [`Chart`] is loaded ([`load`]) into a [`Package`] that all its releases
//! share: its templates are parsed once ([`Compiled`]) and rendered with the
//! values of each release ([`values`]), then parted into manifests, hooks and
//! notes ([`manifest`]). [`funcs`] holds the functions that templates can
//! call: sprig's and Helm's own.

#![forbid(unsafe_code)]

pub mod chart;
pub mod data;
mod decimal;
pub mod dependencies;
mod engine;
mod error;
mod files;
pub mod funcs;
pub mod given;
mod glob;
pub mod hook;
pub mod json;
pub mod load;
pub mod manifest;
pub mod package;
pub mod release;
pub mod save;
pub mod schema;
pub mod semver;
pub mod strvals;
mod tree;
pub mod values;

pub use chart::Chart;
pub use data::Data;
pub use engine::{Compiled, Options, Rendered};
pub use error::Error;
pub use hook::{Hook, HookEvent};
pub use manifest::Manifest;
pub use package::{Output, Package, Request};
pub use release::{Capabilities, Release};

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
