//! Keys and values as Go shows them in messages.

use std::fmt::Write as _;

use super::keys::Key;
use super::refused::UNSUPPORTED_KEY;
use crate::read::Dialect;
use crate::scalar::number;
use crate::{Entry, Node, Tag, Value};

pub(super) fn unsupported_key(key: &Key, entry: &Entry, dialect: Dialect) -> String {
    let (kind, shown) = match key {
        Key::Uint(value) => ("uint64", format!("{value:#x}")),
        _ => ("%!s(<nil>)", "<nil>".to_owned()),
    };
    let value = match entry.value.tag {
        Tag::Null => "<nil>".into(),
        _ => go_value(&entry.value, dialect),
    };
    format!("{UNSUPPORTED_KEY}{kind}, key: {shown}, value: {value}")
}

pub(super) fn go_syntax(key: &Key) -> String {
    match key {
        Key::Text(text) => go_quote(text),
        Key::Int(value) => value.to_string(),
        Key::Uint(value) => format!("{value:#x}"),
        Key::Float(bits) => number::format_g(f64::from_bits(*bits)),
        Key::Bool(value) => value.to_string(),
        Key::Null => "<nil>".into(),
    }
}

/// A value in Go's syntax, as messages show it.
pub(super) fn go_value(node: &Node, dialect: Dialect) -> String {
    let map = match dialect {
        Dialect::V2 => "map[interface {}]interface {}",
        Dialect::V3 => "map[string]interface {}",
    };
    match &node.value {
        Value::Scalar(text) => match node.tag {
            Tag::Str => go_quote(text),
            Tag::Null => "interface {}(nil)".into(),
            _ => text.to_string(),
        },
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(|item| go_value(item, dialect)).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Mapping(entries) => {
            let field = |entry: &Entry| {
                let key = go_value(&entry.key, dialect);
                format!("{key}:{}", go_value(&entry.value, dialect))
            };
            let entries: Vec<String> = entries.iter().map(field).collect();
            format!("{map}{{{}}}", entries.join(", "))
        }
    }
}

/// A string in Go's quotes.
pub(super) fn go_quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0C' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0B' => quoted.push_str("\\v"),
            c if (c as u32) < 0x20 || c as u32 == 0x7F => {
                let _ = write!(quoted, "\\x{:02x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
