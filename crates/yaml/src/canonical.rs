//! A tree as kyaml reads it, to the value its JSON text has.

use rustc_hash::FxHashSet;

use crate::decode::{
    How, canonical_scalar, decode, default_limits, mapping_node, refused_by_json, sort_entries,
};
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::scalar::resolve::{Resolved, resolve};
use crate::stack::{SHALLOW, with_room};
use crate::{Entry, Error, FileId, Limits, Node, Style, Tag, Value};

/// Length above which an emitter writes a key as `? key`.
const LONG_KEY: usize = 128;

/// What `RNode.MarshalJSON` gives, as a node: only null, booleans, integers,
/// floats, strings, mappings and sequences; keys are strings, sorted by bytes;
/// numbers have the text Go's encoding/json prints; spans are kept.
///
/// `0123` becomes 83, `1.0` becomes 1, a date becomes a string with a time.
///
/// # Errors
///
/// When a mapping has a key twice (go-yaml's "mapping key … already defined"),
/// or holds what JSON cannot: a key that is no string, NaN, an infinity.
pub fn canonical(node: &Node) -> Result<Node, Error> {
    match direct(node, false, 0, SHALLOW) {
        Ok(node) => Ok(node),
        Err(Detour::Text) => by_text(node),
        Err(Detour::Deep) => with_room(Limits::GO_DEPTH, || {
            direct(node, false, 0, Limits::GO_DEPTH).or_else(|_| by_text(node))
        }),
    }
}

/// Why the short way is no way.
enum Detour {
    /// The value depends on how the emitter writes the node.
    Text,
    /// The tree is too deep for the stack.
    Deep,
}

fn direct(node: &Node, flow: bool, depth: usize, most: usize) -> Result<Node, Detour> {
    if depth > most {
        return Err(Detour::Deep);
    }
    let flow = flow || node.style == Style::Flow;
    let mut made = match &node.value {
        Value::Scalar(text) => scalar(node, text, flow)?,
        Value::Sequence(items) => {
            if node.tag != Tag::Seq {
                return Err(Detour::Text);
            }
            let items: Result<Vec<Node>, Detour> = items
                .iter()
                .map(|item| direct(item, flow, depth + 1, most))
                .collect();
            Node::seq(items?)
        }
        Value::Mapping(entries) => mapping(node, entries, flow, (depth, most))?,
    };
    made.span = node.span;
    made.unknown = node.unknown;
    Ok(made)
}

fn mapping(
    node: &Node,
    entries: &[Entry],
    flow: bool,
    (depth, most): (usize, usize),
) -> Result<Node, Detour> {
    if node.tag != Tag::Map {
        return Err(Detour::Text);
    }
    let mut made = Vec::with_capacity(entries.len());
    let mut sorted = true;
    let mut last: Option<&str> = None;
    for entry in entries {
        let Some(text) = entry.key.text() else {
            return Err(Detour::Text);
        };
        if entry.key.tag != Tag::Str || text.len() > LONG_KEY || text.contains('\n') {
            return Err(Detour::Text);
        }
        sorted &= last.is_none_or(|last| last < text.as_str());
        last = Some(text);
        made.push(Entry {
            key: direct(&entry.key, flow, depth + 1, most)?,
            value: direct(&entry.value, flow, depth + 1, most)?,
        });
    }
    if !sorted {
        let mut seen = FxHashSet::default();
        if !entries.iter().all(|entry| seen.insert(entry.key.text())) {
            return Err(Detour::Text);
        }
        sort_entries(&mut made);
    }
    Ok(mapping_node(made, node.span))
}

fn scalar(node: &Node, text: &str, flow: bool) -> Result<Node, Detour> {
    if node.tag == Tag::Str {
        return if survives(text, node.style, flow) {
            let mut made = Node::string(text);
            made.value = node.value.clone();
            Ok(made)
        } else {
            Err(Detour::Text)
        };
    }
    // Inside flow collections an empty text and one with a colon get quotes.
    let quoted = flow && (text.is_empty() || text.contains(':'));
    if node.tagged || node.style != Style::Plain || quoted {
        return Err(Detour::Text);
    }
    let resolved = resolve(text, Dialect::V3, true);
    if resolved == Resolved::Str || resolved.tag() != node.tag {
        return Err(Detour::Text);
    }
    let made = canonical_scalar(resolved, text);
    if refused_by_json(&made).is_some() {
        return Err(Detour::Text);
    }
    Ok(made)
}

/// Whether a string is certain to be the same after it was written and read.
fn survives(text: &str, style: Style, flow: bool) -> bool {
    if !text.is_ascii() && text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return false;
    }
    let indented = text.starts_with([' ', '\n', '\t', '\r']);
    match style {
        Style::DoubleQuoted => true,
        Style::SingleQuoted => !text.contains('\n'),
        Style::Folded => flow || !(indented || text.contains([' ', '\n'])),
        Style::Literal => flow || !indented,
        Style::Plain | Style::Flow => flow || !indented || !text.contains('\n'),
    }
}

/// Writes the node, reads it again and decodes that, as upstream does.
fn by_text(node: &Node) -> Result<Node, Error> {
    let text = crate::emit_v3(node);
    let limits = default_limits();
    let mut reader = RawReader::new(&text, Dialect::V3, FileId::NONE, 0, &limits);
    let decoded = match reader.next() {
        Ok(Some(document)) => decode(&document, &text, Dialect::V3, How::Resource),
        Ok(None) => Ok(Node::null()),
        Err(error) => Err(error),
    };
    match decoded {
        Ok(mut made) => {
            made.stand_where(node);
            Ok(made)
        }
        Err(mut error) => {
            error.span = node.span;
            Err(error)
        }
    }
}
