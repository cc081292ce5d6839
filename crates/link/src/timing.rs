//! How long a bootstrap takes.

use ecow::EcoString;
use model::ComponentKind;
use schedule::{End, Graph, Time, Times};
use yaml::Span;

use crate::delay::{Patience, health};
use crate::events::View;
use crate::{Event, Linked, Phase, Reason, events};

/// How many objects a controller works on at once when nothing is set.
const WORKERS: usize = 4;

/// Bounds on the time from an empty cluster to everything that becomes ready
/// being ready. Times are nanoseconds after the start.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Everything is rendered and nothing waits for a free worker, so that the
    /// bound is one. Otherwise it is "at least".
    pub complete: bool,
    /// The worst case; `None` where nothing limits it.
    pub bound: Option<u64>,
    /// The worst case when releases that are retried without limit need one
    /// try. Equal to the bound where there is one.
    pub one_try: u64,
    /// The best case.
    pub best: u64,
    /// Components that are retried without limit.
    pub unlimited: Vec<usize>,
    /// The chain of waits that `one_try` comes from, first wait first.
    pub chain: Vec<Contribution>,
    /// All events that happen, in the worst case with one try.
    pub events: Vec<Window>,
    /// How many components never become ready.
    pub never: usize,
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
    pub span: Option<Span>,
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

impl Linked<'_> {
    pub(crate) fn find_timing(&self) -> Option<Timing> {
        let budget = self.graph.times(End::Worst);
        let best = self.graph.times(End::Best);
        let end = self.last_ready(&budget, &self.graph)?;
        let unlimited = self.unlimited();
        let one_try_graph;
        let (graph, times) = match unlimited.is_empty() {
            true => (&self.graph, budget.clone()),
            false => {
                one_try_graph = events::graph(
                    self,
                    View {
                        patience: Patience::OneTry,
                        ..View::NECESSARY
                    },
                );
                let times = one_try_graph.times(End::Worst);
                (&one_try_graph, times)
            }
        };
        let last = self.last_ready(&times, graph)?;
        let one_try = times.at(last).known().unwrap_or(0);
        let best_end = self.last_ready(&best, &self.graph)?;
        Some(Timing {
            complete: self.is_complete(),
            bound: budget.at(end).known(),
            one_try,
            best: best.at(best_end).known().unwrap_or(0),
            unlimited,
            chain: self.chain(graph, &times, last),
            events: self.windows(graph, &times, &best, one_try),
            never: (0..self.world.components.len())
                .filter(|at| !self.reaches(*at, Phase::Ready))
                .count(),
        })
    }

    fn last_ready(&self, times: &Times, graph: &Graph<Event, Reason>) -> Option<schedule::Event> {
        let ready = graph
            .events()
            .filter(|event| matches!(graph.key(*event), Some(Event::Component(_, Phase::Ready))));
        times.last_of(ready)
    }

    fn unlimited(&self) -> Vec<usize> {
        let components = self.world.components.iter().enumerate();
        components
            .filter(|(_, component)| health(component, Patience::Budget).worst.is_none())
            .map(|(at, _)| at)
            .collect()
    }

    fn is_complete(&self) -> bool {
        let count = |kind| {
            let components = self.world.components.iter();
            components.filter(|c| c.key.kind == kind).count()
        };
        let workers = |set: Option<u32>| set.map_or(WORKERS, |n| n as usize);
        let set = self.config.controllers.concurrent.as_ref();
        let kustomize = set.and_then(|c| c.kustomize.as_ref()).map(|n| n.value);
        let helm = set.and_then(|c| c.helm.as_ref()).map(|n| n.value);
        self.world.components.iter().all(|c| c.is_rendered())
            && count(ComponentKind::Kustomization) <= workers(kustomize)
            && count(ComponentKind::HelmRelease) <= workers(helm)
    }

    fn chain(
        &self,
        graph: &Graph<Event, Reason>,
        times: &Times,
        last: schedule::Event,
    ) -> Vec<Contribution> {
        let steps = times.path(graph, last);
        steps
            .into_iter()
            .filter_map(|step| {
                let explained = step.link.and_then(|link| self.explain_in(graph, link));
                let event = graph.key(step.event)?;
                Some(Contribution {
                    event: self.event_name(event),
                    at: step.at.known()?,
                    added: step.added?,
                    reason: explained
                        .as_ref()
                        .map_or_else(|| "nothing comes before it".into(), |e| e.message.clone()),
                    span: explained.as_ref().and_then(|e| e.span),
                    component: event.component().map(|(at, _)| at),
                })
            })
            .collect()
    }

    fn windows(
        &self,
        graph: &Graph<Event, Reason>,
        times: &Times,
        best: &Times,
        horizon: u64,
    ) -> Vec<Window> {
        let latest = times.latest(graph, horizon);
        graph
            .events()
            .filter_map(|event| {
                let key = graph.key(event)?;
                key.component()?;
                let (Time::At(at), Time::At(earliest)) = (times.at(event), best.at(event)) else {
                    return None;
                };
                let limit = latest.get(event.index()).copied().flatten();
                Some(Window {
                    event: self.event_name(key),
                    earliest,
                    latest: Some(at),
                    slack: limit.map(|limit| limit.saturating_sub(at)),
                })
            })
            .collect()
    }
}
