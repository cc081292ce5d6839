//! What an API server holds, as facts that become true and stay so.

use ecow::EcoString;
use rustc_hash::FxHashMap;

/// A fact by number.
pub type FactId = usize;

/// Something that is true of a cluster from some time on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// An object is stored.
    Exists {
        /// The cluster.
        cluster: EcoString,
        /// API group.
        group: EcoString,
        /// Kind.
        kind: EcoString,
        /// Namespace; empty for objects of the cluster.
        namespace: EcoString,
        /// Name.
        name: EcoString,
    },
    /// The API server serves a kind: its CRD is established.
    Served {
        /// The cluster.
        cluster: EcoString,
        /// API group.
        group: EcoString,
        /// Kind.
        kind: EcoString,
    },
    /// An account is allowed to do what is asked of it.
    Allowed {
        /// The cluster.
        cluster: EcoString,
        /// Namespace.
        namespace: EcoString,
        /// Name.
        name: EcoString,
    },
    /// An object does its work, by the number of its `Exists`: all pods of a
    /// workload run, a source has an artifact, a claim is bound.
    Healthy(FactId),
    /// A component's `Ready` condition is true.
    Ready(usize),
    /// Something nobody will ever see.
    Never,
}

/// Facts by number, each once.
#[derive(Default)]
pub struct Facts {
    numbers: FxHashMap<Fact, FactId>,
    all: Vec<Fact>,
}

impl Facts {
    /// The number of a fact, new or known.
    pub fn number(&mut self, fact: Fact) -> FactId {
        if let Some(known) = self.numbers.get(&fact) {
            return *known;
        }
        let number = self.all.len();
        self.all.push(fact.clone());
        self.numbers.insert(fact, number);
        number
    }

    /// The number of a known fact.
    pub fn find(&self, fact: &Fact) -> Option<FactId> {
        self.numbers.get(fact).copied()
    }

    /// All facts in the order of their numbers.
    pub fn all(&self) -> &[Fact] {
        &self.all
    }
}
