//! Events and what they need.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Delay;

/// An event of a graph, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event(pub(crate) u32);

impl Event {
    /// Its number: events count from 0 in the order they were added.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> Self {
        Event(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A need of a graph, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NeedId(pub(crate) u32);

impl NeedId {
    /// Its number: needs count from 0 in the order they were added.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event that can meet a need.
#[derive(Clone, Debug)]
pub struct Producer<R> {
    /// The event.
    pub event: Event,
    /// What passes between it and the event in need of it.
    pub delay: Delay,
    /// Why it meets the need.
    pub reason: R,
}

/// What an event cannot do without.
#[derive(Clone, Debug)]
pub struct Need<R> {
    /// The event in need.
    pub event: Event,
    /// What is needed.
    pub reason: R,
    /// Any one of these is enough. Without one the event never fires.
    pub producers: Vec<Producer<R>>,
}

/// One producer of one need: an edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The need.
    pub need: NeedId,
    /// Which of its producers, by position.
    pub producer: usize,
}

/// Events, named by `K`, and their needs, explained by `R`.
#[derive(Clone, Debug)]
pub struct Graph<K, R> {
    keys: Vec<K>,
    index: HashMap<K, Event>,
    needs: Vec<Need<R>>,
    /// Needs of each event.
    of: Vec<Vec<NeedId>>,
    /// Links that leave each event.
    out: Vec<Vec<Link>>,
}

impl<K, R> Default for Graph<K, R> {
    fn default() -> Self {
        Graph {
            keys: Vec::new(),
            index: HashMap::new(),
            needs: Vec::new(),
            of: Vec::new(),
            out: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + Hash, R> Graph<K, R> {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The event of this name, added if new.
    pub fn event(&mut self, key: K) -> Event {
        if let Some(event) = self.index.get(&key) {
            return *event;
        }
        let event = Event::new(self.keys.len());
        self.keys.push(key.clone());
        self.index.insert(key, event);
        self.of.push(Vec::new());
        self.out.push(Vec::new());
        event
    }

    /// The same events with the needs that `keep` accepts, and with other
    /// delays.
    pub fn adjusted(
        &self,
        keep: impl Fn(&Need<R>) -> bool,
        delay: impl Fn(&Need<R>, &Producer<R>) -> Delay,
    ) -> Self
    where
        R: Clone,
    {
        let mut graph = Graph::new();
        for key in &self.keys {
            graph.event(key.clone());
        }
        for need in self.needs.iter().filter(|need| keep(need)) {
            let producers = need.producers.iter().map(|producer| Producer {
                delay: delay(need, producer),
                ..producer.clone()
            });
            graph.need(need.event, need.reason.clone(), producers);
        }
        graph
    }

    /// The event of this name.
    pub fn find(&self, key: &K) -> Option<Event> {
        self.index.get(key).copied()
    }
}

impl<K, R> Graph<K, R> {
    /// `event` cannot fire before one of `producers` has. With none it never
    /// fires, for this reason. Events of another graph are ignored.
    pub fn need(
        &mut self,
        event: Event,
        reason: R,
        producers: impl IntoIterator<Item = Producer<R>>,
    ) -> NeedId {
        let id = NeedId(u32::try_from(self.needs.len()).unwrap_or(u32::MAX));
        let events = self.keys.len();
        let producers: Vec<Producer<R>> = producers
            .into_iter()
            .filter(|producer| producer.event.index() < events)
            .collect();
        for (position, producer) in producers.iter().enumerate() {
            if let Some(out) = self.out.get_mut(producer.event.index()) {
                out.push(Link {
                    need: id,
                    producer: position,
                });
            }
        }
        if let Some(of) = self.of.get_mut(event.index()) {
            of.push(id);
        }
        self.needs.push(Need {
            event,
            reason,
            producers,
        });
        id
    }

    /// `to` cannot fire before `from`: a need with one producer.
    pub fn precede(&mut self, from: Event, to: Event, delay: Delay, reason: R) -> NeedId
    where
        R: Clone,
    {
        let producer = Producer {
            event: from,
            delay,
            reason: reason.clone(),
        };
        self.need(to, reason, [producer])
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All events, in the order they were added.
    pub fn events(&self) -> impl Iterator<Item = Event> + use<K, R> {
        (0..self.keys.len()).map(Event::new)
    }

    /// The name of an event of this graph.
    pub fn key(&self, event: Event) -> Option<&K> {
        self.keys.get(event.index())
    }

    /// All needs, in the order they were added.
    pub fn needs(&self) -> impl Iterator<Item = (NeedId, &Need<R>)> {
        self.needs
            .iter()
            .enumerate()
            .map(|(at, need)| (NeedId(u32::try_from(at).unwrap_or(u32::MAX)), need))
    }

    /// A need of this graph.
    pub fn get(&self, need: NeedId) -> Option<&Need<R>> {
        self.needs.get(need.index())
    }

    /// What an event needs.
    pub fn needs_of(&self, event: Event) -> &[NeedId] {
        self.of.get(event.index()).map_or(&[], Vec::as_slice)
    }

    /// Where an event is a producer.
    pub fn links_from(&self, event: Event) -> &[Link] {
        self.out.get(event.index()).map_or(&[], Vec::as_slice)
    }

    /// The need and the producer of a link of this graph.
    pub fn link(&self, link: Link) -> Option<(&Need<R>, &Producer<R>)> {
        let need = self.get(link.need)?;
        Some((need, need.producers.get(link.producer)?))
    }

    pub(crate) fn need_count(&self) -> usize {
        self.needs.len()
    }
}
