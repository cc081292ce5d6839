//! From what was built to what is applied.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use model::{Identity, Object};
use yaml::{Node, Span};

/// The identity of an object; what it lacks is empty.
pub(super) fn identity(node: &Node) -> Identity {
    let text = |path: &[&str]| EcoString::from(node.str_at(path).unwrap_or_default());
    let api_version = text(&["apiVersion"]);
    let (group, version) = kubeapi::split_api_version(&api_version);
    Identity {
        group: group.into(),
        version: version.into(),
        kind: text(&["kind"]),
        namespace: text(&["metadata", "namespace"]),
        name: text(&["metadata", "name"]),
    }
}

/// Reads one built object as the controller reads the text of all: what is a
/// list becomes what it holds, kustomize's own objects are dropped, and so is
/// what lacks a name or an API version. Fails without a kind.
pub(super) fn read(node: Node, into: &mut Vec<Node>) -> Result<(), (EcoString, Span)> {
    if node.str_at(&["kind"]).is_none_or(str::is_empty) {
        let message = eco_format!("Object 'Kind' is missing in '{}'", yaml::to_json(&node));
        return Err((message, node.span));
    }
    if let Some(items) = node.get("items").filter(|items| items.is_seq()) {
        for item in items.items() {
            if !item.is_map() {
                return Err(("items member is not an object".into(), item.span));
            }
            into.push(item.clone());
        }
        return Ok(());
    }
    let filled = |path: &[&str]| node.str_at(path).is_some_and(|text| !text.is_empty());
    if filled(&["metadata", "name"]) && filled(&["apiVersion"]) && !is_kustomize(&node) {
        into.push(node);
    }
    Ok(())
}

/// Whether the object is a kustomization file.
fn is_kustomize(node: &Node) -> bool {
    let text = |field: &str| node.str_at(&[field]).unwrap_or_default();
    text("kind").eq_ignore_ascii_case("kustomization")
        && text("apiVersion").starts_with("kustomize.config.k8s.io/")
}

/// Sets `spec.commonMetadata` on an object.
pub(super) fn add_common_metadata(object: &mut Node, spec: &Node) {
    for field in ["labels", "annotations"] {
        let common = spec.path(&["commonMetadata", field]);
        let common = common.map(Node::entries).unwrap_or_default();
        if common.is_empty() {
            continue;
        }
        let Some(metadata) = object.get_mut("metadata") else {
            continue;
        };
        if !metadata.get(field).is_some_and(Node::is_map) {
            metadata.insert(field, Node::map::<&str>([]));
        }
        for entry in common {
            if let (Some(map), Some(key)) = (metadata.get_mut(field), entry.key.text()) {
                map.insert(key, entry.value.clone());
            }
        }
    }
}

/// The objects with what identifies them.
pub(super) fn objects(nodes: Vec<Node>) -> Vec<Arc<Object>> {
    nodes
        .into_iter()
        .map(|node| {
            let identity = identity(&node);
            Arc::new(Object {
                identity,
                node: Arc::new(node),
                template: None,
            })
        })
        .collect()
}
