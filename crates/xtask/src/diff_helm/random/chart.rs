//! Random charts and what they depend on.

use serde_json::{Map, Value, json};

use super::case::Case;
use super::documents::manifest;
use super::expression::expression;
use super::values::{submap, values};
use crate::random::Random;

/// A random chart with a user's values.
pub fn case(random: &mut Random) -> Case {
    let mut case = Case {
        upgrade: random.once_in(4),
        ..Case::default()
    };
    add(random, &mut case, "", "c", 0);
    if !random.once_in(3) {
        let given = values(random, &["s1", "s2", "al"]);
        // Nulls delete; most keys are left to the chart.
        case.values = json!(
            given
                .into_iter()
                .filter(|_| random.once_in(2))
                .collect::<Map<_, _>>()
        );
    }
    case
}

fn add(random: &mut Random, case: &mut Case, prefix: &str, name: &str, depth: usize) {
    let mut metadata = Map::new();
    metadata.insert(
        "apiVersion".to_owned(),
        json!(if random.once_in(8) { "v1" } else { "v2" }),
    );
    metadata.insert("name".to_owned(), json!(name));
    metadata.insert(
        "version".to_owned(),
        json!(random.pick(&["1.2.3", "0.1.0", "2.0.0-rc.1"])),
    );
    if random.once_in(2) {
        metadata.insert(
            "appVersion".to_owned(),
            json!(random.pick(&["v5", "1.0", "1e3"])),
        );
    }
    if random.once_in(50) {
        metadata.insert(
            "kubeVersion".to_owned(),
            json!(random.pick(&[">=1.20.0-0", "<1.10", "x"])),
        );
    }
    if random.once_in(8) {
        metadata.insert("annotations".to_owned(), json!({"k": "v"}));
        metadata.insert("keywords".to_owned(), json!(["x", "y"]));
        metadata.insert(
            "maintainers".to_owned(),
            json!([{"name": "n", "email": "e@x"}]),
        );
    }
    let library = depth > 0 && random.once_in(6);
    if library {
        metadata.insert("type".to_owned(), json!("library"));
    }
    let below = subcharts(random, case, prefix, depth, &mut metadata);
    let put = |case: &mut Case, path: &str, content: Value| {
        case.files.insert(format!("{prefix}{path}"), content);
    };
    let own: Vec<&str> = below.iter().map(String::as_str).collect();
    let mut own_values = values(random, &own);
    if depth > 0 && random.once_in(3) {
        own_values.insert(
            "exports".to_owned(),
            json!({"data": submap(random, 1), "other": submap(random, 1)}),
        );
    }
    put(case, "Chart.yaml", Value::Object(metadata));
    put(case, "values.yaml", Value::Object(own_values));
    if random.once_in(30) {
        put(case, "values.schema.json", schema(random));
    }
    put(case, "templates/_helpers.tpl", helpers(random, name));
    put(case, "files/a.txt", json!("one\ntwo\n"));
    if random.once_in(3) {
        put(case, "files/b.txt", json!("x: {y}\n\u{e9}"));
    }
    if random.once_in(5) {
        put(
            case,
            "crds/x.yaml",
            json!("kind: CustomResourceDefinition\n"),
        );
    }
    for at in 0..1 + random.below(2) {
        // Only what is no NOTES.txt must be YAML.
        let (path, content) = match depth > 0 || random.once_in(3) {
            true => (format!("templates/m{at}.yaml"), manifest(random, at)),
            false => (format!("templates/t{at}NOTES.txt"), template(random)),
        };
        put(case, &path, content);
    }
    if random.once_in(6) {
        put(case, "templates/NOTES.txt", template(random));
    }
}

fn subcharts(
    random: &mut Random,
    case: &mut Case,
    prefix: &str,
    depth: usize,
    metadata: &mut Map<String, Value>,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut listed = Vec::new();
    for name in ["s1", "s2"] {
        if depth > 1 || !random.once_in(3 + depth) {
            continue;
        }
        add(
            random,
            case,
            &format!("{prefix}charts/{name}/"),
            name,
            depth + 1,
        );
        found.push(name.to_owned());
        if random.once_in(6) {
            continue;
        }
        listed.push(dependency(random, name, &mut found));
        if random.once_in(60) {
            listed.push(dependency(random, name, &mut found));
        }
    }
    if !listed.is_empty() {
        metadata.insert("dependencies".to_owned(), json!(listed));
    }
    found
}

fn dependency(random: &mut Random, name: &str, found: &mut Vec<String>) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(name));
    entry.insert(
        "version".to_owned(),
        json!(random.pick(&["*", "1.2.3", "^1", ">=0.1.0-0", ""])),
    );
    entry.insert("repository".to_owned(), json!("https://x.example"));
    if random.once_in(4) {
        entry.insert("alias".to_owned(), json!("al"));
        found.push("al".to_owned());
    }
    if random.once_in(2) {
        let condition = random.pick(&[
            "s1.enabled",
            "enabled",
            "s2.enabled,s1.enabled",
            "al.enabled",
            "map.a",
            "global.enabled",
            "nope.x, enabled",
        ]);
        entry.insert("condition".to_owned(), json!(condition));
    }
    if random.once_in(4) {
        entry.insert(
            "tags".to_owned(),
            json!(if random.once_in(2) {
                vec!["t1"]
            } else {
                vec!["t1", "t2"]
            }),
        );
    }
    if random.once_in(3) {
        let imports = ["data", "other"];
        let import = |random: &mut Random| match random.once_in(2) {
            true => json!(random.pick(&imports)),
            false => {
                json!({"child": random.pick(&["map", "global", "exports.data", "nope", "map.a"]), "parent": random.pick(&["imported", ".", "map", "a.b"])})
            }
        };
        let all: Vec<Value> = (0..1 + random.below(2)).map(|_| import(random)).collect();
        entry.insert("import-values".to_owned(), json!(all));
    }
    Value::Object(entry)
}

fn schema(random: &mut Random) -> Value {
    let mut schema = json!({
        "$schema": random.pick(&["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]),
        "type": "object",
        "properties": {
            random.pick(&["a", "count", "name"]): {"type": random.pick(&["string", "integer", "number", "object", "array"])},
            random.pick(&["list", "items", "map"]): {"minItems": 1, "minProperties": 1},
            random.pick(&["text", "enabled"]): {"not": {"const": "web"}},
        },
    });
    if random.once_in(3) {
        schema["required"] = json!(["name"]);
    }
    if random.once_in(4) {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

fn helpers(random: &mut Random, chart: &str) -> Value {
    let mut parts = Vec::new();
    for at in 0..2 {
        let name = format!("\"{chart}.h{at}\"");
        parts.push(json!({"define": name, "do": body(random, 2)}));
    }
    Value::Array(parts)
}

/// A template that may give any text.
fn template(random: &mut Random) -> Value {
    Value::Array(body(random, 0))
}

fn body(random: &mut Random, depth: usize) -> Vec<Value> {
    let mut parts = Vec::new();
    for _ in 0..1 + random.below(3) {
        parts.push(statement(random, depth));
        if random.once_in(2) {
            parts.push(json!(random.pick(&["\n", " text ", "- ", "\n  x: "])));
        }
    }
    parts
}

fn statement(random: &mut Random, depth: usize) -> Value {
    let plain = depth > 2 || !random.once_in(3);
    match random.below(if plain { 5 } else { 9 }) {
        0 => {
            json!({"set": ["set", random.pick(&[".Values", ".Values.map", "$.Values", "$.Values.map"]), "\"a\"", ["deepCopy", expression(random, 'a', 2)]]})
        }
        1..=4 => json!({"expr": expression(random, 'a', 0)}),
        5 | 6 => {
            json!({"if": expression(random, 'b', 1), "do": body(random, depth + 1), "else": otherwise(random, depth)})
        }
        7 => {
            json!({"with": expression(random, 'a', 1), "do": body(random, depth + 1), "else": otherwise(random, depth)})
        }
        _ => {
            let head = match random.below(3) {
                0 => json!(["$k, $v :=", expression(random, 'd', 2)]),
                1 => json!(["$v :=", expression(random, 'l', 2)]),
                _ => expression(random, 'l', 1),
            };
            let mut inner = body(random, depth + 1);
            inner.push(json!({"expr": random.pick(&[".", "toJson .", "typeOf ."])}));
            json!({"range": head, "do": inner, "else": otherwise(random, depth)})
        }
    }
}

fn otherwise(random: &mut Random, depth: usize) -> Vec<Value> {
    match random.once_in(3) {
        true => body(random, depth + 2),
        false => Vec::new(),
    }
}
