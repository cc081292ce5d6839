//! What the spec of a Flux Kustomization adds to the kustomization file.

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use yaml::Node;

use super::Error;

/// Merges the spec of `object` into a kustomization of directory `dir`.
pub(super) fn merge(
    kustomization: &mut Node,
    documents: &Documents,
    dir: &str,
    object: &Node,
) -> Result<(), Error> {
    let Some(spec) = object.get("spec") else {
        return Ok(());
    };
    for (from, to) in [
        ("targetNamespace", "namespace"),
        ("namePrefix", "namePrefix"),
        ("nameSuffix", "nameSuffix"),
    ] {
        if let Some(value) = spec.get(from).filter(|value| is_filled(value)) {
            kustomization.insert(to, value.clone());
        }
    }
    for patch in items(spec, "patches") {
        append(kustomization, "patches", entry(patch, patch.get("patch")));
    }
    components(kustomization, documents, dir, spec)?;
    if is_beta(object) {
        old_patches(kustomization, spec);
    }
    for image in items(spec, "images") {
        merge_image(kustomization, image);
    }
    if let Some(options) = spec.get("buildMetadata").filter(|o| !o.items().is_empty()) {
        kustomization.insert("buildMetadata", options.clone());
    }
    Ok(())
}

fn is_filled(value: &Node) -> bool {
    value
        .text()
        .is_some_and(|text| !value.is_null() && !text.is_empty())
}

fn items<'a>(spec: &'a Node, field: &str) -> &'a [Node] {
    spec.get(field).map(Node::items).unwrap_or_default()
}

fn append(kustomization: &mut Node, field: &str, value: Node) {
    match kustomization.get_mut(field).and_then(Node::items_mut) {
        Some(list) => list.push(value),
        None => {
            let span = value.span;
            kustomization.insert(field, Node::seq([value]).at(span));
        }
    }
}

/// An entry of one of the patch lists: the patch's text and its target.
fn entry(from: &Node, patch: Option<&Node>) -> Node {
    let mut entry = Node::map::<&str>([]).at(from.span);
    if let Some(patch) = patch.filter(|patch| is_filled(patch)) {
        entry.insert("patch", patch.clone());
    }
    if let Some(target) = from.get("target").filter(|target| !target.is_null()) {
        let mut selector = Node::map::<&str>([]).at(target.span);
        for field in [
            "group",
            "version",
            "kind",
            "name",
            "namespace",
            "annotationSelector",
            "labelSelector",
        ] {
            if let Some(value) = target.get(field).filter(|value| is_filled(value)) {
                selector.insert(field, value.clone());
            }
        }
        entry.insert("target", selector);
    }
    entry
}

fn components(
    kustomization: &mut Node,
    documents: &Documents,
    dir: &str,
    spec: &Node,
) -> Result<(), Error> {
    let ignore_missing = spec
        .get("ignoreMissingComponents")
        .and_then(Node::as_bool)
        .unwrap_or(false);
    for component in items(spec, "components") {
        let path = component.text().map_or("", |text| text);
        if !is_local_relative(path) {
            let message = eco_format!("component path '{path}' must be local and relative");
            return Err(Error::new(message, component.span));
        }
        let there = vfs::join(dir, path).is_ok_and(|p| documents.tree().probe(&p).is_some());
        if there || !ignore_missing {
            append(kustomization, "components", component.clone());
        }
    }
    Ok(())
}

/// Whether a path is neither absolute nor an address.
pub(super) fn is_local_relative(path: &str) -> bool {
    const REMOTE: [&str; 8] = [
        "git::",
        "gh:",
        "ssh://",
        "https://",
        "http://",
        "git@",
        "github.com:",
        "github.com/",
    ];
    let lower = path.to_ascii_lowercase();
    let remote = REMOTE
        .iter()
        .any(|prefix| lower.len() > prefix.len() && lower.starts_with(prefix));
    let local = lower.strip_prefix("file://").unwrap_or(&lower);
    !remote && !path.starts_with('/') && !local.starts_with('/')
}

/// Whether the object is of an API version that still had its own fields for
/// the two old kinds of patches; `v1` has dropped them.
fn is_beta(object: &Node) -> bool {
    object
        .str_at(&["apiVersion"])
        .is_some_and(|version| version.ends_with("/v1beta1") || version.ends_with("/v1beta2"))
}

fn old_patches(kustomization: &mut Node, spec: &Node) {
    for patch in items(spec, "patchesStrategicMerge") {
        let text = Node::string(yaml::to_json(patch)).at(patch.span);
        append(kustomization, "patchesStrategicMerge", text);
    }
    for patch in items(spec, "patchesJson6902") {
        let text = patch
            .get("patch")
            .map(|operations| Node::string(yaml::to_json(operations)).at(operations.span));
        append(
            kustomization,
            "patchesJson6902",
            entry(patch, text.as_ref()),
        );
    }
}

/// Merges an image into the entry of the same name, field by field; tag and
/// digest count as one field.
fn merge_image(kustomization: &mut Node, image: &Node) {
    let field = |name: &str| image.get(name).filter(|value| is_filled(value));
    let name: EcoString = field("name")
        .and_then(|name| name.text().cloned())
        .unwrap_or_default();
    let known = kustomization
        .get_mut("images")
        .and_then(Node::items_mut)
        .and_then(|images| {
            images
                .make_mut()
                .iter_mut()
                .find(|known| known.str_at(&["name"]).unwrap_or_default() == name)
        });
    let Some(known) = known else {
        let mut new = Node::map::<&str>([]).at(image.span);
        for part in ["name", "newName", "newTag", "digest"] {
            if let Some(value) = field(part) {
                new.insert(part, value.clone());
            }
        }
        append(kustomization, "images", new);
        return;
    };
    if let Some(new_name) = field("newName") {
        known.insert("newName", new_name.clone());
    }
    if field("newTag").is_some() || field("digest").is_some() {
        for part in ["newTag", "digest"] {
            match field(part) {
                Some(value) => known.insert(part, value.clone()),
                None => {
                    known.remove(part);
                }
            }
        }
    }
}
