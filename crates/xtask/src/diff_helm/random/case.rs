//! A chart as JSON, so that it can lose parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diff_helm::subject::{Source, Subject};

/// A random chart. A file is an object, written as JSON (which YAML contains),
/// or a list of texts and statements, one after the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Files by their paths.
    pub files: BTreeMap<String, Value>,
    /// The user's values.
    pub values: Value,
    /// The release is upgraded.
    pub upgrade: bool,
}

impl Case {
    /// The chart and its values as both sides get them.
    pub fn subject(&self) -> Subject {
        let file = |(name, content): (&String, &Value)| (name.clone(), written(content));
        Subject {
            name: String::new(),
            chart: Source::Files(self.files.iter().map(file).collect()),
            values: self.values.is_object().then(|| self.values.to_string()),
            is_upgrade: self.upgrade,
        }
    }

    /// As people read it.
    pub fn print(&self) -> String {
        let mut text = String::new();
        let Source::Files(files) = self.subject().chart else {
            return text;
        };
        for (name, content) in files {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {content:?}");
        }
        let _ = writeln!(text, "given: {}", self.values);
        text
    }
}

fn written(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().map(statement).collect(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text, or an object with `expr`, or with `if`, `with`, `range` and a body.
fn statement(part: &Value) -> String {
    let Value::Object(fields) = part else {
        return part.as_str().unwrap_or_default().to_owned();
    };
    let body = |key: &str| fields.get(key).map(written).unwrap_or_default();
    for (key, expression) in fields {
        let shown = expression_text(expression);
        match key.as_str() {
            "expr" => return format!("{{{{ {shown} }}}}"),
            "set" => return format!("{{{{- $_ := {shown} }}}}"),
            "if" | "with" | "range" | "define" => {
                let other = body("else");
                let other = match other.is_empty() {
                    true => other,
                    false => format!("{{{{ else }}}}{other}"),
                };
                return format!("{{{{ {key} {shown} }}}}{}{other}{{{{ end }}}}", body("do"));
            }
            _ => {}
        }
    }
    String::new()
}

/// An atom, a call `[function, argument…]`, or a pipe `["|", call…]`.
fn expression_text(expression: &Value) -> String {
    let Value::Array(parts) = expression else {
        return expression.as_str().unwrap_or_default().to_owned();
    };
    if parts.first().and_then(Value::as_str) == Some("|") {
        let steps: Vec<String> = parts.iter().skip(1).map(expression_text).collect();
        return steps.join(" | ");
    }
    let argument = |part: &Value| match part {
        Value::Array(_) => format!("({})", expression_text(part)),
        atom => expression_text(atom),
    };
    let parts: Vec<String> = parts.iter().map(argument).collect();
    parts.join(" ")
}
