//! Secrets that are handed to `git` and `ssh` as files, which is all they take.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ecow::eco_format;

use crate::{Busy, Error, Stop};

/// What the directories are called.
const PREFIX: &str = "fluxlint-handed-";
/// A file in each that its owner holds locked.
const OWNED: &str = "owned";
/// Younger ones may not be locked yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A directory of files that only this user can read, gone when it is dropped.
/// It lies in memory where the system has such a place. What a killed process
/// leaves is removed by the next one.
pub(super) struct Handed {
    path: PathBuf,
    _owned: File,
    /// Behind the path: it is gone before the run ends.
    _busy: Busy,
}

impl Handed {
    /// An empty directory; `else_in` is where it lies when the system has no
    /// place in memory.
    pub fn new(else_in: &Path, stop: &Stop) -> Result<Self, Error> {
        let memory = in_memory().and_then(|place| {
            sweep(&place);
            Handed::at(&place, stop).ok()
        });
        match memory {
            Some(handed) => Ok(handed),
            None => Handed::on_disk(else_in, stop),
        }
    }

    /// A directory where programs can be run from; it is to hold no secret.
    pub fn on_disk(place: &Path, stop: &Stop) -> Result<Self, Error> {
        fs::create_dir_all(place)
            .and_then(|()| Handed::at(place, stop))
            .map_err(|error| Error::Cache(eco_format!("{}: {error}", place.display())))
    }

    fn at(place: &Path, stop: &Stop) -> std::io::Result<Self> {
        let busy = stop.busy();
        static MADE: AtomicU64 = AtomicU64::new(0);
        let count = MADE.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since.unwrap_or(Duration::ZERO).as_nanos();
        let path = place.join(format!("{PREFIX}{}-{nanos}-{count}", std::process::id()));
        private_directory(&path)?;
        let owned = private_file(&path.join(OWNED), 0o600)?;
        owned.lock()?;
        Ok(Handed {
            path,
            _owned: owned,
            _busy: busy,
        })
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        self.write_as(0o600, name, bytes)
    }

    /// As [`Handed::write`], of a program.
    pub fn write_program(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        self.write_as(0o700, name, bytes)
    }

    fn write_as(&self, mode: u32, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        let written = private_file(&path, mode).and_then(|mut file| file.write_all(bytes));
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err(Error::Cache(eco_format!("{}: {error}", path.display()))),
        }
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A directory in memory that is this user's, or everybody's.
fn in_memory() -> Option<PathBuf> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let all = cfg!(target_os = "linux").then(|| PathBuf::from("/dev/shm"));
    let writable = |path: &PathBuf| {
        let found = fs::metadata(path);
        found.is_ok_and(|found| found.is_dir() && !found.permissions().readonly())
    };
    own.filter(|path| path.is_absolute())
        .filter(writable)
        .or_else(|| all.filter(writable))
}

/// Removes what processes left that are gone.
fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX) && is_left(&entry.path()))
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether nobody holds a directory any more.
fn is_left(path: &Path) -> bool {
    let age = fs::symlink_metadata(path)
        .and_then(|found| found.modified())
        .ok()
        .and_then(|made| made.elapsed().ok());
    if age.is_none_or(|age| age < YOUNG) {
        return false;
    }
    // Others' cannot be opened.
    match OpenOptions::new().write(true).open(path.join(OWNED)) {
        Ok(file) => file.try_lock().is_ok(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

#[cfg(unix)]
fn private_directory(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_directory(path: &Path) -> std::io::Result<()> {
    fs::create_dir(path)
}

fn private_file(path: &Path, mode: u32) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_ones_own_and_go() {
        let place = tempfile::tempdir().unwrap();
        let handed = Handed::at(place.path(), &Stop::default()).unwrap();
        let file = handed.write("key", b"secret").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"secret");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file), mode(&handed.path)), (0o600, 0o700));
        }
        drop(handed);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_the_killed_leave_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let handed = Handed::at(place.path(), &Stop::default()).unwrap();
        let left = place.path().join(format!("{PREFIX}1-2-3"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(OWNED), "").unwrap();
        let other = place.path().join("other");
        fs::create_dir(&other).unwrap();
        sweep(place.path());
        assert!(left.exists(), "it is young");
        let old = SystemTime::now() - 2 * YOUNG;
        for path in [&handed.path, &left, &other] {
            File::open(path).unwrap().set_modified(old).unwrap();
        }
        sweep(place.path());
        assert!(!left.exists());
        assert!(handed.path.exists() && other.exists());
    }
}
