//! Git repositories made of the corpus mirror's trees: a commit a reference.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::places::{Places, References};

/// Bare repositories in a directory, by host and path of their address.
pub struct Repositories {
    /// The directory.
    pub root: PathBuf,
    by_address: BTreeMap<String, String>,
    /// Trees that are named by a commit, which nobody can make again: address,
    /// commit and file.
    pub by_commit: Vec<(String, String, String)>,
}

impl Repositories {
    /// Makes a repository of each address in the mirror.
    pub fn make(places: &Places, root: &Path) -> Result<Repositories, String> {
        let mut made = Repositories {
            root: root.to_path_buf(),
            by_address: BTreeMap::new(),
            by_commit: Vec::new(),
        };
        for (url, references) in &places.git {
            let address = address(url);
            let name = format!("{}.git", made.by_address.len());
            let known = made.by_address.entry(address).or_insert(name).clone();
            let repository = root.join(known);
            if !repository.exists() {
                fs::create_dir_all(&repository).map_err(|e| e.to_string())?;
                git(&repository, &["init", "--quiet", "--bare", "."])?;
            }
            made.fill(&repository, url, references, places)?;
        }
        Ok(made)
    }

    fn fill(
        &mut self,
        repository: &Path,
        url: &str,
        references: &References,
        places: &Places,
    ) -> Result<(), String> {
        for (reference, file) in references {
            let is_commit =
                reference.len() == 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_commit {
                let entry = (url.to_owned(), reference.clone(), file.clone());
                self.by_commit.push(entry);
                continue;
            }
            let commit = commit(repository, &places.root.join(file))?;
            // Which of both it is, the mirror does not say.
            for kind in ["heads", "tags"] {
                let name = format!("refs/{kind}/{reference}");
                git(repository, &["update-ref", &name, &commit])?;
            }
        }
        Ok(())
    }

    /// The repository that a path of an address begins with, and what is asked
    /// of it.
    pub fn find<'a>(&self, host_and_path: &'a str) -> Option<(&str, &'a str)> {
        let ends = ["/info/refs", "/git-upload-pack"];
        let end = ends.iter().find(|end| host_and_path.ends_with(*end))?;
        let own = host_and_path.strip_suffix(end)?;
        let asked = host_and_path.get(own.len()..)?;
        let own = own.strip_suffix(".git").unwrap_or(own);
        self.by_address.get(own).map(|name| (name.as_str(), asked))
    }
}

/// Host and path of an address.
fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = match rest.split_once('@') {
        Some((_, rest)) => rest,
        None => rest,
    };
    rest.strip_suffix(".git").unwrap_or(rest).to_owned()
}

/// A commit of the files of an archive.
fn commit(repository: &Path, archive: &Path) -> Result<String, String> {
    let files = repository.join("files");
    let _ = fs::remove_dir_all(&files);
    fs::create_dir_all(&files).map_err(|e| e.to_string())?;
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(&files)
        .status();
    if !unpacked.is_ok_and(|status| status.success()) {
        return Err(format!("cannot unpack {}", archive.display()));
    }
    let work = format!("--work-tree={}", files.display());
    // Nothing of an earlier tree stays.
    git(repository, &["read-tree", "--empty"])?;
    git(repository, &[&work, "add", "--all", "--force", "."])?;
    let tree = git(repository, &["write-tree"])?;
    let commit = git(repository, &["commit-tree", "-m", "x", &tree]);
    let _ = fs::remove_dir_all(&files);
    commit
}

/// What a `git` in a bare repository prints.
pub fn git(repository: &Path, arguments: &[&str]) -> Result<String, String> {
    let done = Command::new("git")
        .current_dir(repository)
        .env("GIT_DIR", repository)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"])
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("git: {error}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned()),
        false => Err(format!(
            "git {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}
