//! Which events a declared order puts before which.

use rustc_hash::FxHashMap;
use schedule::{Event as Node, Graph};

use crate::{Event, Reason};

/// What each event comes before by declaration: dependencies, parents, waits.
pub(crate) struct Order {
    next: Vec<Vec<usize>>,
    known: FxHashMap<usize, Vec<bool>>,
}

impl Order {
    /// The order of a graph as it stands: later needs do not count.
    pub(crate) fn of(graph: &Graph<Event, Reason>) -> Self {
        let next = graph
            .events()
            .map(|event| {
                graph
                    .links_from(event)
                    .iter()
                    .filter_map(|link| graph.link(*link))
                    .filter(|(_, producer)| producer.reason.why.is_declared())
                    .map(|(need, _)| need.event.index())
                    .collect()
            })
            .collect();
        Order {
            next,
            known: FxHashMap::default(),
        }
    }

    /// Whether `first` is declared to come before `then`, or is it.
    pub(crate) fn holds(&mut self, first: Node, then: Node) -> bool {
        let next = &self.next;
        let reached = self.known.entry(first.index()).or_insert_with(|| {
            let mut reached = vec![false; next.len()];
            let mut stack = vec![first.index()];
            while let Some(at) = stack.pop() {
                match reached.get_mut(at) {
                    Some(slot) if !*slot => *slot = true,
                    _ => continue,
                }
                stack.extend(next.get(at).into_iter().flatten());
            }
            reached
        });
        reached.get(then.index()).copied().unwrap_or(false)
    }
}
