//! Reading fields of configuration files as Go's JSON decoder does: names in any
//! case, values of the expected type only.

use ecow::{EcoString, eco_format};
use yaml::{Node, Tag, Value};

use crate::error::Error;

/// The value of a field; null counts as absent. A name written exactly is
/// preferred to one in other case.
pub fn field<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let found = |matches: &dyn Fn(&str) -> bool| {
        let key = |entry: &&yaml::Entry| entry.key.text().is_some_and(|text| matches(text));
        node.entries().iter().rev().find(key)
    };
    let entry =
        found(&|text| text == name).or_else(|| found(&|text| text.eq_ignore_ascii_case(name)));
    entry
        .map(|entry| &entry.value)
        .filter(|value| !value.is_null())
}

/// A text field; empty when absent. Fails on any other type.
pub fn text(node: &Node, name: &str) -> Result<EcoString, Error> {
    match field(node, name) {
        None => Ok(EcoString::new()),
        Some(value) => match value.as_str() {
            Some(text) => Ok(text.into()),
            None => Err(wrong_type(value, name, "string")),
        },
    }
}

/// A boolean field; false when absent. Fails on any other type.
pub fn flag(node: &Node, name: &str) -> Result<bool, Error> {
    match field(node, name) {
        None => Ok(false),
        Some(value) => value
            .as_bool()
            .ok_or_else(|| wrong_type(value, name, "bool")),
    }
}

/// A list field; empty when absent. Fails on any other type.
pub fn list<'a>(node: &'a Node, name: &str) -> Result<&'a [Node], Error> {
    match field(node, name) {
        None => Ok(&[]),
        Some(value) if value.is_seq() => Ok(value.items()),
        Some(value) => Err(wrong_type(value, name, "list")),
    }
}

/// Fails on a mapping with other fields than these, and on what is no mapping.
pub fn only(node: &Node, fields: &[&str], more: &[&str]) -> Result<(), Error> {
    let known = |key: &str| {
        let mut all = fields.iter().chain(more);
        all.any(|field| field.eq_ignore_ascii_case(key))
    };
    if !node.is_map() && !node.is_null() {
        return Err(wrong_type(node, "", "object"));
    }
    for entry in node.entries() {
        let key = entry.key.text().map_or("", |text| text.as_str());
        if !known(key) {
            return Err(Error::new(eco_format!(
                "error unmarshaling JSON: while decoding JSON: json: unknown field {key:?}"
            ))
            .at(entry.key.span));
        }
    }
    Ok(())
}

/// The complaint of Go's decoder about a value of another type.
fn wrong_type(value: &Node, name: &str, expected: &str) -> Error {
    let found = match (&value.value, &value.tag) {
        (Value::Mapping(_), _) => "object",
        (Value::Sequence(_), _) => "array",
        (_, Tag::Bool) => "bool",
        (_, Tag::Int | Tag::Float) => "number",
        _ => "string",
    };
    Error::new(eco_format!(
        "json: cannot unmarshal {found} into Go struct field .{name} of type {expected}"
    ))
    .at(value.span)
}
