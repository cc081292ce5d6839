//! Values that no file tells, on their way through a chart.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use helm::Data;
use model::{Identity, Object};
use yaml::{Node, Value};

/// What may stand in for a value, to see whether a chart is refused whatever
/// the value is: a word, a number, a boolean, base64, an address, a version,
/// nothing.
pub(super) const STAND_INS: [&str; 7] = [
    "x",
    "1",
    "true",
    "eA==",
    "https://x.example.com",
    "1.2.3",
    "",
];

/// The least bytes a marker has in base64.
const ENCODED: usize = 32;

/// Whether a marker stands anywhere in values.
pub(super) fn in_data(data: &Data) -> bool {
    match data {
        Data::String(text) => std::str::from_utf8(text).is_ok_and(yaml::unknown::contains),
        Data::List(items) => items.iter().any(in_data),
        Data::Map(entries) => entries.iter().any(|(key, value)| {
            in_data(value) || std::str::from_utf8(key).is_ok_and(yaml::unknown::contains)
        }),
        _ => false,
    }
}

/// The values with another text in place of each marker.
pub(super) fn replaced(data: &Data, stand_in: &str) -> Data {
    match data {
        Data::String(text) => match std::str::from_utf8(text) {
            Ok(text) if yaml::unknown::contains(text) => {
                Data::text(&yaml::unknown::replace(text, stand_in))
            }
            _ => data.clone(),
        },
        Data::List(items) => {
            Data::List(items.iter().map(|item| replaced(item, stand_in)).collect())
        }
        Data::Map(entries) => Data::Map(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), replaced(value, stand_in)))
                .collect(),
        ),
        _ => data.clone(),
    }
}

/// Marks what holds a marker in an object, as it is or in base64.
pub(super) fn mark(object: &mut Arc<Object>) {
    // Most objects hold none and stay as they are, without a copy.
    if !holds(&object.node) {
        return;
    }
    let mut node = object.node.clone();
    below(Arc::make_mut(&mut node));
    if let Some(identity) = Identity::of(&node) {
        let known = Arc::make_mut(object);
        known.identity = identity;
        known.node = node;
    }
}

fn is_unknown(text: &str) -> bool {
    yaml::unknown::contains_part(text) || is_encoded(text)
}

fn holds(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(text) => is_unknown(text),
        Value::Sequence(items) => items.iter().any(holds),
        Value::Mapping(entries) => entries
            .iter()
            .any(|entry| holds(&entry.key) || holds(&entry.value)),
    }
}

fn below(node: &mut Node) {
    match &mut node.value {
        Value::Scalar(text) => node.unknown |= is_unknown(text),
        Value::Sequence(items) => items.make_mut().iter_mut().for_each(below),
        Value::Mapping(entries) => {
            for entry in entries.make_mut() {
                below(&mut entry.key);
                below(&mut entry.value);
            }
        }
    }
}

fn is_encoded(text: &str) -> bool {
    if text.len() < ENCODED || !text.bytes().all(is_base64) {
        return false;
    }
    let joined: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(joined).ok();
    let decoded = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|text| yaml::unknown::contains(&text))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n')
}
