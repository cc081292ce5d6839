//! The names of a tree, held in memory.

use std::collections::hash_map::Entry;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::{DirEntry, Error, Kind};

/// Directories by path with their names in order. Answers what a tree lists
/// and probes without touching what holds the bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    dirs: FxHashMap<EcoString, Vec<DirEntry>>,
}

/// Splits a canonical path into its directory and its last name.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl Listing {
    /// A listing of these files and the directories they stand in.
    pub(crate) fn of_files<'a>(files: impl IntoIterator<Item = &'a str>) -> Self {
        let mut listing = Listing::default();
        listing.add_dir("");
        for file in files {
            listing.add_file(file);
        }
        listing.finish();
        listing
    }

    /// Adds a directory and those above it.
    pub(crate) fn add_dir(&mut self, path: &str) {
        match self.dirs.entry(path.into()) {
            Entry::Occupied(_) => return,
            Entry::Vacant(vacant) => vacant.insert(Vec::new()),
        };
        if !path.is_empty() {
            self.add_name(path, true);
        }
    }

    /// Adds a file and the directories above it. Each file once.
    pub(crate) fn add_file(&mut self, path: &str) {
        self.add_name(path, false);
    }

    fn add_name(&mut self, path: &str, directory: bool) {
        let (dir, name) = split(path);
        if !self.dirs.contains_key(dir) {
            self.add_dir(dir);
        }
        if let Some(names) = self.dirs.get_mut(dir) {
            names.push(DirEntry {
                name: name.into(),
                directory,
            });
        }
    }

    /// Puts the names in order; to be called once all are added. A name that
    /// is a file and a directory counts as a file.
    pub(crate) fn finish(&mut self) {
        for names in self.dirs.values_mut() {
            names.sort_unstable();
            names.dedup_by(|a, b| a.name == b.name);
        }
    }

    /// The names in a directory.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        match self.dirs.get(path) {
            Some(names) => Ok(names.clone()),
            None => Err(self.missing_dir(path)),
        }
    }

    fn missing_dir(&self, path: &str) -> Error {
        match self.probe(path) {
            Some(Kind::File) => Error::NotDirectory(path.into()),
            _ => Error::NotFound(path.into()),
        }
    }

    /// What stands at a path.
    pub(crate) fn probe(&self, path: &str) -> Option<Kind> {
        if self.dirs.contains_key(path) {
            return Some(Kind::Directory);
        }
        let (dir, name) = split(path);
        let names = self.dirs.get(dir)?;
        let at = names
            .binary_search_by(|entry| entry.name.as_str().cmp(name))
            .ok()?;
        names.get(at).filter(|e| !e.directory).map(|_| Kind::File)
    }

    /// The error of reading `path`, unless it is a file.
    pub(crate) fn check_file(&self, path: &str) -> Result<(), Error> {
        match self.probe(path) {
            Some(Kind::File) => Ok(()),
            Some(Kind::Directory) => Err(Error::IsDirectory(path.into())),
            None => Err(Error::NotFound(path.into())),
        }
    }
}
