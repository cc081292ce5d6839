//! A directory of archives with an index of what each holds.

use std::sync::{Arc, Mutex, MutexGuard};

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;
use vfs::{ArchiveLimits, Tree, unpack_tar_gz};

use crate::mirror::url::{canonical_url, without_user};
use crate::mirror::{Absence, Absences, Asked, BucketAddress, ChartContent, Mirror};

/// A directory with archives and an `index.json` that says which address and
/// reference each holds:
///
/// ```json
/// {"git":  {"<url>": {"<ref>": {"file": "<path>", "commit": "<commit>"}}},
///  "helm": {"<url>": {"<chart>": {"<version>": "<path>"}}},
///  "oci":  {"<oci url>": {"<tag>": "<path>"}},
///  "bucket": {"<endpoint>/<name>": {"<prefix>": "<path>"}},
///  "http": {"<url>": "<path>"},
///  "absent": [{"kind": "helm", "url": "<url>", "chart": "<chart>", "reference": "<version>",
///              "missing": true, "reason": "<reason>"}]}
/// ```
///
/// Paths are relative to the directory, or to its parent when they start with
/// the directory's own name. Archives of Git trees are gzipped tar files
/// without a top folder; charts are as they are published. An artifact may have
/// its `digest` beside its `file`, as a Git tree has its commit. `absent` is what
/// the addresses were asked for and do not have; `missing` says that they have
/// other things of the kind.
pub struct IndexMirror {
    tree: Tree,
    git: FxHashMap<EcoString, Vec<Held>>,
    oci: FxHashMap<EcoString, Vec<Held>>,
    bucket: FxHashMap<EcoString, Vec<Held>>,
    /// By repository and chart.
    helm: FxHashMap<(EcoString, EcoString), Vec<Held>>,
    http: FxHashMap<EcoString, EcoString>,
    absent: Absences,
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
            absent: Absences::read(index.get("absent")),
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

    fn absence(&self, asked: &Asked<'_>) -> Option<Absence> {
        self.absent.of(asked).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vfs::Memory;

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
