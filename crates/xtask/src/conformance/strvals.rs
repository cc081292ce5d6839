//! Rows of `--set`'s grammar: `helm_strvals_cases.jsonl`; and of values that
//! are set at a path, among `misc_tables.jsonl.gz`.

use std::path::Path;

use helm::Data;
use helm::strvals::{Form, assign};
use serde_json::{Value as Json, json};

use super::charts::data;
use crate::engine::Engine;
use crate::lines;
use crate::ratchet::Outcome;

/// Assignments.
pub fn run(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Json> = lines::read(&vectors.join("helm_strvals_cases.jsonl"))?;
    rows.retain(|row| row["status"] == "complete");
    let outcome = |row: &Json| {
        let name = row["name"].as_str().unwrap_or_default();
        Outcome::new(name, judge(&row["table"], assigned(name, &row["table"])))
    };
    Ok(rows.iter().map(outcome).collect())
}

fn assigned(name: &str, table: &Json) -> Result<Data, String> {
    if name.starts_with("TestSetIndex/") {
        return indexed(table);
    }
    let form = match name {
        name if name.contains("Literal") => Form::Literal,
        name if name.contains("JSON") => Form::Json,
        name if name.contains("/testsString/") => Form::Text,
        _ => Form::Typed,
    };
    let mut values = table.get("got").map_or_else(Data::map, data);
    for field in ["str", "input", "input2"] {
        if let Some(text) = table[field].as_str() {
            assign(&mut values, text.as_bytes(), form)?;
        }
    }
    Ok(values)
}

/// An item of a list.
fn indexed(table: &Json) -> Result<Data, String> {
    let mut values = data(&json!({ "list": table["initial"] }));
    let text = format!("list[{}]={}", table["add"], table["val"]);
    assign(&mut values, text.as_bytes(), Form::Typed)?;
    Ok(values.get("list").cloned().unwrap_or_default())
}

fn judge(table: &Json, result: Result<Data, String>) -> Result<(), String> {
    match (table["err"] == true, result) {
        (true, Err(_)) => Ok(()),
        (true, Ok(values)) => Err(format!("{values:?}, expected an error")),
        (false, Err(message)) => Err(message),
        (false, Ok(values)) => same(&values, &table["expect"]),
    }
}

/// The same data, but for the types of numbers: rows do not tell them.
fn same(values: &Data, expected: &Json) -> Result<(), String> {
    match floats(values) == floats(&data(expected)) {
        true => Ok(()),
        false => Err(format!("{values:?}, expected {expected}")),
    }
}

fn floats(data: &Data) -> Data {
    match data {
        #[expect(clippy::cast_precision_loss, reason = "rows hold small numbers")]
        Data::Int(number) => Data::Float(*number as f64),
        Data::List(items) => Data::List(items.iter().map(floats).collect()),
        Data::Map(entries) => {
            let entry = |(key, item): (&std::sync::Arc<[u8]>, _)| (key.clone(), floats(item));
            Data::Map(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

/// Values that are set at a path.
pub fn paths(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Json> = lines::read(&vectors.join("misc_tables.jsonl.gz"))?;
    rows.retain(|row| {
        let test = row["test"].as_str().unwrap_or_default();
        row["status"] == "complete" && test.starts_with("TestReplacePath")
    });
    let outcome = |row: &Json| {
        let test = row["test"].as_str().unwrap_or_default();
        let name = format!("{test}/{}", row["name"].as_str().unwrap_or_default());
        Outcome::new(&name, set(test, &row["case"]))
    };
    Ok(rows.iter().map(outcome).collect())
}

fn set(test: &str, case: &Json) -> Result<(), String> {
    let path = case["path"].as_str().unwrap_or_default();
    let Data::String(value) = data(&case["value"]) else {
        return Err("the row has no value".to_owned());
    };
    let mut values = Data::map();
    let done = match test.contains("Literal") {
        true => values.set_text_at_path(path, &value),
        false => values.set_at_path(path, &value),
    };
    match (case["wantErr"] == true, done) {
        (true, Err(_)) => Ok(()),
        (true, Ok(())) => Err(format!("{values:?}, expected an error")),
        (false, done) => {
            done?;
            same(&values, &unquoted(&case["want"]))
        }
    }
}

/// The rows' extraction kept the quotes of some keys.
fn unquoted(json: &Json) -> Json {
    let Json::Object(entries) = json else {
        return json.clone();
    };
    let entry = |(key, item): (&String, &Json)| (key.trim_matches('"').to_owned(), item.clone());
    Json::Object(entries.iter().map(entry).collect())
}
