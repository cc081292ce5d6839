//! Random fields of a kustomization file.

use serde_json::{Map, Value, json};

use super::objects::{KINDS, NAMES, pairs};
use super::{definitions, patches, plugins, replacements};
use crate::random::Random;

/// An object that a patch or a reference may mean: apiVersion, kind, name.
#[derive(Clone, Copy)]
pub struct Known<'a>(pub &'a str, pub &'a str, pub &'a str);

/// Chooses what patches and references mean.
pub struct World<'a> {
    pub(super) random: &'a mut Random,
    known: &'a [Value],
    /// Files beside the kustomization file, by name.
    files: Vec<(String, Vec<Value>)>,
}

impl<'a> World<'a> {
    /// Chooses among these objects.
    pub fn new(random: &'a mut Random, known: &'a [Value]) -> Self {
        World {
            random,
            known,
            files: Vec::new(),
        }
    }

    /// Puts documents into a file beside the kustomization file; its name.
    pub fn file(&mut self, stem: &str, documents: Vec<Value>) -> String {
        let name = format!("{stem}{}.yaml", self.files.len());
        self.files.push((name.clone(), documents));
        name
    }

    /// The files that were made.
    pub fn into_files(self) -> Vec<(String, Vec<Value>)> {
        self.files
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.random.once_in(n)
    }

    /// Mostly a path that every object has.
    pub fn field_path(&mut self, paths: &[&'static str]) -> &'static str {
        if self.random.once_in(3) {
            self.random.pick(paths)
        } else {
            self.random
                .pick(&["metadata.name", "metadata.name", "kind", "apiVersion"])
        }
    }

    /// Mostly an object of the tree, sometimes one that is not there.
    pub fn object(&mut self) -> Known<'a> {
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
        |w| ("configMapGenerator", generators(w, false)),
        |w| ("secretGenerator", generators(w, true)),
        |w| ("generatorOptions", options(w)),
        |w| ("patches", patches::patches(w)),
        |w| ("patches", patches::patches(w)),
        |w| ("replacements", replacements::replacements(w)),
        |w| ("replacements", replacements::replacements(w)),
        |w| ("vars", vars(w)),
        |w| ("buildMetadata", build_metadata(w)),
        |w| ("sortOptions", sort(w)),
        |w| ("patchesStrategicMerge", patches::strategic_merge(w)),
        |w| ("patchesJson6902", patches::json_patches(w)),
        |w| ("transformers", plugins::transformers(w)),
        |w| ("transformers", plugins::transformers(w)),
        |w| ("generators", plugins::generators(w)),
        |w| ("configurations", definitions::configurations(w)),
        |w| ("crds", definitions::crds(w)),
        |w| ("openapi", definitions::openapi(w)),
        |w| match w.once_in(3) {
            true => rare(w),
            false => ("namespace", json!("team")),
        },
    ];
    for _ in 0..world.random.below(4) {
        let (name, value) = world.random.pick(FIELDS)(world);
        file.insert(name.to_owned(), value);
    }
}

/// Fields that mostly end a build.
fn rare(w: &mut World<'_>) -> (&'static str, Value) {
    match w.random.below(8) {
        0 => ("validators", plugins::validators(w)),
        1 => ("generators", plugins::foreign(w)),
        2 => ("transformers", plugins::foreign(w)),
        3 => (
            "helmCharts",
            json!([{"name": "c", "repo": "https://charts.example"}]),
        ),
        4 => ("unknown", json!(1)),
        5 => ("imageTags", images(w)),
        6 => ("metadata", json!({"name": "k", "labels": pairs(w.random)})),
        _ => (
            "kind",
            json!(w.random.pick(&["Kustomization", "Component", "Other"])),
        ),
    }
}

fn build_metadata(w: &mut World<'_>) -> Value {
    const ALL: &[&str] = &[
        "originAnnotations",
        "transformerAnnotations",
        "managedByLabel",
    ];
    let count = 1 + w.random.below(2);
    (0..count).map(|_| json!(w.random.pick(ALL))).collect()
}

fn labels(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    (0..count).map(|_| label(w)).collect()
}

fn label(w: &mut World<'_>) -> Value {
    let mut entry = json!({"pairs": pairs(w.random)});
    match w.random.below(4) {
        0 => entry["includeSelectors"] = json!(true),
        1 => entry["includeTemplates"] = json!(true),
        2 => entry["fields"] = json!([{"path": "spec/custom", "create": true, "kind": "Widget"}]),
        _ => {}
    }
    entry
}

/// An `images` field.
pub fn images(w: &mut World<'_>) -> Value {
    let count = 1 + w.random.below(2);
    (0..count).map(|_| image(w)).collect()
}

fn image(w: &mut World<'_>) -> Value {
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
    image
}

fn generators(w: &mut World<'_>, secret: bool) -> Value {
    let count = 1 + w.random.below(2);
    (0..count)
        .map(|_| generator(w, secret)[0].clone())
        .collect()
}

/// One generator, in a list.
pub fn generator(w: &mut World<'_>, secret: bool) -> Value {
    let mut entry = json!({"name": w.random.pick(NAMES)});
    if w.random.once_in(2) {
        entry["literals"] = json!([
            "k=v",
            w.random
                .pick(&["b='q'", "b=\"q\"", "b=x=y", "b= s", "b=true", "b="])
        ]);
    }
    if w.random.once_in(3) {
        entry["files"] = json!([w.random.pick(&[
            "file.txt",
            "n=file.txt",
            "data.bin",
            "a=b=file.txt",
            "none.txt",
            "f0.yaml"
        ])]);
    }
    if w.random.once_in(4) {
        match w.random.below(4) {
            0 => entry["env"] = json!("vars.env"),
            _ => entry["envs"] = json!(["vars.env"]),
        }
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

fn vars(w: &mut World<'_>) -> Value {
    let Known(api_version, kind, name) = w.object();
    let mut var =
        json!({"name": "WEB", "objref": {"apiVersion": api_version, "kind": kind, "name": name}});
    if w.random.once_in(2) {
        var["fieldref"] =
            json!({"fieldpath": w.field_path(&["metadata.namespace", "spec.replicas"])});
    }
    let mut all = vec![var];
    if w.random.once_in(3) {
        let Known(api_version, kind, name) = w.object();
        all.push(json!({
            "name": w.random.pick(&["WEB", "DB"]),
            "objref": {"apiVersion": api_version, "kind": kind, "name": name},
            "fieldref": {"fieldpath": w.field_path(&["spec.list[0].name", "data.k", "metadata.labels.app", "spec.ports[0].port"])},
        }));
    }
    json!(all)
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
