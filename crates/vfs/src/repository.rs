//! Git repositories: from a revision, as people write it, to its files.

use std::path::Path;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use gix::bstr::ByteSlice;
use gix::{ObjectId, ThreadSafeRepository};

use crate::{Commit, Error};

/// A git repository on disk, bare or with a working tree. Only its own
/// configuration counts, not the user's or the system's.
#[derive(Clone)]
pub struct GitRepository {
    shared: Arc<ThreadSafeRepository>,
    /// The directory asked for, seen from the working tree's root.
    prefix: EcoString,
}

/// Why a revision gives no commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevisionError {
    /// There is no repository at a directory, or it cannot be opened; with the
    /// cause.
    NoRepository(EcoString),
    /// Nothing is called so; with the cause.
    Unknown(EcoString),
    /// Nothing is called so, but the history was cut off when it was fetched.
    Shallow(EcoString),
    /// It names a file or a directory, or several commits.
    NoCommit(EcoString),
    /// The commit cannot be read.
    Broken(Error),
}

impl std::fmt::Display for RevisionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RevisionError::NoRepository(cause) | RevisionError::Unknown(cause) => {
                f.write_str(cause)
            }
            RevisionError::Shallow(cause) => write!(
                f,
                "{cause}; only a part of the history is here (a shallow clone)"
            ),
            RevisionError::NoCommit(what) => write!(f, "it names {what}, not a commit"),
            RevisionError::Broken(error) => write!(f, "the commit cannot be read: {error}"),
        }
    }
}

impl std::error::Error for RevisionError {}

impl GitRepository {
    /// The repository that a directory is: the root of a working tree, or a git
    /// directory.
    pub fn open(dir: &Path) -> Result<Self, RevisionError> {
        let options = gix::open::Options::isolated();
        let shared = options.open(dir).map_err(no_repository)?;
        Ok(GitRepository {
            shared: Arc::new(shared),
            prefix: EcoString::new(),
        })
    }

    /// The repository that a directory is, or lies in.
    pub fn around(dir: &Path) -> Result<Self, RevisionError> {
        let dir = dir.canonicalize().map_err(no_repository)?;
        let mut cause = None;
        for above in dir.ancestors() {
            match GitRepository::open(above) {
                Ok(mut found) => {
                    found.prefix = below(above, &dir)?;
                    return Ok(found);
                }
                Err(error) => cause = cause.or(Some(error)),
            }
        }
        Err(cause.unwrap_or_else(|| no_repository("no directory")))
    }

    /// The directory that [`GitRepository::around`] was asked for, seen from
    /// the root of the repository's trees.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The addresses that it is fetched from.
    pub fn remotes(&self) -> Vec<EcoString> {
        let repository = self.shared.to_thread_local();
        let names = repository.remote_names();
        let remotes = names
            .iter()
            .filter_map(|name| repository.find_remote(name.as_bstr()).ok());
        let address = |remote: gix::Remote<'_>| {
            let url = remote.url(gix::remote::Direction::Fetch)?;
            Some(eco_format!("{}", url.to_bstring()))
        };
        remotes.filter_map(address).collect()
    }

    /// The files of a commit. `revision` is a branch, a tag, a hash or the
    /// beginning of one, `HEAD~2`: what `git rev-parse` understands as one
    /// commit.
    pub fn commit(&self, revision: &str) -> Result<Commit, RevisionError> {
        let (id, tree) = self.resolve(revision)?;
        Commit::new(&self.shared, id, tree).map_err(RevisionError::Broken)
    }

    fn resolve(&self, revision: &str) -> Result<(ObjectId, ObjectId), RevisionError> {
        let repository = self.shared.to_thread_local();
        let unknown = |error: gix::Error| {
            let cause = eco_format!("{error}");
            match repository.is_shallow() {
                Ok(true) => RevisionError::Shallow(cause),
                _ => RevisionError::Unknown(cause),
            }
        };
        let spec = repository.rev_parse(revision).map_err(unknown)?;
        let Some(id) = spec.single() else {
            return Err(RevisionError::NoCommit("a range of commits".into()));
        };
        let object = id.object().map_err(unknown)?;
        let commit = object.peel_tags_to_end().map_err(unknown)?;
        let commit = match commit.kind {
            gix::object::Kind::Commit => commit.into_commit(),
            other => return Err(RevisionError::NoCommit(eco_format!("a {other}"))),
        };
        let tree = commit.tree_id().map_err(unknown)?;
        Ok((commit.id, tree.detach()))
    }
}

fn no_repository(error: impl std::fmt::Display) -> RevisionError {
    RevisionError::NoRepository(eco_format!("{error}"))
}

fn below(root: &Path, dir: &Path) -> Result<EcoString, RevisionError> {
    let rest = dir.strip_prefix(root).ok().and_then(Path::to_str);
    match rest.map(crate::normalize) {
        Some(Ok(path)) => Ok(path),
        _ => Err(no_repository(format!(
            "the path {} is not UTF-8",
            dir.display()
        ))),
    }
}
