//! Strategic merges: the two-way rows of `kyaml_merge_cases.jsonl`. Three-way
//! merges have no part in a build.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::check;
use crate::engine::{Engine, Merging};
use crate::lines;
use crate::ratchet::Outcome;

#[derive(Deserialize)]
struct Row {
    suite: String,
    name: String,
    status: String,
    table: Value,
}

/// Runs all rows.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("kyaml_merge_cases.jsonl"))?;
    rows.retain(|row| row.suite == "merge2" && row.status == "complete");
    Ok(rows
        .iter()
        .map(|row| Outcome::new(&row.name, row.check(engine)))
        .collect())
}

impl Row {
    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        let text = |key: &str| self.table[key].as_str().unwrap_or_default();
        let how = Merging {
            infer: self.table["infer"] == true,
            prepend: self.table["mergeOptions"]["ListIncreaseDirection"] == 1,
        };
        let got = engine.merge(text("dest"), text("source"), how)?;
        check::documents(engine, &got, text("expected"), false)
    }
}
