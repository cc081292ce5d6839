//! Random graphs, the same in every run.

#![allow(dead_code)]

use schedule::{Delay, Event, Graph, Producer};

/// A small generator (xorshift); tests must not depend on the machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    pub fn delay(&mut self) -> Delay {
        let best = self.below(5) as u64;
        match self.below(12) {
            0 => Delay::unlimited(best),
            _ => Delay::between(best, best + self.below(6) as u64),
        }
    }
}

pub type Plain = Graph<usize, ()>;

/// A graph of `size` events without needs.
pub fn events(size: usize) -> (Plain, Vec<Event>) {
    let mut graph = Plain::new();
    let events = (0..size).map(|key| graph.event(key)).collect();
    (graph, events)
}

/// A graph with needs of up to three producers; `forward` keeps it acyclic.
pub fn random(seed: u64, forward: bool, alternatives: usize) -> (Plain, Vec<Event>) {
    let mut random = Random::new(seed);
    let size = 2 + random.below(7);
    let (mut graph, list) = events(size);
    for _ in 0..random.below(2 * size) {
        let to = random.below(size);
        let count = if alternatives == 1 {
            1
        } else {
            random.below(alternatives + 1)
        };
        let producers: Vec<Producer<()>> = (0..count)
            .filter_map(|_| {
                let from = random.below(if forward { to } else { size });
                (!forward || from < to).then(|| Producer {
                    event: list[from],
                    delay: random.delay(),
                    reason: (),
                })
            })
            .collect();
        if producers.is_empty() && (forward || random.below(4) > 0) {
            continue;
        }
        graph.need(list[to], (), producers);
    }
    (graph, list)
}
