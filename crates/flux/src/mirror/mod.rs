//! Content of other sources that lies in a directory.

mod absence;
mod address;
mod charts;
mod index;
pub(crate) mod introduction;
pub(crate) mod url;

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use vfs::Tree;

pub(crate) use absence::Absences;
pub use absence::{Absence, Grounds, Name, absent_entry};
pub use address::AddressMirror;
pub use charts::ChartContent;
pub(crate) use charts::ChartDirectory;
pub use index::IndexMirror;

use crate::mirror::introduction::Introduction;
use crate::version;

/// A bucket of a server that speaks S3, and what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BucketAddress {
    /// Host and port of the server.
    pub endpoint: EcoString,
    /// Its name.
    pub name: EcoString,
    /// What the keys that count begin with; empty for all.
    pub prefix: EcoString,
    /// Where it lies; empty for the default.
    pub region: EcoString,
    /// The server speaks plain HTTP.
    pub insecure: bool,
}

impl BucketAddress {
    /// The address that stands for it in mirrors and messages.
    pub fn address(&self) -> EcoString {
        eco_format!("{}/{}", self.endpoint, self.name)
    }
}

/// What belongs to the files of a Git repository besides those of its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checkout {
    /// The files of its submodules, as `spec.recurseSubmodules` asks for.
    Submodules,
    /// Those, and what its symbolic links lead to: a clone, as kustomize makes
    /// one of a remote base.
    Clone,
}

/// Takes one of several versions or tags, if one is to its taste.
pub type Choose<'a> = &'a dyn Fn(&[EcoString]) -> Option<EcoString>;

/// A place where the content of other repositories and artifacts is looked up.
pub trait Mirror: Send + Sync {
    /// The tree of a Git repository at a reference (a commit, tag, branch or
    /// full reference name as written; empty for the default branch); `None`
    /// when it is not held.
    fn git(&self, url: &str, reference: &str) -> Option<Tree>;
    /// The same with more files. A place that holds one tree of it has them in
    /// that.
    fn checkout(&self, url: &str, reference: &str, _checkout: Checkout) -> Option<Tree> {
        self.git(url, reference)
    }
    /// The content of an OCI artifact (`oci://…`) at a tag; `None` when it is
    /// not held.
    fn oci(&self, url: &str, tag: &str) -> Option<Tree>;
    /// The content of its first layer of a media type. A place that holds one
    /// tree of it has that layer's.
    fn oci_layer(&self, url: &str, tag: &str, _media_type: &str) -> Option<Tree> {
        self.oci(url, tag)
    }
    /// The objects of a bucket; `None` when they are not held.
    fn bucket(&self, _bucket: &BucketAddress) -> Option<Tree> {
        None
    }
    /// The bytes of a file at an address; `None` when they are not held.
    fn file(&self, url: &str) -> Option<Arc<[u8]>>;
    /// The versions held of a chart of a Helm repository (`https://…`).
    fn chart_versions(&self, _url: &str, _chart: &str) -> Vec<EcoString> {
        Vec::new()
    }
    /// The version that a choice takes of those. A place that keeps lists of them
    /// asks anew before it has none.
    fn choose_version(&self, url: &str, chart: &str, choose: Choose<'_>) -> Option<EcoString> {
        choose(&self.chart_versions(url, chart))
    }
    /// A version of a chart of a Helm repository.
    fn chart(&self, _url: &str, _chart: &str, _version: &str) -> Option<ChartContent> {
        None
    }
    /// The tags held of an OCI artifact (`oci://…`).
    fn tags(&self, _url: &str) -> Vec<EcoString> {
        Vec::new()
    }
    /// The tag that a choice takes of those. A place that keeps lists of them
    /// asks anew before it has none.
    fn choose_tag(&self, url: &str, choose: Choose<'_>) -> Option<EcoString> {
        choose(&self.tags(url))
    }
    /// The chart that an OCI artifact is at a tag or digest.
    fn oci_chart(&self, _url: &str, _reference: &str) -> Option<ChartContent> {
        None
    }
    /// The commit that a reference of a Git repository stands for, when it is
    /// known.
    fn commit(&self, _url: &str, _reference: &str) -> Option<EcoString> {
        None
    }
    /// The digest of an OCI artifact at a tag, when it is known.
    fn digest(&self, _url: &str, _tag: &str) -> Option<EcoString> {
        None
    }
    /// Why it does not hold what it was asked for before; `None` when it has
    /// nothing to say.
    fn absence(&self, _asked: &Asked<'_>) -> Option<Absence> {
        None
    }
    /// Told of what will be asked for soon, so that a place that has to fetch it
    /// can begin. Says whether it has it or will try.
    fn expect(&self, asked: &Asked<'_>) -> bool {
        match asked {
            Asked::Git(url, reference) => self.git(url, reference).is_some(),
            Asked::Oci(url, reference) => {
                !self.tags(url).is_empty() || self.oci(url, reference).is_some()
            }
            Asked::Checkout(url, reference, checkout) => {
                self.checkout(url, reference, *checkout).is_some()
            }
            Asked::Layer(url, reference, kind) => self.oci_layer(url, reference, kind).is_some(),
            Asked::Bucket(bucket) => self.bucket(bucket).is_some(),
            Asked::File(url) => self.file(url).is_some(),
            Asked::Chart(url, chart, version) => {
                version::of_repository(&self.chart_versions(url, chart), version).is_some()
            }
        }
    }
    /// Told of a source object before its content is asked for. Of several
    /// objects with one address the first counts.
    fn introduce(&self, _source: &Introduction<'_>) {}
}

/// What a mirror was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// The tree of a Git repository at a reference.
    Git(&'a str, &'a str),
    /// An OCI artifact at a tag, digest or range (`semver:…`).
    Oci(&'a str, &'a str),
    /// The same as `Git`, with more files.
    Checkout(&'a str, &'a str, Checkout),
    /// The layer of a media type of an OCI artifact at a tag, digest or range.
    Layer(&'a str, &'a str, &'a str),
    /// A bucket.
    Bucket(&'a BucketAddress),
    /// A file at an address.
    File(&'a str),
    /// A chart of a Helm repository that satisfies a version or range.
    Chart(&'a str, &'a str, &'a str),
}

impl Asked<'_> {
    /// Its address.
    pub fn address(&self) -> EcoString {
        match self {
            Asked::Git(url, _) | Asked::Checkout(url, ..) => (*url).into(),
            Asked::Oci(url, _) | Asked::Layer(url, ..) => (*url).into(),
            Asked::File(url) | Asked::Chart(url, ..) => (*url).into(),
            Asked::Bucket(bucket) => bucket.address(),
        }
    }
}

/// Tells mirrors of what will be asked for soon, up to the first that has it.
pub(crate) fn expect(mirrors: &[Arc<dyn Mirror>], asked: &Asked<'_>) {
    let mut mirrors = mirrors.iter();
    let _ = mirrors.any(|mirror| mirror.expect(asked));
}

/// Why no mirror holds something, as the one that knows best says; of several,
/// the last, which is the network.
pub(crate) fn absence(mirrors: &[Arc<dyn Mirror>], asked: &Asked<'_>) -> Option<Absence> {
    let said = mirrors.iter().filter_map(|mirror| mirror.absence(asked));
    said.max_by_key(|absence| absence.grounds)
}
