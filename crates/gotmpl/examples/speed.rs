//! How long a template takes to parse and to execute: `speed TEMPLATE DATA`.

use std::error::Error;
use std::time::{Duration, Instant};

use gotmpl::value::{List, Map, Str};
use gotmpl::{Functions, Limits, Templates, Value};

/// Runs of which the shortest counts, and repetitions in each.
const RUNS: usize = 7;
const TIMES: u32 = 3000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "usage: speed TEMPLATE DATA";
    let source = std::fs::read(args.next().ok_or(usage)?)?;
    let data: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(args.next().ok_or(usage)?)?)?;
    let functions = std::sync::Arc::new(Functions::new());
    let parse = || {
        let mut templates = Templates::new(functions.clone());
        templates.parse("t", &source).map(|()| templates)
    };
    let templates = parse()?;
    println!("parse {:?}", shortest(|| drop(parse())));
    let dot = value(&data);
    let limits = Limits::default();
    println!(
        "execute {:?}",
        shortest(|| drop(templates.execute("t", dot.clone(), &limits)))
    );
    println!("values {:?}", shortest(|| drop(value(&data))));
    let output = templates.execute("t", dot, &limits)?;
    println!("{} bytes", output.text.len());
    Ok(())
}

fn shortest(work: impl Fn()) -> Duration {
    let run = |_| {
        let start = Instant::now();
        (0..TIMES).for_each(|_| work());
        start.elapsed() / TIMES
    };
    (0..RUNS).map(run).min().unwrap_or_default()
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
