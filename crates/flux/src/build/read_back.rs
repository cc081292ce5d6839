//! From what was built to what is applied.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use model::{Identity, Object};
use yaml::{Entry, Node, Span};

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

/// Whether an object has a name, a kind and an API version, of whatever type.
pub(super) fn says_what_it_is(node: &Node) -> bool {
    let paths: [&[&str]; 3] = [&["metadata", "name"], &["kind"], &["apiVersion"]];
    paths.into_iter().all(|path| {
        let value = node.path(path).filter(|value| !value.is_null());
        let text = value.and_then(Node::text);
        text.is_some_and(|text| !text.is_empty())
    })
}

/// Reads one built object as the controller reads the text of all: what is a
/// list becomes what it holds, kustomize's own objects are dropped, and so is
/// what lacks a name or an API version. Fails without a kind; one of an API version
/// that is none counts as such.
pub(super) fn read(node: Node, into: &mut Vec<Node>) -> Result<(), (EcoString, Span)> {
    let version = node.str_at(&["apiVersion"]).unwrap_or_default();
    let is_none = version.matches('/').count() > 1;
    if is_none || node.str_at(&["kind"]).is_none_or(str::is_empty) {
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

/// Sets `spec.commonMetadata` on an object. Where the field stands, even empty, the
/// object's own labels and annotations go through a map of texts.
pub(super) fn add_common_metadata(object: &mut Node, spec: &Node) {
    let Some(common) = spec.get("commonMetadata").filter(|common| common.is_map()) else {
        return;
    };
    let Some(metadata) = object.get_mut("metadata").filter(|node| node.is_map()) else {
        return;
    };
    for field in ["labels", "annotations"] {
        let mut texts = metadata.get(field).map(texts).unwrap_or_default();
        for entry in common.get(field).map(Node::entries).unwrap_or_default() {
            if let Some(key) = entry.key.text() {
                texts.retain(|known| known.key.text() != Some(key));
                texts.push(entry.clone());
            }
        }
        if texts.is_empty() {
            continue;
        }
        let span = metadata.get(field).map_or(Span::NONE, |node| node.span);
        let mut made = Node::map::<&str>([]).at(span);
        if let Some(entries) = made.entries_mut() {
            entries.extend(texts);
        }
        metadata.insert(field, made);
    }
}

/// A mapping as the controller's map of texts: null is the empty one, and with
/// anything else in it that is no text the whole mapping is lost.
fn texts(node: &Node) -> Vec<Entry> {
    let text = |entry: &Entry| {
        let mut entry = entry.clone();
        if entry.value.is_null() {
            entry.value = Node::string("").at(entry.value.span);
        }
        entry.value.as_str().is_some().then_some(entry)
    };
    let texts: Option<Vec<Entry>> = node.entries().iter().map(text).collect();
    texts.unwrap_or_default()
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
