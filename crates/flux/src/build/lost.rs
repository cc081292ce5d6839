//! What a fault of a build keeps from Flux: the Flux objects below the entry of a
//! kustomization that could not be taken in. Others may name them.

use ecow::EcoString;
use kustomize::Documents;
use model::{Identity, Object};
use vfs::Kind;
use yaml::Span;

/// Files that are looked through for one fault.
const MOST_FILES: usize = 500;

/// The Flux objects in the files below the entry that is written at a place. Files
/// that cannot be read hold none.
pub(super) fn below(documents: &Documents, span: Span) -> Vec<Identity> {
    let Some(entry) = entry(documents, span) else {
        return Vec::new();
    };
    let mut files: Vec<EcoString> = Vec::new();
    let tree = documents.tree();
    match tree.probe(&entry) {
        Some(Kind::File) => files.push(entry),
        Some(Kind::Directory) => {
            // What cannot be listed holds nothing.
            let _ = tree.walk(&entry, &mut |path, kind| {
                let yaml = path.ends_with(".yaml") || path.ends_with(".yml");
                if kind == Kind::File && yaml && files.len() < MOST_FILES {
                    files.push(path.into());
                }
                true
            });
        }
        None => {}
    }
    let mut lost = Vec::new();
    for file in files {
        let objects = documents.objects(&file).unwrap_or_default();
        let objects = objects.iter().cloned().filter_map(Object::new);
        lost.extend(
            objects
                .map(|object| object.identity)
                .filter(|identity| identity.group.ends_with(".toolkit.fluxcd.io")),
        );
    }
    lost
}

/// The path that the text at a place names, from the file that holds it.
fn entry(documents: &Documents, span: Span) -> Option<EcoString> {
    let span = documents.sources().resolve(span)?;
    let source = documents.sources().get(span.file)?;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let text = text.trim().trim_matches(['"', '\'']);
    let dir = source.name.rsplit_once('/').map_or("", |(dir, _)| dir);
    vfs::join(dir, text).ok().filter(|path| !path.is_empty())
}
