//! Where an object came from, as the origin annotations tell it.

use ecow::EcoString;

/// The content of an origin annotation. Empty fields are left out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Path of the file, from the root of the build or of the repository.
    pub path: EcoString,
    /// Address of a remote repository.
    pub repo: EcoString,
    /// Reference in that repository.
    pub reference: EcoString,
    /// File of the generator or transformer that made it.
    pub configured_in: EcoString,
    /// That generator or transformer.
    pub configured_by: ConfiguredBy,
}

/// A generator or transformer, named as an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredBy {
    /// API version, `builtin` for what a kustomization field runs.
    pub api_version: EcoString,
    /// Kind.
    pub kind: EcoString,
    /// Name.
    pub name: EcoString,
    /// Namespace.
    pub namespace: EcoString,
}
