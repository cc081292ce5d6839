//! A copy on disk. It changes as a whole, when its index is replaced: until
//! then all that the old index names is there as it was.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ecow::EcoString;
use serde_json::Value;

use super::{Copy, GENERATOR};

/// The index.
const INDEX: &str = "index.json";
/// Files being written.
const STAGE: &str = ".fluxlint-vendor";
/// The directories content lies in.
const KINDS: [&str; 5] = ["helm", "oci", "git", "bucket", "http"];

/// What writing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that were not there before.
    pub new: usize,
    /// Files that were there.
    pub kept: usize,
    /// Files that nothing pins any more.
    pub removed: usize,
    /// Bytes of all files there are.
    pub bytes: u64,
}

/// Why a copy could not be written.
#[derive(Debug)]
pub enum Error {
    /// The directory holds something else.
    Foreign(PathBuf),
    /// A path could not be read or written.
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Foreign(path) => write!(
                f,
                "{} is not empty, and not a directory that this command wrote",
                path.display()
            ),
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// A directory that is, or will be, a copy.
pub struct Directory {
    root: PathBuf,
    /// What its index names.
    named: BTreeSet<EcoString>,
    /// Keeps others from writing it.
    _lock: Option<File>,
}

impl Directory {
    /// Opens a directory, which need not exist. Fails when it holds something
    /// else than a copy.
    pub fn open(root: &Path) -> Result<Self, Error> {
        let lock = File::open(root).ok();
        // Where directories cannot be locked, people have to take turns.
        let lock = lock.filter(|file| file.lock().is_ok());
        let index = match fs::read(root.join(INDEX)) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            Err(_) => Value::Null,
        };
        let is_own = index.get("generator").and_then(Value::as_str) == Some(GENERATOR)
            || root.join(STAGE).is_dir();
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(Error::Io(root.to_path_buf(), error)),
        };
        if !is_own && !is_empty {
            return Err(Error::Foreign(root.to_path_buf()));
        }
        let mut named = BTreeSet::new();
        name_files(&index, &mut named);
        Ok(Directory {
            root: root.to_path_buf(),
            named,
            _lock: lock,
        })
    }

    /// Whether the index names a path that holds other content.
    pub fn is_taken(&self, path: &str, bytes: &[u8]) -> bool {
        self.named.contains(path) && !holds(&self.root.join(path), bytes)
    }

    /// Writes a copy.
    pub fn write(&self, copy: &Copy) -> Result<Written, Error> {
        let stage = self.root.join(STAGE);
        make(&stage)?;
        let mut done = Written::default();
        for (path, bytes) in &copy.files {
            done.bytes += bytes.len() as u64;
            let target = self.root.join(path.as_str());
            if holds(&target, bytes) {
                done.kept += 1;
                continue;
            }
            place(&stage, &target, bytes)?;
            done.new += 1;
        }
        let mut index = serde_json::to_vec_pretty(&copy.index).unwrap_or_default();
        index.push(b'\n');
        place(&stage, &self.root.join(INDEX), &index)?;
        for kind in KINDS {
            let below = self.root.join(kind);
            done.removed += sweep(&below, kind, &|path| copy.files.contains_key(path));
        }
        // What stays is removed the next time.
        let _ = fs::remove_dir_all(&stage);
        Ok(done)
    }
}

/// Writes a file that is there only once it is complete.
fn place(stage: &Path, target: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(parent) = target.parent() {
        make(parent)?;
    }
    let part = stage.join("part");
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, target));
    written.map_err(|error| Error::Io(target.to_path_buf(), error))
}

fn make(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|error| Error::Io(directory.to_path_buf(), error))
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    let same_size = |found: fs::Metadata| found.is_file() && found.len() == bytes.len() as u64;
    fs::symlink_metadata(path).is_ok_and(same_size)
        && fs::read(path).is_ok_and(|found| found == bytes)
}

/// Removes the files below a directory that nothing names, and what is empty
/// then. Returns how many.
fn sweep(directory: &Path, below: &str, is_named: &dyn Fn(&str) -> bool) -> usize {
    let mut removed = 0;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let path = format!("{below}/{}", name.to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            removed += sweep(&entry.path(), &path, is_named);
            // Fails where something is left, as it should.
            let _ = fs::remove_dir(entry.path());
        } else if !is_named(&path) {
            removed += usize::from(fs::remove_file(entry.path()).is_ok());
        }
    }
    let _ = fs::remove_dir(directory);
    removed
}

/// The files that an index names: texts that are values, or `file` beside a
/// commit or digest.
fn name_files(index: &Value, found: &mut BTreeSet<EcoString>) {
    let Some(kinds) = index.as_object() else {
        return;
    };
    let kinds = kinds
        .iter()
        .filter(|(kind, _)| KINDS.contains(&kind.as_str()));
    let mut open: Vec<&Value> = kinds.map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(path) => {
                found.insert(path.as_str().into());
            }
            Value::Object(entries) => match entries.get("file") {
                Some(file @ Value::String(_)) => open.push(file),
                _ => open.extend(entries.values()),
            },
            _ => {}
        }
    }
}
