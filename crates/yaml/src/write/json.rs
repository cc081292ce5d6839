//! JSON as Go's encoding/json writes it.

use std::fmt::Write as _;

use crate::read::Dialect;
use crate::scalar::number::{format_json, parse_float};
use crate::scalar::resolve::{Resolved, resolve};
use crate::{Entry, Node, Tag, Value};

/// The JSON text of a canonical node: keys sorted by bytes, `<`, `>` and `&`
/// escaped, no spaces.
pub fn to_json(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Scalar(text) => scalar(node, text, out),
        Value::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Mapping(entries) => {
            out.push('{');
            let in_order = entries
                .windows(2)
                .all(|pair| matches!(pair, [a, b] if a.key.text() < b.key.text()));
            if in_order {
                fields(entries.iter(), out);
            } else {
                let mut sorted: Vec<&Entry> = entries.iter().collect();
                sorted.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
                fields(sorted.into_iter(), out);
            }
            out.push('}');
        }
    }
}

fn fields<'a>(entries: impl Iterator<Item = &'a Entry>, out: &mut String) {
    for (index, entry) in entries.enumerate() {
        if index > 0 {
            out.push(',');
        }
        string(entry.key.text().map_or("", |text| text), out);
        out.push(':');
        write(&entry.value, out);
    }
}

fn scalar(node: &Node, text: &str, out: &mut String) {
    match node.tag {
        Tag::Null => out.push_str("null"),
        Tag::Bool => out.push_str(if node.as_bool() == Some(true) {
            "true"
        } else {
            "false"
        }),
        Tag::Int | Tag::Float => out.push_str(&number(text)),
        _ => string(text, out),
    }
}

/// A canonical number is JSON already; others are brought into its form.
fn number(text: &str) -> String {
    match resolve(text, Dialect::V3, false) {
        Resolved::Int(0) if text == "-0" => text.into(),
        Resolved::Int(value) => value.to_string(),
        Resolved::Uint(value) => value.to_string(),
        Resolved::Float(value) => format_json(value).unwrap_or_else(|| "null".into()),
        _ => parse_float(text)
            .and_then(format_json)
            .unwrap_or_else(|| "null".into()),
    }
}

/// Writes a JSON string, with Go's escapes.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        let escape = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\x08' => "\\b",
            '\x0C' => "\\f",
            '<' => "\\u003c",
            '>' => "\\u003e",
            '&' => "\\u0026",
            '\u{2028}' => "\\u2028",
            '\u{2029}' => "\\u2029",
            c if (c as u32) < 0x20 => "",
            _ => continue,
        };
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + c.len_utf8();
        if escape.is_empty() {
            let _ = write!(out, "\\u{:04x}", c as u32);
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out.push('"');
}
