//! A loaded chart as files again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helm::{Chart, Data, json};
use serde_json::{Map, Value};

/// The files of a chart and of those that it depends on, as base64.
pub fn files(chart: &Chart) -> Map<String, Value> {
    let mut all = Map::new();
    add(chart, "", &mut all);
    all
}

fn add(chart: &Chart, prefix: &str, all: &mut Map<String, Value>) {
    let mut put = |name: &str, data: &[u8]| {
        let encoded = Value::String(STANDARD.encode(data));
        all.insert(format!("{prefix}{name}"), encoded);
    };
    for file in chart.files.iter().chain(chart.templates.iter()) {
        put(&file.name, &file.data);
    }
    put("Chart.yaml", text(&fields(&chart.metadata)).as_bytes());
    put("values.yaml", text(&chart.values).as_bytes());
    if let Some(schema) = &chart.schema {
        put("values.schema.json", schema);
    }
    for (at, dependency) in chart.dependencies.iter().enumerate() {
        add(dependency, &format!("{prefix}charts/d{at}/"), all);
    }
}

fn text(data: &Data) -> String {
    json::write(&data.to_value(), json::Style::default()).unwrap_or_default()
}

/// Go's names of fields as `Chart.yaml` has them.
fn fields(data: &Data) -> Data {
    match data {
        Data::Map(entries) => {
            let mut map = Data::map();
            for (key, value) in entries {
                let key = String::from_utf8_lossy(key);
                match key.as_ref() {
                    "Enabled" => {}
                    "Annotations" => map.set("annotations", value.clone()),
                    "ImportValues" => map.set("import-values", value.clone()),
                    "APIVersion" => map.set("apiVersion", value.clone()),
                    "URL" => map.set("url", value.clone()),
                    _ => {
                        let (first, rest) = key.split_at(key.len().min(1));
                        map.set(&format!("{}{rest}", first.to_lowercase()), fields(value));
                    }
                }
            }
            map
        }
        Data::List(items) => Data::List(items.iter().map(fields).collect()),
        other => other.clone(),
    }
}
