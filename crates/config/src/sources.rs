//! Where other sources are found without a network.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Spanned;

/// Where the content of other sources is found.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceSettings {
    /// Directory of the download cache. Relative to the repository's root.
    #[serde(default)]
    pub cache_dir: Option<Spanned<String>>,
    /// Directories that stand for single source objects.
    #[serde(default)]
    pub overrides: Vec<Spanned<Override>>,
    /// Directories and addresses that stand for addresses.
    #[serde(default)]
    pub mirrors: Vec<Spanned<Mirror>>,
}

/// Kinds of source objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub enum SourceKind {
    /// A GitRepository.
    GitRepository,
    /// An OCIRepository.
    OCIRepository,
    /// A Bucket.
    Bucket,
    /// A HelmRepository.
    HelmRepository,
    /// A HelmChart.
    HelmChart,
    /// An ExternalArtifact.
    ExternalArtifact,
}

impl SourceKind {
    /// The Kubernetes kind.
    pub fn as_str(self) -> &'static str {
        match self {
            SourceKind::GitRepository => "GitRepository",
            SourceKind::OCIRepository => "OCIRepository",
            SourceKind::Bucket => "Bucket",
            SourceKind::HelmRepository => "HelmRepository",
            SourceKind::HelmChart => "HelmChart",
            SourceKind::ExternalArtifact => "ExternalArtifact",
        }
    }
}

/// A directory that stands for one source object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// Kind of the source object.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
    /// Its namespace. Default `flux-system`.
    #[serde(default = "flux_system")]
    pub namespace: String,
    /// The directory with its content. Relative to the repository's root.
    pub path: String,
}

fn flux_system() -> String {
    "flux-system".into()
}

/// A directory or another address that stands for an address, or a directory
/// that stands for many.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mirror {
    /// The address, as sources and remote bases write it; addresses below it
    /// are looked up below the directory. The directory of a Helm repository
    /// holds its `index.yaml`, or `<chart>-<version>.tgz`, or charts unpacked;
    /// that of an OCI artifact `<tag>.tgz`. Left out: the directory's
    /// `index.json` says which file holds which address and reference.
    #[serde(default)]
    pub url: Option<String>,
    /// The directory. Relative to the repository's root. With a `url` it may be
    /// an address, which is asked instead.
    pub path: String,
}
