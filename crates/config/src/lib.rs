//! The typed, positioned `.fluxlint.yaml`.
//!
//! [`Config::parse`] reads the text. Unknown keys and wrong types are errors
//! with the place and, where a name is near, a suggestion. Values that findings
//! point at keep their place ([`Spanned`]). The doc comments of these types are
//! what users read: [`json_schema`] publishes them to editors, and
//! `docs/configuration.md` is checked against it.

mod controllers;
mod decode;
mod entrypoint;
mod error;
mod externals;
mod file;
mod images;
mod inert;
mod policy;
mod reference;
mod repo_source;
mod rules;
mod schema;
mod sources;
mod spanned;
mod timing;
mod values;

pub use controllers::{Concurrency, Controllers};
pub use entrypoint::Entrypoint;
pub use error::{Error, nearest};
pub use externals::{
    ExternalSecret, ExternalSubstitution, Externals, RuntimeCrd, SubstitutionKind, Variables,
};
pub use file::{Config, FILE_NAME};
pub use images::{Contracts, Images};
pub use inert::Inert;
pub use policy::{Assertion, Ignore, Match};
pub use reference::markdown;
pub use repo_source::RepoSource;
pub use rules::{Level, Rules};
pub use schema::json_schema;
pub use sources::{Mirror, Override, SourceKind, SourceSettings};
pub use spanned::Spanned;
pub use timing::Timing;
pub use values::{Date, Duration, Pattern, Version};
