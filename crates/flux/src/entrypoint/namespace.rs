//! The namespace that the objects of a file get when they name none, read off
//! without building anything.

use ecow::EcoString;
use kustomize::Documents;

use crate::entrypoint::home::path_of;
use crate::entrypoint::overlays;
use crate::entrypoint::survey::Held;
use crate::spec::text;

/// The target namespace of the Kustomization that applies the file, else what the
/// kustomizations on the way from there to the file give, the outermost first.
pub(crate) fn of_file(
    documents: &Documents,
    file: &str,
    kustomizations: &[Held],
) -> Option<EcoString> {
    let (dir, _) = file.rsplit_once('/').unwrap_or(("", file));
    let appliers = kustomizations.iter().filter_map(|held| {
        let path = path_of(held)?;
        // The root of some source says nothing about this file.
        (!path.is_empty() && is_within(dir, &path)).then_some((path, held))
    });
    let Some((path, applier)) = appliers.max_by_key(|(path, _)| path.len()) else {
        return given(documents, dir);
    };
    let target = text(applier.object.node.path(&["spec", "targetNamespace"]));
    target.or_else(|| {
        let mut way: Vec<&str> = Vec::new();
        let mut at = dir;
        while is_within(at, &path) {
            way.push(at);
            match at.rsplit_once('/') {
                Some((above, _)) => at = above,
                None => break,
            }
        }
        way.iter().rev().find_map(|dir| given(documents, dir))
    })
}

/// Whether a directory is another one, or lies in it.
pub(super) fn is_within(dir: &str, of: &str) -> bool {
    let rest = dir.strip_prefix(of);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a directory's kustomization file gives.
fn given(documents: &Documents, dir: &str) -> Option<EcoString> {
    let file = overlays::kustomization(documents, dir)?;
    let namespace = file.namespace.as_ref()?.text.clone();
    (!namespace.is_empty()).then_some(namespace)
}
