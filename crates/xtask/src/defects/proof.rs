//! Proof, by kustomize itself, that a release which a row calls missing is there.

use std::path::Path;
use std::process::Command;

use super::analysis::{Analysis, Placed};
use super::row::Row;
use crate::{corpus, process};

/// Programs that build a directory as upstream does.
const PROGRAMS: [&[&str]; 2] = [&["kustomize", "build"], &["kubectl", "kustomize"]];

/// What an upstream program prints, told in a sentence; `None` where none is at
/// hand, or the release is not among what it prints.
pub fn of(git: &Path, row: &Row, broken: &Analysis) -> Option<String> {
    let placed = row.placed(broken)?;
    let tree = corpus::from_git(git, &row.repo, &row.broken).ok()??;
    let name = row.release();
    let program = PROGRAMS
        .iter()
        .find(|words| prints(words, &tree, placed, name))?;
    let (program, dir) = (program.join(" "), &placed.directory);
    let by = &placed.kustomization;
    Some(format!(
        "`{program} {dir}` prints HelmRelease {name}, which {by} puts into namespace {}",
        placed.namespace
    ))
}

fn prints(words: &[&str], tree: &Path, placed: &Placed, name: &str) -> bool {
    let [program, rest @ ..] = words else {
        return false;
    };
    let mut command = Command::new(program);
    command
        .args(rest)
        .arg(tree.join(&placed.directory))
        .arg("--load-restrictor=LoadRestrictionsNone");
    let Ok(run) = process::run(&mut command) else {
        return false;
    };
    let text = String::from_utf8_lossy(&run.stdout);
    run.code == Some(0)
        && text.split("\n---\n").any(|object| {
            let has = |line: &str| object.lines().any(|other| other == line);
            let written = object
                .lines()
                .find_map(|line| line.strip_prefix("  namespace: "));
            // The Kustomization's target namespace overrides what is written.
            let here = match &placed.target {
                Some(target) => *target == placed.namespace,
                None => written == Some(placed.namespace.as_str()),
            };
            has("kind: HelmRelease") && has(&format!("  name: {name}")) && here
        })
}
