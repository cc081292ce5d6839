//! The JSON Schema of the file, for editors.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::Config;

/// The JSON Schema (draft 2020-12) of `.fluxlint.yaml`.
pub fn json_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Config>();
    schema.insert("title".into(), ".fluxlint.yaml".into());
    let mut schema = schema.to_value();
    join_lines(&mut schema);
    schema
}

/// Line breaks of doc comments mean nothing to readers of a description.
fn join_lines(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "description" => *text = text.replace('\n', " "),
                    _ => join_lines(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(join_lines),
        _ => {}
    }
}
