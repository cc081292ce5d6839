//! Scalars that the build itself writes.

use ecow::EcoString;
use yaml::{Entry, Node, Span, Style, Tag, Value};

use crate::transform::scalar::{plain_tag, untyped};

/// A text without quotes: what it means is up to its form, so a name made of
/// digits is a number.
pub(crate) fn plain(text: &str) -> Node {
    untyped(text, Style::Plain, Span::NONE)
}

/// A mapping whose keys are written without quotes, as [`plain`] does.
pub(crate) fn map(entries: impl IntoIterator<Item = (EcoString, Node)>) -> Node {
    let mut map = Node::map::<&str>([]);
    if let Some(list) = map.entries_mut() {
        list.extend(entries.into_iter().map(|(key, value)| Entry {
            key: plain(&key),
            value,
        }));
    }
    map
}

/// Whether a text without quotes is a string.
pub(crate) fn is_plain_string(text: &str) -> bool {
    plain_tag(text) == Tag::Str
}

/// Writes a scalar the way its predecessor was written, quoted or not.
pub(crate) fn set_text(node: &mut Node, text: &str) {
    let style = if node.is_scalar() {
        node.style
    } else {
        Style::Plain
    };
    *node = untyped(text, style, node.span);
}

/// Writes a field of a mapping as [`set_text`] does, or appends it.
pub(crate) fn set_field(map: &mut Node, key: &str, text: &str) {
    match map.get_mut(key) {
        Some(node) => set_text(node, text),
        None => map.insert(key, plain(text)),
    }
}

/// Writes a field below `metadata`.
pub(crate) fn set_metadata(object: &mut Node, key: &str, text: &str) {
    if let Some(metadata) = metadata(object) {
        set_field(metadata, key, text);
    }
}

/// Replaces a mapping below `metadata`; an empty one is left out.
pub(crate) fn set_metadata_map(object: &mut Node, key: &str, entries: Vec<(EcoString, Node)>) {
    let Some(metadata) = metadata(object) else {
        return;
    };
    let span = metadata.get(key).map_or(Span::NONE, |old| old.span);
    // It is made anew, behind the others.
    metadata.remove(key);
    if !entries.is_empty() {
        metadata.insert(key, map(entries).at(span));
    }
}

/// Makes the values of a mapping below `metadata` text, null included. What is
/// no mapping goes.
pub(crate) fn make_text(object: &mut Node, key: &str) {
    let Some(old) = object.path(&["metadata", key]) else {
        return;
    };
    let text = |entry: &Entry| {
        let key = entry.key.text().cloned().unwrap_or_default();
        (key, as_string(&entry.value))
    };
    let entries = old.entries().iter().map(text).collect();
    set_metadata_map(object, key, entries);
}

fn metadata(object: &mut Node) -> Option<&mut Node> {
    if object.get("metadata").is_none_or(|m| !m.is_map()) {
        object.insert("metadata", Node::map::<&str>([]));
    }
    object.get_mut("metadata")
}

/// A scalar's text as a string; the empty one for anything else.
pub(crate) fn as_string(node: &Node) -> Node {
    let text = node.text().cloned().unwrap_or_default();
    Node::string(text).at(node.span)
}

/// The same, with null as the empty one.
pub(crate) fn value_string(node: &Node) -> Node {
    match node.is_null() {
        true => Node::string("").at(node.span),
        false => as_string(node),
    }
}

/// The same tree with the keys of mappings sorted, for comparing.
pub(crate) fn sorted(node: &Node) -> Node {
    let mut node = node.clone();
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => {
            for item in items.make_mut() {
                *item = sorted(item);
            }
        }
        Value::Mapping(entries) => {
            let mut list: Vec<Entry> = entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.clone(),
                    value: sorted(&entry.value),
                })
                .collect();
            list.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
            *entries = list.into_iter().collect();
        }
    }
    node
}
