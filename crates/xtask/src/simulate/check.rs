//! The theorem: what the graph says against what the simulator saw.

use link::{Event, Linked, Phase, Reason};
use schedule::{Graph, Time};

use super::run::Outcome;

/// One way in which both disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Difference {
    /// A phase is reached, and the graph says it never is.
    Unforeseen(usize, Phase),
    /// A phase is never reached, and the graph says it is.
    Missed(usize, Phase),
    /// A phase is reached before something the graph says it needs.
    Early(usize, Phase),
    /// A phase is reached after the latest time.
    Late(usize, Phase),
    /// With as many workers as there are, not everything is ready when the bound
    /// has passed.
    Overdue,
    /// The simulation did not come to rest.
    Restless,
}

impl Difference {
    /// The same without where.
    pub fn name(self) -> &'static str {
        match self {
            Difference::Unforeseen(..) => "unforeseen",
            Difference::Missed(..) => "missed",
            Difference::Early(..) => "early",
            Difference::Late(..) => "late",
            Difference::Overdue => "overdue",
            Difference::Restless => "restless",
        }
    }
}

/// What a graph predicts.
pub struct Prediction<'a> {
    graph: &'a Graph<Event, Reason>,
    worst: schedule::Times,
}

const PHASES: [Phase; 3] = [Phase::Start, Phase::Applied, Phase::Ready];

impl<'a> Prediction<'a> {
    /// Of a linked world.
    pub fn of(linked: &'a Linked<'_>) -> Self {
        Prediction {
            graph: &linked.graph,
            worst: linked.latest(),
        }
    }

    /// Whether every component becomes ready.
    pub fn converges(&self, linked: &Linked<'_>) -> bool {
        (0..linked.world.components.len()).all(|at| {
            let event = self.graph.find(&Event::Component(at, Phase::Ready));
            event.is_some_and(|event| self.worst.firing().fired(event))
        })
    }

    /// The latest time of a phase.
    pub fn latest(&self, at: usize, phase: Phase) -> Time {
        let event = self.graph.find(&Event::Component(at, phase));
        event.map_or(Time::Never, |event| self.worst.at(event))
    }

    /// Compares with a run. Times are only held against runs without a limit of
    /// workers.
    pub fn compare(&self, outcome: &Outcome, timed: bool) -> Vec<Difference> {
        if !outcome.settled {
            return vec![Difference::Restless];
        }
        let mut found = Vec::new();
        for at in 0..outcome.reached.len() {
            for phase in PHASES {
                let latest = self.latest(at, phase);
                match (reached(outcome, at, phase), latest) {
                    (Some(_), Time::Never) => found.push(Difference::Unforeseen(at, phase)),
                    (None, Time::At(_) | Time::Unlimited) => {
                        found.push(Difference::Missed(at, phase));
                    }
                    (Some(time), Time::At(latest)) if timed && time > latest => {
                        found.push(Difference::Late(at, phase));
                    }
                    _ => {}
                }
            }
        }
        found.extend(self.early(outcome));
        found
    }

    /// Events before one of their needs was met.
    fn early(&self, outcome: &Outcome) -> Vec<Difference> {
        let time = |event| -> Option<u64> {
            let (at, phase) = self.graph.key(event)?.component()?;
            reached(outcome, at, phase)
        };
        let mut found = Vec::new();
        for (_, need) in self.graph.needs() {
            let Some((at, phase)) = self.graph.key(need.event).and_then(Event::component) else {
                continue;
            };
            let Some(happened) = time(need.event) else {
                continue;
            };
            let known = |producer: &schedule::Producer<Reason>| {
                let key = self.graph.key(producer.event);
                key.and_then(Event::component).is_some()
            };
            if need.producers.is_empty() || !need.producers.iter().all(known) {
                continue;
            }
            let met = need.producers.iter().any(|producer| {
                let ready = time(producer.event).map(|time| time + producer.delay.best);
                ready.is_some_and(|ready| ready <= happened)
            });
            if !met {
                found.push(Difference::Early(at, phase));
            }
        }
        found
    }
}

/// Whether a run with the controllers' workers ends after the bound.
pub fn is_overdue(linked: &Linked<'_>, outcome: &Outcome) -> bool {
    let timing = linked.timing();
    // What never becomes ready keeps workers from others without an end.
    let bound = timing
        .filter(|timing| timing.never == 0)
        .filter(|timing| timing.workers.iter().all(|pool| pool.wait.is_some()))
        .and_then(|timing| timing.bound);
    let last = outcome
        .reached
        .iter()
        .filter_map(|reached| reached.ready)
        .max();
    bound.zip(last).is_some_and(|(bound, last)| last > bound)
}

/// When a run reached a phase.
pub fn reached(outcome: &Outcome, at: usize, phase: Phase) -> Option<u64> {
    let reached = outcome.reached.get(at)?;
    match phase {
        Phase::Start => reached.start,
        Phase::Applied => reached.applied,
        Phase::Ready => reached.ready,
    }
}
