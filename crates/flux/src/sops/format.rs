//! The five file formats of SOPS.

use yaml::{FileId, Limits, Node, Value};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Json,
    Dotenv,
    Ini,
    Binary,
}

/// What every encrypted value begins with.
const VALUE: &str = "ENC[";

impl Format {
    /// The format that a path, or the key a file is kept under, stands for.
    pub(super) fn of_path(path: &str) -> Self {
        let ends = |suffix: &str| path.ends_with(suffix);
        if ends(".yaml") || ends(".yml") {
            Format::Yaml
        } else if ends(".json") || ends(".dockerconfigjson") {
            Format::Json
        } else if ends(".env") {
            Format::Dotenv
        } else if ends(".ini") {
            Format::Ini
        } else {
            Format::Binary
        }
    }

    /// The format of bytes that are an encrypted file, by what such a file must
    /// hold.
    pub(super) fn detect(bytes: &[u8]) -> Option<Self> {
        [Format::Yaml, Format::Json, Format::Dotenv, Format::Ini]
            .into_iter()
            .find(|format| format.is_encrypted(bytes))
    }

    /// Whether bytes are an encrypted file of this format.
    pub(super) fn is_encrypted(self, bytes: &[u8]) -> bool {
        let marker: &[u8] = match self {
            Format::Yaml => b"mac: ENC[",
            Format::Json | Format::Binary => b"\"mac\": \"ENC[",
            Format::Dotenv => b"sops_mac=ENC[",
            Format::Ini => b"[sops]",
        };
        memchr::memmem::find(bytes, marker).is_some()
    }

    /// What a key would make of an encrypted text, with markers for values.
    /// Where the result would depend on more than the values, the marker stands
    /// for all of it.
    pub(super) fn decrypt(self, text: &str, name: &str) -> String {
        let whole = || yaml::unknown::marker(name).to_string();
        match self {
            Format::Yaml => without_block(&with_markers(text, name), "sops:"),
            Format::Json => json(text, name).unwrap_or_else(whole),
            Format::Dotenv => dotenv(text, name),
            Format::Ini => {
                let marked = with_markers(text, name);
                let end = marked.find("\n[sops]").map_or(marked.len(), |at| at + 1);
                marked.get(..end).unwrap_or_default().to_owned()
            }
            Format::Binary => whole(),
        }
    }
}

/// Whether a text is an encrypted value.
pub(super) fn is_value(text: &str) -> bool {
    text.starts_with(VALUE) && text.ends_with(']')
}

/// The text with each `ENC[…]` replaced.
fn with_markers(text: &str, name: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut count = 0;
    while let Some(at) = rest.find(VALUE) {
        let (before, value) = rest.split_at(at);
        result.push_str(before);
        let Some(end) = value.find(']') else {
            rest = value;
            break;
        };
        result.push_str(&yaml::unknown::marker(&format!("{name}#{count}")));
        count += 1;
        rest = value.get(end + 1..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}

/// The lines of a YAML text without a top-level key and what belongs to it.
/// Line numbers before it stay what they were.
fn without_block(text: &str, key: &str) -> String {
    let mut skipping = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        let nested = line.starts_with([' ', '\t', '\n', '\r']) || line.starts_with("- ");
        skipping = line.starts_with(key) || (skipping && nested);
        !skipping
    });
    kept.collect()
}

/// Environment lines: comments are encrypted as well and say nothing.
fn dotenv(text: &str, name: &str) -> String {
    let kept = text.split_inclusive('\n').filter(|line| {
        !line.starts_with("sops_") && !line.trim_start_matches('#').starts_with(VALUE)
    });
    let mut result = String::with_capacity(text.len());
    for line in kept {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        if is_value(value.trim_end()) {
            let marker = yaml::unknown::marker(&format!("{name}#{key}"));
            result.push_str(&format!("{key}={marker}\n"));
        } else {
            result.push_str(line);
        }
    }
    result
}

fn json(text: &str, name: &str) -> Option<String> {
    let mut node = yaml::from_json(text, FileId::NONE).ok()?;
    node.remove("sops");
    mark_values(&mut node, name, 0);
    Some(yaml::to_json(&node))
}

/// Puts a marker, named after its place, in place of every encrypted value.
pub(super) fn mark_values(node: &mut Node, path: &str, depth: usize) {
    if depth > Limits::default().depth {
        return;
    }
    match &mut node.value {
        Value::Scalar(text) if is_value(text) => {
            let span = node.span;
            *node = Node::string(yaml::unknown::marker(path)).at(span);
            node.unknown = true;
        }
        Value::Scalar(_) => {}
        Value::Sequence(items) => {
            for (at, item) in items.make_mut().iter_mut().enumerate() {
                mark_values(item, &format!("{path}/{at}"), depth + 1);
            }
        }
        Value::Mapping(entries) => {
            for entry in entries.make_mut() {
                let key = entry.key.text().map_or("", |text| text);
                mark_values(&mut entry.value, &format!("{path}/{key}"), depth + 1);
            }
        }
    }
}
