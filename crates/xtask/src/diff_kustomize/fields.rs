//! Random fields of a kustomization file.

use serde_json::{Map, Value, json};

use super::objects::{IMAGES, KINDS, NAMES, data, pairs};
use crate::random::Random;

/// An object that a patch or a reference may mean: apiVersion, kind, name.
#[derive(Clone, Copy)]
struct Known<'a>(&'a str, &'a str, &'a str);

/// Chooses what patches and references mean.
pub struct World<'a> {
    random: &'a mut Random,
    known: &'a [Value],
}

impl<'a> World<'a> {
    /// Chooses among these objects.
    pub fn new(random: &'a mut Random, known: &'a [Value]) -> Self {
        World { random, known }
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.random.once_in(n)
    }

    /// Mostly a path that every object has.
    fn field_path(&mut self, paths: &[&'static str]) -> &'static str {
        if self.random.once_in(3) {
            self.random.pick(paths)
        } else {
            self.random
                .pick(&["metadata.name", "metadata.name", "kind", "apiVersion"])
        }
    }

    /// Mostly an object of the tree, sometimes one that is not there.
    fn object(&mut self) -> Known<'a> {
        let at = self.random.below(self.known.len());
        match self.known.get(at) {
            Some(object) if !self.random.once_in(8) => {
                let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or("");
                Known(text("/apiVersion"), text("/kind"), text("/metadata/name"))
            }
            _ => {
                let (api_version, kind, _) = self.random.pick(KINDS);
                Known(api_version, kind, self.random.pick(NAMES))
            }
        }
    }
}

type Field = fn(&mut World<'_>) -> (&'static str, Value);

/// Adds a few random fields to a kustomization file.
pub fn add(world: &mut World<'_>, file: &mut Map<String, Value>) {
    const FIELDS: &[Field] = &[
        |w| {
            (
                "namespace",
                json!(w.random.pick(&["team", "default", "prod"])),
            )
        },
        |w| ("namePrefix", json!(w.random.pick(&["p-", "q-", "x"]))),
        |w| ("nameSuffix", json!(w.random.pick(&["-s", "-v2"]))),
        |w| ("commonLabels", pairs(w.random)),
        |w| ("commonAnnotations", pairs(w.random)),
        |w| ("labels", labels(w)),
        |w| ("images", images(w)),
        |w| {
            (
                "replicas",
                json!([{"name": w.object().2, "count": w.random.below(9)}]),
            )
        },
        |w| ("configMapGenerator", generator(w, false)),
        |w| ("secretGenerator", generator(w, true)),
        |w| ("generatorOptions", options(w)),
        |w| ("patches", patches(w)),
        |w| ("patches", patches(w)),
        |w| ("replacements", replacements(w)),
        |w| ("vars", vars(w)),
        |w| {
            (
                "buildMetadata",
                json!([w.random.pick(&[
                    "originAnnotations",
                    "transformerAnnotations",
                    "managedByLabel"
                ])]),
            )
        },
        |w| ("sortOptions", sort(w)),
        |w| ("patchesStrategicMerge", json!([strategic(w).to_string()])),
        |w| {
            (
                "patchesJson6902",
                json!([{"target": target(w, true), "patch": operations(w).to_string()}]),
            )
        },
        |w| ("transformers", json!([transformer(w).to_string()])),
    ];
    for _ in 0..world.random.below(4) {
        let (name, value) = world.random.pick(FIELDS)(world);
        file.insert(name.to_owned(), value);
    }
}

fn labels(w: &mut World<'_>) -> Value {
    let mut entry = json!({"pairs": pairs(w.random)});
    match w.random.below(4) {
        0 => entry["includeSelectors"] = json!(true),
        1 => entry["includeTemplates"] = json!(true),
        2 => entry["fields"] = json!([{"path": "spec/custom", "create": true, "kind": "Widget"}]),
        _ => {}
    }
    json!([entry])
}

pub fn images(w: &mut World<'_>) -> Value {
    let name = w.random.pick(&[
        "nginx",
        "redis",
        "ghcr.io/own/app",
        "registry.example:5000/db",
        "ngin.*",
        "app",
    ]);
    let mut image = json!({"name": name});
    match w.random.below(5) {
        0 => image["newTag"] = json!(w.random.pick(&["v2", "1.10", "latest"])),
        1 => image["newName"] = json!("other/name"),
        2 => image["digest"] = json!("sha256:abc"),
        3 => image["tagSuffix"] = json!("-x"),
        _ => {
            image["newName"] = json!("o");
            image["newTag"] = json!("2");
        }
    }
    json!([image])
}

fn generator(w: &mut World<'_>, secret: bool) -> Value {
    let mut entry = json!({"name": w.random.pick(NAMES)});
    if w.random.once_in(2) {
        entry["literals"] = json!([
            "k=v",
            w.random
                .pick(&["b='q'", "b=\"q\"", "b=x=y", "b= s", "b=true", "b="])
        ]);
    }
    if w.random.once_in(3) {
        entry["files"] = json!([w.random.pick(&["file.txt", "n=file.txt", "data.bin"])]);
    }
    if w.random.once_in(4) {
        entry["envs"] = json!(["vars.env"]);
    }
    if w.random.once_in(3) {
        entry["behavior"] = json!(w.random.pick(&["create", "merge", "replace"]));
    }
    if w.random.once_in(4) {
        entry["namespace"] = json!(w.random.pick(&["team", "default"]));
    }
    if w.random.once_in(4) {
        entry["options"] = options(w);
    }
    if secret && w.random.once_in(3) {
        entry["type"] = json!(w.random.pick(&["Opaque", "kubernetes.io/tls"]));
    }
    json!([entry])
}

fn options(w: &mut World<'_>) -> Value {
    let mut options = json!({});
    if w.random.once_in(2) {
        options["disableNameSuffixHash"] = json!(w.random.once_in(2));
    }
    if w.random.once_in(2) {
        options["labels"] = pairs(w.random);
    }
    if w.random.once_in(3) {
        options["annotations"] = pairs(w.random);
    }
    if w.random.once_in(5) {
        options["immutable"] = json!(true);
    }
    options
}

pub fn patches(w: &mut World<'_>) -> Value {
    let mut patch = match w.random.below(3) {
        0 => json!({"patch": strategic(w).to_string()}),
        1 => json!({"patch": strategic(w).to_string(), "target": target(w, false)}),
        _ => json!({"patch": operations(w).to_string(), "target": target(w, false)}),
    };
    if w.random.once_in(8) {
        patch["options"] = json!({"allowNameChange": true, "allowKindChange": w.random.once_in(2)});
    }
    json!([patch])
}

fn target(w: &mut World<'_>, exact: bool) -> Value {
    let Known(api_version, kind, name) = w.object();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if exact {
        return json!({"group": group, "version": version, "kind": kind, "name": name});
    }
    match w.random.below(6) {
        0 => json!({"kind": kind}),
        1 => json!({"name": w.random.pick(NAMES)}),
        2 => json!({"kind": w.random.pick(&["Deployment|StatefulSet", ".*", "Config.*"])}),
        3 => {
            json!({"labelSelector": w.random.pick(&["app=one", "tier", "app in (one, two)", "!team"])})
        }
        4 => json!({"kind": kind, "namespace": w.random.pick(&["team", "default", "te.*"])}),
        _ => {
            json!({"group": group, "version": version, "kind": kind, "name": w.random.pick(&["w.*", "a", "b|web"])})
        }
    }
}

/// A strategic-merge patch for some object.
fn strategic(w: &mut World<'_>) -> Value {
    let Known(api_version, kind, name) = w.object();
    let mut patch = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    let container = match w.random.below(5) {
        0 => json!({"name": "main", "image": "patched:1"}),
        1 => json!({"name": "new", "image": "n"}),
        2 => json!({"name": "main", "$patch": "delete"}),
        3 => {
            json!({"name": "side", "env": [{"name": "A", "value": "p"}, {"name": "C", "value": "c"}]})
        }
        _ => {
            json!({"name": "main", "ports": [{"containerPort": 80, "protocol": "UDP", "name": "u"}, {"containerPort": 81}]})
        }
    };
    match w.random.below(9) {
        0..=2 => patch["spec"] = json!({"template": {"spec": {"containers": [container]}}}),
        3 => patch["spec"] = json!({"replicas": w.random.pick(&[None, Some(7)])}),
        4 => patch["metadata"]["labels"] = json!({"app": w.random.pick(&[None, Some("patched")])}),
        5 => patch["$patch"] = json!(w.random.pick(&["delete", "replace", "merge"])),
        6 => patch["data"] = data(w.random),
        7 => {
            patch["spec"] = json!({"values": {"a": {"b": null, "c": [1]}, "list": [3]}, "list": [{"name": "z"}], "size": "1"})
        }
        _ => {
            patch["spec"] = json!({"template": {"spec": {"volumes": [{"name": "c", "emptyDir": {}}, {"name": "s", "$patch": "delete"}], "$patch": w.random.pick(&["merge", "replace"])}}})
        }
    }
    patch
}

fn operations(w: &mut World<'_>) -> Value {
    const PATHS: &[&str] = &[
        "/spec/replicas",
        "/metadata/labels/app",
        "/metadata/annotations/x~1y",
        "/spec/template/spec/containers/0/image",
        "/spec/template/spec/containers/-",
        "/data/k",
        "/spec/values/list/0",
        "/metadata/name",
        "/spec/ports/1",
        "/none/x",
        "",
    ];
    let value = w.random.pick(&[
        "1",
        "\"text\"",
        "null",
        "{\"a\": \"b\"}",
        "[1, 2]",
        "true",
        "\"0x1\"",
        "1.50",
    ]);
    let value: Value = serde_json::from_str(value).unwrap_or_default();
    let path = w.random.pick(PATHS);
    let operation = match w.random.below(8) {
        0..=2 => json!({"op": "add", "path": path, "value": value}),
        3 | 4 => json!({"op": "replace", "path": path, "value": value}),
        5 => json!({"op": "remove", "path": path}),
        6 => json!({"op": "copy", "from": path, "path": w.random.pick(PATHS)}),
        _ => {
            json!({"op": w.random.pick(&["move", "test"]), "from": w.random.pick(PATHS), "path": path, "value": value})
        }
    };
    json!([operation])
}

fn replacements(w: &mut World<'_>) -> Value {
    const PATHS: &[&str] = &[
        "metadata.name",
        "metadata.labels.app",
        "spec.replicas",
        "spec.template.spec.containers.[name=main].image",
        "spec.template.spec.containers.0.image",
        "spec.template.spec.containers.*.image",
        "data.k",
        "spec.size",
        "metadata.annotations.[example.org/x]",
        "spec.values.a.b",
        "spec.list.[name=x].v",
    ];
    let Known(_, source_kind, source_name) = w.object();
    let Known(_, target_kind, _) = w.object();
    let mut source =
        json!({"kind": source_kind, "name": source_name, "fieldPath": w.field_path(PATHS)});
    let mut target = json!({"select": {"kind": target_kind}, "fieldPaths": [w.field_path(PATHS)]});
    if w.random.once_in(3) {
        source["options"] =
            json!({"delimiter": w.random.pick(&[":", "/", "-"]), "index": w.random.below(2)});
    }
    if w.random.once_in(3) {
        target["options"] = json!({"create": true});
    } else if w.random.once_in(3) {
        target["options"] =
            json!({"delimiter": w.random.pick(&[":", "/"]), "index": w.random.below(3)});
    }
    if w.random.once_in(4) {
        target["reject"] = json!([{"name": w.random.pick(NAMES)}]);
    }
    json!([{"source": source, "targets": [target]}])
}

fn vars(w: &mut World<'_>) -> Value {
    let Known(api_version, kind, name) = w.object();
    let mut var =
        json!({"name": "WEB", "objref": {"apiVersion": api_version, "kind": kind, "name": name}});
    if w.random.once_in(2) {
        var["fieldref"] =
            json!({"fieldpath": w.field_path(&["metadata.namespace", "spec.replicas"])});
    }
    json!([var])
}

fn sort(w: &mut World<'_>) -> Value {
    match w.random.below(3) {
        0 => json!({"order": "fifo"}),
        1 => json!({"order": "legacy"}),
        _ => {
            json!({"order": "legacy", "legacySortOptions": {"orderFirst": ["ConfigMap", "Namespace"], "orderLast": ["Deployment"]}})
        }
    }
}

/// A built-in transformer with its own fields.
fn transformer(w: &mut World<'_>) -> Value {
    let kind = w.random.pick(&[
        "PrefixTransformer",
        "SuffixTransformer",
        "LabelTransformer",
        "AnnotationsTransformer",
        "ImageTagTransformer",
        "NamespaceTransformer",
    ]);
    let specs = json!([{"path": w.random.pick(&["metadata/name", "metadata/labels", "metadata/annotations", "spec/template/spec/containers[]/image", "metadata/namespace"]), "create": true}]);
    let mut config = json!({"apiVersion": "builtin", "kind": kind, "metadata": {"name": "t"}, "fieldSpecs": specs});
    match kind {
        "PrefixTransformer" => config["prefix"] = json!("t-"),
        "SuffixTransformer" => config["suffix"] = json!("-t"),
        "LabelTransformer" => config["labels"] = pairs(w.random),
        "AnnotationsTransformer" => config["annotations"] = pairs(w.random),
        "ImageTagTransformer" => {
            config["imageTag"] = json!({"name": w.random.pick(IMAGES), "newTag": "t"})
        }
        _ => config["metadata"]["namespace"] = json!("from-transformer"),
    }
    config
}
