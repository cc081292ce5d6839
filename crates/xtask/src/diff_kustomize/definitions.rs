//! Random tables that a kustomization file adds: `configurations`, `crds`, `openapi`.

use serde_json::{Value, json};

use super::fields::World;

/// Field specifications and references.
pub fn configurations(w: &mut World<'_>) -> Value {
    let create = w.random.once_in(2);
    let mut tables = json!({});
    for _ in 0..1 + w.random.below(2) {
        match w.random.below(9) {
            0 => {
                tables["nameReference"] = json!([{
                    "kind": w.random.pick(&["ConfigMap", "Secret", "Widget"]),
                    "fieldSpecs": [{
                        "path": w.random.pick(&["spec/configMapRef/name", "spec/ref", "spec/list/name", "spec/configMapRef"]),
                        "kind": "Widget",
                    }],
                }]);
            }
            1 => tables["namePrefix"] = json!([{"path": "spec/image"}]),
            2 => {
                tables["commonLabels"] =
                    json!([{"path": "spec/labels", "create": create, "kind": "Widget"}]);
            }
            3 => tables["images"] = json!([{"path": "spec/image", "kind": "Widget"}]),
            4 => tables["varReference"] = json!([{"path": "data/k"}, {"path": "spec/text"}]),
            5 => {
                tables["replicas"] =
                    json!([{"path": "spec/size", "create": create, "kind": "Widget"}])
            }
            6 => tables["namespace"] = json!([{"path": "spec/namespace", "create": create}]),
            7 => {
                tables["commonAnnotations"] =
                    json!([{"path": "metadata/annotations", "create": !create}]);
            }
            _ => {
                tables["templateLabels"] = json!([{"path": "spec/template/metadata/labels", "kind": "Widget", "create": create}])
            }
        }
    }
    json!([w.file("tables", vec![tables])])
}

/// Definitions with hints about labels, annotations and references.
pub fn crds(w: &mut World<'_>) -> Value {
    let hint = w.random.pick(&[
        "x-kubernetes-label-selector",
        "x-kubernetes-annotation",
        "x-kubernetes-identity",
        "x-kubernetes-object-ref-api-version",
    ]);
    let mut image = json!({"type": "string"});
    image[hint] = json!("v1");
    image["x-kubernetes-object-ref-kind"] = json!(w.random.pick(&["ConfigMap", "Secret"]));
    image["x-kubernetes-object-ref-name-key"] = json!("name");
    let definitions = json!({
        "example.org/v1.Widget": {"Schema": {
            "description": "A widget",
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "metadata": {"$ref": "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"},
                "spec": {"$ref": "example.org/v1.WidgetSpec"},
            },
        }, "Dependencies": []},
        "example.org/v1.WidgetSpec": {"Schema": {"properties": {
            "configMapRef": image,
            "labels": {"x-kubernetes-label-selector": "", "type": "object"},
        }}, "Dependencies": []},
    });
    json!([w.file("crds", vec![definitions])])
}

/// A schema with lists that merge by a key.
pub fn openapi(w: &mut World<'_>) -> Value {
    match w.random.below(6) {
        0 => return json!({"version": "v1.21.2"}),
        1 => return json!({"version": w.random.pick(&["v1.0.0", "v1.20.4"])}),
        _ => {}
    }
    let strategy = w
        .random
        .pick(&["merge", "merge", "replace", "merge,retainKeys"]);
    let schema = json!({"definitions": {
        "v1.Widget": {
            "type": "object",
            "properties": {
                "spec": {"properties": {"list": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                    "x-kubernetes-patch-merge-key": "name",
                    "x-kubernetes-patch-strategy": strategy,
                }}},
            },
            "x-kubernetes-group-version-kind": [{"group": "example.org", "kind": "Widget", "version": "v1"}],
        },
    }});
    json!({"path": w.file("schema", vec![schema])})
}
