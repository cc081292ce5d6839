//! Manifests of OCI artifacts.

use serde::Deserialize;

/// Media types of manifests that are understood.
pub(crate) const ACCEPT: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.v2+json, \
    application/vnd.oci.image.index.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json";
/// The archive of a chart.
pub(crate) const HELM_CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// What an artifact is made of, or the artifacts for each platform.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    #[serde(default)]
    pub layers: Vec<Descriptor>,
    /// Of an index.
    #[serde(default)]
    pub manifests: Vec<Descriptor>,
}

/// One piece of content.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    #[serde(default)]
    pub media_type: String,
    pub digest: String,
    #[serde(default)]
    pub size: u64,
    #[serde(default)]
    pub platform: Option<Platform>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Platform {
    #[serde(default)]
    pub architecture: String,
    #[serde(default)]
    pub os: String,
}

impl Manifest {
    pub fn read(bytes: &[u8]) -> Result<Manifest, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Of an index: the manifest that the controllers take.
    pub fn platform(&self) -> Option<&Descriptor> {
        let is_usual = |found: &&Descriptor| {
            let platform = found.platform.as_ref();
            platform.is_some_and(|p| p.os == "linux" && p.architecture == "amd64")
        };
        let usual = self.manifests.iter().find(is_usual);
        usual.or_else(|| self.manifests.first())
    }

    /// The layer of a media type; without one the first.
    pub fn layer(&self, media_type: Option<&str>) -> Option<&Descriptor> {
        match media_type {
            Some(wanted) => self.layers.iter().find(|layer| layer.media_type == wanted),
            None => self.layers.first(),
        }
    }
}
