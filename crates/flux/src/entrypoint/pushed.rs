//! Which directory of this repository an artifact holds that was pushed from it.
//!
//! What a registry or a bucket delivers was pushed there by `flux push artifact
//! --path DIR` or its like: paths in it start at that directory, which no manifest
//! names.

use ecow::EcoString;
use kustomize::Documents;
use vfs::Kind;

use crate::generate::FILE_NAMES;

/// The directory that the artifact of a bootstrap holds; empty for the whole
/// repository. `file` holds the bootstrap, `path` is its root's path in the
/// artifact. It is the topmost directory above the file from which the path leads
/// to a directory; where the path is the artifact's root, the topmost one with a
/// kustomization file.
pub(crate) fn directory(documents: &Documents, file: &str, path: &str) -> EcoString {
    let Ok(path) = vfs::normalize(path) else {
        return EcoString::new();
    };
    let tree = documents.tree();
    let leads = |directory: &&str| match path.as_str() {
        "" => FILE_NAMES.iter().any(|name| {
            let file = vfs::join(directory, name);
            file.is_ok_and(|file| tree.probe(&file) == Some(Kind::File))
        }),
        path => {
            vfs::join(directory, path).is_ok_and(|path| tree.probe(&path) == Some(Kind::Directory))
        }
    };
    above(file).find(leads).unwrap_or_default().into()
}

/// The directories that a file lies in, the topmost first.
fn above(file: &str) -> impl Iterator<Item = &str> {
    let ends = file.match_indices('/').map(|(at, _)| at);
    std::iter::once("").chain(ends.filter_map(|end| file.get(..end)))
}
