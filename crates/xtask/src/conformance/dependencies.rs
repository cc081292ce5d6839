//! Rows of dependencies on Helm's own test charts:
//! `helm_dependency_cases.jsonl`, `helm_testcharts.json`.

use std::path::Path;

use base64::Engine as _;
use helm::chart::{Chart, File};
use helm::{Data, dependencies, load};
use serde_json::Value as Json;

use super::charts::data;
use crate::engine::Engine;
use crate::lines;
use crate::ratchet::Outcome;

/// All rows.
pub fn run(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let rows: Vec<Json> = lines::read(&vectors.join("helm_dependency_cases.jsonl"))?;
    let charts = std::fs::read(vectors.join("helm_testcharts.json")).map_err(|e| e.to_string())?;
    let charts: Json = serde_json::from_slice(&charts).map_err(|e| e.to_string())?;
    let rows = rows.iter().filter(|row| row["status"] == "complete");
    let outcome = |row: &Json| {
        let name = row["name"].as_str().unwrap_or_default();
        Outcome::new(name, judge(row, &charts))
    };
    Ok(rows.map(outcome).collect())
}

/// A test chart, by the path of its directory.
fn chart(charts: &Json, path: &str) -> Result<Chart, String> {
    let prefix = format!("{path}/");
    let mut files = Vec::new();
    for (name, file) in charts.as_object().into_iter().flatten() {
        let Some(name) = name.strip_prefix(&prefix) else {
            continue;
        };
        let text = file["text"].as_str().map(|text| text.as_bytes().to_vec());
        let packed = file["base64"].as_str().unwrap_or_default();
        let engine = base64::engine::general_purpose::STANDARD;
        files.push(File {
            name: name.to_owned(),
            data: match text {
                Some(text) => text,
                None => engine.decode(packed).map_err(|e| e.to_string())?,
            },
        });
    }
    load::files(files)
}

fn judge(row: &Json, charts: &Json) -> Result<(), String> {
    let mut chart = chart(charts, row["chart"].as_str().unwrap_or_default())?;
    let values = data(&row["values"]);
    if row["mode"] == "dependency_enabled" {
        dependencies::enable(&mut chart, &values)?;
        let mut found = Vec::new();
        paths(&chart, "", &mut found);
        let expected = row["expected_charts"].as_array().into_iter().flatten();
        let mut expected: Vec<&str> = expected.filter_map(Json::as_str).collect();
        found.sort();
        expected.sort_unstable();
        return match found == expected {
            true => Ok(()),
            false => Err(format!("{found:?}, expected {expected:?}")),
        };
    }
    if row["enable_first"] == true {
        dependencies::enable(&mut chart, &values)?;
    }
    dependencies::import_values(&mut chart)?;
    for (path, expected) in row["expected_paths"].as_object().into_iter().flatten() {
        let found = path
            .split('.')
            .try_fold(&chart.values, |data, key| data.get(key));
        let shown = found.map_or_else(|| "nothing".to_owned(), shown);
        if Some(shown.as_str()) != expected.as_str() {
            return Err(format!("{path}: {shown}, expected {expected}"));
        }
    }
    Ok(())
}

fn paths(chart: &Chart, above: &str, found: &mut Vec<String>) {
    let path = format!("{above}{}", chart.name());
    for one in &chart.dependencies {
        paths(one, &format!("{path}."), found);
    }
    found.push(path);
}

fn shown(data: &Data) -> String {
    match data {
        Data::Bool(truth) => truth.to_string(),
        Data::Float(number) => number.to_string(),
        Data::String(text) => String::from_utf8_lossy(text).into_owned(),
        other => format!("{other:?}"),
    }
}
