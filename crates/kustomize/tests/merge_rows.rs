//! Upstream's rows of merges with two sides and with three.

mod shared;

use kustomize::tables::{Schema, comment_schemas};
use kustomize::transform::merge::{Growth, Merge};
use serde_json::Value;
use shared::{documents, json, report, rows};
use yaml::{FileId, Limits, Node};

fn one(text: &str, file: u32) -> Node {
    let documents = yaml::parse(text, FileId(file), &Limits::default());
    let documents = documents.unwrap_or_else(|e| panic!("{e}\n{text}"));
    documents.into_iter().next().unwrap_or_else(Node::null)
}

fn check(row: &Value) -> Result<(), String> {
    let table = &row["table"];
    let text = |key: &str| table[key].as_str().unwrap_or_default();
    let two = row["suite"] == "merge2";
    let names: &[&str] = match two {
        true => &["dest", "source"],
        false => &["local", "origin", "update"],
    };
    let comments = names.iter().flat_map(|name| comment_schemas(text(name)));
    let schema = Schema::built_in().with_comments(&comments.collect::<Vec<_>>());
    let nodes: Vec<Node> = names
        .iter()
        .zip(0..)
        .map(|(name, file)| one(text(name), file))
        .collect();
    let mut merge = Merge::new(&schema);
    if table["mergeOptions"]["ListIncreaseDirection"] != 1 {
        merge = merge.growing(Growth::Append);
    }
    if table["infer"] == true {
        merge = merge.inferring_keys();
    }
    let merged = match nodes.as_slice() {
        [object, patch] => merge.apply(object.clone(), patch.clone()),
        [local, origin, update] => merge.update(local, origin, update),
        _ => Ok(None),
    };
    let merged = merged.map_err(|e| e.to_string())?;
    let found = merged.filter(|node| !node.is_null()).map(sorted);
    let expected: Vec<Node> = documents(text("expected"))
        .into_iter()
        .map(sorted)
        .collect();
    let (found, expected) = (json(&found), json(&expected));
    if found == expected {
        return Ok(());
    }
    Err(format!("expected {expected:?}\nfound    {found:?}"))
}

/// Upstream compares after formatting, which sorts lists by name.
fn sorted(mut node: Node) -> Node {
    let named = |item: &Node| item.str_at(&["name"]).map(str::to_owned);
    match &mut node.value {
        yaml::Value::Scalar(_) => {}
        yaml::Value::Mapping(entries) => {
            for entry in entries.make_mut() {
                entry.value = sorted(entry.value.clone());
            }
        }
        yaml::Value::Sequence(items) => {
            if items.iter().all(|item| named(item).is_some()) {
                items.make_mut().sort_by_key(named);
            }
        }
    }
    node
}

#[test]
fn all_rows() {
    let Some(rows) = rows("kyaml_merge_cases.jsonl") else {
        return;
    };
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row["name"], check(row).err()?)))
        .collect();
    report(rows.len(), &failures);
}
