//! Git repositories for tests.

use std::path::Path;
use std::process::Command;

use super::{Request, Response};

pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Answers with `git http-backend`, over repositories in a directory.
pub fn backend(root: &Path, request: &Request) -> Response {
    loopback::backend(root, request.path(), request).unwrap()
}
