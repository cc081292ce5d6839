//! Durations that somebody wrote down: a mapping of components.

use ecow::eco_format;
use model::{ComponentKey, ComponentKind, Measured};
use yaml::{FileId, Node, Sources, Span};

use crate::Error;
use crate::history::origin;

/// What a mapping of components to durations says.
pub(crate) fn measured(
    documents: &[Node],
    file: FileId,
    texts: &Sources,
) -> Result<Vec<(ComponentKey, Span, Measured)>, Error> {
    if documents.is_empty() {
        return Err(Error::new("the file is empty", Span::new(file, 0, 0)));
    }
    let mut found = Vec::new();
    for document in documents {
        if !document.is_map() {
            return Err(Error::new(
                "neither Kubernetes objects, nor metrics, nor a mapping of components to durations",
                document.span,
            )
            .help("a mapping has lines like `flux-system/apps: 90s`"));
        }
        for entry in document.entries() {
            let key = key(&entry.key)?;
            let nanos = entry.value.text().and_then(|text| model::duration(text));
            let Some(nanos) = nanos.filter(|_| entry.value.is_scalar()) else {
                let shown = entry.value.text().map_or("…", |text| text.as_str());
                let message = eco_format!("`{shown}`, for `{key}`, is no duration");
                return Err(
                    Error::new(message, entry.value.span).help("write it as 90s, 5m or 1h30m")
                );
            };
            let measured = Measured::exactly(nanos, origin(&entry.key, texts));
            found.push((key, entry.key.span, measured));
        }
    }
    Ok(found)
}

/// `namespace/name` of a Kustomization or `HelmRelease/namespace/name`.
fn key(node: &Node) -> Result<ComponentKey, Error> {
    let text = node.text().map_or("", |text| text.as_str());
    let mut parts = text.split('/');
    let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
    let (kind, namespace, name) = match parts {
        [Some(namespace), Some(name), None, None]
        | [Some("Kustomization"), Some(namespace), Some(name), None] => {
            (ComponentKind::Kustomization, namespace, name)
        }
        [Some("HelmRelease"), Some(namespace), Some(name), None] => {
            (ComponentKind::HelmRelease, namespace, name)
        }
        _ => (ComponentKind::Kustomization, "", ""),
    };
    if namespace.is_empty() || name.is_empty() {
        let message = eco_format!("`{text}` names no component");
        return Err(Error::new(message, node.span).help(
            "write a Kustomization as `namespace/name`, a release as `HelmRelease/namespace/name`",
        ));
    }
    Ok(ComponentKey {
        kind,
        namespace: namespace.into(),
        name: name.into(),
    })
}
