//! Charts of releases: which one a HelmRelease asks for, and that chart as
//! source-controller 1.9 hands it to helm-controller.

pub(crate) mod data;
mod dependencies;
mod load;
pub(crate) mod reads;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use vfs::Tree;

pub(crate) use load::{Loaded, NotLoaded, load};

use crate::mirror::{Asked, Mirror, expect};
use crate::version;

/// Stands for twelve digits that only a cluster knows: of an artifact's digest
/// or a commit, where they become part of a chart's version. It is as long as
/// they are, and allowed wherever they are.
pub(crate) const UNKNOWN_DIGITS: &str = "unknown-hash";

/// A chart as it is asked for. Equal ones are loaded once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    /// Where it comes from.
    pub from: From,
    /// Files that replace the default values, laid over each other.
    pub values_files: Vec<EcoString>,
    /// Those that are not there are passed over.
    pub ignore_missing: bool,
    /// What becomes the build metadata of its version.
    pub metadata: Metadata,
}

impl Wanted {
    /// Tells mirrors that it will be asked for.
    pub fn expect(&self, mirrors: &[Arc<dyn Mirror>]) {
        match &self.from {
            From::Repository {
                url,
                chart,
                version,
            } => match url.starts_with("oci://") {
                true => {
                    let url = eco_format!("{}/{chart}", url.trim_end_matches('/'));
                    let reference = registry_reference(version);
                    expect(mirrors, &Asked::Oci(&url, &reference));
                }
                false => expect(mirrors, &Asked::Chart(url, chart, version)),
            },
            From::Artifact { url, revision } => {
                expect(mirrors, &revision.asked(url, &revision.reference()));
            }
            From::Stand { .. } | From::Files { .. } | From::Only(_) => {}
        }
    }
}

/// How a version or range is asked for in a registry of charts.
fn registry_reference(version: &str) -> EcoString {
    match version::is_full(version) {
        // A tag has no `+`.
        true => version.replace('+', "_").into(),
        false if version.is_empty() => "semver:*".into(),
        false => eco_format!("semver:{version}"),
    }
}

/// Where a chart comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum From {
    /// A chart of a Helm repository, `http` or `oci`, that satisfies a version
    /// or range; empty for the newest.
    Repository {
        url: EcoString,
        chart: EcoString,
        version: EcoString,
    },
    /// A tree that stands for a Helm repository.
    Stand {
        tree: SameTree,
        chart: EcoString,
        version: EcoString,
    },
    /// An OCI artifact that is a chart.
    Artifact { url: EcoString, revision: Revision },
    /// A directory or an archive of a source's files.
    Files { files: SameTree, path: EcoString },
    /// The only chart of a source's files.
    Only(SameTree),
}

/// The revision of an OCI artifact: of several fields the first that is set
/// counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Revision {
    pub digest: Option<EcoString>,
    pub range: Option<EcoString>,
    pub tag: Option<EcoString>,
    /// The media type of the layer that is taken, if the source says one.
    pub layer: Option<EcoString>,
}

impl Revision {
    /// The layer, where it is another than that of a chart.
    fn other_layer(&self) -> Option<&EcoString> {
        const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
        self.layer.as_ref().filter(|layer| *layer != CHART)
    }

    fn asked<'a>(&'a self, url: &'a str, reference: &'a str) -> Asked<'a> {
        match self.other_layer() {
            Some(layer) => Asked::Layer(url, reference, layer),
            None => Asked::Oci(url, reference),
        }
    }

    /// How it is asked for: a digest, a range (`semver:…`) or a tag.
    fn reference(&self) -> EcoString {
        match (&self.digest, &self.range, &self.tag) {
            (Some(digest), ..) => digest.clone(),
            (None, Some(range), _) => eco_format!("semver:{range}"),
            (None, None, Some(tag)) => tag.clone(),
            (None, None, None) => "latest".into(),
        }
    }
}

/// Build metadata of a chart's version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Metadata {
    /// Left as the chart says.
    #[default]
    None,
    /// Set when the chart is packaged.
    Packaged(EcoString),
    /// Digits of the revision's digest, which helm-controller sets: the version
    /// that a tag names must then be the chart's.
    Digest,
}

/// Files that are the same when it is the same tree.
#[derive(Clone)]
pub(crate) struct SameTree(pub Arc<Documents>);

impl SameTree {
    pub fn tree(&self) -> &Tree {
        self.0.tree()
    }
}

impl std::fmt::Debug for SameTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SameTree")
    }
}

impl PartialEq for SameTree {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SameTree {}

impl Hash for SameTree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}
