//! The event graph as a question about time wants it, solved.

use model::{ComponentKind, Spec};
use schedule::{Delay, End, Event as Node, Graph, Need, Pool, Producer, Task, Time, Times};

use crate::delay::{self, Patience};
use crate::{Ask, Cause, Event, Linked, Phase, Reason, Scenario, Why};

/// The pools of workers, inner first: a Kustomization that waits for its
/// releases keeps a worker of its own controller while they need one of theirs.
pub(crate) const POOLS: [ComponentKind; 2] =
    [ComponentKind::HelmRelease, ComponentKind::Kustomization];

/// A graph of events, solved at both ends.
pub(crate) struct Clock {
    pub graph: Graph<Event, Reason>,
    pub best: Times,
    pub worst: Times,
    /// By position in [`POOLS`].
    pub pools: Vec<Pool>,
    /// Which components take part.
    pub concerned: Vec<bool>,
    /// By component: what another try adds, where its timeout can pass before
    /// what it waits for is there.
    pub late: Vec<Option<u64>>,
}

impl Clock {
    /// What waits for workers add to any event; `None` without a limit.
    pub(crate) fn wait(&self) -> Option<u64> {
        self.pools.iter().map(|pool| pool.wait).sum()
    }
}

impl Linked<'_> {
    /// Solves the graph for a question.
    pub(crate) fn clock(&self, ask: &Ask, patience: Patience) -> Clock {
        self.clock_of(ask, patience, true)
    }

    /// The same, with waits for workers or, which is much less work, without.
    pub(crate) fn clock_of(&self, ask: &Ask, patience: Patience, workers: bool) -> Clock {
        let counted = workers;
        let mut plain = self.graph.adjusted(
            |need| self.takes_part(ask, need),
            |need, producer| self.delay_in(ask, patience, need, producer),
        );
        if let Scenario::Failure(failed) = ask.scenario {
            let ready = plain.event(Event::Component(failed, Phase::Ready));
            plain.need(ready, Reason::new(Why::Failed, yaml::Span::NONE), []);
        }
        let concerned = self.concerned(ask, &plain);
        let tasks = tasks(&plain, &concerned, self);
        let mut late: Vec<Option<u64>> = vec![None; self.world.components.len()];
        let mut extra = 0;
        loop {
            let graph = self.with_late(&plain, &late);
            if self.find_late(&graph, ask, extra, &mut late) {
                continue;
            }
            let workers = POOLS.map(|kind| self.controllers.workers(kind));
            let pools = match counted {
                true => graph.pools(&workers, &tasks),
                false => Vec::new(),
            };
            let wait: u64 = pools.iter().filter_map(|pool| pool.wait).sum();
            if wait > extra && self.find_late(&graph, ask, wait, &mut late) {
                extra = wait;
                continue;
            }
            let at = |end| {
                graph.times_given(end, |event| {
                    self.given_time(ask, end, &graph, event, &concerned)
                })
            };
            return Clock {
                best: at(End::Best),
                worst: at(End::Worst),
                pools,
                concerned,
                late,
                graph,
            };
        }
    }

    /// Whether a need counts in the scenario.
    fn takes_part(&self, ask: &Ask, need: &Need<Reason>) -> bool {
        let import = need.reason.import;
        if import.is_some_and(|import| ask.without.contains(&import)) {
            return false;
        }
        let cause = import.and_then(|at| Some(self.imports.get(at)?.cause));
        match (ask.scenario, need.reason.why) {
            (Scenario::Empty | Scenario::Failure(_), _) => true,
            (_, Why::Own | Why::Waits | Why::HealthCheck | Why::Suspended | Why::Failed) => true,
            (Scenario::Restart, _) => false,
            (Scenario::Commit(_), Why::AppliedBy) => true,
            // The controller waits for the same revision where both come from
            // one source; otherwise the dependant is not reconciled at all.
            (Scenario::Commit(_), Why::DependsOn) => import
                .and_then(|at| self.imports.get(at))
                .is_some_and(|import| match self.target(import) {
                    crate::Target::Component(on) => self.share_source(import.component, on),
                    crate::Target::Object => false,
                }),
            (Scenario::Commit(_), _) => {
                matches!(
                    cause,
                    Some(Cause::Substitute | Cause::Values | Cause::Source)
                )
            }
        }
    }

    fn delay_in(
        &self,
        ask: &Ask,
        patience: Patience,
        need: &Need<Reason>,
        producer: &Producer<Reason>,
    ) -> Delay {
        let phase = self.graph.key(need.event).and_then(Event::component);
        match (need.reason.why, phase) {
            (Why::Own, Some((at, Phase::Ready))) => self.health(ask, patience, at),
            (Why::Own, Some(_)) if ask.scenario == Scenario::Restart => Delay::ZERO,
            (Why::Import, _) if matches!(ask.scenario, Scenario::Commit(_)) => {
                let import = need.reason.import.and_then(|at| self.imports.get(at));
                import.map_or(Delay::ZERO, |import| self.noticed(import, producer))
            }
            _ => producer.delay,
        }
    }

    /// Between all objects of a component being accepted and its being ready.
    fn health(&self, ask: &Ask, patience: Patience, at: usize) -> Delay {
        let Some(component) = self.component(at) else {
            return Delay::ZERO;
        };
        let is_release = component.key.kind == ComponentKind::HelmRelease;
        // It is installed already and does not change.
        if is_release && ask.scenario == Scenario::Restart {
            return Delay::ZERO;
        }
        let delay = delay::health(component, patience, ask.timeout(at));
        match self.measured(at) {
            None => delay,
            Some(measured) => match delay.worst {
                Some(worst) => Delay::between(measured.least, worst),
                None => Delay::unlimited(measured.least),
            },
        }
    }

    /// Which components a scenario is about.
    fn concerned(&self, ask: &Ask, graph: &Graph<Event, Reason>) -> Vec<bool> {
        let components = self.world.components.len();
        let Scenario::Commit(changed) = ask.scenario else {
            return vec![true; components];
        };
        let mut concerned = vec![false; components];
        let Some(start) = graph.find(&Event::Component(changed, Phase::Start)) else {
            return concerned;
        };
        let after = graph.after(start);
        for event in graph.events() {
            if after.get(event.index()) == Some(&true)
                && let Some((at, _)) = graph.key(event).and_then(Event::component)
                && let Some(slot) = concerned.get_mut(at)
            {
                *slot = true;
            }
        }
        concerned
    }

    /// The time of an event that a scenario knows beforehand.
    fn given_time(
        &self,
        ask: &Ask,
        end: End,
        graph: &Graph<Event, Reason>,
        event: Node,
        concerned: &[bool],
    ) -> Option<Time> {
        let at = graph.key(event).and_then(Event::component);
        match (ask.scenario, at) {
            (Scenario::Commit(changed), Some((at, phase))) => {
                if concerned.get(at) != Some(&true) {
                    return Some(Time::At(0));
                }
                // What nothing concerned comes before starts with the commit.
                let has_cause = |need: &schedule::NeedId| {
                    let producers = graph.get(*need).map_or(&[][..], |need| &need.producers);
                    producers.iter().any(|producer| {
                        let on = graph.key(producer.event).and_then(Event::component);
                        on.is_some_and(|(on, _)| concerned.get(on) == Some(&true))
                    })
                };
                let caused = at != changed && graph.needs_of(event).iter().any(has_cause);
                if phase != Phase::Start || caused {
                    return None;
                }
                let pickup = match (end, self.share_source(at, changed)) {
                    (End::Worst, true) => self.pickup(changed).delay,
                    _ => 0,
                };
                Some(Time::At(pickup))
            }
            (Scenario::Commit(_), None) => Some(Time::At(0)),
            _ => None,
        }
    }

    /// The graph where some Kustomizations give up while what they wait for is
    /// still under way: they see it only in a later try.
    fn with_late(
        &self,
        graph: &Graph<Event, Reason>,
        late: &[Option<u64>],
    ) -> Graph<Event, Reason> {
        graph.adjusted(
            |_| true,
            |need, producer| {
                let phase = graph.key(need.event).and_then(Event::component);
                let late = match phase {
                    Some((at, Phase::Ready)) if need.reason.why != Why::Own => {
                        late.get(at).copied().flatten()
                    }
                    _ => None,
                };
                match late {
                    Some(late) => producer.delay.plus(Delay::up_to(late)),
                    None => producer.delay,
                }
            },
        )
    }

    /// Marks Kustomizations whose timeout can pass before what they wait for is
    /// there, with what the next try adds. Returns whether there are new ones.
    fn find_late(
        &self,
        graph: &Graph<Event, Reason>,
        ask: &Ask,
        extra: u64,
        late: &mut [Option<u64>],
    ) -> bool {
        let mut found = false;
        for (at, slot) in late.iter_mut().enumerate() {
            if slot.is_some() {
                continue;
            }
            let Some(next_try) = self.next_try(at) else {
                continue;
            };
            let Some(component) = self.component(at) else {
                continue;
            };
            let limit = match &component.spec {
                Spec::Kustomization(spec) => {
                    ask.timeout(at).unwrap_or_else(|| spec.effective_timeout())
                }
                Spec::HelmRelease(_) => continue,
            };
            // What waits for a worker may come late, unless it must come first.
            let first = match extra {
                0 => None,
                _ => graph
                    .find(&Event::Component(at, Phase::Applied))
                    .map(|applied| graph.necessary(applied)),
            };
            let comes_first = |event: Node| match &first {
                Some(first) => first.get(event.index()) == Some(&true),
                None => true,
            };
            let latest = self
                .waits_of(graph, at)
                .into_iter()
                .map(|(event, lag, then)| match (lag, then) {
                    // What is there before has the whole timeout. What a stage
                    // makes is there only after it.
                    (Time::At(0), _) if !is_start(graph, event) && comes_first(event) => lag,
                    (Time::At(lag), Some(then)) => Time::At(lag.saturating_add(then)),
                    _ => Time::Unlimited,
                })
                .max();
            let too_late = match latest {
                Some(Time::At(lag)) => lag.saturating_add(extra) > limit,
                Some(Time::Unlimited) => true,
                Some(Time::Never) | None => false,
            };
            if too_late {
                *slot = Some(next_try);
                found = true;
            }
        }
        found
    }

    /// What a component waits for once its objects are accepted, with how long
    /// after that it can happen, and how long after that it can be healthy. What
    /// never happens is left out.
    pub(crate) fn waits_of(
        &self,
        graph: &Graph<Event, Reason>,
        at: usize,
    ) -> Vec<(Node, Time, Option<u64>)> {
        let phase = |phase| graph.find(&Event::Component(at, phase));
        let (Some(applied), Some(ready)) = (phase(Phase::Applied), phase(Phase::Ready)) else {
            return Vec::new();
        };
        let needs = graph.needs_of(ready).iter();
        needs
            .filter_map(|need| graph.get(*need))
            .filter(|need| need.reason.why != Why::Own)
            .flat_map(|need| &need.producers)
            .map(|producer| {
                let lag = graph.lag(applied, producer.event);
                (producer.event, lag, producer.delay.worst)
            })
            .filter(|(_, lag, _)| *lag != Time::Never)
            .collect()
    }

    /// What another try of a waiting Kustomization takes until it waits again.
    fn next_try(&self, at: usize) -> Option<u64> {
        let component = self.component(at)?;
        let Spec::Kustomization(spec) = &component.spec else {
            return None;
        };
        let pause = spec.effective_retry_interval().unwrap_or(0);
        let apply = delay::apply(component).worst.unwrap_or(0);
        Some(pause.saturating_add(apply))
    }
}

/// Whether an event is that a component starts.
fn is_start(graph: &Graph<Event, Reason>, event: Node) -> bool {
    matches!(graph.key(event), Some(Event::Component(_, Phase::Start)))
}

fn tasks(graph: &Graph<Event, Reason>, concerned: &[bool], linked: &Linked<'_>) -> Vec<Task> {
    let components = linked.world.components.iter().enumerate();
    components
        .filter(|(at, _)| concerned.get(*at) == Some(&true))
        .filter_map(|(at, component)| {
            Some(Task {
                pool: POOLS.iter().position(|kind| *kind == component.key.kind)?,
                start: graph.find(&Event::Component(at, Phase::Start))?,
                end: graph.find(&Event::Component(at, Phase::Ready))?,
            })
        })
        .collect()
}
