//! All that one entrypoint brings to a cluster.

use std::sync::Arc;

use ecow::EcoString;
use yaml::{Sources, Span};

use crate::{Component, Identity, Reference};

/// A source object's key: kind, namespace, name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceKey {
    /// `GitRepository`, `OCIRepository`, `Bucket`, `HelmRepository`,
    /// `HelmChart` or `ExternalArtifact`.
    pub kind: EcoString,
    /// Namespace.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
}

impl From<&Reference> for SourceKey {
    fn from(reference: &Reference) -> Self {
        SourceKey {
            kind: reference.kind.clone(),
            namespace: reference.namespace.clone(),
            name: reference.name.clone(),
        }
    }
}

/// Prints as `Kind/namespace/name`.
impl std::fmt::Display for SourceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.kind, self.namespace, self.name)
    }
}

/// What a source's content is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Artifact {
    /// This repository.
    Repository,
    /// Paths of this repository, copied by an ArtifactGenerator.
    Generated,
    /// Another tree that a mirror or override holds.
    Mirror,
    /// Not available here, for this reason.
    Unavailable(EcoString),
    /// It does not exist where the source says it is, as this tells.
    Absent(EcoString),
}

/// Something taken as given, which the result rests on.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// What.
    pub message: EcoString,
    /// Where it comes from.
    pub span: Span,
}

/// One entrypoint, rendered.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The entrypoint's directory; empty for the repository's root.
    pub entrypoint: EcoString,
    /// All components, roots first, in a stable order.
    pub components: Vec<Component>,
    /// Sources by key with what they are here and where they are defined.
    pub sources: Vec<(SourceKey, Artifact, Option<Identity>, Span)>,
    /// Things taken as given.
    pub assumptions: Vec<Assumption>,
    /// Objects that the bootstrap installs and no component renders (Flux's
    /// own namespace, the root source and Kustomization).
    pub given: Vec<Identity>,
    /// The Flux release the world is judged by, `major.minor` or longer.
    pub flux_version: EcoString,
    /// Whether an undefined variable fails a component.
    pub strict_substitution: bool,
    /// Manifests of the repository that no entrypoint leads to, told with the
    /// entrypoint nearest to them. Empty when only some entrypoints were asked
    /// for.
    pub unreached: Vec<Unreached>,
    /// What helmfiles of the repository install.
    pub helmfiles: Vec<HelmfileRelease>,
}

/// A release that something else than Flux installs, as a helmfile of the repository
/// says: usually the bootstrap, before Flux is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelmfileRelease {
    /// Namespace.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
    /// Where it is listed.
    pub span: Span,
}

/// Manifests that no entrypoint leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The directory that holds them; empty for the repository's root.
    pub directory: EcoString,
    /// Nothing in or below the directory is reached. Otherwise the files lie
    /// in it, beside others that are.
    pub whole: bool,
    /// The files, by path.
    pub files: Vec<UnreachedFile>,
}

/// One file that no entrypoint leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachedFile {
    /// Its path in the repository.
    pub path: EcoString,
    /// The kinds of its objects; empty for a kustomization file.
    pub kinds: Vec<EcoString>,
    /// Its first object.
    pub span: Span,
}

/// A repository with all its entrypoints.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The texts that spans point into.
    pub texts: Arc<Sources>,
    /// One world an entrypoint.
    pub worlds: Vec<World>,
}
