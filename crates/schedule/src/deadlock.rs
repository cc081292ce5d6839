//! What waits for itself.

use crate::cycle::shortest_cycle;
use crate::{Delay, Event, Graph, Link, Need, NeedId, Producer, components};

/// Events that each wait for others of them, so that none can fire even if
/// everything else did.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// Its events, in the graph's order. They are strongly connected.
    pub members: Vec<Event>,
    /// A shortest cycle through some of them. The event in need of one link
    /// is the producer of the next, and that of the last is the producer of
    /// the first.
    pub cycle: Vec<Link>,
}

/// Some events of a graph alone, with the needs that nothing else can meet.
/// Named by the events and needs of that graph.
type Part = Graph<Event, NeedId>;

impl<K, R> Graph<K, R> {
    /// All deadlocks. Needs without a producer are taken as met: that they are
    /// missing is another fault, and the cycle is there without it.
    pub fn deadlocks(&self) -> Vec<Deadlock> {
        let all: Vec<Event> = self.events().collect();
        let mut work = vec![restrict(self, &all, |e| e, |id, _| id, |_| false)];
        let mut found = Vec::new();
        while let Some(part) = work.pop() {
            for knot in knots(&part) {
                if knot.len() == part.len() {
                    found.extend(deadlock(&part));
                } else {
                    // An alternative outside of the knot may only be waiting
                    // for another deadlock: then the knot is a consequence, not
                    // a cause. So look again at the knot alone.
                    let name = |event| part.key(event).copied().unwrap_or(event);
                    work.push(restrict(&part, &knot, name, |_, n| n.reason, |_| false));
                }
            }
        }
        found.sort_by_key(|deadlock: &Deadlock| deadlock.members.first().copied());
        found
    }

    /// Whether every one of `members` fires when everything outside of them is
    /// given and the needs that `assumed` accepts are dropped.
    pub fn fires_within(&self, members: &[Event], assumed: impl Fn(NeedId) -> bool) -> bool {
        let part = restrict(self, members, |e| e, |id, _| id, assumed);
        let firing = part.fire();
        part.events().all(|event| firing.fired(event))
    }
}

/// `members` of a graph alone. `name` and `origin` say what events and needs
/// are called; needs that `assumed` accepts are left out.
fn restrict<K, R>(
    graph: &Graph<K, R>,
    members: &[Event],
    name: impl Fn(Event) -> Event,
    origin: impl Fn(NeedId, &Need<R>) -> NeedId,
    assumed: impl Fn(NeedId) -> bool,
) -> Part {
    let mut part = Part::new();
    for member in members {
        part.event(name(*member));
    }
    for member in members {
        let event = part.event(name(*member));
        for id in graph.needs_of(*member) {
            let Some(need) = graph.get(*id) else { continue };
            if need.producers.is_empty() || assumed(*id) {
                continue;
            }
            let reason = origin(*id, need);
            let inside: Option<Vec<Producer<NeedId>>> = need
                .producers
                .iter()
                .map(|producer| {
                    Some(Producer {
                        event: part.find(&name(producer.event))?,
                        delay: Delay::ZERO,
                        reason,
                    })
                })
                .collect();
            if let Some(inside) = inside {
                part.need(event, reason, inside);
            }
        }
    }
    part
}

/// Strongly connected groups of more than one event, or of one that waits for
/// itself, among the events that do not fire.
fn knots(part: &Part) -> Vec<Vec<Event>> {
    let firing = part.fire();
    let next: Vec<Vec<usize>> = part
        .events()
        .map(|event| {
            part.links_from(event)
                .iter()
                .filter(|link| !firing.met(link.need))
                .filter_map(|link| Some(part.get(link.need)?.event.index()))
                .collect()
        })
        .collect();
    components(part.len(), &next)
        .into_iter()
        .filter(|group| match group.as_slice() {
            [one] => next.get(*one).is_some_and(|to| to.contains(one)),
            _ => true,
        })
        .map(|group| group.into_iter().map(Event::new).collect())
        .collect()
}

/// The deadlock of a part that is strongly connected and stuck as a whole.
fn deadlock(part: &Part) -> Option<Deadlock> {
    let links: Vec<Vec<(usize, Link)>> = part
        .events()
        .map(|event| {
            part.links_from(event)
                .iter()
                .filter_map(|link| Some((part.get(link.need)?.event.index(), *link)))
                .collect()
        })
        .collect();
    let cycle = shortest_cycle(&links)?
        .into_iter()
        .filter_map(|link| {
            Some(Link {
                need: part.get(link.need)?.reason,
                ..link
            })
        })
        .collect();
    let mut members: Vec<Event> = part
        .events()
        .filter_map(|event| part.key(event).copied())
        .collect();
    members.sort_unstable();
    Some(Deadlock { members, cycle })
}
