//! How long things take until everything is ready.

use ecow::EcoString;
use model::{ComponentKind, Spec};
use schedule::{Event as Node, Graph, Time, Times};

use crate::clock::{Clock, POOLS};
use crate::controllers::controller;
use crate::delay::{Patience, health};
use crate::{Ask, Event, Linked, Phase, Pickup, Reason, Scenario};

/// Bounds on the time until everything that becomes ready is ready. Times are
/// nanoseconds after the start.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Everything is rendered and waits for free workers have a limit, so that
    /// the bound is one. Otherwise it is "at least".
    pub complete: bool,
    /// The worst case, waits for free workers included; where it is not complete,
    /// the longest chain alone. `None` where nothing limits it.
    pub bound: Option<u64>,
    /// The worst case when releases that are retried without limit need one
    /// try. Equal to the bound where there is one.
    pub one_try: u64,
    /// What of `one_try` the longest chain of waits is; the rest is waits for
    /// free workers.
    pub critical: u64,
    /// The best case.
    pub best: u64,
    /// Components that are retried without limit.
    pub unlimited: Vec<usize>,
    /// The chain of waits that `critical` comes from, first wait first.
    pub chain: Vec<Contribution>,
    /// All events that happen, in the worst case with one try and without waits
    /// for free workers.
    pub events: Vec<Window>,
    /// The same by component: those that become ready.
    pub lanes: Vec<Lane>,
    /// How many components never become ready.
    pub never: usize,
    /// Components that become ready in a bootstrap and not in this scenario.
    pub blocked: Vec<usize>,
    /// What the size of each controller's pool of workers means.
    pub workers: Vec<Workers>,
    /// How soon a commit is noticed, where the scenario is one.
    pub pickup: Option<Pickup>,
    /// How many components have measured times, and of how many of those it is
    /// a mean that counts reconciliations with nothing to do.
    pub measured: (usize, usize),
}

/// One wait of the critical path.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The event that is waited for.
    pub event: EcoString,
    /// When it happens in the worst case.
    pub at: u64,
    /// What this wait adds.
    pub added: u64,
    /// Why.
    pub reason: EcoString,
    /// Where the wait is demanded.
    pub span: Option<yaml::Span>,
    /// The component it is about.
    pub component: Option<usize>,
}

/// When an event happens.
#[derive(Clone, Debug)]
pub struct Window {
    /// The event.
    pub event: EcoString,
    /// In the best case.
    pub earliest: u64,
    /// In the worst case; `None` without a limit.
    pub latest: Option<u64>,
    /// How much later it may happen without moving the end.
    pub slack: Option<u64>,
}

/// From when to when, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// In the best case.
    pub earliest: u64,
    /// In the worst case.
    pub latest: u64,
}

/// When a component gets how far.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The component, by index.
    pub component: usize,
    /// It starts.
    pub start: Span,
    /// All its objects are accepted.
    pub applied: Span,
    /// It is ready.
    pub ready: Span,
    /// How much later it may be ready without moving the end.
    pub slack: u64,
    /// The longest chain of waits goes through it.
    pub critical: bool,
}

/// What the size of a controller's pool of workers means.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The controller.
    pub controller: &'static str,
    /// The kind of components it works on.
    pub kind: ComponentKind,
    /// How many it works on at once.
    pub workers: usize,
    /// With so many nothing waits for one.
    pub enough: usize,
    /// How many components can keep one, at the same time, while they wait for
    /// others that need one.
    pub held: usize,
    /// What waiting for one adds at most; `None` without a limit.
    pub wait: Option<u64>,
}

/// A Kustomization that can give up while what it waits for is under way.
#[derive(Clone, Debug)]
pub struct Inversion {
    /// The Kustomization, by index.
    pub parent: usize,
    /// Its timeout.
    pub timeout: u64,
    /// What it waits for longest.
    pub on: EcoString,
    /// The component of that, by index.
    pub component: Option<usize>,
    /// How long that can take once the parent waits, if releases succeed at
    /// their first try.
    pub takes: u64,
}

impl Linked<'_> {
    /// How long what is asked for takes; `None` where nothing becomes ready.
    pub fn timing_of(&self, ask: &Ask) -> Option<Timing> {
        let budget = self.clock(ask, Patience::Budget);
        let unlimited = self.unlimited(&budget);
        let one_try = match unlimited.is_empty() {
            true => None,
            false => Some(self.clock(ask, Patience::OneTry)),
        };
        let clock = one_try.as_ref().unwrap_or(&budget);
        let last = last_ready(&clock.worst, clock)?;
        let critical = clock.worst.at(last).known().unwrap_or(0);
        let best_end = last_ready(&clock.best, clock)?;
        let chain = self.chain(ask, clock, last);
        let workers = self.workers(clock);
        let rendered = |(at, concerned): (usize, &bool)| {
            !concerned
                || self
                    .component(at)
                    .is_some_and(model::Component::is_rendered)
        };
        let complete = workers.iter().all(|pool| pool.wait.is_some())
            && clock.concerned.iter().enumerate().all(rendered);
        let one_try_bound = match clock.wait() {
            Some(wait) if complete => critical.saturating_add(wait),
            _ => critical,
        };
        Some(Timing {
            complete,
            bound: unlimited.is_empty().then_some(one_try_bound),
            one_try: one_try_bound,
            critical,
            best: clock.best.at(best_end).known().unwrap_or(0),
            lanes: self.lanes(clock, critical, &chain),
            events: self.windows(clock, critical),
            never: self.never(clock).len(),
            blocked: self.blocked(ask, clock),
            pickup: match ask.scenario {
                Scenario::Commit(changed) => Some(self.pickup(changed)),
                _ => None,
            },
            measured: self.count_measured(clock),
            unlimited,
            chain,
            workers,
        })
    }

    /// When each event of the graph happens in a bootstrap, at the latest and
    /// with all tries of every release, as long as no component waits for a free
    /// worker.
    pub fn latest(&self) -> Times {
        self.clock(&Ask::default(), Patience::Budget).worst
    }

    /// The longest chain of waits of a question alone, in nanoseconds, as if
    /// nothing ever waited for a worker; `None` where nothing becomes ready.
    pub fn critical_of(&self, ask: &Ask) -> Option<u64> {
        let budget = self.clock_of(ask, Patience::Budget, false);
        let clock = match self.unlimited(&budget).is_empty() {
            true => budget,
            false => self.clock_of(ask, Patience::OneTry, false),
        };
        let last = last_ready(&clock.worst, &clock)?;
        clock.worst.at(last).known()
    }

    /// Kustomizations that can give up before what they wait for can be there,
    /// even if every release succeeds at its first try.
    pub fn inversions(&self) -> Vec<Inversion> {
        let clock = self.clock_of(&Ask::default(), Patience::First, false);
        let mut found = Vec::new();
        for (at, component) in self.world.components.iter().enumerate() {
            let Spec::Kustomization(spec) = &component.spec else {
                continue;
            };
            let waits = self.waits_of(&clock.graph, at);
            let longest = waits
                .into_iter()
                .filter_map(|(event, lag, _)| Some((lag.known()?, event)))
                .max_by_key(|(lag, event)| (*lag, std::cmp::Reverse(*event)));
            if let Some((takes, event)) = longest
                && takes > spec.effective_timeout()
                && let Some(key) = clock.graph.key(event)
            {
                found.push(Inversion {
                    parent: at,
                    timeout: spec.effective_timeout(),
                    on: self.event_name(key),
                    component: key.component().map(|(at, _)| at),
                    takes,
                });
            }
        }
        found
    }

    fn unlimited(&self, clock: &Clock) -> Vec<usize> {
        let components = self.world.components.iter().enumerate();
        components
            .filter(|(at, component)| {
                let ready = clock.graph.find(&Event::Component(*at, Phase::Ready));
                clock.concerned.get(*at) == Some(&true)
                    && health(component, Patience::Budget, None).worst.is_none()
                    && ready.is_some_and(|ready| clock.worst.at(ready) == Time::Unlimited)
            })
            .map(|(at, _)| at)
            .collect()
    }

    fn never(&self, clock: &Clock) -> Vec<usize> {
        let components = 0..self.world.components.len();
        components
            .filter(|at| {
                let ready = clock.graph.find(&Event::Component(*at, Phase::Ready));
                ready.is_none_or(|ready| clock.worst.at(ready) == Time::Never)
            })
            .collect()
    }

    fn blocked(&self, ask: &Ask, clock: &Clock) -> Vec<usize> {
        let Scenario::Failure(_) = ask.scenario else {
            return Vec::new();
        };
        let mut never = self.never(clock);
        never.retain(|at| self.reaches(*at, Phase::Ready));
        never
    }

    fn workers(&self, clock: &Clock) -> Vec<Workers> {
        let pools = POOLS.into_iter().zip(&clock.pools);
        pools
            .map(|(kind, pool)| Workers {
                controller: controller(kind),
                kind,
                workers: self.controllers.workers(kind),
                enough: pool.enough,
                held: pool.held,
                wait: pool.wait,
            })
            .collect()
    }

    fn count_measured(&self, clock: &Clock) -> (usize, usize) {
        let concerned = clock.concerned.iter().enumerate();
        let measured: Vec<_> = concerned
            .filter(|(_, concerned)| **concerned)
            .filter_map(|(at, _)| self.measured(at))
            .collect();
        let means = measured.iter().filter(|measured| measured.average).count();
        (measured.len(), means)
    }

    fn chain(&self, ask: &Ask, clock: &Clock, last: Node) -> Vec<Contribution> {
        let graph = &clock.graph;
        let steps = clock.worst.path(graph, last);
        steps
            .into_iter()
            .filter_map(|step| {
                let explained = step.link.and_then(|link| self.explain_in(graph, link));
                let event = graph.key(step.event)?;
                let added = step.added?;
                let reason = match (&explained, ask.scenario) {
                    (Some(explained), _) if is_late(clock, step.event, step.link) => {
                        ecow::eco_format!(
                            "{}; its timeout is over by then, so it sees that in its next try",
                            explained.message
                        )
                    }
                    (Some(explained), _) => explained.message.clone(),
                    (None, Scenario::Commit(changed)) if added > 0 => {
                        ecow::eco_format!("{}", self.pickup(changed))
                    }
                    (None, _) => "nothing comes before it".into(),
                };
                Some(Contribution {
                    event: self.event_name(event),
                    at: step.at.known()?,
                    added,
                    reason,
                    span: explained.as_ref().and_then(|e| e.span),
                    component: event.component().map(|(at, _)| at),
                })
            })
            .collect()
    }

    fn windows(&self, clock: &Clock, horizon: u64) -> Vec<Window> {
        let graph = &clock.graph;
        let latest = clock.worst.latest(graph, horizon);
        graph
            .events()
            .filter_map(|event| {
                let key = graph.key(event)?;
                let (component, _) = key.component()?;
                let span = span(clock, event)?;
                let limit = latest.get(event.index()).copied().flatten();
                (clock.concerned.get(component) == Some(&true)).then(|| Window {
                    event: self.event_name(key),
                    earliest: span.earliest,
                    latest: Some(span.latest),
                    slack: limit.map(|limit| limit.saturating_sub(span.latest)),
                })
            })
            .collect()
    }

    fn lanes(&self, clock: &Clock, horizon: u64, chain: &[Contribution]) -> Vec<Lane> {
        let latest = clock.worst.latest(&clock.graph, horizon);
        let lane = |component: usize| {
            let event = |phase| clock.graph.find(&Event::Component(component, phase));
            let ready = event(Phase::Ready)?;
            let limit = latest.get(ready.index()).copied().flatten()?;
            let span_of = |phase| span(clock, event(phase)?);
            let ready = span_of(Phase::Ready)?;
            Some(Lane {
                component,
                start: span_of(Phase::Start)?,
                applied: span_of(Phase::Applied)?,
                ready,
                slack: limit.saturating_sub(ready.latest),
                critical: chain.iter().any(|step| step.component == Some(component)),
            })
        };
        let concerned = clock.concerned.iter().enumerate();
        concerned
            .filter(|(_, concerned)| **concerned)
            .filter_map(|(component, _)| lane(component))
            .collect()
    }
}

/// Whether a wait is noticed only in a later try.
fn is_late(clock: &Clock, event: Node, link: Option<schedule::Link>) -> bool {
    let why = link.and_then(|link| Some(clock.graph.get(link.need)?.reason.why));
    match clock.graph.key(event).and_then(Event::component) {
        Some((at, Phase::Ready)) if why != Some(crate::Why::Own) => {
            clock.late.get(at).copied().flatten().is_some()
        }
        _ => false,
    }
}

fn span(clock: &Clock, event: Node) -> Option<Span> {
    match (clock.best.at(event), clock.worst.at(event)) {
        (Time::At(earliest), Time::At(latest)) => Some(Span { earliest, latest }),
        _ => None,
    }
}

fn last_ready(times: &Times, clock: &Clock) -> Option<Node> {
    let graph: &Graph<Event, Reason> = &clock.graph;
    let ready = graph.events().filter(|event| {
        matches!(graph.key(*event), Some(Event::Component(at, Phase::Ready))
            if clock.concerned.get(*at) == Some(&true))
    });
    times.last_of(ready)
}
