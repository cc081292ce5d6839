//! Copies of everything a repository pins, for machines without a network.
//!
//! A copy is a directory with an `index.json` that [`flux::IndexMirror`] reads:
//!
//! ```text
//! helm/<host>/<path>/<chart>-<version>.tgz
//! oci/<host>/<path>/<name>/<tag>.tgz
//! git/<host>/<owner>/<name>/<reference>.tar.gz
//! bucket/<host>/<name>/<prefix>.tar.gz
//! http/<host>/<path>
//! ```

mod directory;
mod pack;
mod paths;

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::EcoString;
use serde_json::{Value, json};

pub use directory::{Directory, Error, Written};

use crate::book::{Entries, Held, without_user};
use pack::pack;
use paths::Paths;

/// Says in an index who wrote it.
const GENERATOR: &str = "fluxlint vendor";

/// What lies in a copy.
pub struct Copy {
    /// The content of `index.json`.
    index: Value,
    /// Content by the path in the directory.
    files: BTreeMap<EcoString, Arc<[u8]>>,
}

impl Copy {
    /// Lays out what was noted. `taken` says whether a path of the directory
    /// holds other content that is in use. Fails when files cannot be read.
    pub fn of(entries: &Entries, taken: &dyn Fn(&str, &[u8]) -> bool) -> Result<Copy, EcoString> {
        let mut copy = Copying {
            index: json!({"generator": GENERATOR}),
            paths: Paths::new(taken),
        };
        copy.helm(entries)?;
        copy.oci(entries)?;
        copy.git(entries)?;
        copy.buckets(entries)?;
        copy.http(entries);
        copy.absent(entries);
        Ok(Copy {
            index: copy.index,
            files: copy.paths.files(),
        })
    }
}

struct Copying<'a> {
    index: Value,
    paths: Paths<'a>,
}

impl Copying<'_> {
    fn helm(&mut self, entries: &Entries) -> Result<(), EcoString> {
        for ((url, chart, version), held) in &entries.helm {
            let bytes = archive(held, chart)?;
            let name = format!("{chart}-{version}");
            let path = self.paths.place("helm", url, &[&name], ".tgz", bytes);
            let url = without_user(url);
            let charts = &mut self.index["helm"][url.trim_end_matches('/')];
            charts[chart.as_str()][version.as_str()] = path.as_str().into();
        }
        Ok(())
    }

    fn oci(&mut self, entries: &Entries) -> Result<(), EcoString> {
        for (at, held) in &entries.oci {
            let (url, tag) = at;
            let bytes = archive(held, "")?;
            let path = self.paths.place("oci", url, &[tag], ".tgz", bytes);
            let entry = match entries.digests.get(at) {
                Some(digest) => json!({"file": path.as_str(), "digest": digest.as_str()}),
                None => path.as_str().into(),
            };
            self.index["oci"][without_user(url).as_str()][short(tag)] = entry;
        }
        Ok(())
    }

    fn git(&mut self, entries: &Entries) -> Result<(), EcoString> {
        for (at, tree) in &entries.git {
            let (url, reference) = at;
            let bytes: Arc<[u8]> = pack(tree, "")?.into();
            let name = match short(reference) {
                "" => "HEAD",
                name => name,
            };
            let path = self.paths.place("git", url, &[name], ".tar.gz", bytes);
            let mut entry = json!({"file": path.as_str()});
            if let Some(commit) = entries.commits.get(at) {
                entry["commit"] = commit.as_str().into();
            }
            let key = key(entries, url, reference);
            self.index["git"][without_user(url).as_str()][key] = entry;
        }
        Ok(())
    }

    fn buckets(&mut self, entries: &Entries) -> Result<(), EcoString> {
        for ((address, prefix), tree) in &entries.buckets {
            let bytes: Arc<[u8]> = pack(tree, "")?.into();
            let name = match prefix.as_str() {
                "" => "all",
                prefix => prefix,
            };
            let path = self
                .paths
                .place("bucket", address, &[name], ".tar.gz", bytes);
            self.index["bucket"][address.as_str()][prefix.as_str()] = path.as_str().into();
        }
        Ok(())
    }

    fn http(&mut self, entries: &Entries) {
        for (url, bytes) in &entries.http {
            let path = self.paths.place("http", url, &[], "", bytes.clone());
            self.index["http"][without_user(url).as_str()] = path.as_str().into();
        }
    }

    /// What hosts said that they do not have. What they could not be asked for is
    /// none of it.
    fn absent(&mut self, entries: &Entries) {
        let answers = entries
            .absent
            .iter()
            .filter(|(_, absence)| absence.is_answer());
        let answers = answers.map(|(name, absence)| flux::absent_entry(name, absence));
        let answers: Vec<Value> = answers.collect();
        if !answers.is_empty() {
            self.index["absent"] = answers.into();
        }
    }
}

/// The key of a reference in the index: its short name, unless a branch and a
/// tag of that name are both asked for.
fn key<'a>(entries: &Entries, url: &EcoString, reference: &'a str) -> &'a str {
    let own = short(reference);
    let mut others = entries.git.keys();
    let has_twin =
        others.any(|(known, other)| known == url && other != reference && short(other) == own);
    if has_twin { reference } else { own }
}

/// A reference as people write it.
fn short(reference: &str) -> &str {
    ["refs/heads/", "refs/tags/", "semver:"]
        .iter()
        .find_map(|prefix| reference.strip_prefix(prefix))
        .unwrap_or(reference)
}

fn archive(held: &Held, top: &str) -> Result<Arc<[u8]>, EcoString> {
    match held {
        Held::Archive(bytes) => Ok(bytes.clone()),
        Held::Files(tree) => Ok(pack(tree, top)?.into()),
    }
}
