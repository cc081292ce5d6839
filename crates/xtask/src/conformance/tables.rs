//! The smaller tables of `misc_tables.jsonl.gz` that have to do with YAML and
//! kustomize: go-yaml's decoding, git addresses, image names, label selectors,
//! group-version-kinds.

use std::path::Path;

use kustomize::git_url::GitUrl;
use kustomize::label_selector::LabelSelector;
use kustomize::{Gvk, ResId};
use serde::Deserialize;
use serde_json::Value;
use yaml::{FileId, Limits};

use crate::engine::{Build, Engine};
use crate::lines;
use crate::ratchet::Outcome;

#[derive(Deserialize)]
struct Row {
    suite: String,
    test: String,
    table: String,
    name: String,
    status: String,
    case: Value,
}

/// The complete rows of a suite of the file.
fn rows(vectors: &Path, suite: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("misc_tables.jsonl.gz"))?;
    rows.retain(|row| row.suite == suite && row.status == "complete");
    Ok(rows)
}

/// Runs the rows that `check` knows, numbered since names repeat.
fn outcomes(rows: &[Row], check: impl Fn(&Row) -> Option<Result<(), String>>) -> Vec<Outcome> {
    let results = rows.iter().enumerate().filter_map(|(at, row)| {
        let name = format!("{}#{at}/{}", row.table, row.name);
        Some(Outcome::new(name, check(row)?))
    });
    results.collect()
}

fn expect<T: PartialEq + std::fmt::Debug>(got: T, expected: T) -> Result<(), String> {
    match got == expected {
        true => Ok(()),
        false => Err(format!("{got:?}, expected {expected:?}")),
    }
}

/// What go-yaml decodes a text to and what it refuses, its limits, and what its
/// writer makes of a value.
pub fn go_yaml(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    Ok(outcomes(&rows(vectors, "goyaml_v3")?, |row| {
        let case = &row.case;
        let text = bytes_or_text(&case["data"])?;
        match row.table.as_str() {
            "unmarshalTests" => Some(match one_value(&text) {
                Ok(value) if same(&value, &case["value"]) => Ok(()),
                other => Err(format!("{other:?}, expected {}", case["value"])),
            }),
            "unmarshalerTests" => Some(match one_value(&text) {
                Ok(value) if same(&value["_"], &case["value"]) => Ok(()),
                other => Err(format!("{other:?}, expected {}", case["value"])),
            }),
            "unmarshalErrorTests" => Some(match values(&text) {
                Err(_) => Ok(()),
                Ok(values) => Err(format!("{values:?}, expected {}", case["error"])),
            }),
            "limitTests" => Some(expect(refusal(&text).as_str(), case["error"].as_str()?)),
            "decoderTests" => {
                let expected = case["values"].as_array().cloned().unwrap_or_default();
                Some(values(&text).and_then(|got| expect(got, expected)))
            }
            "marshalTests" => written(&case["value"], &text),
            _ => None,
        }
    }))
}

fn bytes_or_text(value: &Value) -> Option<String> {
    Some(value.as_str().or(value["$bytes"].as_str())?.to_owned())
}

/// All documents of a text.
fn values(text: &str) -> Result<Vec<Value>, String> {
    let limits = Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    };
    let values = yaml::values(text, FileId(0), &limits).map_err(|e| e.to_string())?;
    let json = |node| serde_json::from_str(&yaml::to_json(node)).map_err(|e| e.to_string());
    values.iter().map(json).collect()
}

/// Why a text is refused; nothing when it is not. Upstream's limits are one for
/// brackets and one for indentation.
fn refusal(text: &str) -> String {
    let limits = Limits {
        depth: 2 * Limits::GO_DEPTH,
        ..Limits::default()
    };
    match yaml::values(text, FileId(0), &limits) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

fn one_value(text: &str) -> Result<Value, String> {
    Ok(values(text)?.into_iter().next().unwrap_or_default())
}

/// A row of the writer, if its value is no Go type that writes itself in its own
/// way. Upstream's tools indent by two and not at all, the row by four.
fn written(value: &Value, expected: &str) -> Option<Result<(), String>> {
    if one_value(expected).ok()? != *value {
        return None;
    }
    let node = yaml::from_json(&value.to_string(), FileId(0)).ok()?;
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim_start_matches(' ').to_owned())
            .collect()
    };
    Some(expect(lines(&yaml::emit_v3(&node)), lines(expected)))
}

/// Equal as values: numbers by what they are worth, keys as text.
fn same(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => got == expected,
    }
}

/// Which texts are addresses of git repositories.
pub fn git_urls(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    Ok(outcomes(&rows(vectors, "kust_git")?, |row| {
        let text = |key: &str| row.case[key].as_str().unwrap_or_default();
        match row.test.as_str() {
            "TestNewRepoSpecFromUrlErrors" => {
                Some(expect(GitUrl::parse(text("url")).is_some(), false))
            }
            "TestParseQuery" => {
                let url = format!("https://github.com/o/r?{}", text("input"));
                let parsed = GitUrl::parse(&url)?;
                Some(expect(parsed.reference.as_str(), text("ref")))
            }
            _ => None,
        }
    }))
}

/// How an image's name is told from its tag and digest, by what a build makes
/// of it.
pub fn images(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    Ok(outcomes(&rows(vectors, "kust_image")?, |row| {
        let text = |key: &str| row.case[key].as_str().unwrap_or_default();
        let matched = row.case["isMatched"].as_bool().unwrap_or(true);
        let mut build = Build::in_memory(".");
        build.file(
            "kustomization.yaml",
            &format!(
                "resources: [pod.yaml]\nimages: [{{name: {:?}, newName: replaced}}]\n",
                text("name")
            ),
        );
        build.file(
            "pod.yaml",
            &format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, image: {:?}}}]}}\n",
                text("value")
            ),
        );
        let rest = text("value").strip_prefix(text("name")).unwrap_or_default();
        let image = match matched {
            true => format!("replaced{rest}"),
            false => text("value").to_owned(),
        };
        Some(engine.kustomize(&build).and_then(|built| {
            let line = built.lines().find(|line| line.contains("image: "));
            let got = line
                .map(|line| line.trim_start_matches("- ").trim())
                .unwrap_or_default();
            expect(
                got.trim_start_matches("- "),
                format!("image: {image}").as_str(),
            )
        }))
    }))
}

/// Which texts are label selectors.
pub fn selectors(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    Ok(outcomes(&rows(vectors, "labels")?, |row| {
        let text = row.case["In"].as_str()?;
        let valid = row.case["Valid"].as_bool()?;
        Some(expect(LabelSelector::parse(text).is_ok(), valid))
    }))
}

/// Identities: printed forms, selection, namespaces.
pub fn ids(vectors: &Path, _: &dyn Engine) -> Result<Vec<Outcome>, String> {
    Ok(outcomes(&rows(vectors, "kust_resid")?, |row| {
        let case = &row.case;
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        match (row.test.as_str(), row.table.as_str()) {
            ("TestApiVersion", _) => {
                Some(expect(gvk(&case["x"]).api_version().as_str(), text("exp")))
            }
            ("TestParseGroupVersion", _) => {
                let parsed = Gvk::from_api_version(text("input"), "");
                Some(expect(
                    (parsed.group.as_str(), parsed.version.as_str()),
                    (text("g"), text("v")),
                ))
            }
            ("TestSelectByGVK", _) => {
                let selected = gvk(&case["filter"]).selects(&gvk(&case["in"]));
                Some(expect(selected, case["expected"] == true))
            }
            ("TestEffectiveNamespace", _) => Some(expect(
                id(&case["id"]).effective_namespace(),
                text("expected"),
            )),
            ("TestResIdEquals", "GvknEqualsTest") => {
                let same = id(&case["id1"]).same(&id(&case["id2"]));
                Some(expect(same, case["equals"] == true))
            }
            (_, "stringTests") => Some(expect(gvk(&case["x"]).to_string().as_str(), text("s"))),
            (_, "resIdStringTests") => Some(expect(id(&case["x"]).to_string().as_str(), text("s"))),
            _ => None,
        }
    }))
}

fn gvk(value: &Value) -> Gvk {
    let text = |key: &str| value[key].as_str().unwrap_or_default().into();
    Gvk {
        group: text("Group"),
        version: text("Version"),
        kind: text("Kind"),
    }
}

fn id(value: &Value) -> ResId {
    let text = |key: &str| value[key].as_str().unwrap_or_default().into();
    ResId {
        gvk: gvk(&value["Gvk"]),
        name: text("Name"),
        namespace: text("Namespace"),
    }
}
