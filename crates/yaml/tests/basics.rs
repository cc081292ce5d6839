//! Reading and printing, end to end.

use yaml::{FileId, Limits, canonical, emit_v2, parse, sigs_to_json, to_json};

fn built(text: &str) -> String {
    let documents = parse(text, FileId(0), &Limits::default()).unwrap();
    documents
        .iter()
        .map(|document| emit_v2(&canonical(document).unwrap()))
        .collect::<Vec<_>>()
        .join("---\n")
}

#[test]
fn a_resource_is_printed_sorted_and_typed() {
    let text = "\
kind: ConfigMap
apiVersion: v1
metadata: {name: x}
data:
  a10: 'yes'
  a2: 0123
  b: |
    one
    two
  list:
    - 1.0
    - 2024-01-01
";
    let printed = "\
apiVersion: v1
data:
  a2: 83
  a10: \"yes\"
  b: |
    one
    two
  list:
  - 1
  - \"2024-01-01T00:00:00Z\"
kind: ConfigMap
metadata:
  name: x
";
    assert_eq!(built(text), printed);
}

#[test]
fn of_two_nodes_with_one_anchor_the_one_that_began_last_counts() {
    let text = "a: &n\n  b: &n {c: 1}\nd: *n\n";
    let json = r#"{"a":{"b":{"c":1}},"d":{"c":1}}"#;
    assert_eq!(
        to_json(&parse(text, FileId(0), &Limits::default()).unwrap()[0]),
        json
    );
    let read = yaml::values(text, FileId(0), &Limits::default()).unwrap();
    assert_eq!(to_json(&read[0]), json);
}

#[test]
fn anchors_and_merge_keys_are_expanded() {
    let text = "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\ncopy: *b\n";
    let printed =
        "base:\n  x: 1\n  \"y\": 2\ncopy:\n  x: 1\n  \"y\": 2\nuse:\n  x: 1\n  \"y\": 3\n";
    assert_eq!(built(text), printed);
}

#[test]
fn documents_are_split_and_null_ones_dropped() {
    let text = "a: 1\n---\n# nothing\n---\nb: 2\n";
    assert_eq!(built(text), "a: 1\n---\nb: 2\n");
}

#[test]
fn yaml_1_1_has_more_booleans() {
    let node = sigs_to_json("on: yes\nd: 2024-01-01\n", FileId(0), false).unwrap();
    assert_eq!(to_json(&node), r#"{"d":"2024-01-01","true":true}"#);
}

#[test]
fn refusals_name_the_cause_and_the_place() {
    let error = parse("a: b: c\n", FileId(0), &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "MalformedYAMLError: yaml: mapping values are not allowed in this context"
    );
    assert_eq!(error.span.start, 4);
}
