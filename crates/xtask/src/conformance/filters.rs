//! One filter with its Go-named settings: `kustomize_filter_cases.jsonl`. A row
//! is run as a build with the transformer or generator of the same name. Of some
//! the settings stand in upstream's test files only.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::check::{self, ErrorRow};
use super::sources::{self, Cases};
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

/// What the test files of filters hold.
struct Sources {
    replacement: Cases,
    merge: Cases,
}

/// Runs all rows that have a plugin and known settings.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let rows: Vec<Row> = lines::read(&vectors.join("kustomize_filter_cases.jsonl"))?;
    let filters = "api@v0.21.1/filters";
    let sources = Sources {
        replacement: sources::cases(&format!("{filters}/replacement/replacement_test.go")),
        merge: sources::cases(&format!(
            "{filters}/patchstrategicmerge/patchstrategicmerge_test.go"
        )),
    };
    let outcomes = parallel::map(&rows, |row| {
        let build = row.build(engine, &sources);
        let build = build.filter(|_| row.status == "complete")?;
        Some(Outcome::new(
            row.full_name(),
            row.check(engine, &sources, &build),
        ))
    });
    Ok(outcomes.into_iter().flatten().collect())
}

impl Row {
    fn filter(&self) -> &str {
        self.suite.trim_start_matches("filter:")
    }

    fn full_name(&self) -> String {
        format!("{}/{}", self.filter(), self.name)
    }

    fn check(&self, engine: &dyn Engine, sources: &Sources, build: &Build) -> Result<(), String> {
        let result = engine.kustomize(build);
        let stated = sources.replacement.get(&self.name);
        let stated = stated.filter(|_| self.filter() == "replacement");
        if let Some(message) = stated.and_then(|fields| fields.get("expectedErr")) {
            // Only in upstream's test objects know the file they come from.
            let message = message.trim();
            return match result {
                Err(error) if error.contains(message) => Ok(()),
                Err(error) => Err(format!("error {error:?} lacks {message:?}")),
                Ok(_) => Err(format!("no error, expected {message:?}")),
            };
        }
        if let Some(error) = &self.error {
            return error.check(&result);
        }
        let expected = named(engine, self.expected.as_deref().unwrap_or_default());
        check::documents(engine, &result?, &expected, true)
    }

    /// What the filter is given, as a plugin's configuration says it.
    fn build(&self, engine: &dyn Engine, sources: &Sources) -> Option<Build> {
        let mut build = Build::in_memory(".");
        let field = match self.filter() {
            "iampolicygenerator" => "generators",
            _ => "transformers",
        };
        let text = |cases: &Cases, field: &str| {
            let text = cases.get(&self.name)?.get(field)?;
            Some(text.clone())
        };
        let config = match self.filter() {
            // The settings are those of the field.
            "replacement" => format!(
                "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata:\n  name: row\n{}",
                with_text_values(&text(&sources.replacement, "replacements")?)
            ),
            "patchstrategicmerge" => json!({
                "apiVersion": "builtin",
                "kind": "PatchTransformer",
                "metadata": {"name": "row"},
                "target": {"kind": ".*"},
                "patch": text(&sources.merge, "patch")?,
            })
            .to_string(),
            _ => self.config()?.to_string(),
        };
        build.file("row-config.yaml", &config);
        let mut kustomization = format!("{field}: [row-config.yaml]\n");
        if !self.input.is_empty() {
            build.file("row-input.yaml", &named(engine, &self.input));
            kustomization.push_str("resources: [row-input.yaml]\n");
        }
        build.file("kustomization.yaml", &kustomization);
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
            Some(_) => self.default_specs(),
            None => None,
        };
        let spec = || Some(json!([field_spec(setting("FieldSpec")?)?]));
        let (kind, settings) = match self.filter() {
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
            "namespace" => ("NamespaceTransformer", json!({"fieldSpecs": specs()?})),
            "valueadd" => (
                "ValueAddTransformer",
                json!({"value": setting("Value")?, "targets": [{
                    "selector": {"kind": "SomeKind"},
                    "fieldPath": setting("FieldPath")?,
                    "filePathPosition": setting("FilePathPosition").unwrap_or(&json!(0)),
                }]}),
            ),
            "iampolicygenerator" => {
                let settings = lower_keys(setting("IAMPolicyGenerator")?)?;
                let part = |name: &str| lower_keys(&settings[name]);
                (
                    "IAMPolicyGenerator",
                    json!({
                        "cloud": settings["cloud"],
                        "kubernetesService": part("kubernetesService")?,
                        "serviceAccount": part("serviceAccount")?,
                    }),
                )
            }
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
        if let Some(namespace) = self.filter.get("Namespace") {
            config["metadata"]["namespace"] = namespace.clone();
        }
        Some(config)
    }

    /// The fields upstream's tests begin with, and those they add in some.
    fn default_specs(&self) -> Option<Value> {
        let first = match self.filter() {
            "annotations" => "metadata/annotations",
            "namespace" => "metadata/namespace",
            _ => return None,
        };
        let more = match (self.filter(), self.name.rsplit_once('/')?.1) {
            (_, "data-fieldspecs") | ("namespace", "mutation tracker") => Some("a/b"),
            (_, "set_entry_callback") => Some("spec/template/metadata/annotations"),
            _ => None,
        };
        let more = more.map(|path| match self.filter() {
            "namespace" => format!("{path}/c"),
            _ => path.to_owned(),
        });
        let paths = std::iter::once(first.to_owned()).chain(more);
        Some(
            paths
                .map(|path| json!({"path": path, "create": true}))
                .collect(),
        )
    }
}

/// A text whose documents all have a name: a build takes no others.
fn named(engine: &dyn Engine, text: &str) -> String {
    let Ok(documents) = engine.documents(text) else {
        return text.to_owned();
    };
    let values = documents
        .iter()
        .map(|document| serde_json::from_str(document));
    let Ok(mut values) = values.collect::<Result<Vec<Value>, _>>() else {
        return text.to_owned();
    };
    if values
        .iter()
        .all(|value| value["metadata"]["name"].is_string())
    {
        return text.to_owned();
    }
    for (at, value) in values.iter_mut().enumerate() {
        if value["metadata"]["name"].is_null() && value.is_object() {
            value["metadata"]["name"] = json!(format!("row{at}"));
        }
    }
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.join("\n---\n")
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

/// With quoted numbers below `sourceValue`: the filters' own tests read their settings
/// by a reader that lets them stand for strings, plugins do not.
fn with_text_values(replacements: &str) -> String {
    const KEY: &str = "sourceValue: ";
    let lines = replacements.lines().map(|line| match line.split_once(KEY) {
        Some((before, value)) if value.trim().parse::<f64>().is_ok() => {
            format!("{before}{KEY}\"{}\"\n", value.trim())
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}
