//! When things happen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{Delay, Event, Firing, Graph, Link, NeedId};

/// Which end of every delay counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// [`Delay::best`].
    Best,
    /// [`Delay::worst`].
    Worst,
}

impl End {
    fn of(self, delay: Delay) -> Option<u64> {
        match self {
            End::Best => Some(delay.best),
            End::Worst => delay.worst,
        }
    }
}

/// When an event happens, counted from the start in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Time {
    /// At this time.
    At(u64),
    /// It happens, but nothing limits when.
    Unlimited,
    /// It does not happen.
    Never,
}

impl Time {
    /// The time, when there is one.
    pub fn known(self) -> Option<u64> {
        match self {
            Time::At(time) => Some(time),
            Time::Unlimited | Time::Never => None,
        }
    }
}

/// One step of a chain that explains a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The event that happens.
    pub event: Event,
    /// When.
    pub at: Time,
    /// What made it happen then: the last of its needs to be met, by the
    /// producer that met it. `None` for an event that needs nothing, and for one
    /// whose time was known.
    pub link: Option<Link>,
    /// What that link adds, or the known time; `None` without a limit.
    pub added: Option<u64>,
}

/// When every event happens, at one end of the delays.
#[derive(Clone, Debug)]
pub struct Times {
    end: End,
    at: Vec<Time>,
    /// The link that met each event's last need.
    by: Vec<Option<Link>>,
    /// The producer that met each need first.
    chosen: Vec<Option<usize>>,
    /// Events that happen, each after those that its needs were met by.
    order: Vec<Event>,
    /// Times that were known beforehand.
    given: Vec<Option<Time>>,
    firing: Firing,
}

impl<K, R> Graph<K, R> {
    /// When every event happens if each delay takes its `end`: an event at the
    /// latest of its needs, a need at the earliest of its producers.
    pub fn times(&self, end: End) -> Times {
        self.times_given(end, |_| None)
    }

    /// The same when some events happen at a known time, or never, whatever
    /// they need.
    pub fn times_given(&self, end: End, given: impl Fn(Event) -> Option<Time>) -> Times {
        let given: Vec<Option<Time>> = self.events().map(given).collect();
        let of = |event: Event| given.get(event.index()).copied().flatten();
        let firing = self.fire_given(|_| false, |e| of(e).map(|time| time != Time::Never));
        let mut solver = Solver {
            graph: self,
            end,
            at: self.events().map(|_| Time::Never).collect(),
            by: vec![None; self.len()],
            chosen: vec![None; self.need_count()],
            open: self.events().map(|e| self.needs_of(e).len()).collect(),
            order: Vec::new(),
            queue: BinaryHeap::new(),
            given,
        };
        solver.run();
        solver.unlimited(&firing);
        Times {
            end,
            at: solver.at,
            by: solver.by,
            chosen: solver.chosen,
            order: solver.order,
            given: solver.given,
            firing,
        }
    }
}

/// Knuth's generalisation of Dijkstra's algorithm: a need is the least of its
/// producers, an event the greatest of its needs, and both only grow, so what
/// leaves the queue first is final. It holds with alternatives that lie on a
/// cycle, where a topological order does not exist.
struct Solver<'a, K, R> {
    graph: &'a Graph<K, R>,
    end: End,
    at: Vec<Time>,
    by: Vec<Option<Link>>,
    chosen: Vec<Option<usize>>,
    /// Needs of each event that are not met yet.
    open: Vec<usize>,
    order: Vec<Event>,
    /// (time, need, producer), least first; ties by number so that two runs
    /// give one answer.
    queue: BinaryHeap<Reverse<(u64, NeedId, usize)>>,
    given: Vec<Option<Time>>,
}

impl<K, R> Solver<'_, K, R> {
    fn run(&mut self) {
        for event in self.graph.events() {
            match self.given(event) {
                Some(Time::At(time)) => self.happen(event, time, None),
                None if self.open.get(event.index()) == Some(&0) => self.happen(event, 0, None),
                _ => {}
            }
        }
        while let Some(Reverse((time, need, producer))) = self.queue.pop() {
            match self.chosen.get_mut(need.index()) {
                Some(chosen) if chosen.is_none() => *chosen = Some(producer),
                _ => continue,
            }
            let Some(event) = self.graph.get(need).map(|n| n.event) else {
                continue;
            };
            let Some(open) = self.open.get_mut(event.index()) else {
                continue;
            };
            *open -= 1;
            if *open == 0 && self.given(event).is_none() {
                self.happen(event, time, Some(Link { need, producer }));
            }
        }
    }

    fn given(&self, event: Event) -> Option<Time> {
        self.given.get(event.index()).copied().flatten()
    }

    fn happen(&mut self, event: Event, time: u64, by: Option<Link>) {
        if let (Some(at), Some(slot)) = (
            self.at.get_mut(event.index()),
            self.by.get_mut(event.index()),
        ) {
            *at = Time::At(time);
            *slot = by;
        }
        self.order.push(event);
        for link in self.graph.links_from(event) {
            let delay = self
                .graph
                .link(*link)
                .and_then(|(_, p)| self.end.of(p.delay));
            if let Some(delay) = delay {
                let arrives = time.saturating_add(delay);
                self.queue
                    .push(Reverse((arrives, link.need, link.producer)));
            }
        }
    }

    /// Events that fire but have no time depend on a delay without a limit.
    fn unlimited(&mut self, firing: &Firing) {
        for event in firing.order() {
            if self.at.get(event.index()) != Some(&Time::Never) {
                continue;
            }
            let mut by = None;
            let needs = match self.given(*event) {
                Some(_) => &[],
                None => self.graph.needs_of(*event),
            };
            for need in needs {
                if self.chosen.get(need.index()).copied().flatten().is_some() {
                    continue;
                }
                // The producer that fires first: its chain cannot come back.
                let producers = self.graph.get(*need).map_or(&[][..], |n| &n.producers);
                let first = producers
                    .iter()
                    .enumerate()
                    .filter_map(|(at, p)| Some((firing.rank(p.event)?, at)))
                    .min();
                if let (Some((_, producer)), Some(slot)) =
                    (first, self.chosen.get_mut(need.index()))
                {
                    *slot = Some(producer);
                    by = Some(Link {
                        need: *need,
                        producer,
                    });
                }
            }
            if let (Some(at), Some(slot)) = (
                self.at.get_mut(event.index()),
                self.by.get_mut(event.index()),
            ) {
                *at = Time::Unlimited;
                *slot = by;
            }
            self.order.push(*event);
        }
    }
}

impl Times {
    /// When an event happens.
    pub fn at(&self, event: Event) -> Time {
        self.at.get(event.index()).copied().unwrap_or(Time::Never)
    }

    /// The events that fire.
    pub fn firing(&self) -> &Firing {
        &self.firing
    }

    /// The last event of those that happen, the first added among equals;
    /// `None` when none happens.
    pub fn last(&self) -> Option<Event> {
        self.last_of(self.firing.order().iter().copied())
    }

    /// The last of some events, leaving out those that do not happen.
    pub fn last_of(&self, events: impl IntoIterator<Item = Event>) -> Option<Event> {
        events
            .into_iter()
            .filter(|event| self.at(*event) != Time::Never)
            .max_by_key(|event| (self.at(*event), Reverse(*event)))
    }

    /// The chain of waits that ends with `event`, first step first. Empty when
    /// the event does not happen.
    pub fn path<K, R>(&self, graph: &Graph<K, R>, event: Event) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut next = Some(event).filter(|event| self.at(*event) != Time::Never);
        // A chain visits no event twice; the bound only guards a wrong graph.
        while let Some(event) = next
            && steps.len() <= graph.len()
        {
            let link = self.by.get(event.index()).copied().flatten();
            let producer = link.and_then(|link| graph.link(link)).map(|(_, p)| p);
            steps.push(Step {
                event,
                at: self.at(event),
                link,
                added: match producer {
                    Some(producer) => self.end.of(producer.delay),
                    None => self.at(event).known(),
                },
            });
            next = producer.map(|p| p.event);
        }
        steps.reverse();
        steps
    }

    /// The latest time of each event, by number, that lets everything end by
    /// `horizon`, given the producer that met each need. `None` for events that
    /// do not happen or have no limit.
    pub fn latest<K, R>(&self, graph: &Graph<K, R>, horizon: u64) -> Vec<Option<u64>> {
        let mut latest: Vec<Option<u64>> = self
            .at
            .iter()
            .map(|time| time.known().map(|_| horizon))
            .collect();
        for event in self.order.iter().rev() {
            let Some(limit) = latest.get(event.index()).copied().flatten() else {
                continue;
            };
            if self.given.get(event.index()).copied().flatten().is_some() {
                continue;
            }
            for need in graph.needs_of(*event) {
                let chosen = self.chosen.get(need.index()).copied().flatten();
                let Some((_, producer)) = chosen.and_then(|producer| {
                    graph.link(Link {
                        need: *need,
                        producer,
                    })
                }) else {
                    continue;
                };
                let Some(delay) = self.end.of(producer.delay) else {
                    continue;
                };
                if let Some(Some(slot)) = latest.get_mut(producer.event.index()) {
                    *slot = (*slot).min(limit.saturating_sub(delay));
                }
            }
        }
        latest
    }
}
