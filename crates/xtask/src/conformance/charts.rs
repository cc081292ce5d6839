//! Rows of Helm's engine and values: `helm_engine_cases.jsonl`,
//! `helm_values_cases.jsonl`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gotmpl::value::{Map, Str};
use gotmpl::{Functions, Limits, Templates, Value};
use helm::chart::{Chart, File};
use helm::{Compiled, Data, Options};
use serde_json::Value as Json;

use crate::engine::Engine;
use crate::lines;
use crate::ratchet::Outcome;

fn rows(path: &Path, keep: impl Fn(&Json) -> bool) -> Result<Vec<Json>, String> {
    let mut rows: Vec<Json> = lines::read(path)?;
    let states = ["complete", "builds_ok"];
    let stated = |row: &Json| row["status"].as_str().is_some_and(|s| states.contains(&s));
    rows.retain(|row| stated(row) && row.get("needs").is_none() && keep(row));
    Ok(rows)
}

fn outcomes(rows: &[Json], check: fn(&Json) -> Result<(), String>) -> Vec<Outcome> {
    let outcome = |row: &Json| Outcome::new(row["name"].as_str().unwrap_or_default(), check(row));
    rows.iter().map(outcome).collect()
}

/// Charts and templates that are rendered.
pub fn engine(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let path = vectors.join("helm_engine_cases.jsonl");
    let rows = rows(&path, |_| true)?;
    // The depth that Helm allows needs a stack that is larger than a thread's.
    let thread = std::thread::Builder::new().stack_size(1 << 30);
    let run = thread.spawn(move || outcomes(&rows, render));
    let run = run.map_err(|e| e.to_string())?;
    run.join().map_err(|_| "the thread has ended".to_owned())
}

/// Values that are laid over each other, and judged by schemas.
pub fn values(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let path = vectors.join("helm_values_cases.jsonl");
    let known = |row: &Json| {
        let mode = row["mode"].as_str().unwrap_or_default();
        mode.starts_with("values") || mode.starts_with("schema")
    };
    let check = |row: &Json| match row["mode"].as_str().unwrap_or_default() {
        mode if mode.starts_with("values") => lay(row),
        _ => schema(row),
    };
    Ok(outcomes(&rows(&path, known)?, check))
}

/// A row of one schema, or of those of a chart.
fn schema(row: &Json) -> Result<(), String> {
    let values = row_values(row)?;
    let judged = match row["mode"].as_str() {
        Some("schema") => {
            let text = row["schema"].as_str().unwrap_or_default();
            helm::schema::check_single(text.as_bytes(), &values).map(|_| ())
        }
        _ => {
            let schemas = helm::schema::Schemas::new(&chart(&row["chart"]));
            schemas.check(&values.to_map()).map(|_| ())
        }
    };
    let lead = "values don't meet the specifications of the schema(s) in the following chart(s):\n";
    let judged = judged.map_err(|e| e.strip_prefix(lead).unwrap_or(&e).to_owned());
    match (row.get("error"), judged) {
        (None, judged) => judged,
        (Some(error), Ok(())) => Err(format!("expected {error}")),
        (Some(error), Err(message)) => match error["exact"].as_str() {
            Some(exact) if exact != message => Err(format!("{message:?}, expected {exact:?}")),
            _ => Ok(()),
        },
    }
}

/// The values of a row, which may be a YAML text.
fn row_values(row: &Json) -> Result<Data, String> {
    match row["values"].get("$yaml").and_then(Json::as_str) {
        Some(text) => {
            let node =
                yaml::sigs_to_json(text, yaml::FileId::NONE, false).map_err(|e| e.to_string())?;
            Ok(Data::of(&helm::json::read(&yaml::to_json(&node))?))
        }
        None => Ok(data(&row["values"])),
    }
}

/// Rows' data: text that Go held as bytes, and values that are made.
pub(super) fn data(json: &Json) -> Data {
    if let Some(text) = json.get("$bytes").and_then(Json::as_str) {
        return Data::text(text);
    }
    if let Some(metadata) = json.get("$metadata") {
        return data(metadata);
    }
    if let Some(made) = json.get("$coalesce") {
        let values = data(&made["values"]);
        let made = helm::values::coalesce(&chart(&made["chart"]), &values, &mut Vec::new());
        return made.map_or(Data::Null, |map| Data::of(&map.into()));
    }
    match json {
        Json::Null => Data::Null,
        Json::Bool(truth) => Data::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Data::Int(number),
            None => Data::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Data::text(text),
        Json::Array(items) => Data::List(items.iter().map(data).collect()),
        Json::Object(entries) => {
            let entry = |(key, item): (&String, _)| (Arc::from(key.as_bytes()), data(item));
            Data::Map(entries.iter().map(entry).collect())
        }
    }
}

fn file_list(json: &Json) -> Vec<File> {
    let file = |json: &Json| File {
        name: json["name"].as_str().unwrap_or_default().to_owned(),
        data: match data(&json["data"]) {
            Data::String(text) => text.to_vec(),
            _ => Vec::new(),
        },
    };
    json.as_array().into_iter().flatten().map(file).collect()
}

fn chart(json: &Json) -> Chart {
    Chart {
        metadata: data(&json["metadata"]),
        values: data(&json["values"]),
        templates: Arc::new(file_list(&json["templates"])),
        files: Arc::new(file_list(&json["files"])),
        dependencies: json["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(chart)
            .collect(),
        schema: match data(&json["schema"]) {
            Data::String(text) => Some(text),
            _ => None,
        },
        ..Chart::default()
    }
}

fn render(row: &Json) -> Result<(), String> {
    let flag = |name: &str| row["engine"][name] == true;
    let options = Options {
        strict: flag("Strict"),
        lint: flag("LintMode"),
        limits: Limits {
            // Of the thread's own.
            stack: 1 << 29,
            ..Limits::default()
        },
        ..Options::default()
    };
    let result = match row["mode"].as_str() {
        Some("render_templates") => render_templates(row, &options),
        _ => Compiled::new(Arc::new(chart(&row["chart"])))
            .and_then(|compiled| compiled.render(&data(&row["values"]).to_map(), &options)),
    };
    let texts = result
        .map(|rendered| rendered.texts)
        .map_err(|e| e.to_string());
    judge(row, texts)
}

fn render_templates(row: &Json, options: &Options) -> Result<helm::Rendered, helm::Error> {
    let templates = row["templates"].as_object().cloned().unwrap_or_default();
    let text = |(name, template): (&String, &Json)| {
        let text = template["template"].as_str().unwrap_or_default();
        (name.clone(), text.as_bytes().to_vec())
    };
    let sources: BTreeMap<String, Vec<u8>> = templates.iter().map(text).collect();
    Compiled::of_texts(&sources)?.execute(options, |path, _| {
        let template = templates.get(path)?;
        let base = template["basePath"].as_str().unwrap_or_default();
        Some((data(&template["values"]).to_map(), base.to_owned()))
    })
}

fn judge(row: &Json, texts: Result<BTreeMap<String, Vec<u8>>, String>) -> Result<(), String> {
    if let Some(error) = row.get("error") {
        let Err(message) = texts else {
            return Err(format!("{texts:?}, expected {error}"));
        };
        let contains = error["contains"].as_array().into_iter().flatten();
        let lacks = contains
            .filter_map(Json::as_str)
            .any(|part| !message.contains(part));
        let exact = error["exact"].as_str();
        return match lacks || exact.is_some_and(|exact| exact != message) {
            true => Err(format!("{message:?}, expected {error}")),
            false => Ok(()),
        };
    }
    let texts = texts?;
    if let Some(count) = row["output_count"].as_u64()
        && texts.len() as u64 != count
    {
        return Err(format!("{} texts, expected {count}", texts.len()));
    }
    for (path, expected) in row["outputs"].as_object().into_iter().flatten() {
        let text = texts.get(path).map(|text| String::from_utf8_lossy(text));
        if text.as_deref() != expected.as_str() {
            return Err(format!("{path}: {text:?}, expected {expected}"));
        }
    }
    Ok(())
}

fn lay(row: &Json) -> Result<(), String> {
    let chart = chart(&row["chart"]);
    let values = row_values(row)?;
    let merged = match row["op"].as_str() {
        Some("merge") => helm::values::merge(&chart, &values)?,
        _ => helm::values::coalesce(&chart, &values, &mut Vec::new())?,
    };
    if let Some(template) = row["template"].as_str() {
        return template_row(row, template, &merged);
    }
    for check in row["checks"].as_array().into_iter().flatten() {
        check_path(check, &merged)?;
    }
    Ok(())
}

/// A row that looks at values through a template.
fn template_row(row: &Json, template: &str, values: &Map) -> Result<(), String> {
    let mut set = Templates::new(Functions::new());
    set.parse("test", template).map_err(|e| e.to_string())?;
    let output = set.execute("test", values.clone().into(), &Limits::default());
    let text = output.map_err(|e| e.to_string())?.text;
    let text = String::from_utf8_lossy(&text);
    match row["expected"].as_str() == Some(&*text) {
        true => Ok(()),
        false => Err(format!("{text:?}, expected {}", row["expected"])),
    }
}

fn check_path(check: &Json, values: &Map) -> Result<(), String> {
    let mut found = Some(Value::Map(values.clone()));
    for step in check["path"].as_array().into_iter().flatten() {
        let key = Str::from(step.as_str().unwrap_or_default());
        found = match found {
            Some(Value::Map(map)) => map.get(&key),
            _ => None,
        };
    }
    if let Some(present) = check["present"].as_bool()
        && present != found.is_some()
    {
        return Err(format!(
            "{}: present {}, expected {present}",
            check["path"],
            found.is_some()
        ));
    }
    if let Some(expected) = check.get("equals") {
        let got = found.map(|value| Data::of(&value)).unwrap_or_default();
        if got != data(expected) {
            return Err(format!("{}: {got:?}, expected {expected}", check["path"]));
        }
    }
    Ok(())
}
