//! What the corpus mirror holds, by address.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::paths;

/// Files by reference.
pub type References = BTreeMap<String, String>;

/// The mirror's index, with the files' paths.
pub struct Places {
    /// The directory that paths are relative to.
    pub root: PathBuf,
    /// By repository and chart.
    pub helm: BTreeMap<String, BTreeMap<String, References>>,
    /// By artifact.
    pub oci: BTreeMap<String, References>,
    /// By repository.
    pub git: BTreeMap<String, References>,
    /// By address.
    pub http: References,
    /// Addresses that the repositories pin and the mirror lacks.
    left_out: Vec<String>,
}

impl Places {
    /// Reads the index of the shared corpus.
    pub fn read() -> Result<Places, String> {
        let root = paths::need_shared()?.join("corpus");
        let path = root.join("mirror/index.json");
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = fs::read(&path).map_err(|error| failed(&error))?;
        let index: Value = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
        let helm = entries(&index["helm"]).map(|(url, charts)| {
            let charts = entries(charts).map(|(chart, held)| (chart, references(held)));
            (url, charts.collect())
        });
        let held = |kind: &str| {
            let urls = entries(&index[kind]);
            urls.map(|(url, held)| (url, references(held))).collect()
        };
        Ok(Places {
            helm: helm.collect(),
            oci: held("oci"),
            git: held("git"),
            http: references(&index["http"]),
            left_out: left_out(&root)?,
            root,
        })
    }

    /// The content of a file.
    pub fn content(&self, file: &str) -> Option<Arc<[u8]>> {
        let path: &Path = file.as_ref();
        fs::read(self.root.join(path)).ok().map(Into::into)
    }

    /// Beginnings of addresses, as far as hosts go: `https://host`.
    pub fn hosts(&self) -> Vec<String> {
        let urls = self.helm.keys().chain(self.oci.keys());
        let urls = urls.chain(self.git.keys()).chain(self.http.keys());
        let urls = urls.chain(&self.left_out);
        let hosts = urls.filter_map(|url| {
            let (scheme, rest) = url.split_once("://")?;
            let host = rest.split('/').next()?;
            let is_known = !host.contains(['$', '{', '}']);
            is_known.then(|| format!("{scheme}://{host}"))
        });
        let mut hosts: Vec<String> = hosts.collect();
        hosts.sort();
        hosts.dedup();
        hosts
    }
}

/// The addresses of the list of what is not in the mirror.
fn left_out(root: &Path) -> Result<Vec<String>, String> {
    let path = root.join("mirror/left-out.csv");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().skip(1);
    let first = lines.filter_map(|line| line.split(',').next());
    Ok(first.map(str::to_owned).collect())
}

fn entries(value: &Value) -> impl Iterator<Item = (String, &Value)> {
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(key, value)| (key.clone(), value))
}

fn references(value: &Value) -> References {
    let files = entries(value).filter_map(|(reference, at)| {
        let file = at.as_str().or_else(|| at["file"].as_str())?;
        Some((reference, file.to_owned()))
    });
    files.collect()
}
