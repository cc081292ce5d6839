//! Merges with two sides and with three: `kyaml_merge_cases.jsonl`.

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
    rows.retain(|row| row.status == "complete");
    Ok(rows
        .iter()
        .map(|row| Outcome::new(format!("{}/{}", row.suite, row.name), row.check(engine)))
        .collect())
}

impl Row {
    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        let text = |key: &str| self.table[key].as_str().unwrap_or_default();
        let how = Merging {
            infer: self.table["infer"] == true,
            prepend: self.table["mergeOptions"]["ListIncreaseDirection"] == 1,
        };
        let got = match self.suite.as_str() {
            "merge3" => engine.merge_three([text("local"), text("origin"), text("update")], how)?,
            _ => engine.merge(text("dest"), text("source"), how)?,
        };
        check::documents(engine, &got, text("expected"), false).or_else(|difference| {
            let read = |text: &str| -> Result<Vec<Value>, String> {
                let documents = engine.documents(text)?;
                let value = |document: &String| serde_json::from_str(document);
                let values: Result<Vec<Value>, _> = documents.iter().map(value).collect();
                Ok(values
                    .map_err(|e| e.to_string())?
                    .into_iter()
                    .map(formatted)
                    .collect())
            };
            match read(&got)? == read(text("expected"))? {
                true => Ok(()),
                false => Err(difference),
            }
        })
    }
}

/// Upstream's tests compare texts that went through its formatter, which puts
/// containers and the like in the order of their names.
fn formatted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(|(key, value)| (key, formatted(value))).collect())
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(formatted).collect();
            if items.iter().all(|item| item["name"].is_string()) {
                items.sort_by_key(|item| item["name"].to_string());
            }
            Value::Array(items)
        }
        other => other,
    }
}
