//! Transitive reduction.

mod common;

use common::Random;
use schedule::redundant;

fn closure(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes]; nodes];
    for (from, to) in edges {
        reach[*from][*to] = true;
    }
    for via in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

#[test]
fn without_redundant_edges_everything_is_still_reached_and_no_more_can_go() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(7);
        let edges: Vec<(usize, usize)> = (0..random.below(14))
            .map(|_| (random.below(nodes), random.below(nodes)))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .filter(|(a, b)| a != b)
            .collect();
        let gone = redundant(nodes, &edges);
        let kept: Vec<_> = (0..edges.len())
            .filter(|at| !gone.contains(at))
            .map(|at| edges[at])
            .collect();
        let full = closure(nodes, &edges);
        assert_eq!(closure(nodes, &kept), full, "seed {seed}");
        for at in 0..kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            assert_ne!(closure(nodes, &fewer), full, "seed {seed}");
        }
    }
}

#[test]
fn reachability_survives_in_graphs_with_cycles() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(6);
        let edges: Vec<(usize, usize)> = (0..random.below(14))
            .map(|_| (random.below(nodes), random.below(nodes)))
            .collect();
        let gone = redundant(nodes, &edges);
        let kept: Vec<_> = (0..edges.len())
            .filter(|at| !gone.contains(at))
            .map(|at| edges[at])
            .collect();
        assert_eq!(closure(nodes, &kept), closure(nodes, &edges), "seed {seed}");
    }
}
