//! A small Flux repository as a plan: what generators draw, shrinking makes
//! smaller and [`super::files`] writes out.

use serde::{Deserialize, Serialize};

/// The namespace that the bootstrap makes and most Flux objects live in.
pub const FLUX: &str = "flux-system";

/// A repository and what is declared beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// The root's own settings, of use only when it applies itself.
    pub root: Unit,
    /// A file of the repository holds the root Kustomization and its source.
    pub self_applied: bool,
    /// All other components.
    pub units: Vec<Unit>,
    /// CRDs that come at run time: group, and the component that makes them.
    pub runtime: Vec<(String, String)>,
    /// Namespaces that exist outside of Git.
    pub namespaces: Vec<String>,
    /// Groups whose CRDs exist outside of Git.
    pub groups: Vec<String>,
    /// Seconds between two looks at dependencies.
    pub requeue: Option<u64>,
    /// How many Kustomizations and releases are worked on at once.
    pub concurrent: Option<(u32, u32)>,
}

/// A Kustomization or a HelmRelease.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unit {
    /// Its name, which is also its directory's or chart's.
    pub name: String,
    /// Where its Flux object lives; [`FLUX`] when empty.
    pub namespace: String,
    /// A HelmRelease.
    pub release: bool,
    /// The Kustomizations that apply it; the root when empty.
    pub parents: Vec<String>,
    /// `wait`.
    pub wait: bool,
    /// `suspend`.
    pub suspend: bool,
    /// `interval` in seconds; 600 when not set.
    pub interval: Option<u64>,
    /// `retryInterval` in seconds.
    pub retry: Option<u64>,
    /// `timeout` in seconds.
    pub timeout: Option<u64>,
    /// `dependsOn`.
    pub depends: Vec<Depends>,
    /// `sourceRef` as kind, namespace, name; the root's when not set.
    pub source: Option<Named>,
    /// `healthChecks`.
    pub checks: Vec<Named>,
    /// `substituteFrom` or `valuesFrom`.
    pub reads: Vec<Read>,
    /// `serviceAccountName`.
    pub account: Option<String>,
    /// `decryption.secretRef`.
    pub decryption: Option<String>,
    /// `kubeConfig.secretRef`.
    pub kubeconfig: Option<String>,
    /// A release's `targetNamespace`, and whether it creates it.
    pub target: Option<(String, bool)>,
    /// The build fails.
    pub broken: bool,
    /// What it applies, Flux objects of other units aside.
    pub things: Vec<Thing>,
}

/// One entry of `dependsOn`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Depends {
    /// Namespace of the dependency.
    pub namespace: String,
    /// Name of the dependency.
    pub name: String,
    /// With a `readyExpr` that holds for whatever exists.
    pub expr: bool,
}

/// An object by kind, namespace and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Kind.
    pub kind: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// A ConfigMap or Secret in the reader's namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Whether it may be missing.
    pub optional: bool,
}

/// An object of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Thing {
    /// A namespace.
    Namespace(String),
    /// The CRD of kind `Thing` of a group.
    Crd(String),
    /// A custom resource of kind `Thing`.
    Custom {
        /// Its group.
        group: String,
        /// Its namespace.
        namespace: String,
    },
    /// A ConfigMap, Secret, PersistentVolumeClaim, or a ServiceAccount with a
    /// binding that lets it do everything.
    Plain(Named),
    /// A source.
    Source {
        /// What it is.
        named: Named,
        /// The Secret it is fetched with.
        secret: Option<String>,
        /// `suspend`.
        suspend: bool,
    },
    /// A workload whose pods need objects of its namespace.
    Workload {
        /// What it is.
        named: Named,
        /// What its pods need.
        needs: Vec<Read>,
    },
    /// A bare Pod that runs as an account.
    Pod {
        /// Its namespace.
        namespace: String,
        /// The account.
        account: String,
    },
    /// An IngressClass, PriorityClass or StorageClass.
    Class {
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
    /// A claim of a StorageClass.
    Claim {
        /// What it is.
        named: Named,
        /// The class.
        class: String,
    },
}

impl Thing {
    /// Whether both are one object, whatever it says.
    pub fn is_same(&self, other: &Thing) -> bool {
        match (self, other) {
            (Thing::Workload { named: a, .. }, Thing::Workload { named: b, .. }) => a == b,
            (Thing::Source { named: a, .. }, Thing::Source { named: b, .. }) => a == b,
            (
                Thing::Claim { named: a, .. } | Thing::Plain(a),
                Thing::Claim { named: b, .. } | Thing::Plain(b),
            ) => a == b,
            (Thing::Pod { namespace: a, .. }, Thing::Pod { namespace: b, .. }) => a == b,
            _ => self == other,
        }
    }
}

impl Unit {
    /// Where its Flux object lives.
    pub fn home(&self) -> &str {
        if self.namespace.is_empty() {
            FLUX
        } else {
            &self.namespace
        }
    }

    /// Its kind.
    pub fn kind(&self) -> &'static str {
        if self.release {
            "HelmRelease"
        } else {
            "Kustomization"
        }
    }

    /// Its key as configuration files write it.
    pub fn key(&self) -> String {
        let name = format!("{}/{}", self.home(), self.name);
        match self.release {
            true => format!("HelmRelease/{name}"),
            false => name,
        }
    }
}

impl Plan {
    /// Whether something applies what a unit lists as its objects to the cluster
    /// that is bootstrapped: it is a parent.
    pub fn is_parent(&self, unit: &Unit) -> bool {
        self.units.iter().any(|other| {
            other.parents.contains(&unit.name)
                || (other.parents.is_empty() && unit.name == self.root.name)
        })
    }
}
