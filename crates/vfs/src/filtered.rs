//! A part of a tree.

use std::sync::Arc;

use ecow::EcoString;

use crate::listing::Listing;
use crate::{Backend, DirEntry, Error, Kind, Tree};

/// The files and directories of a tree that a predicate keeps. The tree is
/// walked once, when the filter is made.
#[derive(Clone)]
pub struct Filtered {
    tree: Tree,
    listing: Listing,
}

impl Filtered {
    /// What `keep` says yes to. A directory also exists where a file below it
    /// is kept; an empty one only when it is kept itself. Fails when a
    /// directory cannot be listed.
    pub fn new(tree: Tree, mut keep: impl FnMut(&str, Kind) -> bool) -> Result<Self, Error> {
        let mut listing = Listing::default();
        listing.add_dir("");
        tree.walk("", &mut |path, kind| {
            match kind {
                Kind::File if keep(path, kind) => listing.add_file(path),
                Kind::Directory if keep(path, kind) => listing.add_dir(path),
                _ => {}
            }
            true
        })?;
        listing.finish();
        Ok(Filtered { tree, listing })
    }
}

impl Backend for Filtered {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.listing.check_file(path)?;
        self.tree.0.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.listing.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.listing.probe(path)
    }

    fn origin(&self, path: &str) -> EcoString {
        self.tree.0.origin(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn kept_files_bring_their_directories() {
        let files = ["a/b/keep", "a/b/drop", "a/c/drop", "d/drop"];
        let tree = Tree::new(Memory::new(files.map(|p| (p, b"x".to_vec()))).unwrap());
        let part = Tree::new(
            Filtered::new(tree, |path, kind| match kind {
                Kind::File => path.ends_with("keep"),
                Kind::Directory => path == "d",
            })
            .unwrap(),
        );
        assert_eq!(part.probe("a/b"), Some(Kind::Directory));
        assert_eq!(part.probe("a/c"), None);
        assert_eq!(part.list("d").unwrap(), []);
        assert!(matches!(part.read("a/b/drop"), Err(Error::NotFound(_))));
        assert_eq!(&*part.read("a/b/keep").unwrap(), b"x");
    }
}
