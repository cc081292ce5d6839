//! Values as Helm holds them, read from nodes and texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use helm::Data;
use yaml::{FileId, Node, Tag, Value};

/// Values nest no deeper.
const DEEPEST: usize = 500;

/// What a node is as values: every number a float, as Go's JSON makes of it.
pub(crate) fn of_node(node: &Node) -> Data {
    at(node, 0)
}

fn at(node: &Node, depth: usize) -> Data {
    if depth > DEEPEST {
        return Data::Null;
    }
    match &node.value {
        Value::Mapping(entries) => {
            let entry = |entry: &yaml::Entry| {
                let key = entry.key.text().map_or("", |text| text.as_str());
                (Arc::from(key.as_bytes()), at(&entry.value, depth + 1))
            };
            Data::Map(entries.iter().map(entry).collect())
        }
        Value::Sequence(items) => {
            Data::List(items.iter().map(|item| at(item, depth + 1)).collect())
        }
        Value::Scalar(text) => match node.tag {
            Tag::Null => Data::Null,
            Tag::Bool => Data::Bool(node.as_bool() == Some(true)),
            Tag::Int | Tag::Float => match text.parse() {
                Ok(number) => Data::Float(number),
                Err(_) => Data::text(text),
            },
            _ => Data::text(text),
        },
    }
}

/// The values in a YAML text. What is no map is refused with the words of Go's
/// JSON; an empty text is an empty map.
pub(crate) fn of_text(text: &str) -> Result<Data, EcoString> {
    let node = yaml::sigs_to_json(text, FileId::NONE, false)
        .map_err(|error| eco_format!("error converting YAML to JSON: {error}"))?;
    match of_node(&node) {
        Data::Null => Ok(Data::map()),
        map @ Data::Map(_) => Ok(map),
        other => Err(eco_format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value \
             of type common.Values",
            kind(&other)
        )),
    }
}

fn kind(data: &Data) -> &'static str {
    match data {
        Data::Null => "null",
        Data::Bool(_) => "bool",
        Data::Int(_) | Data::Float(_) => "number",
        Data::String(_) => "string",
        Data::List(_) => "array",
        Data::Map(_) => "object",
    }
}

/// Lays values over others: maps merge, everything else replaces.
pub(crate) fn lay_over(below: &mut Data, above: &Data) {
    match (below, above) {
        (Data::Map(below), Data::Map(above)) => merge(below, above),
        (below, above) => *below = above.clone(),
    }
}

fn merge(below: &mut BTreeMap<Arc<[u8]>, Data>, above: &BTreeMap<Arc<[u8]>, Data>) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Data::Map(known)), Data::Map(value)) => merge(known, value),
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}
