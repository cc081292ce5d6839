//! Roots whose path is patched in: a base holds the root Kustomization once, and
//! each cluster's own kustomization names, in a patch, the directory it lies in.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use model::Object;
use rustc_hash::{FxHashMap, FxHashSet};
use vfs::Kind;

use crate::entrypoint::home::path_of;
use crate::entrypoint::namespace::is_within;
use crate::entrypoint::overlays;
use crate::entrypoint::survey::{Held, is_kustomization, sources_among};
use crate::entrypoint::{Entrypoint, self_applied};

/// The Kustomizations among some that are none themselves, but patches that a
/// kustomization file names, are taken out. Returns the others, and the roots that
/// the patches make.
pub(crate) fn split(documents: &Documents, held: &[Held]) -> (Vec<Held>, Vec<Entrypoint>) {
    let incomplete = |held: &Held| held.object.node.path(&["spec", "sourceRef"]).is_none();
    if !held.iter().any(incomplete) {
        return (held.to_vec(), Vec::new());
    }
    let users = users(documents);
    let is_patch = |held: &&Held| incomplete(held) && users.contains_key(&held.file);
    let (patches, kept): (Vec<&Held>, Vec<&Held>) = held.iter().partition(is_patch);
    let mut seen = FxHashSet::default();
    let mut roots = Vec::new();
    for patch in patches {
        let Some(path) = path_of(patch).filter(|path| !path.is_empty()) else {
            continue;
        };
        let mut used = users.get(&patch.file).into_iter().flatten();
        let inside = used.any(|dir| is_within(dir, &path));
        if inside && seen.insert(path.clone()) {
            roots.extend(root(documents, patch, path));
        }
    }
    (kept.into_iter().cloned().collect(), roots)
}

/// Which directories' kustomization files name a file as a patch.
fn users(documents: &Documents) -> FxHashMap<EcoString, Vec<EcoString>> {
    let mut users: FxHashMap<EcoString, Vec<EcoString>> = FxHashMap::default();
    for dir in overlays::directories(documents) {
        let Some(file) = overlays::kustomization(documents, &dir) else {
            continue;
        };
        let patches = file.patches.iter().filter_map(|patch| patch.path.as_ref());
        for item in patches.chain(&file.patches_strategic_merge) {
            if let Ok(path) = vfs::join(&dir, &item.text)
                && documents.tree().probe(&path) == Some(Kind::File)
            {
                users.entry(path).or_default().push(dir.clone());
            }
        }
    }
    users
}

/// The Kustomization that the directory of a patch makes, when it applies that very
/// directory.
fn root(documents: &Documents, patch: &Held, path: EcoString) -> Option<Entrypoint> {
    let built = kustomize::build(documents, &path, &kustomize::Options::default()).ok()?;
    let objects = built.resources.into_iter();
    let objects: Vec<Arc<Object>> = objects
        .filter_map(|resource| Object::new(resource.into_node()))
        .map(Arc::new)
        .collect();
    let patched = &patch.object.identity;
    let object = objects.iter().find(|object| {
        let made = &object.identity;
        is_kustomization(object)
            && made.name == patched.name
            && (patched.namespace.is_empty() || made.namespace == patched.namespace)
    })?;
    let made = Held {
        file: patch.file.clone(),
        object: object.clone(),
        sources: sources_among(&objects),
    };
    (path_of(&made)? == path).then(|| Entrypoint {
        bootstrap: self_applied(&made.object, &made.sources),
        path,
    })
}
