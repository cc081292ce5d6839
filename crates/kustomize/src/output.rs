//! What a build gives.

use ecow::{EcoString, eco_format};
use yaml::Node;

use crate::error::Error;
use crate::options::RemoteUse;
use crate::origin::{ORIGIN, TRANSFORMATIONS, transformations_yaml};
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::scalar;
use crate::syntax;

/// Annotations that only the build itself uses. Files may carry them; results
/// never do.
const WORKING: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "internal.config.kubernetes.io/helm-generated",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
];

/// What a build gives: objects in order, and what it met on the way.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The objects. Their nodes are canonical: what their JSON holds, keys
    /// sorted, spans kept.
    pub resources: Vec<Resource>,
    /// The remote addresses the build named.
    pub remotes: Vec<RemoteUse>,
    /// Warnings, as kustomize words them.
    pub warnings: Vec<EcoString>,
    /// Why parts were left out: with [`Options::keep_going`](crate::Options::keep_going)
    /// only.
    pub faults: Vec<Error>,
}

impl Output {
    /// The objects as canonical nodes.
    pub fn objects(&self) -> Vec<Node> {
        self.resources.iter().map(|r| r.node().clone()).collect()
    }

    /// What `kustomize build` prints, byte for byte.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for (index, resource) in self.resources.iter().enumerate() {
            if index > 0 {
                text.push_str("---\n");
            }
            text.push_str(&yaml::emit_v2(resource.node()));
        }
        text
    }
}

/// Which of the tracking annotations a result keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keep {
    pub origins: bool,
    pub transformations: bool,
}

/// Turns the objects into results: working annotations go, tracking ones are
/// written where asked for, and annotation values become strings.
pub(crate) fn finish(map: ResMap, keep: Keep) -> Result<Vec<Resource>, Error> {
    let mut map = map;
    let mut resources = map.take();
    for resource in &mut resources {
        set_annotations(resource, keep);
        let canonical = syntax::canonical(resource.node()).map_err(|e| {
            e.during(eco_format!("{}", resource.id()))
                .at(resource.node().span)
        })?;
        *resource.node_mut() = canonical;
    }
    Ok(resources)
}

fn set_annotations(resource: &mut Resource, keep: Keep) {
    let old = resource.node().path(&["metadata", "annotations"]);
    let mut entries: Vec<(EcoString, Node)> = Vec::new();
    let mut changed = old.is_some_and(|old| old.entries().is_empty());
    for entry in old.map_or(&[][..], Node::entries) {
        let key = entry.key.text().cloned().unwrap_or_default();
        // Keys are written anew, without quotes.
        changed |= !scalar::is_plain_string(&key);
        let tracking = key == ORIGIN || key == TRANSFORMATIONS;
        if WORKING.contains(&key.as_str()) || tracking {
            changed = true;
            continue;
        }
        let value = match entry.value.as_str() {
            Some(_) => entry.value.clone(),
            None => {
                changed = true;
                scalar::as_string(&entry.value)
            }
        };
        // Of repeated keys the last counts.
        match entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => {
                changed = true;
                *known = value;
            }
            None => entries.push((key, value)),
        }
    }
    let record = &resource.record;
    if keep.origins
        && let Some(origin) = &record.origin
    {
        entries.push((ORIGIN.into(), Node::string(origin.to_yaml())));
        changed = true;
    }
    if keep.transformations && !record.transformations.is_empty() {
        let text = transformations_yaml(&record.transformations);
        entries.push((TRANSFORMATIONS.into(), Node::string(text)));
        changed = true;
    }
    if !changed && resource.node().get("metadata").is_some() {
        return;
    }
    scalar::set_metadata_map(resource.node_mut(), "annotations", entries);
}
