//! What a source object's content is here.

use vfs::Tree;

/// A place where the content of other repositories and artifacts is looked up.
pub trait Mirror: Send + Sync {
    /// The tree of a Git repository at a reference (a commit, tag or branch as
    /// written); `None` when it is not held.
    fn git(&self, url: &str, reference: &str) -> Option<Tree>;
    /// The content of an OCI artifact (`oci://…`) at a tag; `None` when it is
    /// not held.
    fn oci(&self, url: &str, tag: &str) -> Option<Tree>;
}
