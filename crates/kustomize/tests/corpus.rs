//! Every folder of real repositories that something deploys, against
//! what `kubectl kustomize` printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kustomize::{Documents, LoadRestrictions, Options, Reorder, build};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vfs::{ArchiveLimits, Tree, unpack_tar_gz};
use yaml::Sources;

/// Folders that render to the same bytes. Never lower it.
const FLOOR: usize = 1376;

fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("FLUXLINT_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    named.into_iter().chain([beside]).find(|dir| dir.is_dir())
}

fn repository(corpus: &Path, name: &str) -> Documents {
    let file = format!("repos/{}.tar.gz", name.replace('/', "__"));
    let bytes = std::fs::read(corpus.join(file)).unwrap();
    let memory = unpack_tar_gz(&bytes, ArchiveLimits::default()).unwrap();
    Documents::new(Tree::new(memory), Sources::new())
}

/// Why a folder does not render as it should, if so.
fn check(documents: &Documents, row: &Value, options: &Options) -> Option<String> {
    let path = row["path"].as_str().unwrap_or_default();
    match (build(documents, path, options), row["rc"] == 0) {
        (Ok(output), true) => {
            let text = output.to_yaml();
            let hash = Sha256::digest(text.as_bytes());
            let hash: String = hash.iter().map(|b| format!("{b:02x}")).collect();
            (row["sha256"] != hash.as_str())
                .then(|| format!("{} bytes, not {}", text.len(), row["bytes"]))
        }
        (Err(_), false) => None,
        (Ok(_), false) => Some(format!("no error: {}", row["error"])),
        (Err(error), true) => Some(error.to_string()),
    }
}

#[test]
fn real_folders_render_to_the_same_bytes() {
    let Some(corpus) = shared().map(|dir| dir.join("corpus")) else {
        println!("skipped: no corpus");
        return;
    };
    let Ok(text) = std::fs::read_to_string(corpus.join("render-oracle-packed.jsonl")) else {
        println!("skipped: no corpus");
        return;
    };
    let mut by_repository: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let repo = row["repo"].as_str().unwrap_or_default().to_owned();
        by_repository.entry(repo).or_default().push(row);
    }
    let options = Options {
        load_restrictions: LoadRestrictions::None,
        reorder: Reorder::Unspecified,
        ..Options::default()
    };
    let (mut passed, mut all) = (0, 0);
    for (name, rows) in by_repository {
        all += rows.len();
        // Two at a time on the same documents: builds share nothing else.
        let documents = repository(&corpus, &name);
        let (first, second) = rows.split_at(rows.len() / 2);
        let run = |rows: &[Value]| -> Vec<Option<String>> {
            rows.iter()
                .map(|row| check(&documents, row, &options))
                .collect()
        };
        let results = std::thread::scope(|scope| {
            let other = scope.spawn(|| run(second));
            let mut results = run(first);
            results.extend(other.join().unwrap());
            results
        });
        for (row, why) in rows.iter().zip(results) {
            match why {
                None => passed += 1,
                Some(why) => println!("{name} {}: {why}", row["path"]),
            }
        }
    }
    println!("{passed} of {all}");
    assert!(passed >= FLOOR, "{passed} folders, not {FLOOR}");
}
