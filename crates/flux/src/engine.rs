//! What may stand beside the native renderers.

use kustomize::{Documents, Error, Options, Output};
use model::ComponentKey;
use yaml::Node;

/// Sees what the native renderers are given and what they make of it, and says
/// what counts. Called from many threads, for a component as often as it is
/// built.
pub trait Engine: Send + Sync {
    /// A build by kustomize.
    fn kustomize(
        &self,
        build: &KustomizeBuild<'_>,
        native: Result<Output, Error>,
    ) -> Result<Output, Error>;
}

/// What kustomize is given.
#[derive(Clone, Copy)]
pub struct KustomizeBuild<'a> {
    /// Whose build it is.
    pub component: &'a ComponentKey,
    /// The artifact, its encrypted files as the controller's key makes them.
    pub documents: &'a Documents,
    /// The directory to build.
    pub dir: &'a str,
    /// What stands in place of the directory's kustomization file.
    pub kustomization: &'a Node,
    /// How it is built.
    pub options: &'a Options,
}
