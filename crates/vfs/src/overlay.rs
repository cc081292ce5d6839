//! A few files laid over a tree.

use std::sync::Arc;

use ecow::EcoString;

use crate::{Backend, DirEntry, Error, Kind, Memory, Tree};

/// Files in memory over another tree. What stands above hides what stands at
/// the same path below: a file hides a directory with all it holds, and a
/// directory hides a file, but directories are merged.
#[derive(Clone)]
pub struct Overlay {
    upper: Memory,
    lower: Tree,
}

impl Overlay {
    /// `upper` over `lower`.
    pub fn new(upper: Memory, lower: Tree) -> Self {
        Overlay { upper, lower }
    }

    /// Whether a file above stands where the path has a directory.
    fn hidden(&self, path: &str) -> bool {
        path.match_indices('/').any(|(at, _)| {
            let above = path.get(..at).unwrap_or_default();
            self.upper.probe(above) == Some(Kind::File)
        })
    }
}

impl Backend for Overlay {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        match self.upper.probe(path) {
            Some(_) => self.upper.read(path),
            None if self.hidden(path) => Err(Error::NotFound(path.into())),
            None => self.lower.0.read(path),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        let above = match self.upper.probe(path) {
            Some(Kind::Directory) => self.upper.list(path)?,
            Some(Kind::File) => return Err(Error::NotDirectory(path.into())),
            None if self.hidden(path) => return Err(Error::NotFound(path.into())),
            None => return self.lower.0.list(path),
        };
        let mut all = match self.lower.0.list(path) {
            Ok(below) => below,
            // The directory, or what is above it, exists only in memory.
            Err(Error::NotFound(_) | Error::NotDirectory(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        all.retain(|entry| {
            above
                .binary_search_by(|other| other.name.cmp(&entry.name))
                .is_err()
        });
        all.extend(above);
        all.sort();
        Ok(all)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        match self.upper.probe(path) {
            // The root of an empty upper tree.
            Some(kind) => Some(kind),
            None if self.hidden(path) => None,
            None => self.lower.0.probe(path),
        }
    }

    fn origin(&self, path: &str) -> EcoString {
        self.lower.0.origin(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(files: &[(&str, &str)]) -> Memory {
        Memory::new(files.iter().map(|(p, t)| (*p, t.as_bytes().to_vec()))).unwrap()
    }

    fn names(tree: &Tree, dir: &str) -> Vec<String> {
        let entries = tree.list(dir).unwrap();
        entries
            .into_iter()
            .map(|e| format!("{}{}", e.name, if e.directory { "/" } else { "" }))
            .collect()
    }

    #[test]
    fn upper_wins_and_directories_merge() {
        let lower = Tree::new(memory(&[
            ("a/one", "1"),
            ("a/two", "2"),
            ("b/x/y", "y"),
            ("c", "file"),
        ]));
        let tree = Tree::new(Overlay::new(
            memory(&[
                ("a/two", "two"),
                ("a/three", "3"),
                ("b/x", "file"),
                ("c/d", "d"),
            ]),
            lower,
        ));
        assert_eq!(names(&tree, ""), ["a/", "b/", "c/"]);
        assert_eq!(names(&tree, "a"), ["one", "three", "two"]);
        assert_eq!(names(&tree, "b"), ["x"]);
        assert_eq!(names(&tree, "c"), ["d"]);
        assert_eq!(&*tree.read("a/one").unwrap(), b"1");
        assert_eq!(&*tree.read("a/two").unwrap(), b"two");
        assert_eq!(tree.probe("b/x"), Some(Kind::File));
        assert_eq!(tree.probe("b/x/y"), None);
        assert!(matches!(tree.read("b/x/y"), Err(Error::NotFound(_))));
        assert!(matches!(tree.read("c"), Err(Error::IsDirectory(_))));
    }

    #[test]
    fn empty_upper_changes_nothing() {
        let tree = Tree::new(Overlay::new(
            Memory::default(),
            Tree::new(memory(&[("a/one", "1")])),
        ));
        assert_eq!(names(&tree, ""), ["a/"]);
        assert_eq!(names(&tree, "a"), ["one"]);
    }
}
