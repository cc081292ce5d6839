//! Random trees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::shrink::shrink;
use super::tree::{STYLE, Tree, build, texts, tree};
use super::verdict::verdict;
use crate::engine::{Engine, Native, Upstream};
use crate::random::Random;
use crate::{parallel, paths};

/// Differences of one kind that are made small.
const SHRUNK: usize = 25;

/// Compares `cases` random trees of a seed and writes what differs, made small,
/// to `diff-kustomize-random.txt` in the build directory.
pub fn run(cases: u64, seed: u64) -> Result<(), String> {
    let upstream = Upstream::new()?;
    let mut random = Random::new(seed);
    let trees: Vec<Tree> = (0..cases).map(|_| tree(&mut random)).collect();
    let compare = |tree: &Tree| {
        let build = build(tree);
        let native = Native::default();
        verdict(
            &upstream,
            &native.kustomize(&build),
            &upstream.kustomize(&build),
        )
    };
    let verdicts = parallel::map(&trees, compare);
    let mut kinds: BTreeMap<&str, Vec<&Tree>> = BTreeMap::new();
    for (tree, (kind, _)) in trees.iter().zip(&verdicts) {
        kinds.entry(kind).or_default().push(tree);
    }
    let mut listing = String::new();
    // Making differences small takes long: the counts come first.
    for (kind, found) in &kinds {
        println!("{kind}: {} of {cases}", found.len());
    }
    for (kind, mut found) in kinds {
        if kind.starts_with("same text") || kind.starts_with("fails for the same") {
            continue;
        }
        found.truncate(SHRUNK);
        let mut small = parallel::map(&found, |tree| {
            shrink(&json!(tree), |t| compare(&read(t)).0 == kind)
        });
        small.sort_by_key(|tree| tree.to_string().len());
        small.dedup();
        for tree in small.iter().map(read) {
            // Writing to a string cannot fail.
            let _ = writeln!(listing, "== {kind}\n{}{}\n", print(&tree), compare(&tree).1);
        }
    }
    let path = paths::target().join("diff-kustomize-random.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// A tree from its JSON; parts that are none are not there.
fn read(tree: &Value) -> Tree {
    serde_json::from_value(tree.clone()).unwrap_or_default()
}

/// A tree as its files hold it: in its own style where it needs one to differ.
fn print(tree: &Tree) -> String {
    let mut text = String::new();
    if tree.contains_key(STYLE) {
        for (path, styled) in texts(tree) {
            let _ = writeln!(text, "# {path}\n{}", styled.trim_end());
        }
        return text;
    }
    for (path, documents) in tree {
        let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{path}: {}", documents.join(" --- "));
    }
    text
}
