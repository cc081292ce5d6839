//! Whole builds of the reference implementation's own tests, read from the
//! shared vectors.

use std::path::PathBuf;
use std::sync::Arc;

use kustomize::{Documents, LoadRestrictions, Options, Reorder, build};
use serde_json::Value;
use vfs::{Memory, Tree};
use yaml::{FileId, Limits, Node, Sources};

/// Rows that give the expected objects or error, of those that need no program
/// and no network. Never lower it.
const FLOOR: usize = 263;

fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("FLUXLINT_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    named.into_iter().chain([beside]).find(|dir| dir.is_dir())
}

fn rows(file: &str) -> Option<Vec<Value>> {
    let path = shared()?.join("conformance").join(file);
    let text = std::fs::read_to_string(path).ok()?;
    Some(
        text.lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect(),
    )
}

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
    }
}

fn run(row: &Value) -> Result<String, String> {
    let files = row["files"].as_object().unwrap();
    let files = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str().unwrap().as_bytes().to_vec()));
    let tree = Tree::new(Memory::new(files).map_err(|e| e.to_string())?);
    let documents = Documents::new(tree, Sources::new());
    build(&documents, text(row, "target"), &options(row))
        .map(|output| output.to_yaml())
        .map_err(|e| e.to_string())
}

fn canonical(text: &str) -> Result<Vec<Node>, String> {
    let documents = yaml::parse(text, FileId::NONE, &Limits::default());
    let documents = documents.map_err(|e| e.to_string())?;
    documents
        .iter()
        .map(|node| yaml::canonical(node).map_err(|e| e.to_string()))
        .collect()
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
    if canonical(&got)? == canonical(expected)? {
        return Ok(());
    }
    Err(format!("got:\n{got}\nexpected:\n{expected}"))
}

#[test]
fn builds_equal_those_of_the_reference() {
    let Some(rows) = rows("kustomize_krusty_cases.jsonl") else {
        println!("skipped: no corpus");
        return;
    };
    let usable = |row: &&Value| {
        row["needs"].is_null() && matches!(text(row, "status"), "complete" | "builds_ok")
    };
    let rows: Arc<Vec<&Value>> = Arc::new(rows.iter().filter(usable).collect());
    let only = std::env::var("ROW").ok();
    let mut passed = 0;
    for row in rows.iter() {
        let name = text(row, "name");
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        match check(row) {
            Ok(()) => passed += 1,
            Err(why) if only.is_some() => println!("{name}: {why}"),
            Err(why) => println!("{name}: {}", why.lines().next().unwrap_or_default()),
        }
    }
    println!("{passed} of {}", rows.len());
    assert!(
        only.is_some() || passed >= FLOOR,
        "{passed} rows, not {FLOOR}"
    );
}
