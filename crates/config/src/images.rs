//! Images and what is attached to them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Pattern, Spanned};

/// Where contracts of components are read from, besides
/// `fluxlint-contract.yaml` files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Contracts {
    /// Images whose attached contract is read. `*` stands for any text.
    #[serde(default)]
    pub images: Vec<Spanned<Pattern>>,
}

/// Which images are looked up in their registries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Images {
    /// Images that must exist. `*` stands for any text.
    #[serde(default)]
    pub verify: Vec<Spanned<Pattern>>,
    /// Platforms they must exist for: `linux/amd64`.
    #[serde(default)]
    pub platforms: Vec<Spanned<String>>,
}
