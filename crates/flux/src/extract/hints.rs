//! What a repository's own objects say about its Flux: sources of its manifests,
//! labels of its controllers, their flags.

use ecow::EcoString;
use model::Object;
use yaml::Node;

use crate::release::FluxHints;
use crate::source::definition::Definition;

/// The release that a source of Flux's own manifests is tagged with.
pub(super) fn of_source(definition: &Definition) -> FluxHints {
    let url = definition.url.as_deref().unwrap_or_default();
    let url = url.trim_end_matches('/').trim_end_matches(".git");
    let tag = definition.reference.as_deref().unwrap_or_default();
    let tag = tag.strip_prefix("refs/tags/").unwrap_or(tag);
    let manifests = match definition.key.kind.as_str() {
        "OCIRepository" => url.ends_with("/flux-manifests"),
        "GitRepository" => url.ends_with("/fluxcd/flux2"),
        _ => false,
    };
    let flux = manifests && (tag.starts_with("v2.") || tag.starts_with("v0."));
    FluxHints {
        version: flux.then(|| tag.into()),
        strict: None,
    }
}

/// The labels and flags of Flux's own manifests.
pub(super) fn of_object(object: &Object) -> FluxHints {
    if object.label("app.kubernetes.io/part-of") != Some("flux") {
        return FluxHints::default();
    }
    let version = object.label("app.kubernetes.io/version");
    let controller =
        object.identity.kind == "Deployment" && object.identity.name == "kustomize-controller";
    FluxHints {
        version: version
            .filter(|version| version.starts_with("v2.") || version.starts_with("v0."))
            .map(EcoString::from),
        strict: if controller { gate(&object.node) } else { None },
    }
}

/// The value of the strictness gate in any text below a node: a controller's
/// argument, or the text of a patch that adds it.
pub(super) fn gate(node: &Node) -> Option<bool> {
    const GATE: &str = "StrictPostBuildSubstitutions=";
    if let Some(text) = node.text() {
        let value = text.split_once(GATE)?.1;
        return Some(value.starts_with("true"));
    }
    let entries = node.entries().iter().map(|entry| &entry.value);
    entries.chain(node.items()).find_map(gate)
}
