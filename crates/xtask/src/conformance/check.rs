//! Compares a result with what a row expects.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::engine::Engine;

/// What a row says of an error.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ErrorRow {
    contains: Vec<String>,
    exact: Option<String>,
    regexp: Option<String>,
}

impl ErrorRow {
    /// Whether a result is this error. Rows that name a Go type, or nothing at
    /// all, take any error.
    pub fn check(&self, result: &Result<String, String>) -> Result<(), String> {
        let Err(message) = result else {
            return Err(format!("no error, expected {self:?}"));
        };
        let mut parts = self.contains.iter().chain(&self.exact);
        if let Some(missing) = parts.find(|part| !message.contains(part.as_str())) {
            return Err(format!("error {message:?} lacks {missing:?}"));
        }
        if let Some(pattern) = &self.regexp {
            let regex = Regex::new(pattern).map_err(|e| e.to_string())?;
            if !regex.is_match(message) {
                return Err(format!("error {message:?} does not match {pattern:?}"));
            }
        }
        Ok(())
    }
}

/// The same text, but for white space around it.
pub fn text(got: &str, expected: &str) -> Result<(), String> {
    if got.trim() == expected.trim() {
        return Ok(());
    }
    let mut lines = got.trim().lines().zip(expected.trim().lines()).enumerate();
    match lines.find(|(_, (got, expected))| got != expected) {
        Some((at, (got, expected))) => {
            Err(format!("line {}: {got:?}, expected {expected:?}", at + 1))
        }
        None => Err(format!(
            "{} lines, expected {}",
            got.trim().lines().count(),
            expected.trim().lines().count()
        )),
    }
}

/// The same documents in the same order. `strip` removes what a full build
/// removes at its end and a single step leaves.
pub fn documents(
    engine: &dyn Engine,
    got: &str,
    expected: &str,
    strip: bool,
) -> Result<(), String> {
    let difference = match text(got, expected) {
        Ok(()) => return Ok(()),
        Err(difference) => difference,
    };
    let read = |text: &str| -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        for document in engine.documents(text)? {
            let mut value = serde_json::from_str(&document).map_err(|e| e.to_string())?;
            if strip {
                strip_internal(&mut value);
            }
            values.push(value);
        }
        Ok(values)
    };
    if read(got)? == read(expected)? {
        Ok(())
    } else {
        Err(difference)
    }
}

/// Removes annotations that only exist during a build.
fn strip_internal(value: &mut Value) {
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.retain(|key, _| !key.starts_with("internal.config.kubernetes.io/"));
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}
