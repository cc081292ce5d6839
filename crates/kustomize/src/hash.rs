//! The suffix that changes when the content of a generated object does.

use ecow::{EcoString, eco_format};
use sha2::{Digest, Sha256};
use yaml::{Node, Value};

use crate::error::{Cause, Error};
use crate::id::field_text;
use crate::resmap::ResMap;
use crate::scalar;
use crate::syntax;

/// Appends the hash to the name of every object that asks for it.
pub(crate) fn append(map: &mut ResMap) -> Result<(), Error> {
    for resource in map.iter_mut().filter(|r| r.record.needs_hash) {
        let suffix = of(resource.node())?;
        let name = eco_format!("{}-{suffix}", resource.id().name);
        resource.remember_id();
        scalar::set_metadata(resource.node_mut(), "name", &name);
    }
    Ok(())
}

/// The hash of a ConfigMap or Secret: ten letters and digits that are valid in
/// names and spell nothing. It covers kind, type and data; the reference
/// implementation means to cover the name too, but looks it up where it never
/// is, so it hashes as the empty string.
pub fn of(node: &Node) -> Result<EcoString, Error> {
    let kind = field_text(node, "kind").unwrap_or_default();
    let mut content = vec![
        ("data", value(node, "data")),
        ("kind", Node::string(kind)),
        ("name", Node::string("")),
    ];
    let optional = match kind {
        "ConfigMap" => "binaryData",
        "Secret" => {
            content.push(("type", value(node, "type")));
            "stringData"
        }
        other => {
            // Of other kinds upstream hashes the Go structs of its nodes: lines, columns,
            // styles and its own notes included.
            return Err(Error::new(eco_format!(
                "the suffix that kustomize gives to the name of a generated object that became a {other} is not modelled"
            ))
            .of(Cause::Unmodelled)
            .at(node.span));
        }
    };
    if node.get(optional).is_some_and(Node::is_map) {
        content.push((optional, value(node, optional)));
    }
    let json = syntax::to_json(&Node::map(content))?;
    Ok(encode(&Sha256::digest(json.as_bytes())))
}

/// A field as it enters the hash: what is missing is the empty string, a list
/// is null.
fn value(node: &Node, field: &str) -> Node {
    match node.get(field) {
        None => Node::string(""),
        Some(node) if node.is_null() => Node::string(""),
        Some(node) => match &node.value {
            Value::Mapping(_) => node.clone(),
            Value::Sequence(_) => Node::null(),
            Value::Scalar(text) => Node::string(text.clone()),
        },
    }
}

fn encode(digest: &[u8]) -> EcoString {
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let letter = |nibble: u8| match nibble {
        0 => 'g',
        1 => 'h',
        3 => 'k',
        10 => 'm',
        14 => 't',
        other => char::from_digit(u32::from(other), 16).unwrap_or('0'),
    };
    nibbles.take(10).map(letter).collect()
}
