//! First inputs of the fuzz targets that read charts and texts: small charts of the
//! corpus, and what upstream's own tests read.

use std::path::Path;

use serde_json::Value;
use vfs::{ArchiveLimits, Kind, Memory, Tree, unpack_tar_gz};

use crate::{diff_helm, paths};

/// Bytes of a seed: longer ones are slow to change.
const LONGEST: usize = 24 << 10;

/// Seeds by target.
pub struct Seeds {
    /// Texts of templates.
    pub templates: Vec<Vec<u8>>,
    /// Charts as text, `=== path` before each file.
    pub trees: Vec<Vec<u8>>,
    /// Archives.
    pub archives: Vec<Vec<u8>>,
    /// Texts with variables.
    pub variables: Vec<Vec<u8>>,
}

/// At most so many seeds of each, the shortest first. Without the corpus there is
/// an error.
pub fn seeds(count: u64) -> Result<Seeds, String> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut seeds = Seeds {
        templates: texts("gotemplate_cases.jsonl", &["template"])?,
        trees: Vec::new(),
        archives: Vec::new(),
        variables: texts("flux_envsubst_cases.jsonl", &["case", "input"])?,
    };
    for path in diff_helm::archives()? {
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let Ok(files) = unpack_tar_gz(&bytes, ArchiveLimits::default()) else {
            continue;
        };
        chart(&mut seeds, files);
        seeds.archives.push(bytes);
    }
    for all in [
        &mut seeds.templates,
        &mut seeds.trees,
        &mut seeds.archives,
        &mut seeds.variables,
    ] {
        all.retain(|seed| seed.len() <= LONGEST);
        all.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        all.dedup();
        all.truncate(count);
    }
    Ok(seeds)
}

fn chart(seeds: &mut Seeds, files: Memory) {
    let tree = Tree::new(files);
    let mut paths = Vec::new();
    let walked = tree.walk("", &mut |path, kind| {
        if kind == Kind::File {
            paths.push(path.to_owned());
        }
        true
    });
    if walked.is_err() {
        return;
    }
    let mut text = Vec::new();
    for path in paths {
        let Ok(content) = tree.read(&path) else {
            continue;
        };
        // The directory that all of a chart's archive lies in is no part of it.
        let Some((_, name)) = path.split_once('/') else {
            continue;
        };
        if name.contains("templates/") {
            seeds.templates.push(content.to_vec());
        }
        if !name.ends_with(".md") {
            text.extend(format!("=== {name}\n").bytes());
            text.extend(content.iter());
            text.push(b'\n');
        }
    }
    if std::str::from_utf8(&text).is_ok() {
        seeds.trees.push(text);
    }
}

/// The texts below some keys of each row of upstream's tests.
fn texts(file: &str, keys: &[&str]) -> Result<Vec<Vec<u8>>, String> {
    let path = paths::need_shared()?.join("conformance").join(file);
    let rows = read(&path)?;
    let text = |line: &str| {
        let row: Value = serde_json::from_str(line).ok()?;
        let found = keys.iter().try_fold(&row, |value, key| value.get(key))?;
        found.as_str().map(|text| text.as_bytes().to_vec())
    };
    Ok(rows.lines().filter_map(text).collect())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
