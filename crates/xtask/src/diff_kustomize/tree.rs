//! Random trees: bases, an overlay on them, components.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fields::{World, add};
use super::objects::object;
use super::style;
use crate::engine::Build;
use crate::random::Random;

/// Documents of each file by path; kustomization files have one.
pub type Tree = BTreeMap<String, Vec<Value>>;

/// The entry of a tree that is no file: the seed of the style in which files
/// are printed. Without it they are JSON.
pub(super) const STYLE: &str = "style";

/// Directories in which generators find files.
pub const DIRECTORIES: [&str; 5] = ["base", "overlay", "component", "second", "extra"];

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
    if objects.len() > 1 && random.once_in(8) {
        let kind = random.pick(&["List", "ConfigMapList", "DeploymentList"]);
        objects = vec![json!({"apiVersion": "v1", "kind": kind, "items": objects})];
    }
    objects
}

/// A random tree, whose root to build is `overlay`.
pub fn tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new();
    let mut known = Vec::new();
    let base = resources(random, "base", 3, &mut known, &mut tree);
    kustomization(random, "base", base, &known, &mut tree);
    let mut overlay = Map::new();
    let mut all = vec![json!("../base")];
    if random.once_in(6) {
        let second = resources(random, "second", 2, &mut known, &mut tree);
        kustomization(random, "second", second, &known, &mut tree);
        all.push(json!("../second"));
    }
    if random.once_in(2) {
        let own = objects(random, 1, &mut known);
        if !own.is_empty() {
            tree.insert("overlay/own.yaml".to_owned(), own);
            all.push(json!("own.yaml"));
        }
    }
    let field = if random.once_in(20) {
        "bases"
    } else {
        "resources"
    };
    overlay.insert(field.to_owned(), json!(all));
    let mut components = Vec::new();
    for (directory, chance) in [("component", 4), ("extra", 8)] {
        if !random.once_in(chance) {
            continue;
        }
        let mut component = Map::from_iter([
            (
                "apiVersion".to_owned(),
                json!("kustomize.config.k8s.io/v1alpha1"),
            ),
            ("kind".to_owned(), json!("Component")),
        ]);
        if random.once_in(3) {
            component.extend(resources(random, directory, 1, &mut known, &mut tree));
        }
        kustomization(random, directory, component, &known, &mut tree);
        components.push(format!("../{directory}"));
    }
    if !components.is_empty() {
        overlay.insert("components".to_owned(), json!(components));
    }
    kustomization(random, "overlay", overlay, &known, &mut tree);
    if !random.once_in(3) {
        tree.insert(STYLE.to_owned(), vec![json!(random.below(1 << 20))]);
    }
    tree
}

/// Files with objects, and the field that names them.
fn resources(
    random: &mut Random,
    directory: &str,
    most: usize,
    known: &mut Vec<Value>,
    tree: &mut Tree,
) -> Map<String, Value> {
    let mut names = Vec::new();
    for at in 0..1 + random.below(most) {
        let count = 1 + random.below(2);
        let objects = objects(random, count, known);
        if !objects.is_empty() {
            let name = format!("f{at}.yaml");
            tree.insert(format!("{directory}/{name}"), objects);
            names.push(name);
        }
    }
    Map::from_iter([("resources".to_owned(), json!(names))])
}

/// Writes a kustomization file with a few more fields, and what they name.
fn kustomization(
    random: &mut Random,
    directory: &str,
    mut file: Map<String, Value>,
    known: &[Value],
    tree: &mut Tree,
) {
    let mut world = World::new(random, known);
    add(&mut world, &mut file);
    for (name, documents) in world.into_files() {
        tree.insert(format!("{directory}/{name}"), documents);
    }
    tree.insert(
        format!("{directory}/kustomization.yaml"),
        vec![Value::Object(file)],
    );
}

/// The texts of a tree's files.
pub fn texts(tree: &Tree) -> BTreeMap<String, String> {
    let seed = tree.get(STYLE).and_then(|values| values.first()?.as_u64());
    let text = |path: &str, documents: &[Value]| match seed {
        Some(seed) => {
            // Each file has a style of its own, whatever others there are.
            let own = path
                .bytes()
                .fold(seed, |sum, b| sum.wrapping_mul(31) + u64::from(b));
            style::documents(&mut Random::new(own), documents)
        }
        None => {
            let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
            texts.join("\n---\n")
        }
    };
    let files = tree.iter().filter(|(path, _)| *path != STYLE);
    files
        .map(|(path, documents)| (path.clone(), text(path, documents)))
        .collect()
}

/// The build of a tree. Files that generators read are always there.
pub fn build(tree: &Tree) -> Build {
    let mut build = Build::in_memory("overlay");
    for (path, text) in texts(tree) {
        build.file(&path, &text);
    }
    for dir in DIRECTORIES {
        build.file(&format!("{dir}/file.txt"), "one\ntwo\n");
        build.file(
            &format!("{dir}/vars.env"),
            "# comment\nE1=1\nE2 = two\n\nE3=a=b\n",
        );
        build.bytes(&format!("{dir}/data.bin"), vec![0, 159, 146, 150, 255]);
    }
    build
}
