//! The JSON Schema of the file, for editors.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::Config;

/// The JSON Schema (draft 2020-12) of `.fluxlint.yaml`.
pub fn json_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Config>();
    schema.insert("title".into(), ".fluxlint.yaml".into());
    schema.to_value()
}
