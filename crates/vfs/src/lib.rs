//! Read-only file trees.
//!
//! A [`Tree`] is cheap to clone and never changes while it is read. Paths are
//! relative to the tree's root, separated by `/`, without `.` or `..`; the
//! root itself is the empty path. Nothing outside the root can be read.

mod archive;
#[cfg(feature = "git")]
mod commit;
mod disk;
mod filtered;
mod gitindex;
mod links;
mod listing;
mod mapped;
mod memory;
mod overlay;
mod path;
mod record;
#[cfg(feature = "git")]
mod repository;
mod worktree;

use std::sync::Arc;

use ecow::EcoString;

pub use archive::{ArchiveLimits, unpack_tar_gz, unpack_with_links};
#[cfg(feature = "git")]
pub use commit::Commit;
pub use disk::{Disk, MAX_FILE};
pub use filtered::Filtered;
pub use mapped::{Mapped, Subtree};
pub use memory::Memory;
pub use overlay::Overlay;
pub use path::{join, normalize};
pub use record::{Recorder, Trace};
#[cfg(feature = "git")]
pub use repository::{GitRepository, RevisionError};
pub use worktree::WorkTree;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DirEntry {
    /// The name, without its directory.
    pub name: EcoString,
    /// Whether it is a directory.
    pub directory: bool,
}

/// Why a path could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Nothing stands there.
    NotFound(EcoString),
    /// A directory where a file was asked for.
    IsDirectory(EcoString),
    /// A file where a directory was asked for.
    NotDirectory(EcoString),
    /// The path leads out of the tree.
    Outside(EcoString),
    /// The file is larger than the tree allows, in bytes.
    TooLarge(EcoString, u64),
    /// The operating system's own message.
    Io(EcoString, EcoString),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::NotFound(path) => write!(f, "{path}: no such file or directory"),
            Error::IsDirectory(path) => write!(f, "{path}: is a directory"),
            Error::NotDirectory(path) => write!(f, "{path}: not a directory"),
            Error::Outside(path) => write!(f, "{path}: outside of the tree"),
            Error::TooLarge(path, size) => write!(f, "{path}: {size} bytes is too large"),
            Error::Io(path, message) => write!(f, "{path}: {message}"),
        }
    }
}

impl std::error::Error for Error {}

/// What a tree is made of. Paths are normalized before they arrive here.
pub trait Backend: Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error>;
    /// The names in a directory, sorted by name.
    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error>;
    /// What stands at a path, or `None`.
    fn probe(&self, path: &str) -> Option<Kind>;
    /// The path of the same file or directory with symbolic links followed; the
    /// path itself where there are none.
    fn real(&self, path: &str) -> EcoString {
        path.into()
    }
    /// The path people know a file by; not the same where files were taken
    /// from elsewhere.
    fn origin(&self, path: &str) -> EcoString {
        path.into()
    }
}

/// Directories within one another that [`Tree::walk`] goes down.
const MAX_DEPTH: usize = 256;

/// A read-only file tree.
#[derive(Clone)]
pub struct Tree(Arc<dyn Backend>);

impl Tree {
    /// A tree over any backend.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Tree(Arc::new(backend))
    }

    /// Whether it is the same tree, not only an equal one.
    pub fn is(&self, other: &Tree) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.0.read(&normalize(path)?)
    }

    /// The names in a directory, sorted by name.
    pub fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.0.list(&normalize(path)?)
    }

    /// What stands at a path; `None` for nothing and for what lies outside.
    pub fn probe(&self, path: &str) -> Option<Kind> {
        self.0.probe(&normalize(path).ok()?)
    }

    /// The path with symbolic links followed, where the tree has any; the path
    /// itself where nothing stands there.
    pub fn real(&self, path: &str) -> EcoString {
        normalize(path).map_or_else(|_| path.into(), |path| self.0.real(&path))
    }

    /// The path people know a file by: where it stands in the tree it was
    /// taken from, for trees made of parts of others.
    pub fn origin(&self, path: &str) -> EcoString {
        match normalize(path) {
            Ok(path) => self.0.origin(&path),
            Err(_) => path.into(),
        }
    }

    /// Visits everything below a directory, each directory before what it
    /// holds and names in order. A directory is not descended into when
    /// `visit` says no to it. Fails where a directory cannot be listed.
    pub fn walk(&self, dir: &str, visit: &mut dyn FnMut(&str, Kind) -> bool) -> Result<(), Error> {
        self.walk_below(&normalize(dir)?, visit, 0)
    }

    fn walk_below(
        &self,
        dir: &str,
        visit: &mut dyn FnMut(&str, Kind) -> bool,
        depth: usize,
    ) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Io(dir.into(), "directories nest too deeply".into()));
        }
        for entry in self.0.list(dir)? {
            let path = path::child(dir, &entry.name);
            if !entry.directory {
                visit(&path, Kind::File);
            } else if visit(&path, Kind::Directory) {
                self.walk_below(&path, visit, depth + 1)?;
            }
        }
        Ok(())
    }
}
