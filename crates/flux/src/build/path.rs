//! `spec.path`.

use ecow::EcoString;
use kustomize::Documents;
use vfs::Kind;

/// Directories that are offered instead of a missing one.
const MAX_CANDIDATES: usize = 5;

/// A path below the root of the artifact; what leads out of it is cut off.
pub(super) fn join(path: &str) -> EcoString {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/").into()
}

/// Directories with the same last name; of these, those that have the most names
/// at the end in common.
pub(super) fn candidates(documents: &Documents, missing: &str) -> Vec<EcoString> {
    let Some(name) = missing.rsplit('/').next().filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let mut found: Vec<(usize, EcoString)> = Vec::new();
    // A tree that cannot be walked has no candidates.
    let _ = documents.tree().walk("", &mut |path, kind| {
        if kind == Kind::Directory && path.rsplit('/').next() == Some(name) {
            found.push((common_end(path, missing), path.into()));
        }
        true
    });
    let most = found.iter().map(|(common, _)| *common).max();
    found.retain(|(common, _)| Some(*common) == most);
    found.truncate(MAX_CANDIDATES);
    found.into_iter().map(|(_, path)| path).collect()
}

fn common_end(a: &str, b: &str) -> usize {
    a.rsplit('/')
        .zip(b.rsplit('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_artifact() {
        for (path, joined) in [
            ("", ""),
            ("./", ""),
            ("/", ""),
            ("./apps//x/", "apps/x"),
            ("/apps/x", "apps/x"),
            ("../../x", "x"),
            ("a/../../b/../c", "c"),
        ] {
            assert_eq!(join(path), joined, "{path}");
        }
    }
}
