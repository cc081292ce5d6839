//! Values that the files do not tell: a stable marker stands for each.

use crate::{Node, Text, Value};

/// What every marker begins with.
const PREFIX: &str = "unknown-value-";
/// Hex digits behind the prefix.
const DIGITS: usize = 8;

/// The marker for the value that `seed` names (a Secret's key, a variable).
/// The same seed gives the same marker in every run. It is a DNS label and a
/// plain YAML string.
pub fn marker(seed: &str) -> Text {
    // FNV-1a: stable across platforms and versions, and short.
    let hash = seed.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let folded = (hash ^ (hash >> 32)) & 0xFFFF_FFFF;
    format!("{PREFIX}{folded:08x}").into()
}

/// Whether a marker stands anywhere in the text.
pub fn contains(text: &str) -> bool {
    // Most texts are too short for the search to be set up.
    text.len() >= PREFIX.len() + DIGITS && holds_whole(text)
}

fn holds_whole(text: &str) -> bool {
    text.match_indices(PREFIX).any(|(at, _)| {
        text.get(at + PREFIX.len()..).is_some_and(|rest| {
            let digits = rest.bytes().take(DIGITS);
            digits
                .filter(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                .count()
                == DIGITS
        })
    })
}

/// Sets [`Node::unknown`] on every scalar, keys included, that holds a marker.
/// Tells whether there is one.
pub fn mark(node: &mut Node) -> bool {
    if !holds_marker(node) {
        return false;
    }
    match &mut node.value {
        Value::Scalar(_) => node.unknown = true,
        Value::Sequence(items) => {
            for item in items.make_mut() {
                mark(item);
            }
        }
        Value::Mapping(entries) => {
            for entry in entries.make_mut() {
                mark(&mut entry.key);
                mark(&mut entry.value);
            }
        }
    }
    true
}

/// Whether a scalar below the node holds a marker.
fn holds_marker(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(text) => contains(text),
        Value::Sequence(items) => items.iter().any(holds_marker),
        Value::Mapping(entries) => entries
            .iter()
            .any(|entry| holds_marker(&entry.key) || holds_marker(&entry.value)),
    }
}

/// Whether a marker, or what is left of one that was cut off at the end, stands
/// in the text.
pub fn contains_part(text: &str) -> bool {
    if text.len() < PREFIX.len() {
        return false;
    }
    contains(text)
        || text.rfind(PREFIX).is_some_and(|at| {
            let left = text.get(at + PREFIX.len()..).unwrap_or_default();
            left.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
}

/// Whether a text is a marker and nothing else.
pub fn is_marker(text: &str) -> bool {
    text.len() == PREFIX.len() + DIGITS && contains(text)
}

/// The text with `stand_in` in place of each marker.
pub fn replace(text: &str, stand_in: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PREFIX) {
        let (before, from) = rest.split_at(at);
        replaced.push_str(before);
        let end = PREFIX.len() + DIGITS;
        match from.get(..end).filter(|marker| contains(marker)) {
            Some(_) => {
                replaced.push_str(stand_in);
                rest = from.get(end..).unwrap_or_default();
            }
            None => {
                replaced.push_str(PREFIX);
                rest = from.get(PREFIX.len()..).unwrap_or_default();
            }
        }
    }
    replaced.push_str(rest);
    replaced
}
