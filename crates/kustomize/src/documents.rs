//! A tree whose files are parsed once.

use std::sync::Arc;

use vfs::Tree;
use yaml::Sources;

/// A file tree together with the texts and documents read from it. Many builds
/// share one, in parallel; each file is read and parsed once.
pub struct Documents {
    tree: Tree,
    sources: Arc<Sources>,
}

impl Documents {
    /// Documents of `tree`; their spans point into `sources`.
    pub fn new(tree: Tree, sources: Arc<Sources>) -> Self {
        Documents { tree, sources }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The texts.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }
}
