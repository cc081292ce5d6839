//! Random patches of all forms.

use serde_json::{Map, Value, json};

use super::fields::{Known, World};
use super::objects::{NAMES, data, pairs};

/// A `patches` field.
pub fn patches(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    (0..count).map(|_| patch(w)).collect()
}

fn patch(w: &mut World<'_>) -> Value {
    let (documents, mut patch) = match w.random.below(3) {
        0 => (several(w), json!({})),
        1 => (several(w), json!({"target": target(w, false)})),
        _ => (vec![operations(w)], json!({"target": target(w, false)})),
    };
    if w.random.once_in(3) {
        patch["path"] = json!(w.file("patch", documents));
    } else {
        patch["patch"] = json!(inline(&documents));
    }
    if w.random.once_in(8) {
        patch["options"] =
            json!({"allowNameChange": w.random.once_in(2), "allowKindChange": w.random.once_in(2)});
    }
    patch
}

/// A `patchesStrategicMerge` field.
pub fn strategic_merge(w: &mut World<'_>) -> Value {
    let documents = several(w);
    if w.random.once_in(2) {
        return json!([w.file("merge", documents)]);
    }
    json!([inline(&documents)])
}

/// A `patchesJson6902` field.
pub fn json_patches(w: &mut World<'_>) -> Value {
    let (target, operations) = (target(w, true), operations(w));
    if w.random.once_in(2) {
        return json!([{"target": target, "path": w.file("operations", vec![operations])}]);
    }
    json!([{"target": target, "patch": operations.to_string()}])
}

fn inline(documents: &[Value]) -> String {
    let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
    texts.join("\n---\n")
}

fn several(w: &mut World<'_>) -> Vec<Value> {
    let count = if w.random.once_in(5) { 2 } else { 1 };
    (0..count).map(|_| strategic(w)).collect()
}

/// What a patch or a replacement is for.
pub fn target(w: &mut World<'_>, exact: bool) -> Value {
    let Known(api_version, kind, name) = w.object();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if exact {
        return json!({"group": group, "version": version, "kind": kind, "name": name});
    }
    match w.random.below(8) {
        0 => json!({"kind": kind}),
        1 => json!({"name": w.random.pick(NAMES)}),
        2 => json!({"kind": w.random.pick(&["Deployment|StatefulSet", ".*", "Config.*"])}),
        3 => {
            json!({"labelSelector": w.random.pick(&["app=one", "tier", "app in (one, two)", "!team", "app!=one,tier"])})
        }
        4 => json!({"kind": kind, "namespace": w.random.pick(&["team", "default", "te.*"])}),
        5 => json!({"annotationSelector": w.random.pick(&["app=one", "tier notin (two)", "team"])}),
        6 => json!({"version": version, "kind": kind}),
        _ => {
            json!({"group": group, "version": version, "kind": kind, "name": w.random.pick(&["w.*", "a", "b|web", "(a)"])})
        }
    }
}

/// A strategic-merge patch for some object.
pub fn strategic(w: &mut World<'_>) -> Value {
    let Known(api_version, kind, name) = w.object();
    let mut patch = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    if w.random.once_in(4) {
        patch["metadata"]["namespace"] = json!(w.random.pick(&["team", "default"]));
    }
    match w.random.below(12) {
        0..=2 => {
            let pod = pod(w);
            let template = json!({"template": {"spec": pod}});
            patch["spec"] = match kind {
                "Pod" => template["template"]["spec"].clone(),
                "CronJob" => json!({"jobTemplate": {"spec": template}}),
                _ => template,
            };
        }
        3 => patch["spec"] = json!({"replicas": w.random.pick(&[None, Some(7)])}),
        4 => patch["metadata"]["labels"] = json!({"app": w.random.pick(&[None, Some("patched")])}),
        5 => patch["$patch"] = json!(w.random.pick(&["delete", "replace", "merge"])),
        6 => patch["data"] = data(w.random),
        7 => {
            patch["spec"] = json!({"values": {"a": {"b": null, "c": [1]}, "list": [3]}, "list": list(w), "size": "1"})
        }
        8 => {
            patch["spec"] = json!({"template": {"spec": {"volumes": [{"name": "c", "emptyDir": {}}, {"name": "s", "$patch": "delete"}], "$patch": w.random.pick(&["merge", "replace"])}}})
        }
        9 => patch["spec"] = ports(w),
        10 => patch["metadata"]["annotations"] = pairs(w.random),
        _ => {
            let field = w.random.pick(&[
                "rules",
                "subjects",
                "webhooks",
                "secrets",
                "imagePullSecrets",
            ]);
            patch[field] = list(w);
        }
    }
    patch
}

/// A list whose elements are known by name, with directives now and then.
fn list(w: &mut World<'_>) -> Value {
    let count = w.random.below(3);
    let mut items: Vec<Value> = (0..count)
        .map(|_| {
            let mut item = json!({"name": w.random.pick(&["x", "y", "z", "a"])});
            match w.random.below(5) {
                0 => item["$patch"] = json!(w.random.pick(&["delete", "replace", "merge"])),
                1 => item["v"] = Value::Null,
                _ => item["v"] = json!(w.random.below(4)),
            }
            item
        })
        .collect();
    if w.random.once_in(6) {
        items.push(json!({"$patch": w.random.pick(&["delete", "replace", "merge"])}));
    }
    json!(items)
}

fn ports(w: &mut World<'_>) -> Value {
    let mut port = json!({"port": w.random.pick(&[80, 53, 8080])});
    match w.random.below(4) {
        0 => port["protocol"] = json!(w.random.pick(&["TCP", "UDP"])),
        1 => port["name"] = json!("http"),
        2 => port["$patch"] = json!("delete"),
        _ => port["targetPort"] = json!(w.random.pick(&[None, Some(1)])),
    }
    json!({"ports": [port], "selector": pairs(w.random)})
}

fn pod(w: &mut World<'_>) -> Value {
    let container = match w.random.below(8) {
        0 => json!({"name": "main", "image": "patched:1"}),
        1 => json!({"name": "new", "image": "n"}),
        2 => {
            json!({"name": "main", "$patch": w.random.pick(&["delete", "replace", "merge"]), "image": "m"})
        }
        3 => {
            json!({"name": "side", "env": [{"name": "A", "value": "p"}, {"name": "C", "value": "c"}]})
        }
        4 => json!({"name": "main", "args": ["--new"], "command": null}),
        5 => {
            json!({"name": "main", "env": [{"name": "B", "$patch": "delete"}, {"name": "A", "value": null}]})
        }
        6 => {
            json!({"name": "main", "volumeMounts": [{"name": "c", "mountPath": "/c"}, {"name": "s", "mountPath": "/s"}]})
        }
        _ => {
            json!({"name": "main", "ports": [{"containerPort": 80, "protocol": "UDP", "name": "u"}, {"containerPort": 81}]})
        }
    };
    let mut containers = vec![container];
    if w.random.once_in(6) {
        containers.push(json!({"$patch": w.random.pick(&["replace", "merge", "delete"])}));
    }
    let mut spec = Map::new();
    let field = w
        .random
        .pick(&["containers", "containers", "initContainers"]);
    spec.insert(field.to_owned(), json!(containers));
    match w.random.below(8) {
        0 => spec.insert(
            "tolerations".to_owned(),
            json!([{"key": "a", "operator": "Exists"}]),
        ),
        1 => spec.insert(
            "imagePullSecrets".to_owned(),
            json!([{"name": w.random.pick(NAMES)}]),
        ),
        2 => spec.insert(
            "hostAliases".to_owned(),
            json!([{"ip": "10.0.0.1", "hostnames": ["h"]}]),
        ),
        3 => spec.insert(
            "$setElementOrder/containers".to_owned(),
            json!([{"name": "side"}, {"name": "main"}]),
        ),
        4 => spec.insert("$retainKeys".to_owned(), json!(["containers"])),
        5 => spec.insert(
            "volumes".to_owned(),
            json!([{"name": "c", "configMap": {"name": w.random.pick(NAMES)}}]),
        ),
        _ => None,
    };
    Value::Object(spec)
}

/// JSON patch operations.
pub fn operations(w: &mut World<'_>) -> Value {
    const PATHS: &[&str] = &[
        "/spec/replicas",
        "/metadata/labels/app",
        "/metadata/annotations/x~1y",
        "/metadata/annotations/example.org~1x",
        "/spec/template/spec/containers/0/image",
        "/spec/template/spec/containers/-",
        "/spec/template/spec/containers/0/env/0",
        "/data/k",
        "/spec/values/list/0",
        "/spec/list/1",
        "/spec/list/-1",
        "/spec/list/01",
        "/metadata/name",
        "/metadata/namespace",
        "/spec/ports/1",
        "/none/x",
        "/spec/text",
        "/spec",
        "spec/replicas",
        "",
    ];
    const VALUES: &[&str] = &[
        "1",
        "\"text\"",
        "null",
        "{\"a\": \"b\"}",
        "[1, 2]",
        "true",
        "\"0x1\"",
        "1.50",
        "1e3",
        "\"yes\"",
        "\"2001-01-01\"",
    ];
    let count = 1 + w.random.below(2);
    let operation = |w: &mut World<'_>| {
        let value: Value = serde_json::from_str(w.random.pick(VALUES)).unwrap_or_default();
        let path = w.random.pick(PATHS);
        match w.random.below(8) {
            0..=2 => json!({"op": "add", "path": path, "value": value}),
            3 | 4 => json!({"op": "replace", "path": path, "value": value}),
            5 => json!({"op": "remove", "path": path}),
            6 => json!({"op": "copy", "from": path, "path": w.random.pick(PATHS)}),
            _ => {
                json!({"op": w.random.pick(&["move", "test"]), "from": w.random.pick(PATHS), "path": path, "value": value})
            }
        }
    };
    (0..count).map(|_| operation(w)).collect()
}
