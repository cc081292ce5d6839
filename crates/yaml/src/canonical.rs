//! A tree as kyaml reads it, to the value its JSON text has.

use rustc_hash::FxHashSet;

use crate::decode::{How, canonical_scalar, decode, default_limits, refused_by_json};
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::scalar::resolve::{Resolved, resolve};
use crate::stack::{SHALLOW, with_room};
use crate::{Comments, Entry, Error, FileId, Limits, Node, Style, Tag, Tagging, Value};

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
    into_canonical(node.clone())
}

/// [`canonical`] of a node that nobody else needs: what is not shared is changed
/// in its place.
///
/// # Errors
///
/// As [`canonical`].
pub fn into_canonical(node: Node) -> Result<Node, Error> {
    match goes_directly(&node, false, 0, SHALLOW) {
        Ok(()) => Ok(converted(node)),
        Err(Detour::Text) => by_text(&node),
        Err(Detour::Deep) => with_room(Limits::GO_DEPTH, || {
            match goes_directly(&node, false, 0, Limits::GO_DEPTH) {
                Ok(()) => Ok(converted(node)),
                Err(_) => by_text(&node),
            }
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

/// Whether the value is plain to see, without writing the node.
fn goes_directly(node: &Node, flow: bool, depth: usize, most: usize) -> Result<(), Detour> {
    if depth > most {
        return Err(Detour::Deep);
    }
    if is_disturbing(node, flow) {
        return Err(Detour::Text);
    }
    let flow = flow || node.style == Style::Flow;
    match &node.value {
        Value::Scalar(text) => match is_certain(node, text, flow) {
            true => Ok(()),
            false => Err(Detour::Text),
        },
        Value::Sequence(_) if node.tag != Tag::Seq => Err(Detour::Text),
        Value::Sequence(items) => items
            .iter()
            .try_for_each(|item| goes_directly(item, flow, depth + 1, most)),
        Value::Mapping(_) if node.tag != Tag::Map => Err(Detour::Text),
        Value::Mapping(entries) => {
            for entry in entries {
                let key = entry.key.text().filter(|text| {
                    entry.key.tag == Tag::Str && text.len() <= LONG_KEY && !text.contains('\n')
                });
                if key.is_none() {
                    return Err(Detour::Text);
                }
                if !entry.key.comments.line().is_empty() && may_disturb_key(&entry.value) {
                    return Err(Detour::Text);
                }
                goes_directly(&entry.key, flow, depth + 1, most)?;
                goes_directly(&entry.value, flow, depth + 1, most)?;
            }
            match is_sorted(entries) || are_different(entries) {
                true => Ok(()),
                false => Err(Detour::Text),
            }
        }
    }
}

/// Whether the comments of a node may be printed in a place where they change what
/// is read. `flow`: the node stands in a flow collection.
fn is_disturbing(node: &Node, flow: bool) -> bool {
    let comments = &node.comments;
    if comments.is_empty() {
        return false;
    }
    let is_block = !node.is_scalar() && node.style != Style::Flow;
    let at_end = !(comments.line().is_empty() && comments.foot().is_empty());
    let at_start = !comments.head().is_empty();
    flow || (is_block && at_end) || (node.style == Style::Flow && at_start)
}

/// Whether a comment behind the key of a value may be printed in such a place. The
/// usual case: the value was a block and is empty now, `key: # comment` and `{}` in
/// a line of its own, which nobody can read.
fn may_disturb_key(value: &Node) -> bool {
    match &value.value {
        Value::Scalar(_) => !value.comments.line().is_empty(),
        Value::Mapping(entries) => value.style == Style::Flow || entries.is_empty(),
        Value::Sequence(items) => value.style == Style::Flow || items.is_empty(),
    }
}

/// A node in a tree with a comment that kyaml may print in a place where it
/// changes what is read again: where [`canonical`] refuses the tree as no YAML at all,
/// that is why.
pub fn disturbing_comment(node: &Node) -> Option<&Node> {
    // Nodes still to look at, the next one last, and whether they stand in a flow
    // collection.
    let mut pending = vec![(node, false)];
    while let Some((node, flow)) = pending.pop() {
        if is_disturbing(node, flow) {
            return Some(node);
        }
        let flow = flow || node.style == Style::Flow;
        for Entry { key, value } in node.entries() {
            if !key.comments.line().is_empty() && may_disturb_key(value) {
                return Some(key);
            }
        }
        let entries = node.entries().iter().flat_map(|e| [&e.key, &e.value]);
        let below: Vec<&Node> = entries.chain(node.items()).collect();
        pending.extend(below.into_iter().rev().map(|node| (node, flow)));
    }
    None
}

/// Whether each key stands behind a smaller one.
fn is_sorted(entries: &[Entry]) -> bool {
    entries
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.key.text() < b.key.text()))
}

fn are_different(entries: &[Entry]) -> bool {
    let mut seen = FxHashSet::default();
    entries.iter().all(|entry| seen.insert(entry.key.text()))
}

/// Whether a scalar is certain to be the same after it was written and read.
fn is_certain(node: &Node, text: &str, flow: bool) -> bool {
    if node.tag == Tag::Str {
        return survives(text, node.style, flow);
    }
    // Inside flow collections an empty text and one with a colon get quotes.
    let quoted = flow && (text.is_empty() || text.contains(':'));
    if node.tagging == Tagging::Written || node.style != Style::Plain || quoted {
        return false;
    }
    let resolved = resolve(text, Dialect::V3, true);
    resolved != Resolved::Str
        && resolved.tag() == node.tag
        && refused_by_json(&canonical_scalar(resolved, text)).is_none()
}

/// A node that [`goes_directly`], in JSON's form.
fn converted(mut node: Node) -> Node {
    convert(&mut node);
    node
}

fn convert(node: &mut Node) {
    node.comments = Comments::NONE;
    match &mut node.value {
        Value::Scalar(_) if node.tag == Tag::Str => {}
        Value::Scalar(text) => {
            let made = canonical_scalar(resolve(text, Dialect::V3, true), text);
            node.value = made.value;
            node.tag = made.tag;
        }
        Value::Sequence(items) => items.make_mut().iter_mut().for_each(convert),
        Value::Mapping(entries) => {
            let entries = entries.make_mut();
            for entry in &mut *entries {
                convert(&mut entry.key);
                convert(&mut entry.value);
            }
            if !is_sorted(entries) {
                entries.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
            }
        }
    }
    node.style = Style::Plain;
    node.tagging = Tagging::Implied;
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
