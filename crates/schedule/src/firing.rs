//! What can happen at all.

use crate::{Event, Graph, NeedId};

/// Which events fire, and in which order they can.
#[derive(Clone, Debug)]
pub struct Firing {
    /// Rank of each fired event.
    rank: Vec<Option<u32>>,
    /// Fired events in an order in which they can fire.
    order: Vec<Event>,
    /// Which needs are met.
    met: Vec<bool>,
}

impl Firing {
    /// Whether the event fires.
    pub fn fired(&self, event: Event) -> bool {
        self.rank(event).is_some()
    }

    /// Fired events in an order in which they can fire.
    pub fn order(&self) -> &[Event] {
        &self.order
    }

    /// The position of a fired event in [`Firing::order`].
    pub fn rank(&self, event: Event) -> Option<u32> {
        self.rank.get(event.index()).copied().flatten()
    }

    /// Whether a need is met.
    pub fn met(&self, need: NeedId) -> bool {
        self.met.get(need.index()).copied().unwrap_or(false)
    }

    /// The needs that keep an event from firing; empty for one that fires.
    pub fn unmet<'a, K, R>(
        &'a self,
        graph: &'a Graph<K, R>,
        event: Event,
    ) -> impl Iterator<Item = NeedId> + 'a {
        graph
            .needs_of(event)
            .iter()
            .copied()
            .filter(|need| !self.met(*need))
    }

    /// Every need without a producer that, through any number of steps, keeps
    /// `event` from firing, nearest first. Empty when the event fires or only
    /// a cycle stops it.
    pub fn missing<K, R>(&self, graph: &Graph<K, R>, event: Event) -> Vec<NeedId> {
        let mut seen = vec![false; graph.len()];
        let mut queue = std::collections::VecDeque::from([event]);
        let mut found = Vec::new();
        while let Some(event) = queue.pop_front() {
            match seen.get_mut(event.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            for id in self.unmet(graph, event) {
                let Some(need) = graph.get(id) else { continue };
                if need.producers.is_empty() {
                    found.push(id);
                }
                queue.extend(need.producers.iter().map(|producer| producer.event));
            }
        }
        found
    }
}

impl<K, R> Graph<K, R> {
    /// Lets everything fire that can.
    pub fn fire(&self) -> Firing {
        self.fire_assuming(|_| false)
    }

    /// Lets everything fire that can when the needs that `assumed` accepts are
    /// taken as met.
    pub fn fire_assuming(&self, assumed: impl Fn(NeedId) -> bool) -> Firing {
        self.fire_given(assumed, |_| None)
    }

    /// The same when it is known of some events whether they happen, whatever
    /// they need.
    pub(crate) fn fire_given(
        &self,
        assumed: impl Fn(NeedId) -> bool,
        given: impl Fn(Event) -> Option<bool>,
    ) -> Firing {
        let mut met = vec![false; self.need_count()];
        // How many needs of each event are still open.
        let mut open: Vec<usize> = Vec::with_capacity(self.len());
        for event in self.events() {
            let needs = self.needs_of(event);
            let mut count = needs.len();
            for need in needs {
                if assumed(*need) {
                    count -= 1;
                    if let Some(met) = met.get_mut(need.index()) {
                        *met = true;
                    }
                }
            }
            open.push(count);
        }
        let mut order: Vec<Event> = self
            .events()
            .filter(|event| given(*event).unwrap_or(open.get(event.index()) == Some(&0)))
            .collect();
        let mut rank = vec![None; self.len()];
        let mut next = 0;
        while let Some(event) = order.get(next).copied() {
            if let Some(rank) = rank.get_mut(event.index()) {
                *rank = u32::try_from(next).ok();
            }
            next += 1;
            for link in self.links_from(event) {
                let Some(need) = self.get(link.need) else {
                    continue;
                };
                match met.get_mut(link.need.index()) {
                    Some(met) if !*met => *met = true,
                    _ => continue,
                }
                if let Some(open) = open.get_mut(need.event.index()) {
                    *open -= 1;
                    if *open == 0 && given(need.event).is_none() {
                        order.push(need.event);
                    }
                }
            }
        }
        Firing { rank, order, met }
    }
}
