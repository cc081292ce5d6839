//! Where nodes and edges of a layered drawing go.
//!
//! Four steps, after Sugiyama: edges against the flow are turned around, every
//! node gets the layer of the longest way to it, the order within layers is
//! chosen for few crossings, and positions are chosen for straight edges. All
//! of it is deterministic.

mod order;
mod position;
mod rank;

/// What is laid out.
pub(crate) struct Input {
    /// The width of each node, in pixels.
    pub widths: Vec<f64>,
    /// (from, to, bundle): edges of one node and bundle share their way.
    pub edges: Vec<(usize, usize, u8)>,
}

/// Where everything is, in pixels from the upper left.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The left end and the middle height of each node.
    pub nodes: Vec<(f64, f64)>,
    /// The points each edge passes, from its start to its end.
    pub edges: Vec<Vec<(f64, f64)>>,
    /// Width and height of the whole.
    pub size: (f64, f64),
}

/// The height of a node and the room it takes.
pub(crate) const NODE: f64 = 22.0;
const ROW: f64 = 28.0;
/// The room an edge takes where it passes a layer.
const LANE: f64 = 7.0;
/// The room between layers; wider where many edges pass.
const GAP: f64 = 56.0;

/// A place in a layer: a node, or where an edge passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// A node.
    Node(usize),
    /// Edges of a node and bundle, on their way, in a layer.
    Lane(usize, u8, usize),
}

/// Layers of slots and the steps between neighbouring ones, by number.
pub(crate) struct Layers {
    /// The slots.
    pub slots: Vec<Slot>,
    /// The layers, each in order.
    pub layers: Vec<Vec<usize>>,
    /// Slots of the layer before that lead to a slot.
    pub before: Vec<Vec<usize>>,
    /// Slots of the layer behind that a slot leads to.
    pub behind: Vec<Vec<usize>>,
}

/// Lays out a graph from left to right.
pub(crate) fn layout(input: &Input) -> Layout {
    let ends: Vec<(usize, usize)> = input.edges.iter().map(|e| (e.0, e.1)).collect();
    let ranks = rank::ranks(input.widths.len(), &ends);
    let (mut layers, ways) = rank::layers(&ranks, &input.edges);
    order::order(&mut layers);
    let heights = position::heights(&layers);
    let columns = columns(&layers, &input.widths);
    let at = |slot: usize| heights.get(slot).copied().unwrap_or(0.0);
    let mut nodes = vec![(0.0, 0.0); input.widths.len()];
    let mut size = (0.0_f64, 0.0_f64);
    for (rank, layer) in layers.layers.iter().enumerate() {
        let Some((left, right)) = columns.get(rank).copied() else {
            continue;
        };
        for slot in layer {
            size.1 = size.1.max(at(*slot) + ROW);
            if let Some(Slot::Node(node)) = layers.slots.get(*slot)
                && let Some(place) = nodes.get_mut(*node)
            {
                *place = (left, at(*slot));
            }
        }
        size.0 = size.0.max(right);
    }
    let edges = input.edges.iter().zip(&ways).map(|((from, to, _), way)| {
        let width = |node: usize| input.widths.get(node).copied().unwrap_or(0.0);
        let place = |node: usize| nodes.get(node).copied().unwrap_or_default();
        let (start, end) = (place(*from), place(*to));
        let mut points = vec![(start.0 + width(*from), start.1)];
        // An edge against the flow leaves to the left as well.
        let turned = way.turned || start.0 >= end.0;
        if turned {
            points = vec![(start.0, start.1)];
        }
        for slot in &way.slots {
            let (slot, rank) = *slot;
            let (left, right) = columns.get(rank).copied().unwrap_or_default();
            let mut across = [(left, at(slot)), (right, at(slot))];
            if turned {
                across.reverse();
            }
            points.extend(across);
        }
        points.push(match turned {
            true => (end.0 + width(*to), end.1),
            false => (end.0, end.1),
        });
        points
    });
    Layout {
        edges: edges.collect(),
        nodes,
        size,
    }
}

/// Left and right of each layer.
fn columns(layers: &Layers, widths: &[f64]) -> Vec<(f64, f64)> {
    let mut left = 0.0;
    let mut columns = Vec::with_capacity(layers.layers.len());
    for layer in &layers.layers {
        let mut width = 0.0_f64;
        let mut steps = 0_usize;
        for slot in layer {
            if let Some(Slot::Node(node)) = layers.slots.get(*slot) {
                width = width.max(widths.get(*node).copied().unwrap_or(0.0));
            }
            steps += layers.behind.get(*slot).map_or(0, Vec::len);
        }
        columns.push((left, left + width));
        left += width + GAP + 12.0 * (steps as f64).sqrt();
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(nodes: usize, edges: &[(usize, usize)]) -> Layout {
        layout(&Input {
            widths: vec![50.0; nodes],
            edges: edges.iter().map(|(a, b)| (*a, *b, 0)).collect(),
        })
    }

    /// A small generator, so that cases can be repeated.
    fn random(seed: &mut u64) -> usize {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let layout = laid_out(3, &[(0, 1), (1, 2)]);
        let heights: Vec<f64> = layout.nodes.iter().map(|n| n.1).collect();
        assert_eq!(heights, [heights[0]; 3]);
        assert!(layout.nodes[0].0 < layout.nodes[1].0 && layout.nodes[1].0 < layout.nodes[2].0);
    }

    #[test]
    fn edges_end_at_nodes_even_in_circles() {
        for edges in [vec![(0, 1), (1, 0)], vec![(0, 1), (1, 2), (2, 0), (0, 2)]] {
            let layout = laid_out(3, &edges);
            for ((from, to), points) in edges.iter().zip(&layout.edges) {
                let (start, end) = (points[0], points[points.len() - 1]);
                assert_eq!(start.1, layout.nodes[*from].1);
                assert_eq!(end.1, layout.nodes[*to].1);
            }
        }
    }

    /// What nobody could read is drawn all the same, and soon.
    #[test]
    fn a_graph_beyond_all_measure_is_laid_out() {
        let nodes = 3_000;
        let mut edges: Vec<(usize, usize)> = (1..nodes).map(|n| (n - 1, n)).collect();
        edges.extend((0..nodes - 2).map(|n| (n, nodes - 1)));
        let layout = laid_out(nodes, &edges);
        assert_eq!(layout.edges.len(), edges.len());
        assert!(layout.edges.iter().all(|points| points.len() == 2));
    }

    #[test]
    fn nodes_never_overlap_and_edges_follow_the_flow() {
        let mut seed = 7;
        for case in 0..30 {
            let nodes = 5 + case * 5;
            let edges: Vec<(usize, usize)> = (0..nodes * 2)
                .map(|_| (random(&mut seed) % nodes, random(&mut seed) % nodes))
                .filter(|(a, b)| a < b)
                .collect();
            let layout = laid_out(nodes, &edges);
            for (a, one) in layout.nodes.iter().enumerate() {
                for other in layout.nodes.iter().skip(a + 1) {
                    assert!(
                        one.0 != other.0 || (one.1 - other.1).abs() >= NODE,
                        "{layout:?}"
                    );
                }
                assert!(one.0 + 50.0 <= layout.size.0 && one.1 + NODE / 2.0 <= layout.size.1);
                assert!(one.0 >= 0.0 && one.1 >= NODE / 2.0);
            }
            for (from, to) in &edges {
                assert!(layout.nodes[*from].0 < layout.nodes[*to].0);
            }
        }
    }
}
