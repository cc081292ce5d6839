//! Real repositories as directories on disk, each unpacked once.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::paths;

/// The tree of a packed repository (`owner/name`) at a commit, below the build
/// directory.
pub fn packed(repo: &str, commit: &str) -> Result<PathBuf, String> {
    let archive = paths::need_shared()?
        .join("corpus/repos")
        .join(format!("{}.tar.gz", repo.replace('/', "__")));
    once("corpus", repo, commit, |dir| {
        let file = File::open(&archive).map_err(|e| format!("{}: {e}", archive.display()))?;
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
        // Archives hold no owner or time that matters, and unpacking refuses
        // names that lead out of the directory.
        tar.set_preserve_permissions(false);
        tar.unpack(dir)
            .map_err(|e| format!("{}: {e}", archive.display()))
    })
}

/// The tree of a repository at a commit of a git directory below `dir`, or
/// `None` when no such git directory holds the commit.
pub fn from_git(dir: &Path, repo: &str, commit: &str) -> Result<Option<PathBuf>, String> {
    let Some(git_dir) = git_directory(dir, repo) else {
        return Ok(None);
    };
    if git(
        &git_dir,
        &["cat-file", "-e", &format!("{commit}^{{commit}}")],
        None,
    )
    .is_err()
    {
        return Ok(None);
    }
    once("git", repo, commit, |into| {
        let index = into.with_extension("index");
        let tree = format!("--work-tree={}", into.display());
        git(&git_dir, &["read-tree", commit], Some(&index))?;
        // A snapshot may lack large blobs: what is there is written anyway, and
        // the build that needs another file says so.
        let _ = git(
            &git_dir,
            &[&tree, "checkout-index", "-a", "-q"],
            Some(&index),
        );
        std::fs::remove_file(&index).map_err(|e| e.to_string())
    })
    .map(Some)
}

/// `owner+name` below `dir`, or a folder in it, that is a git directory.
pub fn git_directory(dir: &Path, repo: &str) -> Option<PathBuf> {
    let base = dir.join(repo.replace('/', "+"));
    ["", "repo", "repo/.git", ".git"]
        .iter()
        .map(|below| base.join(below))
        .find(|path| path.join("HEAD").is_file() && path.join("objects").is_dir())
}

fn git(git_dir: &Path, args: &[&str], index: Option<&Path>) -> Result<(), String> {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(git_dir).args(args);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("git cannot be run: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("git {} failed", args.join(" ")))
    }
}

/// A directory that is filled once: a half-filled one never has its final name.
fn once(
    kind: &str,
    repo: &str,
    commit: &str,
    fill: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let parent = paths::target().join(kind);
    let name = format!("{}@{commit}", repo.replace('/', "__"));
    let dir = parent.join(&name);
    if dir.is_dir() {
        return Ok(dir);
    }
    let part = parent.join(format!("{name}.part"));
    if part.exists() {
        std::fs::remove_dir_all(&part).map_err(|e| format!("{}: {e}", part.display()))?;
    }
    std::fs::create_dir_all(&part).map_err(|e| format!("{}: {e}", part.display()))?;
    fill(&part)?;
    std::fs::rename(&part, &dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(dir)
}

/// All packed repositories: name and commit, in the order of `repos.yaml`,
/// known from the rows of `render-oracle-packed.jsonl`.
pub fn repositories() -> Result<Vec<(String, String)>, String> {
    let path = paths::need_shared()?.join("corpus/render-oracle-packed.jsonl");
    let mut found: Vec<(String, String)> = Vec::new();
    for row in crate::lines::read::<serde_json::Value>(&path)? {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let repo = (text("repo"), text("commit"));
        if !found.contains(&repo) {
            found.push(repo);
        }
    }
    Ok(found)
}
