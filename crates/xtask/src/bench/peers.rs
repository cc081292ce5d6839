//! Programs that are compared with, each built once from the Go modules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::paths;

/// A program, built by `go install` of a package at a version.
pub fn installed(name: &str, package: &str) -> Result<PathBuf, String> {
    built(name, |dir| {
        let mut command = Command::new("go");
        command.args(["install", package]).env("GOBIN", dir);
        // A module may ask for a later toolchain than the one that is there.
        succeeded(command.env("GOTOOLCHAIN", "auto"))
    })
}

/// The `flux` program of a version. What it installs in clusters is no part of
/// its module: an empty file takes the place.
pub fn flux(version: &str) -> Result<PathBuf, String> {
    built("flux", |dir| {
        let failed = |e: std::io::Error| format!("the sources of flux: {e}");
        let module = module(&format!("github.com/fluxcd/flux2/v2@v{version}"))?;
        let sources = dir.join("flux-sources");
        copy(&module, &sources).map_err(failed)?;
        let embedded = sources.join("cmd/flux/manifests");
        fs::create_dir_all(&embedded).map_err(failed)?;
        fs::write(embedded.join("none.yaml"), "").map_err(failed)?;
        let stamp = format!("-X main.VERSION={version}");
        let mut command = Command::new("go");
        command.args(["build", "-ldflags", &stamp, "-o"]);
        command.arg(dir.join("flux")).arg("./cmd/flux");
        succeeded(command.current_dir(&sources))?;
        fs::remove_dir_all(&sources).map_err(failed)
    })
}

fn built(name: &str, build: impl Fn(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    let dir = paths::target().join("peers");
    let program = dir.join(name);
    if !program.is_file() {
        fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        build(&dir)?;
    }
    Ok(program)
}

/// The directory of a Go module.
fn module(name: &str) -> Result<PathBuf, String> {
    let mut command = Command::new("go");
    command.args(["mod", "download", "-json", name]);
    let output = command.output();
    let output = output.map_err(|e| format!("the Go toolchain cannot be run: {e}"))?;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let dir = answer["Dir"].as_str();
    dir.map(PathBuf::from)
        .ok_or_else(|| format!("{name} cannot be downloaded: {}", answer["Error"]))
}

/// Copies a tree of files. The modules' own files cannot be written.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::write(&to, fs::read(&from)?)?;
        }
    }
    Ok(())
}

fn succeeded(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|e| format!("the Go toolchain cannot be run: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?} failed")),
    }
}
