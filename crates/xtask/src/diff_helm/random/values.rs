//! Random values.

use serde_json::{Map, Value, json};

use crate::random::Random;

const KEYS: &[&str] = &[
    "a",
    "b",
    "name",
    "enabled",
    "count",
    "size",
    "text",
    "map",
    "list",
    "items",
    "key.with.dots",
];

/// A map of values in which templates find something.
pub fn values(random: &mut Random, subcharts: &[&str]) -> Map<String, Value> {
    let mut map = Map::new();
    for key in KEYS {
        let fixed = matches!(*key, "map" | "list" | "items" | "name" | "text" | "count");
        if !random.once_in(if fixed { 40 } else { 3 }) {
            let value = match *key {
                "map" => json!(submap(random, 1)),
                "list" | "items" => list(random, 1),
                "enabled" => json!(random.once_in(2)),
                "count" => number(random),
                "name" | "text" => text(random),
                _ => value(random, 1),
            };
            map.insert((*key).to_owned(), value);
        }
    }
    if random.once_in(2) {
        map.insert("global".to_owned(), json!(submap(random, 1)));
    }
    for name in subcharts {
        if random.once_in(2) {
            let mut below = submap(random, 1);
            if random.once_in(2) {
                below.insert("enabled".to_owned(), json!(random.once_in(2)));
            }
            if random.once_in(6) {
                below.insert("global".to_owned(), json!(submap(random, 2)));
            }
            let below = if random.once_in(15) {
                value(random, 2)
            } else {
                json!(below)
            };
            map.insert((*name).to_owned(), below);
        }
    }
    if random.once_in(6) {
        map.insert(
            "tags".to_owned(),
            json!({"t1": random.once_in(2), "t2": random.once_in(2)}),
        );
    }
    map
}

/// A small map.
pub fn submap(random: &mut Random, depth: usize) -> Map<String, Value> {
    let mut map = Map::new();
    for _ in 0..random.below(4) {
        map.insert(random.pick(KEYS).to_owned(), value(random, depth + 1));
    }
    map
}

fn list(random: &mut Random, depth: usize) -> Value {
    let items = (0..random.below(4)).map(|_| value(random, depth + 1));
    Value::Array(items.collect())
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 6 } else { 9 }) {
        0 | 1 => text(random),
        2 | 3 => number(random),
        4 => json!(random.once_in(2)),
        5 => Value::Null,
        6 => list(random, depth),
        _ => json!(submap(random, depth)),
    }
}

fn number(random: &mut Random) -> Value {
    let numbers = [
        "0",
        "1",
        "80",
        "-3",
        "1000000",
        "1e6",
        "1.5",
        "0.1",
        "12345678901234567890",
        "9007199254740993",
        "1e21",
        "-0.0",
        "100000000.25",
    ];
    serde_json::from_str(random.pick(&numbers)).unwrap_or_default()
}

fn text(random: &mut Random) -> Value {
    json!(random.pick(&[
        "",
        "a",
        "web",
        "hello world",
        "x\ny",
        "x\n",
        "true",
        "1.0",
        "null",
        "é日本",
        "a: b",
        "{{ .Values.a }}",
        "- x",
        "~",
        "0123",
        "1e3",
        "# no",
        "'q'",
        "a\tb",
        " lead",
        "yes",
        "2024-01-01",
        "very long text that goes on and on, past the eighty columns at which lines of YAML fold",
    ]))
}
