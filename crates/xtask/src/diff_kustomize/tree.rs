//! Random trees: a base, an overlay on it, perhaps a component.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fields::{World, add};
use super::objects::object;
use crate::engine::Build;
use crate::random::Random;

/// Documents of each file by path; kustomization files have one.
pub type Tree = BTreeMap<String, Vec<Value>>;

/// Objects of which no two have one identity.
fn objects(random: &mut Random, count: usize, known: &mut Vec<Value>) -> Vec<Value> {
    let mut objects = Vec::new();
    for _ in 0..count {
        let object = object(random);
        let same = |other: &Value| {
            ["/kind", "/metadata/name", "/metadata/namespace"]
                .iter()
                .all(|path| other.pointer(path) == object.pointer(path))
        };
        if random.once_in(40) || !known.iter().any(same) {
            known.push(object.clone());
            objects.push(object);
        }
    }
    objects
}

/// A random tree, whose root to build is `overlay`.
pub fn tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new();
    let mut base = Map::new();
    let mut files = Vec::new();
    let mut known = Vec::new();
    for at in 0..1 + random.below(3) {
        let name = format!("f{at}.yaml");
        let count = 1 + random.below(2);
        let objects = objects(random, count, &mut known);
        if !objects.is_empty() {
            tree.insert(format!("base/{name}"), objects);
            files.push(name);
        }
    }
    base.insert("resources".to_owned(), json!(files));
    add(&mut World::new(random, &known), &mut base);
    tree.insert(
        "base/kustomization.yaml".to_owned(),
        vec![Value::Object(base)],
    );

    let mut overlay = Map::new();
    let mut resources = vec!["../base".to_owned()];
    if random.once_in(2) {
        let own = objects(random, 1, &mut known);
        if !own.is_empty() {
            tree.insert("overlay/own.yaml".to_owned(), own);
            resources.push("own.yaml".to_owned());
        }
    }
    overlay.insert("resources".to_owned(), json!(resources));
    if random.once_in(4) {
        let mut component = Map::from_iter([
            (
                "apiVersion".to_owned(),
                json!("kustomize.config.k8s.io/v1alpha1"),
            ),
            ("kind".to_owned(), json!("Component")),
        ]);
        add(&mut World::new(random, &known), &mut component);
        tree.insert(
            "component/kustomization.yaml".to_owned(),
            vec![Value::Object(component)],
        );
        overlay.insert("components".to_owned(), json!(["../component"]));
    }
    add(&mut World::new(random, &known), &mut overlay);
    tree.insert(
        "overlay/kustomization.yaml".to_owned(),
        vec![Value::Object(overlay)],
    );
    tree
}

/// The build of a tree. Files that generators read are always there.
pub fn build(tree: &Tree) -> Build {
    let mut build = Build::in_memory("overlay");
    for (path, documents) in tree {
        let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
        build.file(path, &texts.join("\n---\n"));
    }
    for dir in ["base", "overlay", "component"] {
        build.file(&format!("{dir}/file.txt"), "one\ntwo\n");
        build.file(
            &format!("{dir}/vars.env"),
            "# comment\nE1=1\nE2 = two\n\nE3=a=b\n",
        );
        build.bytes(&format!("{dir}/data.bin"), vec![0, 159, 146, 150, 255]);
    }
    build
}
