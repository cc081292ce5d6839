//! sigs.k8s.io/yaml: YAML 1.1 in, JSON's values out.

use crate::decode::decode;
use crate::documents::check_size;
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::{Error, FileId, Limits, Node};

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
        Some(document) => decode(&document, text, Dialect::V2, strict),
        None => Ok(Node::null()),
    }
}
