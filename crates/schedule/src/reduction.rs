//! Orderings that others imply.

use crate::components;

/// The positions of those `edges` (`from`, `to`) of a graph of `nodes` nodes
/// that a longer path implies: the graph without them has the same reachable
/// pairs. Edges inside a cycle are kept, since each may be what closes it; of
/// several equal edges the first is kept.
pub fn redundant(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (from, to) in edges {
        if *to < nodes
            && let Some(next) = next.get_mut(*from)
        {
            next.push(*to);
        }
    }
    let groups = components(nodes, &next);
    let mut group_of = vec![0; nodes];
    for (at, group) in groups.iter().enumerate() {
        for node in group {
            if let Some(slot) = group_of.get_mut(*node) {
                *slot = at;
            }
        }
    }
    let of = |node: usize| group_of.get(node).copied();
    let reach = reachable(&groups, &next, &group_of);
    let mut kept: std::collections::HashSet<(usize, usize)> = std::collections::HashSet::new();
    let mut found = Vec::new();
    for (at, (from, to)) in edges.iter().enumerate() {
        let (Some(source), Some(target)) = (of(*from), of(*to)) else {
            continue;
        };
        if source == target {
            continue;
        }
        // Another way: through any other group that the source's edges enter.
        let detour = groups.get(source).into_iter().flatten().any(|node| {
            next.get(*node).into_iter().flatten().any(|via| {
                of(*via).is_some_and(|via| {
                    via != source && via != target && reach.get(via).is_some_and(|r| r.has(target))
                })
            })
        });
        if detour || !kept.insert((*from, *to)) {
            found.push(at);
        }
    }
    found
}

/// For each group, the groups it leads to. Groups come after those that they
/// lead to, so one pass is enough.
fn reachable(groups: &[Vec<usize>], next: &[Vec<usize>], group_of: &[usize]) -> Vec<Bits> {
    let mut reach: Vec<Bits> = Vec::with_capacity(groups.len());
    for (at, group) in groups.iter().enumerate() {
        let mut bits = Bits::new(groups.len());
        bits.set(at);
        for node in group {
            for to in next.get(*node).into_iter().flatten() {
                let Some(to) = group_of.get(*to) else {
                    continue;
                };
                if let Some(other) = reach.get(*to) {
                    bits.join(other);
                }
            }
        }
        reach.push(bits);
    }
    reach
}

struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Self {
        Bits(vec![0; size.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn has(&self, at: usize) -> bool {
        self.0
            .get(at / 64)
            .is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    fn join(&mut self, other: &Bits) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }
}
