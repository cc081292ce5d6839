//! One filter with its Go-named settings: `kustomize_filter_cases.jsonl`. The
//! rows whose settings the vectors hold are run as a build with the transformer
//! of the same name.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::check::{self, ErrorRow};
use crate::engine::{Build, Engine};
use crate::ratchet::Outcome;
use crate::{lines, parallel};

#[derive(Deserialize)]
struct Row {
    name: String,
    suite: String,
    status: String,
    filter: Map<String, Value>,
    input: String,
    expected: Option<String>,
    error: Option<ErrorRow>,
}

/// Runs all rows that have a transformer and known settings.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let rows: Vec<Row> = lines::read(&vectors.join("kustomize_filter_cases.jsonl"))?;
    let outcomes = parallel::map(&rows, |row| {
        let build = row.build().filter(|_| row.status == "complete")?;
        Some(Outcome::new(row.full_name(), row.check(engine, &build)))
    });
    Ok(outcomes.into_iter().flatten().collect())
}

impl Row {
    fn full_name(&self) -> String {
        let filter = self.suite.trim_start_matches("filter:");
        format!("{filter}/{}", self.name)
    }

    fn check(&self, engine: &dyn Engine, build: &Build) -> Result<(), String> {
        let result = engine.kustomize(build);
        if let Some(error) = &self.error {
            return error.check(&result);
        }
        let expected = self.expected.as_deref().unwrap_or_default();
        check::documents(engine, &result?, expected, true)
    }

    fn build(&self) -> Option<Build> {
        let config = self.config()?;
        let mut build = Build::in_memory(".");
        build.file("row-input.yaml", &self.input);
        build.file("row-config.yaml", &config.to_string());
        build.file(
            "kustomization.yaml",
            "resources: [row-input.yaml]\ntransformers: [row-config.yaml]\n",
        );
        Some(build)
    }

    /// The configuration of the transformer with the filter's settings, if
    /// they are all known and there is such a transformer.
    fn config(&self) -> Option<Value> {
        let setting = |name: &str| self.filter.get(name).filter(|v| !has_unknown(v));
        let specs = || match self.filter.get("FsSlice") {
            Some(specs) if !has_unknown(specs) => Some(json!(
                specs
                    .as_array()?
                    .iter()
                    .map(field_spec)
                    .collect::<Option<Vec<Value>>>()?
            )),
            _ => None,
        };
        let spec = || Some(json!([field_spec(setting("FieldSpec")?)?]));
        let (kind, settings) = match self.suite.trim_start_matches("filter:") {
            "annotations" => (
                "AnnotationsTransformer",
                json!({"annotations": setting("Annotations")?, "fieldSpecs": specs()?}),
            ),
            "labels" => (
                "LabelTransformer",
                json!({"labels": setting("Labels")?, "fieldSpecs": specs()?}),
            ),
            "imagetag" => (
                "ImageTagTransformer",
                json!({"imageTag": lower_keys(setting("ImageTag")?)?, "fieldSpecs": specs()?}),
            ),
            "replicacount" => (
                "ReplicaCountTransformer",
                json!({"replica": lower_keys(setting("Replica")?)?, "fieldSpecs": spec()?}),
            ),
            "prefix" => (
                "PrefixTransformer",
                json!({"prefix": setting("Prefix")?, "fieldSpecs": spec()?}),
            ),
            "suffix" => (
                "SuffixTransformer",
                json!({"suffix": setting("Suffix")?, "fieldSpecs": spec()?}),
            ),
            "patchjson6902" => (
                "PatchTransformer",
                json!({"patch": setting("Patch")?, "target": {"kind": ".*"}}),
            ),
            _ => return None,
        };
        let mut config = json!({
            "apiVersion": "builtin",
            "kind": kind,
            "metadata": {"name": "row"},
        });
        config
            .as_object_mut()?
            .append(settings.clone().as_object_mut()?);
        Some(config)
    }
}

fn has_unknown(value: &Value) -> bool {
    match value {
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| key.starts_with('$') || has_unknown(value)),
        Value::Array(items) => items.iter().any(has_unknown),
        _ => false,
    }
}

/// Go field names as the YAML form has them: a lower first letter.
fn lower_keys(value: &Value) -> Option<Value> {
    let lowered = value.as_object()?.iter().map(|(key, value)| {
        let mut chars = key.chars();
        let first = chars.next().map(|c| c.to_ascii_lowercase());
        (
            first.into_iter().chain(chars).collect::<String>(),
            value.clone(),
        )
    });
    Some(Value::Object(lowered.collect()))
}

/// A field specification; its Go form nests the kind's identity.
fn field_spec(spec: &Value) -> Option<Value> {
    let mut flat = Map::new();
    for (key, value) in spec.as_object()? {
        match key.as_str() {
            "Gvk" => flat.extend(lower_keys(value)?.as_object()?.clone()),
            "CreateIfNotPresent" => {
                flat.insert("create".to_owned(), value.clone());
            }
            _ => flat.extend(lower_keys(&json!({ key: value }))?.as_object()?.clone()),
        }
    }
    Some(Value::Object(flat))
}
