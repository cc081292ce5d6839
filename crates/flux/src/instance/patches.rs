//! Patches of a FluxInstance, applied to what its `sync` makes. The operator
//! applies them with kustomize to everything it installs.

use std::sync::Arc;

use kustomize::{Documents, Options};
use model::Object;
use vfs::{Memory, Tree};
use yaml::{Node, Sources, Span, Value};

/// The file the objects are handed over in.
const FILE: &str = "sync.yaml";

/// The objects as the patches in `spec.kustomize` leave them. Fails with the
/// place of a patch that may change them and cannot be applied here.
pub(crate) fn apply(spec: &Node, objects: &mut [&mut Object]) -> Result<(), Span> {
    let Some(list) = spec.path(&["kustomize", "patches"]) else {
        return Ok(());
    };
    let (with_target, without): (Vec<&Node>, Vec<&Node>) = list
        .items()
        .iter()
        .partition(|patch| patch.get("target").is_some_and(Node::is_map));
    // Without a target it names its object itself, which must exist: only the
    // controllers can be meant, unless one of these kinds is named.
    let named = |patch: &&&Node| {
        let text = patch.get("patch").and_then(Node::text);
        text.is_some_and(|text| {
            objects
                .iter()
                .any(|o| text.contains(o.identity.kind.as_str()))
        })
    };
    if let Some(patch) = without.iter().find(named) {
        return Err(patch.span);
    }
    if with_target.is_empty() {
        return Ok(());
    }
    let patched = build(objects, &with_target).ok_or(list.span)?;
    for object in objects.iter_mut() {
        let same = |other: &&Object| {
            other.identity.kind == object.identity.kind
                && other.identity.group == object.identity.group
        };
        let found = patched.iter().find(same).ok_or(list.span)?;
        let span = object.node.span;
        let mut node = (*found.node).clone();
        // What the build printed in between is no place to point at.
        place(&mut node, span);
        object.identity = found.identity.clone();
        object.node = Arc::new(node);
    }
    Ok(())
}

fn build(objects: &[&mut Object], patches: &[&Node]) -> Option<Vec<Object>> {
    let text: String = objects
        .iter()
        .map(|object| format!("---\n{}\n", yaml::to_json(&object.node)))
        .collect();
    let tree = Tree::new(Memory::new([(FILE, text.into_bytes())]).ok()?);
    let patches = patches.iter().map(|patch| {
        let fields = ["patch", "target"].into_iter();
        Node::map(fields.filter_map(|field| Some((field, patch.get(field)?.clone()))))
    });
    let kustomization = Node::map([
        (
            "apiVersion",
            Node::string("kustomize.config.k8s.io/v1beta1"),
        ),
        ("kind", Node::string("Kustomization")),
        ("resources", Node::seq([Node::string(FILE)])),
        ("patches", Node::seq(patches)),
    ]);
    let documents = Documents::new(tree, Sources::new());
    let built = kustomize::build_root(&documents, "", kustomization, &Options::default()).ok()?;
    let nodes = built
        .resources
        .into_iter()
        .map(|resource| resource.into_node());
    nodes.map(Object::new).collect()
}

/// Says of a node and all below it that they stand at `span`.
fn place(node: &mut Node, span: Span) {
    node.span = span;
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items
            .make_mut()
            .iter_mut()
            .for_each(|item| place(item, span)),
        Value::Mapping(entries) => {
            for entry in entries.make_mut() {
                place(&mut entry.key, span);
                place(&mut entry.value, span);
            }
        }
    }
}
