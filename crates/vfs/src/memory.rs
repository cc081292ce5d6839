//! A tree held in memory.

use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::listing::Listing;
use crate::{Backend, DirEntry, Error, Kind, normalize};

/// Files by path; directories exist where files do. Of two files with one
/// path the later counts.
#[derive(Clone, Debug)]
pub struct Memory {
    files: FxHashMap<EcoString, Arc<[u8]>>,
    listing: Listing,
}

impl Memory {
    /// A tree of these files. Fails on a path that leads outside.
    pub fn new<P: AsRef<str>, B: Into<Arc<[u8]>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Result<Self, Error> {
        let files = files
            .into_iter()
            .map(|(path, bytes)| Ok((normalize(path.as_ref())?, bytes.into())))
            .collect::<Result<FxHashMap<_, _>, Error>>()?;
        let listing = Listing::of_files(files.keys().map(EcoString::as_str));
        Ok(Memory { files, listing })
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether it holds no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            files: FxHashMap::default(),
            listing: Listing::of_files([]),
        }
    }
}

impl Backend for Memory {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.listing.check_file(path)?;
        let bytes = self.files.get(path);
        bytes.cloned().ok_or_else(|| Error::NotFound(path.into()))
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.listing.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.listing.probe(path)
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
        assert_eq!(tree.probe("a/b/c"), None);
        let names: Vec<_> = tree
            .list("a")
            .unwrap()
            .into_iter()
            .map(|e| e.name)
            .collect();
        assert_eq!(names, ["b", "d.yaml"]);
        assert!(matches!(tree.read("a/b"), Err(Error::IsDirectory(_))));
        assert!(matches!(tree.list("a/d.yaml"), Err(Error::NotDirectory(_))));
        assert!(matches!(tree.list("a/x"), Err(Error::NotFound(_))));
        assert_eq!(Tree::new(Memory::default()).list("").unwrap(), []);
    }
}
