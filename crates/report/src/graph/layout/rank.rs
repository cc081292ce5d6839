//! Layers.

use std::collections::{HashMap, HashSet};

use super::{Layers, Slot};

/// How many places edges may take up on their way. Beyond that a drawing is of
/// no use to anybody, and edges go straight to their ends.
const LANES: usize = 100_000;

/// The way of an edge between its ends.
pub(crate) struct Way {
    /// It leads against the flow.
    pub turned: bool,
    /// The slots it passes, from its start to its end, with their layers.
    pub slots: Vec<(usize, usize)>,
}

/// The layer of each node: the longest way to it, edges that close a circle
/// turned around. Nodes without an edge come into a layer behind the last, a
/// few at a time, where they do not draw the others apart.
pub(crate) fn ranks(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let forward = forward(nodes, edges);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut open = vec![0_usize; nodes];
    for (from, to) in &forward {
        if let (Some(next), Some(open)) = (next.get_mut(*from), open.get_mut(*to)) {
            next.push(*to);
            *open += 1;
        }
    }
    let mut ranks = vec![0_usize; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|at| open.get(*at) == Some(&0)).collect();
    let mut order = Vec::with_capacity(nodes);
    while let Some(at) = ready.pop() {
        order.push(at);
        let rank = ranks.get(at).copied().unwrap_or(0) + 1;
        for to in next.get(at).into_iter().flatten() {
            if let (Some(slot), Some(open)) = (ranks.get_mut(*to), open.get_mut(*to)) {
                *slot = rank.max(*slot);
                *open -= 1;
                if *open == 0 {
                    ready.push(*to);
                }
            }
        }
    }
    // What nothing leads to moves up to what it leads to.
    let mut entered = vec![false; nodes];
    for (_, to) in &forward {
        if let Some(entered) = entered.get_mut(*to) {
            *entered = true;
        }
    }
    for at in order.into_iter().rev() {
        let to = next.get(at).into_iter().flatten();
        let nearest = to.filter_map(|to| ranks.get(*to)).min().copied();
        if let (Some(nearest), Some(false)) = (nearest, entered.get(at))
            && let Some(slot) = ranks.get_mut(at)
        {
            *slot = nearest.saturating_sub(1);
        }
    }
    ranks
}

/// The edges without those to themselves, each turned so that there is no
/// circle.
fn forward(nodes: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (from, to) in edges {
        if from != to
            && *to < nodes
            && let Some(next) = next.get_mut(*from)
        {
            next.push(*to);
        }
    }
    let back = back_edges(&next);
    let kept = edges.iter().filter(|(from, to)| from != to && *to < nodes);
    kept.map(|(from, to)| match back.contains(&(*from, *to)) {
        true => (*to, *from),
        false => (*from, *to),
    })
    .collect()
}

/// Edges that lead back to where a depth-first walk still is.
fn back_edges(next: &[Vec<usize>]) -> HashSet<(usize, usize)> {
    let mut back = HashSet::new();
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0_u8; next.len()];
    let mut entered = vec![false; next.len()];
    for to in next.iter().flatten() {
        if let Some(entered) = entered.get_mut(*to) {
            *entered = true;
        }
    }
    let is_entered = |at: &usize| entered.get(*at).copied().unwrap_or(false);
    let (inner, roots): (Vec<usize>, Vec<usize>) = (0..next.len()).partition(is_entered);
    for root in roots.into_iter().chain(inner) {
        let mut stack = vec![(root, 0_usize)];
        while let Some((at, step)) = stack.pop() {
            if step == 0 {
                match state.get_mut(at) {
                    Some(state) if *state == 0 => *state = 1,
                    _ => continue,
                }
            }
            let to = next.get(at).and_then(|next| next.get(step)).copied();
            let Some(to) = to else {
                if let Some(state) = state.get_mut(at) {
                    *state = 2;
                }
                continue;
            };
            stack.push((at, step + 1));
            match state.get(to) {
                Some(0) => stack.push((to, 0)),
                Some(1) => {
                    back.insert((at, to));
                }
                _ => {}
            }
        }
    }
    back
}

/// Slots in layers, and the way of each edge.
pub(crate) fn layers(ranks: &[usize], edges: &[(usize, usize, u8)]) -> (Layers, Vec<Way>) {
    let last = ranks.iter().copied().max().unwrap_or(0);
    let mut layers = Layers {
        slots: Vec::new(),
        layers: vec![Vec::new(); last + 1],
        before: Vec::new(),
        behind: Vec::new(),
    };
    let mut numbers = HashMap::new();
    for (node, rank) in ranks.iter().enumerate() {
        slot(&mut layers, &mut numbers, Slot::Node(node), *rank);
    }
    let rank = |node: usize| ranks.get(node).copied().unwrap_or(0);
    let spans = edges
        .iter()
        .map(|(from, to, _)| rank(*from).abs_diff(rank(*to)));
    let is_plain = spans.sum::<usize>() > LANES;
    let mut linked = HashSet::new();
    let mut ways = Vec::with_capacity(edges.len());
    for (from, to, bundle) in edges {
        let turned = rank(*from) > rank(*to);
        let (first, then) = if turned { (*to, *from) } else { (*from, *to) };
        let mut slots = Vec::new();
        let mut previous = slot(&mut layers, &mut numbers, Slot::Node(first), rank(first));
        let between = rank(first) + 1..if is_plain { 0 } else { rank(then) };
        for layer in between {
            let lane = Slot::Lane(first, *bundle, layer);
            let lane = slot(&mut layers, &mut numbers, lane, layer);
            link(&mut layers, &mut linked, previous, lane);
            slots.push((lane, layer));
            previous = lane;
        }
        let end = slot(&mut layers, &mut numbers, Slot::Node(then), rank(then));
        let is_step = !is_plain || rank(first) + 1 == rank(then);
        if rank(first) < rank(then) && is_step {
            link(&mut layers, &mut linked, previous, end);
        }
        if turned {
            slots.reverse();
        }
        ways.push(Way { turned, slots });
    }
    (layers, ways)
}

fn slot(layers: &mut Layers, numbers: &mut HashMap<Slot, usize>, slot: Slot, rank: usize) -> usize {
    *numbers.entry(slot).or_insert_with(|| {
        let number = layers.slots.len();
        layers.slots.push(slot);
        layers.before.push(Vec::new());
        layers.behind.push(Vec::new());
        if let Some(layer) = layers.layers.get_mut(rank) {
            layer.push(number);
        }
        number
    })
}

fn link(layers: &mut Layers, linked: &mut HashSet<(usize, usize)>, from: usize, to: usize) {
    if !linked.insert((from, to)) {
        return;
    }
    if let Some(behind) = layers.behind.get_mut(from) {
        behind.push(to);
    }
    if let Some(before) = layers.before.get_mut(to) {
        before.push(from);
    }
}
