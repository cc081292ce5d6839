//! Upstream's test rows, where they are at hand.
#![allow(dead_code)]

use std::path::PathBuf;

use serde_json::Value;
use yaml::{FileId, Limits, Node};

/// The rows of a conformance file, or `None` without the shared test data.
pub fn rows(file: &str) -> Option<Vec<Value>> {
    let shared = match std::env::var_os("FLUXLINT_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let Ok(text) = std::fs::read_to_string(shared.join("conformance").join(file)) else {
        println!("skipped: no corpus");
        return None;
    };
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    Some(rows.collect())
}

/// The documents of a text.
pub fn documents(text: &str) -> Vec<Node> {
    yaml::parse(text, FileId::NONE, &Limits::default()).unwrap()
}

/// The JSON text of each document.
pub fn json<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Vec<String> {
    let json = |node| match yaml::canonical(node) {
        Ok(node) => yaml::to_json(&node),
        Err(error) => format!("error: {error}"),
    };
    nodes.into_iter().map(json).collect()
}

/// Fails with all rows that differ.
pub fn report(total: usize, failures: &[String]) {
    println!("{} of {total} rows pass", total - failures.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}
