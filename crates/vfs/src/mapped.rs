//! Trees put together from parts of others.

use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::listing::Listing;
use crate::{Backend, DirEntry, Error, Kind, Tree, normalize};

/// One directory of a tree as a tree of its own. Nothing above it can be read.
#[derive(Clone)]
pub struct Subtree {
    tree: Tree,
    root: EcoString,
}

impl Subtree {
    /// The directory `root` of `tree`; fails when it is none.
    pub fn new(tree: Tree, root: &str) -> Result<Self, Error> {
        let root = normalize(root)?;
        match tree.0.probe(&root) {
            Some(Kind::Directory) => Ok(Subtree { tree, root }),
            Some(Kind::File) => Err(Error::NotDirectory(root)),
            None => Err(Error::NotFound(root)),
        }
    }

    fn full(&self, path: &str) -> EcoString {
        match (self.root.is_empty(), path.is_empty()) {
            (true, _) => path.into(),
            (false, true) => self.root.clone(),
            (false, false) => ecow::eco_format!("{}/{path}", self.root),
        }
    }
}

impl Backend for Subtree {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.tree.0.read(&self.full(path))
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.tree.0.list(&self.full(path))
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.tree.0.probe(&self.full(path))
    }

    fn origin(&self, path: &str) -> EcoString {
        self.tree.0.origin(&self.full(path))
    }
}

/// Files taken from other trees, each under a path of its own. The bytes stay
/// where they are until they are read.
#[derive(Clone, Default)]
pub struct Mapped {
    files: FxHashMap<EcoString, (Tree, EcoString)>,
}

impl Mapped {
    /// No file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts the file `from` of `tree` at `to`, over what was there.
    pub fn copy(&mut self, tree: &Tree, from: &str, to: &str) -> Result<(), Error> {
        let (from, to) = (normalize(from)?, normalize(to)?);
        match tree.0.probe(&from) {
            Some(Kind::File) => {}
            Some(Kind::Directory) => return Err(Error::IsDirectory(from)),
            None => return Err(Error::NotFound(from)),
        }
        self.files.insert(to, (tree.clone(), from));
        Ok(())
    }

    /// Whether a file was put at this path.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The tree of the files put in so far.
    pub fn into_tree(self) -> Tree {
        let listing = Listing::of_files(self.files.keys().map(EcoString::as_str));
        Tree::new(Composed {
            files: self.files,
            listing,
        })
    }
}

struct Composed {
    files: FxHashMap<EcoString, (Tree, EcoString)>,
    listing: Listing,
}

impl Backend for Composed {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.listing.check_file(path)?;
        match self.files.get(path) {
            Some((tree, from)) => tree.0.read(from),
            None => Err(Error::NotFound(path.into())),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.listing.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.listing.probe(path)
    }

    fn origin(&self, path: &str) -> EcoString {
        match self.files.get(path) {
            Some((tree, from)) => tree.0.origin(from),
            None => path.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    fn tree() -> Tree {
        let files = [("apps/a/x.yaml", b"x".to_vec()), ("top", b"t".to_vec())];
        Tree::new(Memory::new(files).unwrap())
    }

    #[test]
    fn a_subtree_ends_at_its_root() {
        let sub = Tree::new(Subtree::new(tree(), "./apps/").unwrap());
        assert_eq!(&*sub.read("a/x.yaml").unwrap(), b"x");
        assert!(matches!(sub.read("../top"), Err(Error::Outside(_))));
        assert_eq!(sub.list("").unwrap().len(), 1);
        assert_eq!(sub.origin("a/x.yaml"), "apps/a/x.yaml");
        assert!(matches!(
            Subtree::new(tree(), "top"),
            Err(Error::NotDirectory(_))
        ));
    }

    #[test]
    fn copies_stand_at_their_new_place() {
        let mut mapped = Mapped::new();
        mapped
            .copy(&tree(), "apps/a/x.yaml", "base/y.yaml")
            .unwrap();
        assert!(mapped.copy(&tree(), "apps", "z").is_err());
        assert!(mapped.contains("base/y.yaml"));
        let mapped = mapped.into_tree();
        assert_eq!(&*mapped.read("base/y.yaml").unwrap(), b"x");
        assert_eq!(mapped.origin("base/y.yaml"), "apps/a/x.yaml");
        assert_eq!(mapped.probe("apps"), None);
    }
}
