//! What was fetched once, kept on disk.
//!
//! ```text
//! <directory>/CACHEDIR.TAG         backup programs leave it out
//! <directory>/v1/blobs/ab/<hex>    content; its name is its SHA-256
//! <directory>/v1/keys/ab/<hex>     which content stands for a key, or that
//!                                  its host has none, as JSON
//! <directory>/v1/locks/<hex>       held while one process fetches a key
//! <directory>/v1/tmp/<name>        being written
//! ```
//!
//! Every file appears under its name by a rename, whole. Content is checked
//! against its name whenever it is read; what does not fit is removed and
//! fetched again. Nothing names a place on the machine, so the directory can be
//! moved or copied.

mod absence;
mod collect;
mod digest;
mod record;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ecow::{EcoString, eco_format};

pub use absence::Absence;
pub use collect::{Collected, Usage};
pub use digest::Digest;
pub use record::{Facts, Record};

use crate::{Busy, Error, Stop};

/// The layout; another layout lies beside it.
const LAYOUT: &str = "v1";
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # What fluxlint fetched. It may be removed at any time.\n";
/// A record is a few hundred bytes.
const MAX_RECORD: u64 = 1 << 20;

/// A directory with what was fetched. Made when something is first kept.
#[derive(Debug)]
pub struct Cache {
    root: PathBuf,
    /// Makes names of temporary files differ.
    made: AtomicU64,
    /// Waits for what is being written.
    stop: Stop,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// This stands for it.
    Content(Record),
    /// Its host has nothing for it.
    Absent(Absence),
}

impl Entry {
    fn read(bytes: &[u8]) -> Option<Entry> {
        let content = Record::read(bytes).map(Entry::Content);
        content.or_else(|| Absence::read(bytes).map(Entry::Absent))
    }

    fn key(&self) -> &str {
        match self {
            Entry::Content(record) => &record.key,
            Entry::Absent(absence) => &absence.key,
        }
    }
}

/// Says that this process fetches a key; others wait until it is dropped. A
/// killed process holds nothing.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Says that this process uses the cache: nothing is removed meanwhile.
#[derive(Debug)]
pub struct InUse {
    _file: Option<File>,
}

/// An empty directory, gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Workplace {
    path: PathBuf,
    /// Behind the path: it is gone before the run ends.
    _busy: Busy,
}

impl Workplace {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What stays is removed when the cache is cleaned.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Cache {
    /// A cache in a directory, which need not exist.
    pub fn new(directory: &Path) -> Self {
        Cache::stoppable(directory, Stop::default())
    }

    /// A cache that has what is being written written before the run ends.
    pub fn stoppable(directory: &Path, stop: Stop) -> Self {
        Cache {
            root: directory.to_path_buf(),
            made: AtomicU64::new(0),
            stop,
        }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    /// What is known of a key; `None` when nothing is, or nothing usable.
    pub fn entry(&self, key: &str) -> Option<Entry> {
        let mut bytes = Vec::new();
        let file = File::open(self.key_path(key)).ok()?;
        file.take(MAX_RECORD).read_to_end(&mut bytes).ok()?;
        Entry::read(&bytes).filter(|entry| entry.key() == key)
    }

    /// The content that is kept under a key; `None` when there is none.
    pub fn record(&self, key: &str) -> Option<Record> {
        match self.entry(key)? {
            Entry::Content(record) => Some(record),
            Entry::Absent(_) => None,
        }
    }

    /// Content by its digest; `None` when it is not kept. Content that is not
    /// what its name says is removed.
    pub fn blob(&self, digest: &Digest) -> Option<Arc<[u8]>> {
        let path = self.blob_path(digest);
        let bytes = fs::read(&path).ok()?;
        if Digest::of(&bytes) == *digest {
            return Some(bytes.into());
        }
        // Somebody else may have done so already.
        let _ = fs::remove_file(&path);
        None
    }

    /// Whether content is kept, without reading it.
    pub fn holds(&self, digest: &Digest) -> bool {
        self.blob_path(digest).is_file()
    }

    /// Keeps content and returns its digest.
    pub fn keep(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        let path = self.blob_path(&digest);
        let same_size = |found: fs::Metadata| found.len() == bytes.len() as u64;
        // One of the same size may be damaged all the same; it is checked when
        // it is read.
        if !fs::metadata(&path).is_ok_and(same_size) || self.blob(&digest).is_none() {
            self.write(&path, bytes)?;
        }
        Ok(digest)
    }

    /// Says what stands for a key.
    pub fn put(&self, record: &Record) -> Result<(), Error> {
        self.write(&self.key_path(&record.key), &record.to_bytes())
    }

    /// Says that a key's host has nothing for it.
    pub fn put_absence(&self, absence: &Absence) -> Result<(), Error> {
        match absence.to_bytes() {
            Some(bytes) => self.write(&self.key_path(&absence.key), &bytes),
            None => Ok(()),
        }
    }

    /// Waits until no other process fetches a key, and keeps them from it.
    pub fn lock(&self, key: &str) -> Result<Lock, Error> {
        let path = self.place("locks").join(Digest::of(key.as_bytes()).hex());
        let file = self.lock_file(&path)?;
        file.lock().map_err(|error| broken(&path, &error))?;
        Ok(Lock { _file: file })
    }

    /// Says that the cache is in use. Waits while another process cleans it. A
    /// cache that cannot be written is cleaned by nobody.
    pub fn in_use(&self) -> InUse {
        let path = self.root.join(LAYOUT).join("in-use");
        let file = self.lock_file(&path).ok();
        let file = file.filter(|file| file.lock_shared().is_ok());
        InUse { _file: file }
    }

    /// Keeps all others from using the cache; `None` while somebody does.
    fn alone(&self) -> Result<Option<File>, Error> {
        let path = self.root.join(LAYOUT).join("in-use");
        let file = self.lock_file(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(broken(&path, &error)),
        }
    }

    fn lock_file(&self, path: &Path) -> Result<File, Error> {
        self.prepare(path)?;
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(|error| broken(path, &error))
    }

    /// Where what lasts no longer than a fetch lies.
    pub(crate) fn temporaries(&self) -> PathBuf {
        self.place("tmp")
    }

    /// An empty directory for the time of a fetch.
    pub(crate) fn workplace(&self) -> Result<Workplace, Error> {
        let busy = self.stop.busy();
        let path = self.temporary();
        fs::create_dir_all(&path).map_err(|error| broken(&path, &error))?;
        Ok(Workplace { path, _busy: busy })
    }

    /// A path that nothing and nobody else uses.
    fn temporary(&self) -> PathBuf {
        let count = self.made.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since.unwrap_or(Duration::ZERO).as_nanos();
        let name = format!("{}-{nanos}-{count}", std::process::id());
        self.temporaries().join(name)
    }

    /// Writes a file that is there only once it is complete.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let _busy = self.stop.busy();
        self.prepare(path)?;
        let temporary = self.temporary();
        self.prepare(&temporary)?;
        let written = write_all(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            broken(path, &error)
        })
    }

    fn prepare(&self, path: &Path) -> Result<(), Error> {
        let Some(directory) = path.parent() else {
            return Ok(());
        };
        if directory.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(directory).map_err(|error| broken(directory, &error))?;
        let tag = self.root.join("CACHEDIR.TAG");
        if !tag.exists() {
            // Only a courtesy to backup programs.
            let _ = fs::write(tag, TAG);
        }
        Ok(())
    }

    fn place(&self, kind: &str) -> PathBuf {
        self.root.join(LAYOUT).join(kind)
    }

    fn key_path(&self, key: &str) -> PathBuf {
        self.fanned_out("keys", &Digest::of(key.as_bytes()))
    }

    fn blob_path(&self, digest: &Digest) -> PathBuf {
        self.fanned_out("blobs", digest)
    }

    /// Directories of many thousand files are slow on some file systems.
    fn fanned_out(&self, kind: &str, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.place(kind)
            .join(hex.get(..2).unwrap_or("00"))
            .join(hex)
    }
}

fn write_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).open(path)?;
    file.write_all(bytes)
}

fn broken(path: &Path, error: &io::Error) -> Error {
    Error::Cache(eco_format!("{}: {error}", path.display()))
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// The directory a cache lies in by default: `FLUXLINT_CACHE_DIR`, else
/// `fluxlint` in the user's cache directory. `None` when the machine does not
/// say where that is.
pub fn default_directory() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(directory) = of("FLUXLINT_CACHE_DIR") {
        return Some(directory.into());
    }
    let base = of("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| {
        let home = PathBuf::from(of("HOME")?);
        let below = if cfg!(target_os = "macos") {
            "Library/Caches"
        } else {
            ".cache"
        };
        Some(home.join(below))
    });
    let base = base.or_else(|| of("LOCALAPPDATA").map(PathBuf::from))?;
    Some(base.join("fluxlint"))
}

/// A key of the cache: the kind of thing and what names it.
pub(crate) fn key(kind: &str, parts: &[&str]) -> EcoString {
    // No part holds a line break: addresses and references are refused when
    // they do.
    eco_format!("{kind}\n{}", parts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Cache) {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(&directory.path().join("deep/cache"));
        (directory, cache)
    }

    #[test]
    fn what_is_kept_is_found_again_and_elsewhere() {
        let (directory, cache) = cache();
        assert!(cache.record("a").is_none());
        let digest = cache.keep(b"content").unwrap();
        cache
            .put(&Record::new("a", digest.clone(), Facts::new()))
            .unwrap();
        assert_eq!(cache.record("a").unwrap().digest, digest);
        assert!(cache.record("b").is_none());
        assert_eq!(&*cache.blob(&digest).unwrap(), b"content");
        let moved = directory.path().join("moved");
        fs::rename(cache.directory(), &moved).unwrap();
        let moved = Cache::new(&moved);
        assert_eq!(
            &*moved.blob(&moved.record("a").unwrap().digest).unwrap(),
            b"content"
        );
        let left = fs::read_dir(moved.place("tmp")).unwrap().count();
        assert_eq!(left, 0, "temporary files are gone");
    }

    #[test]
    fn damaged_content_is_not_used() {
        let (_directory, cache) = cache();
        let digest = cache.keep(b"content").unwrap();
        for damage in [&b"contenu"[..], b"", b"cont"] {
            fs::write(cache.blob_path(&digest), damage).unwrap();
            assert_eq!(cache.blob(&digest), None);
            assert!(!cache.holds(&digest), "it is removed");
            cache.keep(b"content").unwrap();
            assert!(cache.blob(&digest).is_some());
        }
        fs::write(cache.blob_path(&digest), b"contenu").unwrap();
        cache.keep(b"content").unwrap();
        assert!(
            cache.blob(&digest).is_some(),
            "kept anew over damage of the same size"
        );
        cache.put(&Record::new("a", digest, Facts::new())).unwrap();
        fs::write(cache.key_path("a"), b"{\"key\":").unwrap();
        assert!(cache.record("a").is_none());
    }

    #[test]
    fn one_at_a_time_fetches_a_key() {
        let (_directory, cache) = cache();
        let lock = cache.lock("a").unwrap();
        let other = cache.lock("b").unwrap();
        drop(other);
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _lock = cache.lock("a").unwrap();
                sender.send(()).unwrap();
            });
            assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
            drop(lock);
            receiver.recv().unwrap();
        });
    }
}
