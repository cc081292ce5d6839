//! sigs.k8s.io/yaml: YAML 1.1 in, JSON's values out, and back.

use std::borrow::Cow;

use crate::bare;
use crate::decode::{How, decode, number_node};
use crate::documents::check_size;
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::scalar::number::{format_json, parse_float};
use crate::write::json::to_json;
use crate::write::v2::{Places, emit_v2, emit_v2_mapped};
use crate::{Error, FileId, Limits, Node, Tag, Value};

/// What `YAMLToJSON` (strict: `YAMLToJSONStrict`) makes of a text, as a
/// canonical node.
///
/// Only the first document counts; an empty text is null. `yes`, `on`, `y` and
/// their like are booleans, dates are strings, keys that are no strings are
/// written as such. Strict refuses keys that are set twice, by a merge, too.
///
/// # Errors
///
/// What go-yaml v2 refuses, and values JSON cannot hold (NaN, infinities, null
/// keys).
pub fn sigs_to_json(text: &str, file: FileId, strict: bool) -> Result<Node, Error> {
    let limits = Limits::default();
    check_size(text, file, &limits)?;
    if let Some(node) = bare::first_document(text, file, &limits) {
        return Ok(node);
    }
    let mut reader = RawReader::new(text, Dialect::V2, file, 0, &limits);
    match reader.next()? {
        Some(document) => {
            document.check_depth(&limits)?;
            let how = if strict { How::Strict } else { How::Lenient };
            decode(&document, text, Dialect::V2, how)
        }
        None => Ok(Node::null()),
    }
}

/// What `JSONToYAML` makes of a canonical node's JSON text: [`emit_v2`] but
/// for strings that the step through JSON changes or refuses.
///
/// # Errors
///
/// When the tree holds a character YAML does not allow, or a key so long that
/// the reader does not take it for one.
pub fn json_to_yaml(node: &Node) -> Result<String, Error> {
    Ok(emit_v2(through_json(node)?.as_ref()))
}

/// [`json_to_yaml`] with the places of [`emit_v2_mapped`].
///
/// # Errors
///
/// As [`json_to_yaml`].
pub fn json_to_yaml_mapped(node: &Node) -> Result<(String, Places), Error> {
    Ok(emit_v2_mapped(through_json(node)?.as_ref()))
}

fn through_json(node: &Node) -> Result<Cow<'_, Node>, Error> {
    if passes_json(node) {
        return Ok(Cow::Borrowed(node));
    }
    match sigs_to_json(&to_json(node), FileId::NONE, false) {
        Ok(mut read) => {
            read.stand_where_with_numbers(node);
            Ok(Cow::Owned(read))
        }
        Err(mut error) => {
            error.span = node.span;
            Err(error)
        }
    }
}

/// The node after `json.Unmarshal` into an `interface{}`, which makes every
/// number a 64-bit float: whole numbers beyond 2⁵³ lose digits.
pub fn numbers_as_floats(node: &Node) -> Node {
    rounded(node).unwrap_or_else(|| node.clone())
}

/// The node with its numbers rounded, `None` when that changes nothing.
fn rounded(node: &Node) -> Option<Node> {
    let mut changed: Option<Node> = None;
    match &node.value {
        Value::Scalar(text) => {
            let number = matches!(node.tag, Tag::Int | Tag::Float)
                .then(|| parse_float(text).and_then(format_json))
                .flatten()
                .filter(|rounded| text != rounded)?;
            let number = number_node(number);
            let mut made = node.clone();
            made.value = number.value;
            made.tag = number.tag;
            return Some(made);
        }
        Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                if let Some(item) = rounded(item)
                    && let Some(items) = changed.get_or_insert_with(|| node.clone()).items_mut()
                    && let Some(old) = items.make_mut().get_mut(index)
                {
                    *old = item;
                }
            }
        }
        Value::Mapping(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                if let Some(value) = rounded(&entry.value)
                    && let Some(entries) = changed.get_or_insert_with(|| node.clone()).entries_mut()
                    && let Some(old) = entries.make_mut().get_mut(index)
                {
                    old.value = value;
                }
            }
        }
    }
    changed
}

/// Whether reading the node's JSON text as YAML gives the node again.
fn passes_json(node: &Node) -> bool {
    /// Longer keys may be out of the reader's reach once they are escaped.
    const SHORT_KEY: usize = 160;
    match &node.value {
        Value::Scalar(text) => text.bytes().all(|byte| byte < 0x7F) || !text.contains(is_odd),
        Value::Sequence(items) => items.iter().all(passes_json),
        Value::Mapping(entries) => entries.iter().all(|entry| {
            entry.key.text().is_some_and(|text| text.len() <= SHORT_KEY)
                && passes_json(&entry.key)
                && passes_json(&entry.value)
        }),
    }
}

/// Characters JSON leaves as they are and YAML refuses or folds.
fn is_odd(c: char) -> bool {
    matches!(c, '\x7F'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}')
}
