//! Names of components.

use ecow::EcoString;

/// Which Flux kind a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ComponentKind {
    /// `kustomize.toolkit.fluxcd.io` Kustomization.
    Kustomization,
    /// `helm.toolkit.fluxcd.io` HelmRelease.
    HelmRelease,
}

/// The key of a component within one entrypoint. Prints as `namespace/name`
/// for a Kustomization and `HelmRelease/namespace/name` for a release.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentKey {
    /// Which Flux kind.
    pub kind: ComponentKind,
    /// Namespace of the Flux object.
    pub namespace: EcoString,
    /// Name of the Flux object.
    pub name: EcoString,
}

impl std::fmt::Display for ComponentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.kind == ComponentKind::HelmRelease {
            f.write_str("HelmRelease/")?;
        }
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
