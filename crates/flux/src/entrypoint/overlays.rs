//! Bootstraps that a `gotk-sync.yaml` without a path is only the base of: each
//! cluster's own kustomization patches the path in.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use kustomize::kustomization::Kustomization;
use model::Object;
use vfs::Kind;

use crate::entrypoint::survey::{Sync, gotk_sync};

/// The bootstraps that directories make of a base by listing it and patching its
/// Kustomization's path.
pub(crate) fn find(documents: &Documents, base: &Sync) -> Vec<Sync> {
    directories(documents)
        .iter()
        .filter(|dir| lists(documents, dir, &base.file))
        .filter_map(|dir| overlay(documents, dir, base))
        .collect()
}

/// Directories with a kustomization file, in order.
pub(super) fn directories(documents: &Documents) -> Vec<EcoString> {
    let mut found = Vec::new();
    // What cannot be listed holds no overlay.
    let _ = documents.tree().walk("", &mut |path, kind| {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        if kind == Kind::File && crate::generate::FILE_NAMES.contains(&name) {
            found.push(EcoString::from(dir));
        }
        true
    });
    found.sort();
    found
}

/// A directory's kustomization file, if it can be read.
pub(super) fn kustomization(documents: &Documents, dir: &str) -> Option<Arc<Kustomization>> {
    let mut files = crate::generate::FILE_NAMES.iter().filter_map(|name| {
        let path = vfs::join(dir, name).ok()?;
        documents.kustomization(&path).ok()
    });
    files.next()
}

/// Whether a directory's kustomization file names the base's file, or the
/// directory it lies in.
fn lists(documents: &Documents, dir: &str, base: &str) -> bool {
    let (home, _) = base.rsplit_once('/').unwrap_or(("", base));
    if dir == home {
        return false;
    }
    kustomization(documents, dir).is_some_and(|kustomization| {
        kustomization
            .resources
            .iter()
            .filter_map(|item| vfs::join(dir, &item.text).ok())
            .any(|path| path == home || path == base)
    })
}

/// What a directory makes of the base; nothing when it gives no path.
fn overlay(documents: &Documents, dir: &EcoString, base: &Sync) -> Option<Sync> {
    let built = kustomize::build(documents, dir, &kustomize::Options::default()).ok()?;
    let objects: Vec<Arc<Object>> = built
        .resources
        .into_iter()
        .filter_map(|resource| Object::new(resource.into_node()))
        .map(Arc::new)
        .collect();
    let made = gotk_sync(&base.file, &objects)?;
    (made.key() == base.key() && !made.path.is_empty()).then_some(made)
}
