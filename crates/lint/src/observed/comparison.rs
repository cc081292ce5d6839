//! What the rules of this family read.

use link::Linked;
use model::ComponentKey;
use observed::{ClusterState, ComponentState, State};

use crate::{Finding, Question, Severity};

/// What a cluster reported, and what was found without it.
#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    /// The cluster.
    pub(crate) state: &'a ClusterState,
    /// The findings of all other rules, those that the user accepts left out.
    pub(crate) findings: &'a [Finding],
}

impl<'a> Observed<'a> {
    /// How the cluster has a component. `None` for one that it lacks, and for
    /// one whose Flux object lives in another cluster.
    pub(crate) fn of(&self, linked: &Linked<'_>, at: usize) -> Option<&'a ComponentState> {
        let component = linked.component(at).filter(|c| c.home.is_empty())?;
        self.state.get(&component.key)
    }

    /// Whether a finding at or above a warning names a component. What takes long
    /// is no reason to fail.
    pub(crate) fn is_named(&self, key: &ComponentKey) -> bool {
        self.findings.iter().any(|finding| {
            finding.severity >= Severity::Warning
                && finding.source != Question::Timing
                && finding.components.contains(key)
        })
    }

    /// Reason and message of a component that is not ready.
    pub(crate) fn failure(&self, linked: &Linked<'_>, at: usize) -> Option<(&'a str, &'a str)> {
        match &self.of(linked, at)?.state {
            State::Failing { reason, message } => Some((reason, message)),
            _ => None,
        }
    }
}
