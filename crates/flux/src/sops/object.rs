//! Encrypted objects.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use yaml::{Node, Span};

use super::format::{Format, mark_values};

/// An annotation that keeps an object encrypted.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/decrypt";

/// What of an object is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encrypted {
    /// The object itself: its metadata is at this place.
    Object(Span),
    /// A value of a Secret is an encrypted file.
    Value(Span),
    /// A value of a ConfigMap is an encrypted file, which nobody decrypts.
    Text(Span),
}

/// What of an object is encrypted, if anything.
pub(crate) fn encrypted(object: &Node) -> Option<Encrypted> {
    if let Some(entry) = object.entry("sops") {
        let mac = entry.value.get("mac");
        if mac.is_some_and(|mac| mac.text().is_some_and(|text| !text.is_empty())) {
            return Some(Encrypted::Object(entry.key.span));
        }
    }
    let values = object.get("data").map(Node::entries).unwrap_or_default();
    let mut values = values.iter().map(|entry| &entry.value);
    match object.str_at(&["kind"])? {
        "Secret" => values
            .find(|value| is_encrypted_file(value))
            .map(|value| Encrypted::Value(value.span)),
        "ConfigMap" => values
            .find(|value| value.as_str().is_some_and(is_encrypted_text))
            .map(|value| Encrypted::Text(value.span)),
        _ => None,
    }
}

fn is_encrypted_text(text: &str) -> bool {
    Format::detect(text.as_bytes()).is_some()
}

/// Whether the controller is told to leave an object as it is.
pub(crate) fn is_disabled(object: &Node) -> bool {
    object
        .str_at(&["metadata", "annotations", SWITCH])
        .is_some_and(|value| value.eq_ignore_ascii_case("disabled"))
}

/// Does what a component with a key does, as far as that can be known. `name`
/// identifies the object within the run.
pub(crate) fn decrypt(object: &mut Node, name: &str) {
    if is_disabled(object) {
        return;
    }
    match encrypted(object) {
        None | Some(Encrypted::Text(_)) => {}
        Some(Encrypted::Object(_)) => {
            object.remove("sops");
            mark_values(object, name, 0);
        }
        Some(Encrypted::Value(_)) => {
            let data = object.get_mut("data").and_then(Node::entries_mut);
            for entry in data.into_iter().flat_map(|data| data.make_mut()) {
                if is_encrypted_file(&entry.value) {
                    let key = entry.key.text().map_or("", |text| text);
                    hide(&mut entry.value, &format!("{name}/data/{key}"));
                }
            }
        }
    }
}

fn hide(value: &mut Node, name: &str) {
    let span = value.span;
    *value = Node::string(yaml::unknown::marker(name)).at(span);
    value.unknown = true;
}

fn is_encrypted_file(value: &Node) -> bool {
    decoded(value).is_some_and(|bytes| Format::detect(&bytes).is_some())
}

fn decoded(value: &Node) -> Option<Vec<u8>> {
    let joined: String = value.as_str()?.split_ascii_whitespace().collect();
    STANDARD.decode(joined).ok()
}

/// Finds the values that a build took from a decrypted input, and makes those
/// that a generator encoded unknown again. Where the name ends with a hash
/// (`hashed`) it was made over markers: it stays as it is, the same in every run
/// and in whatever refers to it, but nobody may take it for the real one.
pub(crate) fn mark_generated(object: &mut Node, hashed: bool, name: &str) {
    let mut found = yaml::unknown::mark(object);
    let is_secret = object.str_at(&["kind"]) == Some("Secret");
    let data = object.get_mut("data").filter(|_| is_secret);
    let data = data.and_then(Node::entries_mut);
    for entry in data.into_iter().flat_map(|data| data.make_mut()) {
        let text = decoded(&entry.value).and_then(|bytes| String::from_utf8(bytes).ok());
        if text.is_some_and(|text| yaml::unknown::contains(&text)) {
            let key = entry.key.text().map_or("", |text| text);
            hide(&mut entry.value, &format!("{name}/data/{key}"));
            found = true;
        }
    }
    if found
        && hashed
        && let Some(name) = object.get_mut("metadata").and_then(|m| m.get_mut("name"))
    {
        name.unknown = true;
    }
}
