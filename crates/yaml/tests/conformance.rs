//! Upstream's own tables. Rows that decode into Go types say less than they
//! seem to: a string there may be any scalar, a struct's field any key.

mod shared;

use serde_json::Value as Json;
use yaml::{FileId, Limits, Node, canonical, emit_v3, is_string_in_1_1, parse, to_json, values};

/// The complete rows of a table: names and cases.
fn rows(suite: &str, test: &str, table: &str) -> Option<Vec<(String, Json)>> {
    let path = shared::directory()?.join("conformance/misc_tables.jsonl.gz");
    let text = shared::unzipped(&path);
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter(|row| {
            row["suite"] == suite
                && row["test"] == test
                && row["table"] == table
                && row["status"] == "complete"
        })
        .map(|row| {
            (
                row["name"].as_str().unwrap().to_owned(),
                row["case"].clone(),
            )
        })
        .collect::<Vec<_>>();
    assert!(!rows.is_empty(), "no rows of {suite} {test} {table}");
    Some(rows)
}

fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other["$bytes"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Equal, where the row's Go type leaves no doubt.
fn agrees(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (_, Json::Null) => true,
        (found, Json::String(text)) => match found {
            Json::String(found) => found == text || text.is_empty(),
            // Read into a Go string: the scalar's text, whatever it means.
            Json::Number(_) | Json::Bool(_) | Json::Null => true,
            _ => false,
        },
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        // Read into a Go bool: YAML 1.1 words count.
        (Json::String(word), Json::Bool(value)) => {
            let yes = ["y", "yes", "on"].contains(&word.to_lowercase().as_str());
            yes == *value
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() != b.len() || a.iter().zip(b).all(|(a, b)| agrees(a, b))
        }
        (Json::Object(a), Json::Object(b)) => b.iter().all(|(key, value)| {
            let key = if key == "None" { "null" } else { key };
            let found = a.get(key).or_else(|| a.get(&key.to_lowercase()));
            found.is_none_or(|found| agrees(found, value))
        }),
        (Json::Null, _) => true,
        (a, b) => a == b || b.get("$float").is_some(),
    }
}

/// Rows of `unmarshalTests` whose value only a Go type gives, and two more.
const TYPED: &[(&str, &str)] = &[
    ("66", "a type that unmarshals itself"),
    ("127", "a struct without the field"),
    ("129", "inlined structs"),
    ("130", "inlined structs"),
    ("132", "inlined structs"),
    ("133", "an inlined map"),
    ("139", "a duration"),
    ("147", "a type that unmarshals text"),
    ("148", "a type that unmarshals text"),
    ("161", "UTF-16, which the table could not keep"),
    ("162", "UTF-16"),
    ("163", "UTF-16"),
    ("164", "UTF-16"),
    ("168", "only the first document is read, here all are"),
];

#[test]
fn goyaml_values() {
    let Some(rows) = rows("goyaml_v3", "", "unmarshalTests") else {
        return;
    };
    for (name, case) in &rows {
        if TYPED.iter().any(|(row, _)| row == name) {
            continue;
        }
        let source = text(&case["data"]);
        let found = match values(&source, FileId(0), &Limits::default()) {
            Ok(documents) => documents.first().map_or("null".into(), to_json),
            // NaN and infinities; keys that are no strings.
            Err(error) if error.cause.starts_with("json: unsupported") => continue,
            Err(error) => panic!("{name}: {source:?}: {error}"),
        };
        let json: Json = serde_json::from_str(&found).unwrap();
        let expected = &case["value"];
        assert!(
            agrees(&json, expected),
            "{name}: {source:?}: {found} is not {expected}"
        );
    }
}

#[test]
fn goyaml_streams() {
    let Some(rows) = rows("goyaml_v3", "", "decoderTests") else {
        return;
    };
    for (name, case) in &rows {
        let documents = values(&text(&case["data"]), FileId(0), &Limits::default()).unwrap();
        let found: Vec<Json> = documents
            .iter()
            .map(|node| serde_json::from_str(&to_json(node)).unwrap())
            .collect();
        let expected = case["values"].as_array().cloned().unwrap_or_default();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn goyaml_refusals() {
    let Some(rows) = rows("goyaml_v3", "", "unmarshalErrorTests") else {
        return;
    };
    for (name, case) in &rows {
        let source = text(&case["data"]);
        if source.contains('\u{FFFD}') {
            // A stray byte, which the table could not keep.
            continue;
        }
        let expected = plain(&case["error"]);
        match values(&source, FileId(0), &Limits::default()) {
            Ok(_) => panic!("{name}: {source:?} is taken"),
            Err(error) => {
                let found = error.to_string();
                assert!(
                    found.contains(&expected),
                    "{name}: {source:?}: {found}, not {expected}"
                );
            }
        }
    }
}

/// The text a regular expression stands for; the table uses no more than
/// escapes and anchors.
fn plain(expression: &Json) -> String {
    let text = text(expression).replace('\\', "");
    let text = text.trim_start_matches('^').trim_start_matches(".*");
    text.trim_end_matches('$').to_owned()
}

#[test]
fn goyaml_limits() {
    let Some(mut rows) = rows("goyaml_v3", "", "limitTests") else {
        return;
    };
    if cfg!(debug_assertions) {
        // A megabyte each; without optimisation they take minutes.
        rows.retain(|(_, case)| text(&case["data"]).len() < 200_000);
    }
    // Ten thousand levels need more than a thread has by default.
    let deep = std::thread::Builder::new().stack_size(256 << 20);
    let run = deep.spawn(move || rows.iter().for_each(|(name, case)| limit(name, case)));
    run.unwrap().join().unwrap();
}

fn limit(name: &str, case: &Json) {
    let limits = Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    };
    let source = text(&case["data"]);
    let expected = plain(&case["error"]);
    match values(&source, FileId(0), &limits) {
        Ok(_) => assert!(expected.is_empty(), "{name} is taken"),
        Err(error) => {
            let found = error.to_string();
            assert!(!expected.is_empty(), "{name}: {found}");
            assert!(found.contains(&expected), "{name}: {found}");
        }
    }
}

#[test]
fn strings_of_yaml_1_1() {
    let Some(rows) = rows("kyaml_yaml", "TestIsYaml1_1NonString", "testCases") else {
        return;
    };
    for (name, case) in &rows {
        let value = text(&case["val"]);
        let odd = !value.is_empty() && !value.contains('\n') && !is_string_in_1_1(&value);
        assert_eq!(
            odd,
            case["expected"].as_bool().unwrap(),
            "{name}: {value:?}"
        );
    }
}

fn built(source: &str) -> Result<Vec<Node>, yaml::Error> {
    parse(source, FileId(0), &Limits::default())
}

#[test]
fn aliases_and_merges() {
    let Some(rows) = rows("kyaml_yaml", "TestDeAnchorMerge", "testCases") else {
        return;
    };
    for (name, case) in &rows {
        let refused = case["expectedErr"].as_object().or(None);
        match built(&text(&case["input"])) {
            Ok(documents) => {
                let printed = emit_v3(documents.first().unwrap());
                let expected = text(&case["expected"]);
                let expected = expected.trim();
                assert!(refused.is_none(), "{name}");
                assert_eq!(printed.trim(), expected, "{name}");
            }
            Err(error) => {
                let expected = case["expectedErr"].to_string();
                assert!(
                    expected.contains(error.cause.as_str()),
                    "{name}: {error}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn resources_as_json() {
    let Some(rows) = rows("kyaml_yaml", "TestRNode_MarshalJSON", "tests") else {
        return;
    };
    for (name, case) in &rows {
        let documents = built(&text(&case["ydoc"])).unwrap();
        let json = to_json(&canonical(documents.first().unwrap()).unwrap());
        assert_eq!(json, text(&case["want"]), "{name}");
    }
}

#[test]
fn resource_files() {
    let Some(rows) = rows("kyaml_kio", "TestFromBytes", "testCases") else {
        return;
    };
    for (name, case) in &rows {
        // Lists are taken apart by whoever knows what a list is.
        if name == "List" {
            continue;
        }
        let expected = &case["exp"];
        match built(&text(&case["input"])) {
            Ok(documents) => {
                assert_eq!(expected["isErr"], false, "{name}");
                let expected = expected["sOut"].as_array().unwrap();
                let expected: Vec<String> =
                    expected.iter().map(|t| text(t).trim().to_owned()).collect();
                let printed: Vec<String> = documents
                    .iter()
                    .map(|document| emit_v3(document).trim().to_owned())
                    .collect();
                assert_eq!(printed, expected, "{name}");
            }
            Err(error) => assert_eq!(expected["isErr"], true, "{name}: {error}"),
        }
    }
}
