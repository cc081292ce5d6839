//! Random replacements with every option, into text that is JSON or YAML, too.

use serde_json::{Map, Value, json};

use super::fields::{Known, World};
use super::objects::NAMES;

const PATHS: &[&str] = &[
    "metadata.name",
    "metadata.labels.app",
    "metadata.labels",
    "spec.replicas",
    "spec.template.spec.containers.[name=main].image",
    "spec.template.spec.containers.0.image",
    "spec.template.spec.containers.*.image",
    "spec.template.spec.containers.[name=main].env.[name=A].value",
    "spec.template.spec.containers.[name=new].image",
    "spec.template.metadata.labels.app",
    "spec.ports.[port=80].name",
    "spec.ports.1.protocol",
    "spec.size",
    "metadata.annotations.[example.org/x]",
    "metadata.annotations.example\\.org/x",
    "spec.values.a.b",
    "spec.values.list.-",
    "spec.values.list.0",
    "spec.list.[name=x].v",
    "spec.list.*.v",
    "spec.list.[name=*].v",
    "spec.list",
    "spec.text",
    "*.name",
    "spec.*",
    "",
];

/// Paths that go on inside of text.
const INSIDE: &[&str] = &[
    "data.k",
    "data.k.x",
    "data.k.a.b",
    "data.url",
    "data.a\\.txt.a.b",
    "data.a\\.txt.y.0",
    "data.[a.txt].x",
    "data.b.a",
    "data.b.y.-",
    "data.k.list.[name=x].v",
    "data.k.*.b",
    "spec.text.a",
    "spec.text.b.0",
    "spec.text.b.-",
    "spec.text.new.deep",
    "stringData.k.a.b",
    "metadata.annotations.config.a",
];

/// A `replacements` field.
pub fn replacements(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    let all: Vec<Value> = (0..count).map(|_| replacement(w)).collect();
    match w.random.below(5) {
        0 => json!([{"path": w.file("replacements", vec![json!(all)])}]),
        1 if all.len() == 1 => json!([{"path": w.file("replacement", all)}]),
        _ => json!(all),
    }
}

/// One replacement.
pub fn replacement(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    let targets: Vec<Value> = (0..count).map(|_| target(w)).collect();
    if w.random.once_in(6) {
        return json!({"sourceValue": w.random.pick(&["v", "1", "true", "a: b", ""]), "targets": targets});
    }
    json!({"source": source(w), "targets": targets})
}

fn source(w: &mut World<'_>) -> Value {
    let Known(api_version, kind, name) = w.object();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let mut source = json!({"kind": kind, "name": name});
    if w.random.once_in(4) {
        source["version"] = json!(version);
        source["group"] = json!(group);
    }
    if w.random.once_in(8) {
        source["namespace"] = json!(w.random.pick(&["team", "default"]));
    }
    if !w.random.once_in(8) {
        source["fieldPath"] = json!(path(w));
    }
    if w.random.once_in(3) {
        source["options"] =
            json!({"delimiter": w.random.pick(&[":", "/", "-", ""]), "index": w.random.below(3)});
    }
    source
}

fn target(w: &mut World<'_>) -> Value {
    let mut target = json!({"select": select(w)});
    if !w.random.once_in(10) {
        let count = 1 + w.random.below(2);
        let paths: Vec<&str> = (0..count).map(|_| path(w)).collect();
        target["fieldPaths"] = json!(paths);
    }
    let mut options = Map::new();
    if w.random.once_in(3) {
        options.insert("create".to_owned(), json!(true));
    }
    if w.random.once_in(4) {
        let index = w.random.pick(&[-1, 0, 1, 2, 9]);
        options.insert(
            "delimiter".to_owned(),
            json!(w.random.pick(&[":", "/", "-"])),
        );
        options.insert("index".to_owned(), json!(index));
    }
    if !options.is_empty() {
        target["options"] = Value::Object(options);
    }
    if w.random.once_in(4) {
        target["reject"] = json!([select(w)]);
    }
    target
}

fn select(w: &mut World<'_>) -> Value {
    let Known(_, kind, name) = w.object();
    match w.random.below(7) {
        0 => json!({"kind": kind, "name": name}),
        1 => json!({"name": w.random.pick(NAMES)}),
        2 => json!({"labelSelector": w.random.pick(&["app=one", "tier"])}),
        3 => json!({"annotationSelector": w.random.pick(&["app", "team=two"])}),
        4 => json!({"kind": w.random.pick(&["Deployment|StatefulSet", "Config.*", ".*"])}),
        _ => json!({"kind": kind}),
    }
}

fn path(w: &mut World<'_>) -> &'static str {
    match w.random.below(6) {
        0..=2 => w.field_path(PATHS),
        3 => w.random.pick(INSIDE),
        _ => w.random.pick(PATHS),
    }
}
