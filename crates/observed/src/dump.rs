//! Flux's objects out of a dump of the cluster.

use ecow::{EcoString, eco_format};
use model::{ComponentKey, ComponentKind};
use yaml::{FileId, Limits, Node};

use crate::Error;
use crate::form::is_json;

/// What to do about a file that is no dump.
const COMMAND: &str =
    "write it with: kubectl get kustomizations,helmreleases -A -o json > state.json";

/// One component's Flux object as the cluster has it.
pub(crate) struct Entry<'a> {
    pub(crate) key: ComponentKey,
    pub(crate) node: &'a Node,
}

/// The documents of a text of JSON or YAML.
pub(crate) fn documents(text: &str, file: FileId) -> Result<Vec<Node>, Error> {
    let limits = Limits::default();
    let read = match is_json(text) {
        true => yaml::from_json(text, file).map(|node| vec![node]),
        false => yaml::parse(text, file, &limits),
    };
    read.map_err(|error| Error::new(eco_format!("{error}"), error.span))
}

/// Whether documents are Kubernetes objects.
pub(crate) fn is_dump(documents: &[Node]) -> bool {
    documents.iter().any(|document| {
        document.get("kind").is_some_and(Node::is_scalar)
            && (document.get("items").is_some() || document.get("apiVersion").is_some())
    })
}

/// The components among the objects of a dump: items of lists, and objects that
/// stand alone. Objects of other kinds are passed over.
pub(crate) fn entries<'a>(documents: &'a [Node], file: FileId) -> Result<Vec<Entry<'a>>, Error> {
    let mut found = Vec::new();
    let mut others = 0_usize;
    for document in documents {
        let items = match document.get("items") {
            Some(items) if items.is_seq() => items.items(),
            Some(items) if !items.is_null() => {
                return Err(Error::new("`items` is no list", items.span).help(COMMAND));
            }
            Some(_) => &[],
            None => std::slice::from_ref(document),
        };
        for item in items {
            match key(item)? {
                Some(key) => found.push(Entry { key, node: item }),
                None => others += 1,
            }
        }
    }
    if found.is_empty() {
        let held = match others {
            0 => "no objects".into(),
            _ => eco_format!("{others} objects of other kinds"),
        };
        let message = eco_format!("no Kustomization or HelmRelease of Flux here, but {held}");
        let start = yaml::Span::new(file, 0, 0);
        return Err(Error::new(message, start).help(COMMAND));
    }
    Ok(found)
}

/// The component that an object is; `None` for objects of other kinds.
fn key(node: &Node) -> Result<Option<ComponentKey>, Error> {
    let text = |path: &[&str]| node.path(path).and_then(Node::text).cloned();
    let api_version = text(&["apiVersion"]).unwrap_or_default();
    let (group, _) = api_version.split_once('/').unwrap_or_default();
    let kind = text(&["kind"]).unwrap_or_default();
    let kind = match (group, kind.as_str()) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => ComponentKind::Kustomization,
        ("helm.toolkit.fluxcd.io", "HelmRelease") => ComponentKind::HelmRelease,
        _ => return Ok(None),
    };
    let field = |name: &str| {
        text(&["metadata", name])
            .filter(|text| !text.is_empty())
            .ok_or_else(|| {
                let message = eco_format!("an object without `metadata.{name}`");
                Error::new(message, node.span).help(COMMAND)
            })
    };
    Ok(Some(ComponentKey {
        kind,
        namespace: field("namespace")?,
        name: field("name")?,
    }))
}

/// A string below an object.
pub(crate) fn text(node: &Node, path: &[&str]) -> Option<EcoString> {
    node.path(path)
        .filter(|node| !node.is_null())
        .and_then(Node::text)
        .cloned()
}
