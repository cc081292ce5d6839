//! sigs.k8s.io/yaml: YAML 1.1 in, JSON's values out.

use crate::decode::{How, decode};
use crate::documents::check_size;
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::write::json::to_json;
use crate::write::v2::emit_v2;
use crate::{Error, FileId, Limits, Node, Value};

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
    if passes_json(node) {
        return Ok(emit_v2(node));
    }
    let text = to_json(node);
    sigs_to_json(&text, FileId::NONE, false)
        .map(|node| emit_v2(&node))
        .map_err(|mut error| {
            error.span = node.span;
            error
        })
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
