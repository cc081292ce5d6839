//! Executes a template file on JSON data: `render TEMPLATE [DATA]`.

use std::error::Error;
use std::io::Write as _;

use gotmpl::value::{List, Map, Str};
use gotmpl::{Functions, Limits, Templates, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let template = args.next().ok_or("usage: render TEMPLATE [DATA]")?;
    let data = match args.next() {
        Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        None => serde_json::Value::Null,
    };
    let mut templates = Templates::new(Functions::new());
    templates.parse(&template, std::fs::read(&template)?)?;
    let output = templates.execute(&template, value(&data), &Limits::default())?;
    std::io::stdout().write_all(&output.text)?;
    Ok(())
}

/// JSON as Go's decoder gives it: all numbers are floats.
fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => Value::Float(number.as_f64().unwrap_or_default()),
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => List::from_iter(items.iter().map(value)).into(),
        serde_json::Value::Object(entries) => {
            let entry = |(key, item): (&String, _)| (Str::from(key.as_str()), value(item));
            Map::from_iter(entries.iter().map(entry)).into()
        }
    }
}
