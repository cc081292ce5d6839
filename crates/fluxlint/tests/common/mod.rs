//! Running the program as people do.

#![allow(dead_code)] // Each test file uses its part.

use std::path::{Path, PathBuf};

use snapbox::cmd::{Command, cargo_bin};

/// The workspace's root: where people stand when they follow the README.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program with arguments, run in the workspace's root.
pub fn fluxlint(args: &[&str]) -> Command {
    Command::new(cargo_bin!("fluxlint"))
        .current_dir(root())
        .env_remove("NO_COLOR")
        // No test asks a real host, or finds what an earlier one had.
        .env("FLUXLINT_OFFLINE", "1")
        .env("FLUXLINT_CACHE_DIR", root().join("target/tmp/no-cache"))
        .args(args)
}

/// A directory of files.
pub fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}
