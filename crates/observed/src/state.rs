//! How components are.

use std::collections::BTreeMap;

use ecow::EcoString;
use model::ComponentKey;
use yaml::{Node, Span};

use crate::dump::{Entry, text};

/// How a component is, as its Flux object's status says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// `Ready` is true, for what its spec says now.
    Ready,
    /// `Ready` is false.
    Failing {
        /// The condition's reason.
        reason: EcoString,
        /// The condition's message.
        message: EcoString,
    },
    /// Its controller is at it, has not looked yet, or is deleting it.
    Undecided,
    /// `spec.suspend`: its condition is of the past.
    Suspended,
}

/// One component of a cluster.
#[derive(Clone, Debug)]
pub struct ComponentState {
    /// How it is.
    pub state: State,
    /// The revision that was tried last, if any.
    pub revision: Option<EcoString>,
    /// Where the file says so.
    pub span: Span,
}

/// The components of a cluster at one time.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    by_key: BTreeMap<ComponentKey, ComponentState>,
}

impl ClusterState {
    pub(crate) fn of(entries: &[Entry<'_>]) -> Self {
        let entry = |entry: &Entry<'_>| {
            let state = ComponentState {
                state: state(entry.node),
                revision: text(entry.node, &["status", "lastAttemptedRevision"]),
                span: entry.node.span,
            };
            (entry.key.clone(), state)
        };
        ClusterState {
            by_key: entries.iter().map(entry).collect(),
        }
    }

    /// How a component is; `None` when the cluster has none of this name.
    pub fn get(&self, key: &ComponentKey) -> Option<&ComponentState> {
        self.by_key.get(key)
    }

    /// All components, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&ComponentKey, &ComponentState)> {
        self.by_key.iter()
    }
}

/// How the component of an object is.
///
/// While a component fails, its controller leaves `observedGeneration` behind
/// (both controllers set it when they succeed or give up), so only for a true
/// `Ready` it matters.
pub(crate) fn state(node: &Node) -> State {
    if node.path(&["spec", "suspend"]).and_then(Node::as_bool) == Some(true) {
        return State::Suspended;
    }
    if text(node, &["metadata", "deletionTimestamp"]).is_some() {
        return State::Undecided;
    }
    let conditions = node.path(&["status", "conditions"]).map(Node::items);
    let ready = conditions
        .unwrap_or_default()
        .iter()
        .find(|condition| condition.str_at(&["type"]) == Some("Ready"));
    let Some(ready) = ready else {
        return State::Undecided;
    };
    match ready.str_at(&["status"]) {
        Some("True") if !is_outdated(node, ready) => State::Ready,
        Some("False") => State::Failing {
            reason: text(ready, &["reason"]).unwrap_or_default(),
            message: text(ready, &["message"]).unwrap_or_default(),
        },
        _ => State::Undecided,
    }
}

/// Whether a condition is about an earlier spec.
fn is_outdated(node: &Node, condition: &Node) -> bool {
    let number = |node: &Node, path: &[&str]| node.path(path).and_then(Node::as_i64);
    let Some(generation) = number(node, &["metadata", "generation"]) else {
        return false;
    };
    let observed = number(condition, &["observedGeneration"])
        .or_else(|| number(node, &["status", "observedGeneration"]));
    observed.is_some_and(|observed| observed < generation)
}
