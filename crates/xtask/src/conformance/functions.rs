//! Rows of template functions: `sprig_cases.jsonl`, `helm_funcs_cases.jsonl`.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use gotmpl::value::{List, Map, Str};
use gotmpl::{Functions, Limits, Templates, Value};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::engine::Engine;
use crate::lines;
use crate::ratchet::Outcome;

#[derive(Deserialize)]
struct Row {
    name: String,
    status: String,
    template: Option<String>,
    #[serde(default)]
    data: Json,
    expected: Option<String>,
    contains: Option<Vec<String>>,
    error: Option<Refusal>,
}

/// What a row says of its error.
#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    contains: Vec<String>,
}

/// Sprig's rows.
pub fn sprig(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    run(&vectors.join("sprig_cases.jsonl"))
}

/// Helm's rows.
pub fn helm(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    run(&vectors.join("helm_funcs_cases.jsonl"))
}

fn run(path: &Path) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Row> = lines::read(path)?;
    rows.retain(|row| row.status == "complete");
    Ok(rows
        .iter()
        .map(|row| Outcome::new(row.name.clone(), row.check()))
        .collect())
}

static FUNCTIONS: LazyLock<Arc<Functions>> = LazyLock::new(|| {
    let mut all = Functions::new();
    helm::funcs::add(&mut all);
    Arc::new(all)
});

impl Row {
    fn check(&self) -> Result<(), String> {
        let result = self.render();
        if let Some(refusal) = &self.error {
            return match result {
                Err(message) if refusal.contains.iter().all(|part| message.contains(part)) => {
                    Ok(())
                }
                other => Err(format!(
                    "{other:?}, expected an error with {:?}",
                    refusal.contains
                )),
            };
        }
        let text = result?;
        let parts = self.contains.as_deref().unwrap_or_default();
        if let Some(part) = parts.iter().find(|part| !text.contains(*part)) {
            return Err(format!("{text:?} lacks {part:?}"));
        }
        match &self.expected {
            Some(expected) if *expected != text => Err(format!("{text:?}, expected {expected:?}")),
            _ => Ok(()),
        }
    }

    fn render(&self) -> Result<String, String> {
        let text = self.template.as_deref().ok_or("no template")?;
        let mut set = Templates::new(FUNCTIONS.clone());
        set.parse("test", text).map_err(|e| e.to_string())?;
        let output = set.execute("test", value(&self.data), &Limits::default());
        let text = output.map_err(|e| e.to_string())?.text;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Data as Go's tests write it: whole numbers are integers.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::int(number),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => List::from_iter(items.iter().map(value)).into(),
        Json::Object(entries) => {
            let entry = |(key, item): (&String, _)| (Str::from(key.as_str()), value(item));
            Map::from_iter(entries.iter().map(entry)).into()
        }
    }
}
