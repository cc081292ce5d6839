//! Random generators, transformers and validators with fields of their own.

use serde_json::{Value, json};

use super::fields::{Known, World, generator, images};
use super::objects::{IMAGES, NAMES, pairs};
use super::patches::{operations, strategic, target};
use super::replacements::replacement;

/// A list of built-in transformers, inline, in a file or in a directory.
pub fn transformers(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    let all: Vec<Value> = (0..count).map(|_| transformer(w)).collect();
    listed(w, all)
}

/// A list of built-in generators.
pub fn generators(w: &mut World<'_>) -> Value {
    let generator = generator_plugin(w);
    listed(w, vec![generator])
}

/// Validators may not change anything.
pub fn validators(w: &mut World<'_>) -> Value {
    let validator = transformer(w);
    listed(w, vec![validator])
}

fn listed(w: &mut World<'_>, all: Vec<Value>) -> Value {
    if w.random.once_in(2) {
        return json!([w.file("plugin", all)]);
    }
    let texts: Vec<String> = all.iter().map(Value::to_string).collect();
    json!([texts.join("\n---\n")])
}

/// A built-in transformer.
pub fn transformer(w: &mut World<'_>) -> Value {
    const KINDS: &[&str] = &[
        "PrefixTransformer",
        "SuffixTransformer",
        "LabelTransformer",
        "AnnotationsTransformer",
        "ImageTagTransformer",
        "NamespaceTransformer",
        "ReplicaCountTransformer",
        "ValueAddTransformer",
        "PatchTransformer",
        "PatchJson6902Transformer",
        "PatchStrategicMergeTransformer",
        "ReplacementTransformer",
        "HashTransformer",
        "SortOrderTransformer",
    ];
    let kind = w.random.pick(KINDS);
    let mut config = json!({"apiVersion": "builtin", "kind": kind, "metadata": {"name": w.random.pick(&["t", "u"])}});
    let metadata = matches!(kind, "LabelTransformer" | "AnnotationsTransformer");
    let specs = json!([field_spec(w, metadata)]);
    match kind {
        "PrefixTransformer" => config["prefix"] = json!("t-"),
        "SuffixTransformer" => config["suffix"] = json!("-t"),
        "LabelTransformer" => config["labels"] = pairs(w.random),
        "AnnotationsTransformer" => config["annotations"] = pairs(w.random),
        "ImageTagTransformer" => {
            config["imageTag"] = json!({"name": w.random.pick(IMAGES), "newTag": "t"});
            if w.random.once_in(2) {
                config["imageTag"] = images(w)[0].clone();
            }
        }
        "NamespaceTransformer" => namespace(w, &mut config),
        "ReplicaCountTransformer" => {
            config["replica"] = json!({"name": w.object().2, "count": w.random.below(9)});
        }
        "ValueAddTransformer" => value_add(w, &mut config),
        "PatchTransformer" => {
            config["patch"] = json!(strategic(w).to_string());
            if w.random.once_in(2) {
                config["target"] = target(w, false);
            }
        }
        "PatchJson6902Transformer" => {
            config["jsonOp"] = json!(operations(w).to_string());
            config["target"] = target(w, true);
        }
        "PatchStrategicMergeTransformer" => {
            config["patches"] = json!(strategic(w).to_string());
            if w.random.once_in(2) {
                config["paths"] = json!([w.file("merge", vec![json!({})])]);
            }
        }
        "ReplacementTransformer" => config["replacements"] = json!([replacement(w)]),
        _ => {}
    }
    let specced = !kind.starts_with("Patch") && !kind.starts_with("Replacement");
    if specced && (w.random.once_in(2) || config.get("fieldSpecs").is_none()) {
        config["fieldSpecs"] = specs;
    }
    config
}

/// A field specification. Only with `metadata` may it name the annotations: what
/// writes no mapping there shows those that upstream keeps its own notes in.
fn field_spec(w: &mut World<'_>, metadata: bool) -> Value {
    const PATHS: &[&str] = &[
        "metadata/name",
        "metadata/labels",
        "spec/template/spec/containers[]/image",
        "spec/template/spec/containers/image",
        "metadata/namespace",
        "spec/replicas",
        "spec/size",
        "spec/selector",
        "spec/list[]/name",
        "metadata/annotations/example.org\\/x",
    ];
    let path = match w.random.below(5) {
        0 | 1 if metadata => "metadata/annotations",
        _ => w.random.pick(PATHS),
    };
    let mut spec = json!({"path": path, "create": w.random.once_in(2)});
    if w.random.once_in(3) {
        spec["kind"] = json!(w.object().1);
    }
    if w.random.once_in(6) {
        spec["group"] = json!(w.random.pick(&["apps", "example.org", ""]));
    }
    spec
}

fn namespace(w: &mut World<'_>, config: &mut Value) {
    config["metadata"]["namespace"] = json!("from-transformer");
    if w.random.once_in(3) {
        config["unsetOnly"] = json!(true);
    }
    if w.random.once_in(3) {
        config["setRoleBindingSubjects"] =
            json!(
                w.random
                    .pick(&["defaultOnly", "allServiceAccounts", "none", "other"])
            );
    }
}

fn value_add(w: &mut World<'_>, config: &mut Value) {
    config["value"] = json!(w.random.pick(&["added", "a/b", ""]));
    config["targets"] = json!([{
        "selector": target(w, false),
        "fieldPath": w.random.pick(&["metadata/labels/app", "spec/image", "spec/new/field", "data/k"]),
        "filePathPosition": w.random.below(4),
    }]);
}

fn generator_plugin(w: &mut World<'_>) -> Value {
    let kind = w.random.pick(&[
        "ConfigMapGenerator",
        "SecretGenerator",
        "IAMPolicyGenerator",
        "ConfigMapGenerator",
    ]);
    let secret = kind == "SecretGenerator";
    let mut config = if kind == "IAMPolicyGenerator" {
        json!({
            "cloud": w.random.pick(&["gke", "gke", "aws"]),
            "kubernetesService": {"namespace": w.random.pick(&["team", ""]), "name": w.random.pick(NAMES)},
            "serviceAccount": {"name": "s", "projectId": "p"},
        })
    } else {
        generator(w, secret)[0].clone()
    };
    let name = config.get("name").cloned().unwrap_or(json!("iam"));
    if let Some(fields) = config.as_object_mut()
        && kind != "IAMPolicyGenerator"
    {
        fields.remove("name");
    }
    config["apiVersion"] = json!("builtin");
    config["kind"] = json!(kind);
    config["metadata"] = json!({"name": name});
    if w.random.once_in(4) {
        config["metadata"]["annotations"] = json!({"config.kubernetes.io/local-config": "true"});
    }
    config
}

/// Something that no build may run.
pub fn foreign(w: &mut World<'_>) -> Value {
    let Known(_, _, name) = w.object();
    json!([json!({
        "apiVersion": "example.org/v1", "kind": "Foreign",
        "metadata": {"name": name, "annotations": {"config.kubernetes.io/function": "exec: {path: ./x}"}},
    })
    .to_string()])
}
