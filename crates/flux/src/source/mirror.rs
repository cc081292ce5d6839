//! Content of other sources that lies in a directory.

use std::sync::{Arc, Mutex, MutexGuard};

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;
use vfs::{ArchiveLimits, Subtree, Tree, unpack_tar_gz};

use crate::chart::{self, ChartContent, ChartDirectory};
use crate::source::introduction::Introduction;
use crate::source::url::{canonical_url, without_user};

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
    /// A version of a chart of a Helm repository.
    fn chart(&self, _url: &str, _chart: &str, _version: &str) -> Option<ChartContent> {
        None
    }
    /// The tags held of an OCI artifact (`oci://…`).
    fn tags(&self, _url: &str) -> Vec<EcoString> {
        Vec::new()
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
                chart::of_repository(&self.chart_versions(url, chart), version).is_some()
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

/// Why something is not held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The reason, as a clause without a full stop.
    pub reason: EcoString,
    /// The place was reached and said that it has no such thing: nobody gets
    /// it there.
    pub certain: bool,
    /// The place was asked, or cannot be; otherwise it was not to be asked.
    pub asked: bool,
}

/// Tells mirrors of what will be asked for soon, up to the first that has it.
pub(crate) fn expect(mirrors: &[Arc<dyn Mirror>], asked: &Asked<'_>) {
    let mut mirrors = mirrors.iter();
    let _ = mirrors.any(|mirror| mirror.expect(asked));
}

/// Why no mirror holds something, as the first of them that knows says.
pub(crate) fn absence(mirrors: &[Arc<dyn Mirror>], asked: &Asked<'_>) -> Option<Absence> {
    mirrors.iter().find_map(|mirror| mirror.absence(asked))
}

/// A directory that stands for an address: the content of every address below
/// it lies below the directory, whatever its reference.
#[derive(Clone)]
pub struct AddressMirror {
    address: EcoString,
    tree: Tree,
}

impl AddressMirror {
    /// `tree` stands for `address`.
    pub fn new(address: &str, tree: Tree) -> Self {
        AddressMirror {
            // A host alone ends with the slash of its empty path.
            address: canonical_url(address).trim_end_matches('/').into(),
            tree,
        }
    }

    /// What lies below the mirrored address.
    fn below(&self, url: &str) -> Option<EcoString> {
        let url = canonical_url(url);
        let rest = url.strip_prefix(self.address.as_str())?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(rest.into()),
            None => rest.is_empty().then(EcoString::new),
        }
    }

    fn charts<T>(&self, url: &str, look: impl FnOnce(ChartDirectory<'_>) -> T) -> Option<T> {
        let path = self.below(url)?;
        Some(look(ChartDirectory {
            tree: &self.tree,
            path: &path,
        }))
    }

    fn directory(&self, url: &str) -> Option<Tree> {
        let below = self.below(url)?;
        Subtree::new(self.tree.clone(), &below).ok().map(Tree::new)
    }
}

impl Mirror for AddressMirror {
    fn git(&self, url: &str, _reference: &str) -> Option<Tree> {
        self.directory(url)
    }

    fn oci(&self, url: &str, _tag: &str) -> Option<Tree> {
        self.directory(url)
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        self.directory(&bucket.address())
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.tree.read(&self.below(url)?).ok()
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        self.charts(url, |charts| charts.versions(chart))
            .unwrap_or_default()
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        self.charts(url, |charts| charts.chart(chart, version))?
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        let own = self.charts(url, |charts| charts.tags()).unwrap_or_default();
        match (own.is_empty(), chart_of(url)) {
            (true, Some((url, chart))) => self.chart_versions(url, chart),
            _ => own,
        }
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        let own = self.charts(url, |charts| charts.at_tag(reference))?;
        own.or_else(|| {
            let (url, chart) = chart_of(url)?;
            self.chart(url, chart, reference)
        })
    }
}

/// The repository and the chart that an artifact's address names.
fn chart_of(url: &str) -> Option<(&str, &str)> {
    url.trim_end_matches('/').rsplit_once('/')
}

/// A directory with archives and an `index.json` that says which address and
/// reference each holds:
///
/// ```json
/// {"git":  {"<url>": {"<ref>": {"file": "<path>", "commit": "<commit>"}}},
///  "helm": {"<url>": {"<chart>": {"<version>": "<path>"}}},
///  "oci":  {"<oci url>": {"<tag>": "<path>"}},
///  "bucket": {"<endpoint>/<name>": {"<prefix>": "<path>"}},
///  "http": {"<url>": "<path>"}}
/// ```
///
/// Paths are relative to the directory, or to its parent when they start with
/// the directory's own name. Archives of Git trees are gzipped tar files
/// without a top folder; charts are as they are published. An artifact may have
/// its `digest` beside its `file`, as a Git tree has its commit.
pub struct IndexMirror {
    tree: Tree,
    git: FxHashMap<EcoString, Vec<Held>>,
    oci: FxHashMap<EcoString, Vec<Held>>,
    bucket: FxHashMap<EcoString, Vec<Held>>,
    /// By repository and chart.
    helm: FxHashMap<(EcoString, EcoString), Vec<Held>>,
    http: FxHashMap<EcoString, EcoString>,
    unpacked: Mutex<FxHashMap<EcoString, Option<Tree>>>,
}

/// One reference of an address.
struct Held {
    reference: EcoString,
    /// Or the digest.
    commit: EcoString,
    file: EcoString,
}

impl IndexMirror {
    /// The reference under which an index holds one layer of an artifact, when it
    /// is not the one that counts without a choice.
    pub fn layer(tag: &str, media_type: &str) -> EcoString {
        eco_format!("{tag} {media_type}")
    }

    /// Reads the index of a mirror directory. Fails when there is none or it is
    /// no JSON of the form above.
    pub fn open(tree: Tree) -> Result<Self, EcoString> {
        let bytes = tree
            .read("index.json")
            .map_err(|error| eco_format!("{error}"))?;
        let index: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| eco_format!("index.json: {error}"))?;
        let held = |kind: &str| {
            let urls = index
                .get(kind)
                .and_then(|urls| urls.as_object())
                .into_iter()
                .flatten();
            let mut found: FxHashMap<EcoString, Vec<Held>> = FxHashMap::default();
            for (url, references) in urls {
                let references = references.as_object().into_iter().flatten();
                let entries = found.entry(canonical_url(url)).or_default();
                entries.extend(references.filter_map(|(reference, at)| Held::read(reference, at)));
            }
            found
        };
        let repositories = index.get("helm").and_then(|urls| urls.as_object());
        let mut helm: FxHashMap<_, Vec<Held>> = FxHashMap::default();
        for (url, charts) in repositories.into_iter().flatten() {
            for (chart, versions) in charts.as_object().into_iter().flatten() {
                let versions = versions.as_object().into_iter().flatten();
                helm.entry((canonical_url(url), chart.into()))
                    .or_default()
                    .extend(versions.filter_map(|(version, at)| Held::read(version, at)));
            }
        }
        let http = index
            .get("http")
            .and_then(|urls| urls.as_object())
            .into_iter()
            .flatten();
        Ok(IndexMirror {
            git: held("git"),
            oci: held("oci"),
            bucket: held("bucket"),
            helm,
            http: http
                .filter_map(|(url, file)| Some((url.into(), file.as_str()?.into())))
                .collect(),
            tree,
            unpacked: Mutex::default(),
        })
    }

    fn lookup(
        &self,
        held: &FxHashMap<EcoString, Vec<Held>>,
        url: &str,
        reference: &str,
    ) -> Option<Tree> {
        self.archive(&find(held, url, reference)?.file)
    }

    /// The content of an archive, unpacked once.
    fn archive(&self, file: &EcoString) -> Option<Tree> {
        if let Some(tree) = self.lock().get(file) {
            return tree.clone();
        }
        // Not under the lock: unpacking takes a while, and twice is no harm.
        let tree = self
            .read(file)
            .and_then(|bytes| unpack_tar_gz(&bytes, ArchiveLimits::default()).ok())
            .map(Tree::new);
        self.lock().entry(file.clone()).or_insert(tree).clone()
    }

    fn artifact(&self, url: &str, reference: &str) -> Option<&Held> {
        find(&self.oci, url, reference)
    }

    fn read(&self, file: &str) -> Option<Arc<[u8]>> {
        if let Ok(bytes) = self.tree.read(file) {
            return Some(bytes);
        }
        self.tree.read(file.split_once('/')?.1).ok()
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<EcoString, Option<Tree>>> {
        match self.unpacked.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// What an address holds at a reference: by its full name before others of its
/// short name.
fn find<'a>(
    held: &'a FxHashMap<EcoString, Vec<Held>>,
    url: &str,
    reference: &str,
) -> Option<&'a Held> {
    let held = held.get(&canonical_url(url))?;
    let exact = held.iter().find(|held| held.reference == reference);
    exact.or_else(|| held.iter().find(|held| held.is(reference)))
}

impl Held {
    fn read(reference: &str, at: &serde_json::Value) -> Option<Held> {
        let text = |key: &str| at.get(key).and_then(|text| text.as_str());
        Some(Held {
            reference: reference.into(),
            commit: text("commit")
                .or_else(|| text("digest"))
                .unwrap_or_default()
                .into(),
            file: at.as_str().or_else(|| text("file"))?.into(),
        })
    }

    /// Whether it is what a reference asks for. Nothing asks for a default
    /// branch that the index does not name.
    fn is(&self, reference: &str) -> bool {
        // A range that the index has resolved stands in it as written.
        let short = ["refs/heads/", "refs/tags/", "semver:"]
            .iter()
            .find_map(|prefix| reference.strip_prefix(prefix))
            .unwrap_or(reference);
        self.reference == short || (!self.commit.is_empty() && self.commit == reference)
    }
}

impl Mirror for IndexMirror {
    fn git(&self, url: &str, reference: &str) -> Option<Tree> {
        self.lookup(&self.git, url, reference)
    }

    fn oci(&self, url: &str, tag: &str) -> Option<Tree> {
        self.lookup(&self.oci, url, tag)
    }

    fn oci_layer(&self, url: &str, tag: &str, media_type: &str) -> Option<Tree> {
        let layer = self.lookup(&self.oci, url, &IndexMirror::layer(tag, media_type));
        layer.or_else(|| self.oci(url, tag))
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        self.lookup(&self.bucket, &bucket.address(), &bucket.prefix)
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        let bare = || self.http.get(&*without_user(url));
        self.read(self.http.get(url).or_else(bare)?)
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        let held = self.helm.get(&(canonical_url(url), chart.into()));
        let held = held.into_iter().flatten();
        held.map(|held| held.reference.clone()).collect()
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        let mut held = self.helm.get(&(canonical_url(url), chart.into()))?.iter();
        let held = held.find(|held| held.reference == version)?;
        self.read(&held.file).map(ChartContent::Archive)
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        let held = self.oci.get(&canonical_url(url)).into_iter().flatten();
        held.map(|held| held.reference.clone()).collect()
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        let held = self.artifact(url, reference)?;
        self.read(&held.file).map(ChartContent::Archive)
    }

    fn commit(&self, url: &str, reference: &str) -> Option<EcoString> {
        let commit = &find(&self.git, url, reference)?.commit;
        (!commit.is_empty()).then(|| commit.clone())
    }

    fn digest(&self, url: &str, tag: &str) -> Option<EcoString> {
        let digest = &self.artifact(url, tag)?.commit;
        (!digest.is_empty()).then(|| digest.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vfs::Memory;

    #[test]
    fn addresses_lie_below_a_mirrored_one() {
        let files = [("fleet/a.yaml", b"a: 1\n".to_vec())];
        let mirror = AddressMirror::new(
            "https://git.example.com/team",
            Tree::new(Memory::new(files).unwrap()),
        );
        let tree = mirror
            .git("ssh://git@git.example.com/team/fleet.git", "main")
            .unwrap();
        assert!(tree.read("a.yaml").is_ok());
        assert!(
            mirror
                .git("https://git.example.com/teammates/fleet", "main")
                .is_none()
        );
        assert!(
            mirror
                .git("https://git.example.com/team/other", "main")
                .is_none()
        );
        assert!(
            mirror
                .file("https://git.example.com/team/fleet/a.yaml")
                .is_some()
        );
    }

    #[test]
    fn an_index_is_asked_by_address_and_reference() {
        let index = r#"{"git": {"https://git.example.com/a/b": {"v1": {"file": "mirror/x.yaml", "commit": "0123"}}},
                        "http": {"https://example.com/f.yaml": "mirror/x.yaml"}}"#;
        let files = [
            ("index.json", index.as_bytes().to_vec()),
            ("x.yaml", b"a: 1\n".to_vec()),
        ];
        let mirror = IndexMirror::open(Tree::new(Memory::new(files).unwrap())).unwrap();
        assert!(mirror.file("https://example.com/f.yaml").is_some());
        assert!(mirror.file("https://example.com/g.yaml").is_none());
        // Held, and no archive.
        assert!(mirror.git("https://git.example.com/a/b", "v1").is_none());
        let held = mirror.git.get("git.example.com/a/b").unwrap();
        assert!(
            held[0].is("refs/tags/v1")
                && held[0].is("0123")
                && !held[0].is("v2")
                && !held[0].is("")
        );
    }
}
