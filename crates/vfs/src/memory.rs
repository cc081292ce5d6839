//! A tree held in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::EcoString;

use crate::{Backend, DirEntry, Error, Kind, normalize};

/// Files by path; directories exist where files do.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<EcoString, Arc<[u8]>>,
}

impl Memory {
    /// A tree of these files. Fails on a path that leads outside.
    pub fn new<P: AsRef<str>, B: Into<Arc<[u8]>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Result<Self, Error> {
        let files = files
            .into_iter()
            .map(|(path, bytes)| Ok((normalize(path.as_ref())?, bytes.into())))
            .collect::<Result<_, Error>>()?;
        Ok(Memory { files })
    }

    fn below<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a str> {
        let prefix: EcoString = if dir.is_empty() {
            EcoString::new()
        } else {
            ecow::eco_format!("{dir}/")
        };
        self.files
            .range(prefix.clone()..)
            .map_while(move |(path, _)| path.strip_prefix(prefix.as_str()))
    }
}

impl Backend for Memory {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        match self.files.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None if self.probe(path).is_some() => Err(Error::IsDirectory(path.into())),
            None => Err(Error::NotFound(path.into())),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        match self.probe(path) {
            Some(Kind::File) => return Err(Error::NotDirectory(path.into())),
            None => return Err(Error::NotFound(path.into())),
            Some(Kind::Directory) => {}
        }
        let mut entries: Vec<DirEntry> = Vec::new();
        for rest in self.below(path) {
            let (name, directory) = match rest.split_once('/') {
                Some((name, _)) => (name, true),
                None => (rest, false),
            };
            if entries.last().is_none_or(|last| last.name != name) {
                entries.push(DirEntry {
                    name: name.into(),
                    directory,
                });
            }
        }
        entries.sort();
        entries.dedup_by(|a, b| a.name == b.name);
        Ok(entries)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        if self.files.contains_key(path) {
            Some(Kind::File)
        } else if path.is_empty() || self.below(path).next().is_some() {
            Some(Kind::Directory)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    #[test]
    fn directories_are_where_files_are() {
        let tree = Tree::new(
            Memory::new([("a/b/c.yaml", b"x".to_vec()), ("a/d.yaml", b"y".to_vec())]).unwrap(),
        );
        assert_eq!(tree.probe("a/b"), Some(Kind::Directory));
        assert_eq!(tree.probe("a/"), Some(Kind::Directory));
        assert_eq!(tree.probe("../a"), None);
        let names: Vec<_> = tree
            .list("a")
            .unwrap()
            .into_iter()
            .map(|e| e.name)
            .collect();
        assert_eq!(names, ["b", "d.yaml"]);
        assert!(matches!(tree.read("a/b"), Err(Error::IsDirectory(_))));
    }
}
