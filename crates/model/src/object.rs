//! One rendered Kubernetes object.

use std::sync::Arc;

use ecow::EcoString;
use yaml::Node;

/// What names an object within a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// API group; empty for the core group.
    pub group: EcoString,
    /// API version without the group.
    pub version: EcoString,
    /// Kind.
    pub kind: EcoString,
    /// Namespace; empty for cluster-scoped objects and where none is set.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
}

/// Prints as `Kind/namespace/name`, or `Kind/name` without a namespace.
impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// A rendered object, as it reaches the API server.
#[derive(Clone, Debug)]
pub struct Object {
    /// What names it.
    pub identity: Identity,
    /// Its content; spans say which file and line set each value.
    pub node: Arc<Node>,
}
