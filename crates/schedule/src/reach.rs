//! What comes before and after an event, and how long lies between two.

use crate::{End, Event, Graph, Producer, Time};

/// What lies between two events.
#[derive(Clone, Debug)]
pub(crate) struct Between {
    /// The longest time from the first to the second.
    pub lag: Time,
    /// The events the second may wait for after the first has happened, itself
    /// included.
    pub events: Vec<Event>,
}

impl<K, R> Graph<K, R> {
    /// By number, the events that may have to wait for `event`: those it can,
    /// through any number of needs, be a producer for, and itself.
    pub fn after(&self, event: Event) -> Vec<bool> {
        let mut after = vec![false; self.len()];
        let mut stack = vec![event];
        while let Some(event) = stack.pop() {
            match after.get_mut(event.index()) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            for link in self.links_from(event) {
                stack.extend(self.get(link.need).map(|need| need.event));
            }
        }
        after
    }

    /// By number, the events that have happened whenever `event` has, whichever
    /// producers meet its needs; itself included.
    pub fn necessary(&self, event: Event) -> Vec<bool> {
        let mut before = vec![false; self.len()];
        let mut stack = vec![event];
        while let Some(event) = stack.pop() {
            match before.get_mut(event.index()) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            for need in self.needs_of(event) {
                if let Some([only]) = self.get(*need).map(|need| need.producers.as_slice()) {
                    stack.push(only.event);
                }
            }
        }
        before
    }

    /// The longest time that can pass after `from` until `to`, whatever
    /// happens when: 0 when `to` always comes first, [`Time::Never`] when it
    /// does not happen.
    pub fn lag(&self, from: Event, to: Event) -> Time {
        self.between(from, to).lag
    }

    /// Walks back from `to` as far as what has happened by the time of `from`,
    /// and solves that part alone with those events at 0. It is an upper bound:
    /// an event that needs nothing is counted from `from` although it may have
    /// happened long before.
    pub(crate) fn between(&self, from: Event, to: Event) -> Between {
        let before = self.necessary(from);
        let has_been = |event: Event| before.get(event.index()) == Some(&true);
        let mut seen = vec![false; self.len()];
        let mut events = Vec::new();
        let mut part: Graph<Event, ()> = Graph::new();
        let mut stack = vec![to];
        while let Some(event) = stack.pop() {
            match seen.get_mut(event.index()) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            let target = part.event(event);
            if has_been(event) {
                continue;
            }
            events.push(event);
            for need in self.needs_of(event) {
                let producers = self.get(*need).map_or(&[][..], |n| &n.producers);
                let producers: Vec<Producer<()>> = producers
                    .iter()
                    .map(|producer| {
                        stack.push(producer.event);
                        Producer {
                            event: part.event(producer.event),
                            delay: producer.delay,
                            reason: (),
                        }
                    })
                    .collect();
                part.need(target, (), producers);
            }
        }
        let lag = match part.find(&to) {
            Some(event) => part.times(End::Worst).at(event),
            None => Time::Never,
        };
        Between { lag, events }
    }
}
