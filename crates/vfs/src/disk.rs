//! A directory on disk.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;

use crate::{Backend, DirEntry, Error, Kind};

/// The size a file may have unless the caller says otherwise: 64 MiB.
pub const MAX_FILE: u64 = 64 << 20;

/// A directory on disk with everything below it, looked at when asked. `.git`
/// is never listed. What is not named in UTF-8 does not exist here.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
    symlinks: bool,
    max_file: u64,
}

impl Disk {
    /// The directory `root`. Symbolic links do not exist in it. Fails when it
    /// is no directory.
    pub fn new(root: &Path) -> Result<Self, Error> {
        Ok(Disk {
            root: open_root(root)?,
            symlinks: false,
            max_file: MAX_FILE,
        })
    }

    /// Symbolic links are followed, as long as they lead to what is below the
    /// root.
    pub fn with_symlinks(mut self) -> Self {
        self.symlinks = true;
        self
    }

    /// Files larger than this many bytes cannot be read.
    pub fn with_max_file(mut self, bytes: u64) -> Self {
        self.max_file = bytes;
        self
    }

    /// Where the path leads to on disk, if it stays below the root.
    fn resolve(&self, path: &str) -> Result<(PathBuf, fs::Metadata), Error> {
        let full = self.root.join(path);
        let real = fs::canonicalize(&full).map_err(|error| io_error(path, &error))?;
        if !real.starts_with(&self.root) {
            return Err(Error::Outside(path.into()));
        }
        // Without links the way to a file is the way it is named.
        if !self.symlinks && real != full {
            return Err(Error::NotFound(path.into()));
        }
        let metadata = fs::metadata(&real).map_err(|error| io_error(path, &error))?;
        Ok((real, metadata))
    }

    fn entry(&self, dir: &str, entry: &fs::DirEntry) -> Option<DirEntry> {
        let name = EcoString::from(entry.file_name().to_str()?);
        let mut kind = entry.file_type().ok()?;
        if kind.is_symlink() {
            if !self.symlinks {
                return None;
            }
            kind = self
                .resolve(&crate::path::child(dir, &name))
                .ok()?
                .1
                .file_type();
        }
        (name != ".git" && (kind.is_file() || kind.is_dir())).then(|| DirEntry {
            name,
            directory: kind.is_dir(),
        })
    }
}

impl Backend for Disk {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        let (real, metadata) = self.resolve(path)?;
        if metadata.is_dir() {
            return Err(Error::IsDirectory(path.into()));
        }
        read_file(&real, path, self.max_file)
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        let (real, metadata) = self.resolve(path)?;
        if !metadata.is_dir() {
            return Err(Error::NotDirectory(path.into()));
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(&real).map_err(|error| io_error(path, &error))? {
            let entry = entry.map_err(|error| io_error(path, &error))?;
            names.extend(self.entry(path, &entry));
        }
        names.sort();
        Ok(names)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        let (_, metadata) = self.resolve(path).ok()?;
        match metadata.file_type() {
            kind if kind.is_dir() => Some(Kind::Directory),
            kind if kind.is_file() => Some(Kind::File),
            _ => None,
        }
    }

    fn real(&self, path: &str) -> EcoString {
        let real = self.resolve(path).ok();
        let below = real
            .as_ref()
            .and_then(|(real, _)| real.strip_prefix(&self.root).ok()?.to_str());
        below.unwrap_or(path).into()
    }
}

/// The real path of a directory that is to be a root.
pub(crate) fn open_root(root: &Path) -> Result<PathBuf, Error> {
    let shown = EcoString::from(root.display().to_string());
    let real = fs::canonicalize(root).map_err(|error| io_error(&shown, &error))?;
    if !real.is_dir() {
        return Err(Error::NotDirectory(shown));
    }
    Ok(real)
}

/// The bytes of a regular file that has at most `max` of them.
pub(crate) fn read_file(real: &Path, shown: &str, max: u64) -> Result<Arc<[u8]>, Error> {
    let fail = |error: std::io::Error| io_error(shown, &error);
    let metadata = fs::metadata(real).map_err(fail)?;
    if !metadata.is_file() {
        return Err(Error::NotFound(shown.into()));
    }
    if metadata.len() > max {
        return Err(Error::TooLarge(shown.into(), metadata.len()));
    }
    let file = fs::File::open(real).map_err(fail)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // The file may have grown meanwhile.
    file.take(max + 1).read_to_end(&mut bytes).map_err(fail)?;
    match bytes.len() as u64 {
        read if read > max => Err(Error::TooLarge(shown.into(), read)),
        _ => Ok(bytes.into()),
    }
}

pub(crate) fn io_error(path: &str, error: &std::io::Error) -> Error {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => Error::NotFound(path.into()),
        ErrorKind::NotADirectory => Error::NotFound(path.into()),
        ErrorKind::IsADirectory => Error::IsDirectory(path.into()),
        _ => Error::Io(path.into(), ecow::eco_format!("{error}")),
    }
}
