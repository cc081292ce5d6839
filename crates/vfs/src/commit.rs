//! The files of a git commit, read from the object database.

use std::sync::{Arc, Mutex};

use ecow::{EcoString, eco_format};
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository, ThreadSafeRepository};
use rustc_hash::FxHashMap;

use crate::disk::MAX_FILE;
use crate::listing::Listing;
use crate::path::child;
use crate::{Backend, DirEntry, Error, Kind};

/// Names a commit may have; a few small objects could make any number of them.
const MAX_NAMES: usize = 1_000_000;
/// Bytes of the path that a symbolic link leads to.
const MAX_TARGET: u64 = 4096;
/// Directories within one another.
const MAX_DEPTH: usize = 200;
/// Bytes of unpacked objects a reader keeps, since others are deltas of them.
const OBJECT_CACHE: usize = 4 << 20;

/// The files of one commit, as [`crate::WorkTree`] gives them after a checkout
/// of it: without symbolic links, without submodules, without names that are no
/// UTF-8.
///
/// Directories are read once, when the tree is made, a file's bytes when they
/// are asked for. Nothing is checked out and no other program runs.
pub struct Commit {
    id: ObjectId,
    listing: Listing,
    blobs: FxHashMap<EcoString, ObjectId>,
    links: Vec<(EcoString, ObjectId)>,
    submodules: Vec<(EcoString, ObjectId)>,
    readers: Readers,
    max_file: u64,
}

impl Commit {
    /// The files below the tree object `tree` of the commit `id`.
    pub(crate) fn new(
        shared: &Arc<ThreadSafeRepository>,
        id: ObjectId,
        tree: ObjectId,
    ) -> Result<Self, Error> {
        let readers = Readers::new(shared.clone());
        let mut commit = Commit {
            id,
            listing: Listing::default(),
            blobs: FxHashMap::default(),
            links: Vec::new(),
            submodules: Vec::new(),
            readers,
            max_file: MAX_FILE,
        };
        commit.listing.add_dir("");
        commit.readers.clone().with(|repository| {
            let mut names = 0;
            let mut open = vec![(EcoString::new(), tree, 0)];
            while let Some((path, tree, depth)) = open.pop() {
                if depth > MAX_DEPTH {
                    return Err(Error::Io(path, "directories nest too deeply".into()));
                }
                let below = commit.directory(repository, &path, tree, &mut names)?;
                open.extend(below.into_iter().map(|(path, id)| (path, id, depth + 1)));
            }
            Ok(())
        })?;
        commit.listing.finish();
        Ok(commit)
    }

    /// Files larger than this many bytes cannot be read.
    pub fn with_max_file(mut self, bytes: u64) -> Self {
        self.max_file = bytes;
        self
    }

    /// The commit's id, in hexadecimal digits.
    pub fn id(&self) -> EcoString {
        eco_format!("{}", self.id)
    }

    /// Its symbolic links, which are no files of the tree: the path of each and
    /// the path it leads to, as written. Those that hold no path are left out.
    pub fn links(&self) -> Result<Vec<(EcoString, EcoString)>, Error> {
        self.readers.with(|repository| {
            let mut links = Vec::new();
            for (path, id) in &self.links {
                let header = repository.find_header(*id);
                if header.map_err(|_| missing(path, *id))?.size() > MAX_TARGET {
                    continue;
                }
                let object = find(repository, path, *id)?;
                if let Ok(target) = std::str::from_utf8(&object.data) {
                    links.push((path.clone(), target.into()));
                }
            }
            Ok(links)
        })
    }

    /// Its submodules, which are no directories of the tree: the path of each
    /// and the commit that belongs there, in hexadecimal digits.
    pub fn submodules(&self) -> Vec<(EcoString, EcoString)> {
        let submodules = self.submodules.iter();
        submodules
            .map(|(path, id)| (path.clone(), eco_format!("{id}")))
            .collect()
    }

    /// Adds the names of a directory; returns the directories among them.
    fn directory(
        &mut self,
        repository: &Repository,
        path: &str,
        tree: ObjectId,
        names: &mut usize,
    ) -> Result<Vec<(EcoString, ObjectId)>, Error> {
        let mut directories = Vec::new();
        let object = find(repository, path, tree)?;
        for entry in gix::objs::TreeRefIter::from_bytes(&object.data, tree.kind()) {
            let entry = entry.map_err(|error| broken(path, &error))?;
            *names += 1;
            if *names > MAX_NAMES {
                let message = "more files than a repository has";
                return Err(Error::Io(path.into(), message.into()));
            }
            let Some(name) = std::str::from_utf8(entry.filename).ok().filter(is_name) else {
                continue;
            };
            let path = child(path, name);
            match entry.mode.kind() {
                EntryKind::Tree => {
                    self.listing.add_dir(&path);
                    directories.push((path, entry.oid.to_owned()));
                }
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    self.listing.add_file(&path);
                    self.blobs.insert(path, entry.oid.to_owned());
                }
                EntryKind::Link => self.links.push((path, entry.oid.to_owned())),
                EntryKind::Commit => self.submodules.push((path, entry.oid.to_owned())),
            }
        }
        Ok(directories)
    }
}

/// What git would check out. A tree object is written by anybody.
fn is_name(name: &&str) -> bool {
    !matches!(*name, "" | "." | ".." | ".git") && !name.contains('/')
}

impl Backend for Commit {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.listing.check_file(path)?;
        let id = self
            .blobs
            .get(path)
            .ok_or_else(|| Error::NotFound(path.into()))?;
        self.readers.with(|repository| {
            let header = repository.find_header(*id);
            let size = header.map_err(|_| missing(path, *id))?.size();
            if size > self.max_file {
                return Err(Error::TooLarge(path.into(), size));
            }
            let mut object = find(repository, path, *id)?;
            Ok(std::mem::take(&mut object.data).into())
        })
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.listing.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.listing.probe(path)
    }
}

fn find<'r>(
    repository: &'r Repository,
    path: &str,
    id: ObjectId,
) -> Result<gix::Object<'r>, Error> {
    match repository.try_find_object(id) {
        Ok(Some(object)) => Ok(object),
        Ok(None) => Err(missing(path, id)),
        Err(error) => Err(broken(path, &error)),
    }
}

fn missing(path: &str, id: ObjectId) -> Error {
    let message = eco_format!("git object {id} is not in the repository");
    Error::Io(path.into(), message)
}

fn broken(path: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Io(path.into(), eco_format!("{error}"))
}

/// Readers of one object database. One serves one thread at a time, and making
/// one is not free, so those that are idle are kept.
#[derive(Clone)]
struct Readers(Arc<(Arc<ThreadSafeRepository>, Mutex<Vec<Repository>>)>);

impl Readers {
    fn new(shared: Arc<ThreadSafeRepository>) -> Self {
        Readers(Arc::new((shared, Mutex::default())))
    }

    fn with<T>(&self, read: impl FnOnce(&Repository) -> T) -> T {
        let (shared, idle) = &*self.0;
        let idle = || match idle.lock() {
            Ok(idle) => idle,
            Err(poisoned) => poisoned.into_inner(),
        };
        let known = idle().pop();
        let repository = known.unwrap_or_else(|| {
            let mut repository = shared.to_thread_local();
            repository.object_cache_size_if_unset(OBJECT_CACHE);
            repository
        });
        let result = read(&repository);
        idle().push(repository);
        result
    }
}
