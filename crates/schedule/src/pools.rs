//! What waiting for a free worker adds.

use crate::matching::width;
use crate::{Event, Graph, Time};

/// Something that keeps a worker of a pool from one event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The pool, by position.
    pub pool: usize,
    /// It can begin; from then on it waits for a worker or has one.
    pub start: Event,
    /// It gives the worker back. Cannot happen before `start`.
    pub end: Event,
}

/// What the size of one pool means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// With so many workers no task ever waits for one: the most tasks that no
    /// order keeps apart.
    pub enough: usize,
    /// Tasks, by position, that can keep a worker while they wait for another
    /// task that itself needs one of this or of a later pool, and those that
    /// start and never end.
    pub holders: Vec<usize>,
    /// The most of those at the same time.
    pub held: usize,
    /// What waits for a worker of this pool add, at most, to the time of any
    /// event. `None` without a limit.
    pub wait: Option<u64>,
}

impl<K, R> Graph<K, R> {
    /// What waits for workers add when every pool gives a free worker to any
    /// task that wants one, in whatever order. `workers` says how many each
    /// pool has; a pool whose tasks wait for tasks of another comes after it.
    ///
    /// Every event happens by its worst time ([`crate::End::Worst`]) and the waits of
    /// all pools together. The argument is that of list scheduling: whenever a
    /// task waits, all workers of its pool are busy. At most `held` of them only
    /// wait themselves; the others get on with their tasks (or an earlier
    /// pool is the one that is full), and that lasts no longer than those tasks
    /// together take, divided by the workers that do them. The task that
    /// starts last is never waited for.
    pub fn pools(&self, workers: &[usize], tasks: &[Task]) -> Vec<Pool> {
        let spans: Vec<_> = tasks
            .iter()
            .map(|task| self.between(task.start, task.end))
            .collect();
        let firing = self.fire();
        let starts = |at: &usize| tasks.get(*at).is_some_and(|task| firing.fired(task.start));
        let ends = |at: usize| tasks.get(at).is_some_and(|task| firing.fired(task.end));
        let mut of_start: Vec<Option<usize>> = vec![None; self.len()];
        for (at, task) in tasks.iter().enumerate() {
            if let Some(slot) = of_start.get_mut(task.start.index()) {
                *slot = Some(at);
            }
        }
        let waits_for_worker = |at: usize, pool: usize| {
            let events = spans.get(at).map_or(&[][..], |span| &span.events);
            events.iter().any(|event| {
                let other = of_start.get(event.index()).copied().flatten();
                let other = other.filter(|other| *other != at);
                other
                    .and_then(|other| tasks.get(other))
                    .is_some_and(|other| other.pool >= pool)
            })
        };
        workers
            .iter()
            .enumerate()
            .map(|(pool, workers)| {
                let own: Vec<usize> = (0..tasks.len())
                    .filter(|at| tasks.get(*at).is_some_and(|task| task.pool == pool))
                    .filter(starts)
                    .collect();
                let (holders, others): (Vec<usize>, Vec<usize>) = own
                    .iter()
                    .partition(|at| !ends(**at) || waits_for_worker(**at, pool));
                let enough = self.side_by_side(tasks, &own);
                let held = self.side_by_side(tasks, &holders);
                let takes = |at: &usize| match spans.get(*at).map(|span| span.lag) {
                    Some(Time::At(time)) => Some(time),
                    _ => None,
                };
                let wait = match workers.checked_sub(held) {
                    _ if enough <= *workers => Some(0),
                    None | Some(0) => None,
                    Some(free) => {
                        let each: Option<Vec<u64>> = others.iter().map(takes).collect();
                        each.map(|each| {
                            let spared = match holders.is_empty() {
                                true => each.iter().min().copied().unwrap_or(0),
                                false => 0,
                            };
                            let sum = each.iter().fold(0_u64, |sum, one| sum.saturating_add(*one));
                            (sum - spared).div_ceil(free as u64)
                        })
                    }
                };
                Pool {
                    enough,
                    holders,
                    held,
                    wait,
                }
            })
            .collect()
    }

    /// How many of some tasks can be under way at once: no two of them in an
    /// order in which one ends before the other starts.
    fn side_by_side(&self, tasks: &[Task], some: &[usize]) -> usize {
        let chosen: Vec<&Task> = some.iter().filter_map(|at| tasks.get(*at)).collect();
        let mut of_end: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for (at, task) in chosen.iter().enumerate() {
            if let Some(slot) = of_end.get_mut(task.end.index()) {
                slot.push(at);
            }
        }
        let before: Vec<Vec<usize>> = chosen
            .iter()
            .map(|task| {
                let necessary = self.necessary(task.start);
                let happened = necessary.iter().enumerate().filter(|(_, is)| **is);
                happened
                    .flat_map(|(event, _)| of_end.get(event).into_iter().flatten())
                    .copied()
                    .collect()
            })
            .collect();
        width(&before)
    }
}
