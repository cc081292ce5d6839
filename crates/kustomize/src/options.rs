//! How a build is run, and what comes out of it.

use std::sync::Arc;

use ecow::EcoString;
use vfs::Tree;
use yaml::Span;

/// Which files a kustomization may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadRestrictions {
    /// Any file of the tree.
    #[default]
    None,
    /// Only files in or below the directory of the kustomization file.
    RootOnly,
}

/// The order of the result when no `sortOptions` says one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// As listed, depth first.
    #[default]
    None,
    /// The fixed order of kinds of older releases.
    Legacy,
    /// Nothing was said; acts as [`Reorder::Legacy`].
    Unspecified,
}

/// How a build is run. The default is how kustomize-controller runs it.
#[derive(Clone, Default)]
pub struct Options {
    /// Which files may be read.
    pub load_restrictions: LoadRestrictions,
    /// The order of the result.
    pub reorder: Reorder,
    /// Absolute paths count from the root of the tree; otherwise they are
    /// refused as leading out of it.
    pub absolute_paths: bool,
    /// A schema that `openapi` names replaces the built-in one. The controllers
    /// add it to the built-in one instead.
    pub custom_schema_only: bool,
    /// The version that the managed-by label names; empty for that of the
    /// controllers.
    pub version: EcoString,
    /// Adds the `app.kubernetes.io/managed-by` label.
    pub managed_by_label: bool,
    /// Serves remote bases and files. `None`: they are unavailable.
    pub remote: Option<Arc<dyn Remote>>,
    /// Remote bases that cannot be had bring no objects, and remote files of
    /// generators a marker for their content, instead of failing the build. Then
    /// the result is a part of what the build makes: see [`RemoteUse::available`].
    pub leave_out_unavailable: bool,
    /// An entry of `resources`, `components` or a generator that fails is left
    /// out, and kept in [`Output::faults`](crate::Output::faults), instead of failing
    /// the build. Then the result is what there would be besides.
    pub keep_going: bool,
}

/// Serves what kustomization files name by address.
pub trait Remote: Send + Sync {
    /// The tree of a repository at a reference (empty: its default branch), or
    /// `None` when it cannot be had.
    fn repository(&self, url: &str, reference: &str) -> Option<Tree>;
    /// The bytes of a file, or `None` when it cannot be had.
    fn file(&self, url: &str) -> Option<Arc<[u8]>>;
}

/// A remote address that a build named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUse {
    /// The address as written.
    pub url: EcoString,
    /// Where it stands.
    pub span: Option<Span>,
    /// Whether it names a commit or tag, not a branch.
    pub pinned: bool,
    /// Whether it could be had.
    pub available: bool,
}
