//! Upstream's rows of two-way merges.

mod shared;

use kustomize::tables::Schema;
use kustomize::transform::merge::{Growth, Merge};
use serde_json::Value;
use shared::{documents, json, report, rows};
use yaml::Node;

fn one(text: &str) -> Node {
    documents(text)
        .into_iter()
        .next()
        .unwrap_or_else(Node::null)
}

fn check(row: &Value) -> Result<(), String> {
    let table = &row["table"];
    let text = |key: &str| table[key].as_str().unwrap_or_default();
    let mut merge = Merge::new(Schema::built_in());
    if table["mergeOptions"]["ListIncreaseDirection"] != 1 {
        merge = merge.growing(Growth::Append);
    }
    if table["infer"] == true {
        merge = merge.inferring_keys();
    }
    let merged = merge
        .apply(one(text("dest")), one(text("source")))
        .map_err(|e| e.to_string())?;
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

/// Schemas in comments: nodes have no comments, and kustomize builds no such
/// rows from real files.
fn has_schema_in_comment(row: &Value) -> bool {
    let text = |key: &str| row["table"][key].as_str().unwrap_or_default();
    text("dest").contains("# {\"") || text("source").contains("# {\"")
}

#[test]
fn two_way_merges() {
    let Some(rows) = rows("kyaml_merge_cases.jsonl") else {
        return;
    };
    let wanted = |row: &&Value| row["suite"] == "merge2" && !has_schema_in_comment(row);
    let rows: Vec<&Value> = rows.iter().filter(wanted).collect();
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row["name"], check(row).err()?)))
        .collect();
    report(rows.len(), &failures);
}
