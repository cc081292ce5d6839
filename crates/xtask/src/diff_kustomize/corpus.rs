//! Every directory of the corpus that has a kustomization file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::verdict::verdict;
use crate::engine::{Build, Engine, Files, Native, Upstream};
use crate::{corpus, parallel, paths};

const FILE_NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Builds the directories of the packed trees, and with `git` of the trees
/// unpacked from git, and writes what differs to `diff-kustomize.txt`.
pub fn run(git: bool) -> Result<(), String> {
    compare(roots(git)?)
}

/// The same for each directory in `dir` as a tree.
pub fn run_trees(dir: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut roots: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    roots.sort();
    compare(roots)
}

fn compare(roots: Vec<PathBuf>) -> Result<(), String> {
    let mut builds = Vec::new();
    for root in roots {
        for dir in directories(&root) {
            for unrestricted in [true, false] {
                let mut build = Build::on_disk(root.clone(), &dir);
                build.unrestricted = unrestricted;
                builds.push(build);
            }
        }
    }
    let (native, upstream) = (Native::default(), Upstream::new()?);
    let verdicts = parallel::map(&builds, |build| {
        let expected = upstream.kustomize(build).map_err(|e| below_root(build, &e));
        verdict(&upstream, &native.kustomize(build), &expected)
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut listing = String::new();
    for (build, (kind, detail)) in builds.iter().zip(&verdicts) {
        *counts.entry(kind).or_default() += 1;
        if !detail.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(listing, "{kind} · {}\n{detail}\n", name(build));
        }
    }
    for (kind, count) in &counts {
        println!("{kind}: {count} of {}", builds.len());
    }
    let path = paths::target().join("diff-kustomize.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// A message with the tree's root as `/`, as it is natively.
fn below_root(build: &Build, message: &str) -> String {
    match &build.files {
        Files::Disk(root) => message.replace(&*root.to_string_lossy(), ""),
        Files::Memory(_) => message.to_owned(),
    }
}

fn name(build: &Build) -> String {
    let root = match &build.files {
        Files::Disk(root) => root.file_name().unwrap_or_default().to_string_lossy(),
        Files::Memory(_) => "memory".into(),
    };
    let restricted = if build.unrestricted {
        ""
    } else {
        " (files of its root only)"
    };
    format!("{root} {}{restricted}", build.path)
}

/// All unpacked trees.
fn roots(git: bool) -> Result<Vec<PathBuf>, String> {
    let mut roots = Vec::new();
    for (repo, commit) in corpus::repositories()? {
        roots.push(corpus::packed(&repo, &commit)?);
    }
    let unpacked = paths::target().join("git");
    if git && let Ok(entries) = std::fs::read_dir(unpacked) {
        let trees = entries.filter_map(|entry| Some(entry.ok()?.path()));
        roots.extend(
            trees.filter(|path| path.extension().is_none_or(|e| e != "part" && e != "index")),
        );
    }
    roots.sort();
    Ok(roots)
}

/// Directories with a kustomization file, relative to the root, sorted.
pub(crate) fn directories(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut queue = vec![root.to_path_buf()];
    while let Some(dir) = queue.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else {
            continue;
        };
        for entry in entries.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() && name != ".git" {
                queue.push(entry.path());
            } else if FILE_NAMES.iter().any(|known| name == *known)
                && let Ok(relative) = dir.strip_prefix(root)
            {
                found.push(relative.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
