//! How long components took, from the history in their status.

use model::{ComponentKind, Duration, Measured};
use yaml::{Node, Sources};

use crate::dump::Entry;
use crate::state::{State, state};

/// The status of a reconciliation in `status.history` that went through.
const SUCCEEDED: &str = "ReconciliationSucceeded";

/// What the object of a component says about how long it took; `None` when it
/// says nothing.
pub(crate) fn measured(entry: &Entry<'_>, texts: &Sources) -> Option<Measured> {
    match entry.key.kind {
        ComponentKind::Kustomization => of_snapshots(entry.node, texts),
        ComponentKind::HelmRelease => of_last_action(entry, texts),
    }
}

/// kustomize-controller keeps up to five snapshots (since Flux 2.7), one for
/// every set of objects and outcome: how long the last reconciliation with them
/// took, from building to health, and how many there were. The first with new
/// objects applied them; what came after had nothing to do.
fn of_snapshots(node: &Node, texts: &Sources) -> Option<Measured> {
    let snapshots = node.path(&["status", "history"])?.items();
    let first = |snapshot: &&Node| {
        let total = snapshot.get("totalReconciliations");
        total.and_then(Node::as_i64) == Some(1)
    };
    let succeeded = || {
        let all = snapshots.iter();
        all.filter(|s| s.str_at(&["lastReconciledStatus"]) == Some(SUCCEEDED))
    };
    range(succeeded().filter(first), texts).or_else(|| {
        let repeated = range(succeeded(), texts)?;
        Some(Measured {
            average: true,
            ..repeated
        })
    })
}

/// The shortest and the longest of some snapshots.
fn range<'a>(snapshots: impl Iterator<Item = &'a Node>, texts: &Sources) -> Option<Measured> {
    let mut found: Option<Measured> = None;
    for snapshot in snapshots {
        let Some(node) = snapshot.get("lastReconciledDuration") else {
            continue;
        };
        let Some(nanos) = nanos(node) else { continue };
        match &mut found {
            None => found = Some(Measured::exactly(nanos, origin(node, texts))),
            Some(range) => {
                if nanos > range.most {
                    range.most = nanos;
                    range.origin = origin(node, texts).into();
                }
                range.least = range.least.min(nanos);
            }
        }
    }
    found
}

/// helm-controller keeps how long the last installation or upgrade took, waits
/// and hooks included. One that failed says how long patience lasted.
fn of_last_action(entry: &Entry<'_>, texts: &Sources) -> Option<Measured> {
    if !matches!(state(entry.node), State::Ready | State::Suspended) {
        return None;
    }
    let node = entry
        .node
        .path(&["status", "lastAttemptedReleaseActionDuration"])?;
    Some(Measured::exactly(nanos(node)?, origin(node, texts)))
}

fn nanos(node: &Node) -> Option<Duration> {
    model::duration(node.as_str()?)
}

/// `file:line` of a node.
pub(crate) fn origin(node: &Node, texts: &Sources) -> String {
    texts
        .location(node.span)
        .map_or_else(String::new, |at| format!("{}:{}", at.file, at.line))
}
