//! Values that a tree can hold and JSON cannot.

use crate::{Error, ErrorKind, Node, Tag, Value};

/// The tag of a mapping with keys that are no strings.
pub(super) const MIXED_KEYS: &str = "map[interface {}]interface {}";

/// How the tag of a mapping begins that has a key without a text.
pub(super) const UNSUPPORTED_KEY: &str = "unsupported map key of type: ";

/// The first value encoding/json refuses, in the order it writes them.
pub(crate) fn refused_by_json(node: &Node) -> Option<Error> {
    match &node.value {
        Value::Sequence(items) => items.iter().find_map(refused_by_json),
        Value::Mapping(entries) => match &node.tag {
            Tag::Other(cause) if cause.starts_with(UNSUPPORTED_KEY) => {
                Some(Error::new(ErrorKind::Value, cause.as_str(), node.span).prefixed(""))
            }
            Tag::Other(kind) => refusal(node, &format!("unsupported type: {kind}")),
            _ => entries
                .iter()
                .find_map(|entry| refused_by_json(&entry.value)),
        },
        Value::Scalar(text) => match (&node.tag, text.as_str()) {
            (Tag::Float, ".nan") => refusal(node, "unsupported value: NaN"),
            (Tag::Float, ".inf") => refusal(node, "unsupported value: +Inf"),
            (Tag::Float, "-.inf") => refusal(node, "unsupported value: -Inf"),
            (Tag::Timestamp, _) => refusal(
                node,
                "error calling MarshalJSON for type time.Time: Time.MarshalJSON: \
                 timezone hour outside of range [0,23]",
            ),
            _ => None,
        },
    }
}

fn refusal(node: &Node, cause: &str) -> Option<Error> {
    let cause = format!("json: {cause}");
    Some(Error::new(ErrorKind::Value, cause, node.span).prefixed(""))
}
