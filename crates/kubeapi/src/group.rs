//! API groups and namespaces that exist without anybody installing them.

use crate::kinds;

/// Namespaces every cluster has.
pub const BUILTIN_NAMESPACES: [&str; 4] =
    ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Groups that aggregated API servers serve by convention; no CRD defines them.
const AGGREGATED: [&str; 4] = [
    "custom.metrics.k8s.io",
    "external.metrics.k8s.io",
    "metrics.k8s.io",
    "subresources.kubevirt.io",
];

/// Splits an `apiVersion` into group and version. The core group is empty.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// Whether Kubernetes itself serves the group.
pub fn is_builtin(group: &str) -> bool {
    kinds::has_group(group)
}

/// Whether the group is one of Flux's own, which the bootstrap installs.
///
/// The Flux Operator's group counts: it is what bootstraps Flux where it is
/// used.
pub fn is_flux(group: &str) -> bool {
    group.ends_with(".toolkit.fluxcd.io")
        || group == "source.extensions.fluxcd.io"
        || group == "fluxcd.controlplane.io"
}

/// Whether the group is served by an aggregated API server rather than a CRD.
pub fn is_aggregated(group: &str) -> bool {
    AGGREGATED.contains(&group)
}
