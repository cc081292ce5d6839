//! Shortest cycles.

use std::collections::VecDeque;

use crate::Link;

/// Steps a search may take. It is quadratic in the size of a deadlock:
/// thousands of events are searched to the end, and beyond that a short cycle
/// is as good to a reader as the shortest.
const BUDGET: usize = 30_000_000;

/// A shortest cycle of a graph that has one, as the links along it.
pub(crate) fn shortest_cycle(next: &[Vec<(usize, Link)>]) -> Option<Vec<Link>> {
    let mut search = Search {
        next,
        seen: vec![(usize::MAX, 0, None); next.len()],
        steps: 0,
    };
    let mut best: Option<Vec<Link>> = None;
    for start in 0..next.len() {
        let limit = best.as_ref().map_or(usize::MAX, Vec::len);
        if limit <= 1 || search.steps > BUDGET {
            break;
        }
        if let Some(cycle) = search.through(start, limit) {
            best = Some(cycle);
        }
    }
    best
}

/// Breadth-first search for the shortest way from a node back to itself.
struct Search<'a> {
    next: &'a [Vec<(usize, Link)>],
    /// For each node: the search that saw it last, and how it got there.
    seen: Vec<(usize, usize, Option<Link>)>,
    steps: usize,
}

impl Search<'_> {
    /// A shortest cycle through `start` of fewer than `limit` links.
    fn through(&mut self, start: usize, limit: usize) -> Option<Vec<Link>> {
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((node, length)) = queue.pop_front() {
            if length + 1 >= limit {
                return None;
            }
            for (to, link) in self.next.get(node).into_iter().flatten() {
                self.steps += 1;
                if *to == start {
                    return Some(self.path_back(start, node, *link));
                }
                if let Some(slot) = self.seen.get_mut(*to)
                    && slot.0 != start
                {
                    *slot = (start, node, Some(*link));
                    queue.push_back((*to, length + 1));
                }
            }
        }
        None
    }

    fn path_back(&self, start: usize, mut node: usize, last: Link) -> Vec<Link> {
        let mut links = vec![last];
        while node != start
            && let Some((_, from, Some(link))) = self.seen.get(node)
        {
            links.push(*link);
            node = *from;
        }
        links.reverse();
        links
    }
}
