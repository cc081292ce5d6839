//! `--rev`: a commit in place of the working tree.

use std::path::Path;

use vfs::{GitRepository, RevisionError, Subtree, Tree};

use crate::failure::Failure;

/// The files of a commit below the directory `root`, which is a repository or
/// lies in one.
pub fn tree(root: &Path, revision: &str) -> Result<Tree, Failure> {
    let cannot = |error| unreadable(root, revision, error);
    let repository = GitRepository::around(root).map_err(cannot)?;
    let commit = Tree::new(repository.commit(revision).map_err(cannot)?);
    match repository.prefix() {
        "" => Ok(commit),
        directory => match Subtree::new(commit, directory) {
            Ok(tree) => Ok(Tree::new(tree)),
            Err(error) => Err(
                Failure::new(format!("no directory `{directory}` in `{revision}`"))
                    .because(error)
                    .help("name a directory that the commit has with --repo"),
            ),
        },
    }
}

fn unreadable(root: &Path, revision: &str, error: RevisionError) -> Failure {
    let root = root.display();
    let (message, help) = match error {
        RevisionError::NoRepository(_) => (
            format!("cannot read `{revision}`: no git repository in {root}"),
            "name the repository with --repo",
        ),
        RevisionError::Shallow(_) => (
            format!("no commit is called `{revision}` in {root}"),
            "fetch more of the history, as `git fetch --unshallow` does",
        ),
        RevisionError::Broken(_) => (
            format!("cannot read the commit `{revision}` of {root}"),
            "`git fsck` tells what the repository lacks",
        ),
        _ => (
            format!("no commit is called `{revision}` in {root}"),
            "write a branch, a tag, a hash or the like of HEAD~2; \
             `git rev-parse` tells whether git knows it",
        ),
    };
    Failure::new(message).because(error).help(help)
}
