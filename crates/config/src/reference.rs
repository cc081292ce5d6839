//! The keys as Markdown, made from the schema.

use std::fmt::Write;

use serde_json::Value;

/// A section for each type of the schema: its description and a table of its
/// keys. `docs/configuration.md` holds this text.
pub fn markdown() -> String {
    let schema = crate::json_schema();
    let mut text = without_effect();
    section(&mut text, "The file", &schema);
    let mut todo = references(&schema);
    let mut done: Vec<String> = Vec::new();
    while !todo.is_empty() {
        let name = todo.remove(0);
        if done.contains(&name) {
            continue;
        }
        if let Some(definition) = schema.get("$defs").and_then(|defs| defs.get(&name)) {
            section(&mut text, &name, definition);
            todo.extend(references(definition));
        }
        done.push(name);
    }
    text
}

/// The keys that do nothing yet.
fn without_effect() -> String {
    let mut text = String::from("Without effect in this version:\n\n");
    for (key, why, _) in crate::inert::KEYS {
        let _ = writeln!(text, "* `{key}`: {why}");
    }
    text.push('\n');
    text
}

/// Names of the types that a schema refers to, in order.
fn references(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    collect(schema, &mut names);
    names
}

fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("$ref", Value::String(target)) => names.extend(reference_name(target)),
                    ("$defs", _) => {}
                    _ => collect(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

fn reference_name(target: &str) -> Option<String> {
    target.strip_prefix("#/$defs/").map(str::to_owned)
}

fn section(text: &mut String, name: &str, schema: &Value) {
    let _ = writeln!(text, "### {name}\n");
    if let Some(description) = description(schema) {
        let _ = writeln!(text, "{description}\n");
    }
    if let Some(keys) = long_form(schema)
        .get("properties")
        .and_then(Value::as_object)
    {
        let _ = writeln!(text, "| key | value | meaning |\n|---|---|---|");
        for (key, value) in keys {
            let must = is_required(long_form(schema), key);
            let kind = type_of(value) + if must { ", required" } else { "" };
            let meaning = description(value).unwrap_or_default();
            let _ = writeln!(text, "| `{key}` | {kind} | {meaning} |");
        }
        text.push('\n');
    } else if let Some(values) = schema.get("oneOf").and_then(Value::as_array) {
        for value in values {
            let meaning = description(value).unwrap_or_default();
            let _ = writeln!(text, "* {}: {meaning}", constant(value));
        }
        text.push('\n');
    }
}

/// The alternative that has keys, for a type that may also be written short.
fn long_form(schema: &Value) -> &Value {
    let forms = schema.get("anyOf").and_then(Value::as_array);
    let long = forms.and_then(|forms| forms.iter().find(|form| form.get("properties").is_some()));
    long.unwrap_or(schema)
}

fn is_required(schema: &Value, key: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|keys| keys.iter().any(|k| k.as_str() == Some(key)))
}

fn description(schema: &Value) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn constant(schema: &Value) -> String {
    let value = schema.get("const").or_else(|| schema.get("enum")?.get(0));
    value.map_or_else(String::new, |value| match value.as_str() {
        Some(text) => format!("`{text}`"),
        None => format!("`{value}`"),
    })
}

/// What a value looks like, in a few words, with links to the types.
fn type_of(schema: &Value) -> String {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference_name(target).unwrap_or_default();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    for key in ["anyOf", "allOf", "oneOf"] {
        if let Some(forms) = schema.get(key).and_then(Value::as_array) {
            let not_null = |form: &&Value| form.get("type").and_then(Value::as_str) != Some("null");
            let forms: Vec<_> = forms.iter().filter(not_null).map(type_of).collect();
            return forms.join(" or ");
        }
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind.as_str()],
        _ => vec![],
    };
    let kinds = kinds.into_iter().filter(|kind| *kind != "null");
    let words: Vec<_> = kinds.map(|kind| simple_type(kind, schema)).collect();
    words.join(" or ")
}

fn simple_type(kind: &str, schema: &Value) -> String {
    match kind {
        "array" => {
            let items = schema.get("items").map(type_of).unwrap_or_default();
            format!("list of {items}")
        }
        "string" => "text".into(),
        "boolean" => "true or false".into(),
        "integer" => "whole number".into(),
        "object" => "mapping".into(),
        other => other.into(),
    }
}
