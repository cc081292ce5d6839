//! Where things are.

use std::path::PathBuf;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    match manifest.ancestors().nth(2) {
        Some(root) => root.to_path_buf(),
        None => manifest,
    }
}

/// Where builds and caches go.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The shared test data, `../shared` or `$FLUXLINT_SHARED`. They are upstream's
/// or other people's material and never part of this repository.
pub fn shared() -> Option<PathBuf> {
    let dir = match std::env::var_os("FLUXLINT_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => root().join("../shared"),
    };
    dir.is_dir().then_some(dir)
}

/// [`shared`] for commands that make no sense without it.
pub fn need_shared() -> Result<PathBuf, String> {
    shared().ok_or_else(|| {
        "no corpus: neither ../shared nor $FLUXLINT_SHARED is a directory".to_owned()
    })
}
