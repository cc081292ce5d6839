//! Whole builds of the reference implementation's own tests, read from the
//! shared vectors.

mod shared;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kustomize::{Documents, LoadRestrictions, Options, Reorder, build};
use serde_json::Value;
use vfs::{Memory, Tree};
use yaml::Sources;

/// Rows, by how their names start, that the reference itself only passes with
/// what a test does not have, though the vectors do not say so.
const OUTSIDE: [&str; 9] = [
    // A program.
    "TestFnExec",
    "TestAnnoOriginCustomExec",
    "TestAnnoOriginCustomInline",
    "TestAnnoOriginGeneratorInTransformersField",
    // The network.
    "TestCustomOpenApiFieldBasicUsageWithRemoteSchema",
    "TestRemoteLoad_RemoteProtocols",
    "TestCustomOpenApiFieldFromBaseWithRemoteSchema",
    "TestCustomOpenApiFieldFromOverlayWithRemoteSchema",
    // A directory that the row leaves out.
    "TestIssue1251_Plugins_",
];

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

fn options(row: &Value) -> Options {
    let option = |key: &str| &row["options"][key];
    Options {
        load_restrictions: match option("LoadRestrictions").as_str() {
            Some("none") => LoadRestrictions::None,
            _ => LoadRestrictions::RootOnly,
        },
        reorder: match option("Reorder").as_str() {
            Some("legacy") => Reorder::Legacy,
            Some("unspecified") => Reorder::Unspecified,
            _ => Reorder::None,
        },
        managed_by_label: *option("AddManagedbyLabel") == Value::Bool(true),
        absolute_paths: true,
        custom_schema_only: true,
        version: "(test)".into(),
        remote: None,
        leave_out_unavailable: false,
        keep_going: false,
    }
}

fn run(row: &Value) -> Result<String, String> {
    let entries = |key: &str| row[key].as_object().cloned().unwrap_or_default();
    let texts = entries("files")
        .into_iter()
        .map(|(path, text)| (path, text.as_str().unwrap_or_default().as_bytes().to_vec()));
    let bytes = entries("files_base64").into_iter().map(|(path, data)| {
        (
            path,
            STANDARD.decode(data.as_str().unwrap_or_default()).unwrap(),
        )
    });
    let files = texts.chain(bytes);
    let tree = Tree::new(Memory::new(files).map_err(|e| e.to_string())?);
    let documents = Documents::new(tree, Sources::new());
    build(&documents, text(row, "target"), &options(row))
        .map(|output| output.to_yaml())
        .map_err(|e| e.to_string())
}

fn objects(text: &str) -> Vec<String> {
    shared::json(&shared::documents(text))
}

/// Why a row fails, if it does.
fn check(row: &Value) -> Result<(), String> {
    let result = run(row);
    let error = &row["error"];
    if !error.is_null() {
        let Err(message) = result else {
            return Err("no error".into());
        };
        let wanted = error["contains"].as_array().cloned().unwrap_or_default();
        let exact = error["exact"].as_str().is_none_or(|exact| exact == message);
        let contains = |part: &Value| message.contains(part.as_str().unwrap_or_default());
        return match exact && wanted.iter().all(contains) {
            true => Ok(()),
            false => Err(format!("wrong error: {message}\nwanted: {error}")),
        };
    }
    let got = result?;
    let Some(expected) = row["expected"].as_str() else {
        return Ok(());
    };
    if objects(&got) == objects(expected) {
        return Ok(());
    }
    Err(format!("got:\n{got}\nexpected:\n{expected}"))
}

#[test]
fn builds_equal_those_of_the_reference() {
    let Some(rows) = shared::rows("kustomize_krusty_cases.jsonl") else {
        return;
    };
    let usable = |row: &&Value| {
        let name = text(row, "name");
        row["needs"].is_null()
            && matches!(text(row, "status"), "complete" | "builds_ok")
            && !OUTSIDE.iter().any(|outside| name.starts_with(outside))
    };
    let rows: Vec<&Value> = rows.iter().filter(usable).collect();
    let only = std::env::var("ROW").ok();
    let mut failures = Vec::new();
    for row in &rows {
        let name = text(row, "name");
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        if let Err(why) = check(row) {
            failures.push(format!("{name}: {why}"));
        }
    }
    shared::report(rows.len(), &failures);
}
