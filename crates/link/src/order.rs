//! Which events a declared order puts before which.

use model::Spec;
use rustc_hash::FxHashMap;
use schedule::{Delay, Event as Node, Graph, Link};

use crate::{Cause, Event, Import, Linked, Phase, Reason, Strength, Supply};

/// An import that no declared order makes come after what makes it: Flux gets
/// there by failing and retrying.
#[derive(Clone, Copy, Debug)]
pub struct Unordered {
    /// The import, by index in [`Linked::imports`].
    pub import: usize,
    /// The component that makes it.
    pub maker: usize,
    /// The phase of that component from which on it is there.
    pub phase: Phase,
    /// What passes after that until it is noticed.
    pub penalty: Delay,
}

impl Linked<'_> {
    /// All imports without a declared order. Left out are sources, whose
    /// controller tells those that wait for them, and what pods need, which
    /// Kubernetes tries again.
    pub fn unordered(&self) -> Vec<Unordered> {
        let mut order = Order::of(&self.graph);
        let imports = self.imports.iter().enumerate();
        let imports = imports.filter(|(_, import)| {
            let told = matches!(
                import.cause,
                Cause::DependsOn { .. } | Cause::HealthCheck | Cause::Source | Cause::Pod
            ) || import.strength() < Strength::Hard;
            !import.optional && !told
        });
        let mut found = Vec::new();
        for (at, import) in imports {
            let Some(start) = self
                .graph
                .find(&Event::Component(import.component, Phase::Start))
            else {
                continue;
            };
            let makers: Vec<(usize, Phase)> = match self.supply(import) {
                Supply::Made(exports) => {
                    let own = exports.iter().any(|e| self.is_met_by_itself(import, e));
                    if own || exports.iter().any(|e| e.component == import.component) {
                        continue;
                    }
                    exports.iter().map(|e| (e.component, e.phase)).collect()
                }
                Supply::Runtime(makers) => makers.into_iter().map(|m| (m, Phase::Ready)).collect(),
                Supply::Given | Supply::Component(_) | Supply::Nothing => continue,
            };
            let declared = makers.iter().any(|(maker, phase)| {
                let event = self
                    .sure_from(import, *maker, *phase)
                    .and_then(|phase| self.graph.find(&Event::Component(*maker, phase)));
                event.is_some_and(|event| order.holds(event, start))
            });
            let Some((maker, phase)) = makers.first().filter(|_| !declared) else {
                continue;
            };
            found.push(Unordered {
                import: at,
                maker: *maker,
                phase: *phase,
                penalty: self.retry(import),
            });
        }
        found
    }
}

impl Linked<'_> {
    /// The phase of its maker from which on what an import needs is sure to be
    /// there. A kind whose CRD comes from a chart's templates is served some time
    /// after the CRD is applied: only who waits for the CRD can tell.
    pub(crate) fn sure_from(&self, import: &Import, maker: usize, phase: Phase) -> Option<Phase> {
        let late = import.cause == Cause::CustomResource && phase == Phase::Applied;
        if !late {
            return Some(phase);
        }
        match &self.component(maker)?.spec {
            Spec::HelmRelease(spec) if spec.disable_wait => None,
            Spec::Kustomization(spec) if !spec.wait => None,
            _ => Some(Phase::Ready),
        }
    }
}

/// What each event comes before by declaration: dependencies, parents, waits.
pub(crate) struct Order {
    /// The declared needs that each event can meet.
    meets: Vec<Vec<usize>>,
    /// Of each need, the event in need and how many producers it has.
    needs: Vec<(usize, usize)>,
    known: FxHashMap<usize, Vec<bool>>,
}

impl Order {
    /// The order of a graph as it stands: later needs do not count.
    pub(crate) fn of(graph: &Graph<Event, Reason>) -> Self {
        let declared = |link: &&Link| {
            let producer = graph.link(**link).map(|(_, producer)| producer);
            producer.is_some_and(|producer| producer.reason.why.is_declared())
        };
        Order {
            meets: graph
                .events()
                .map(|event| {
                    let links = graph.links_from(event).iter().filter(declared);
                    links.map(|link| link.need.index()).collect()
                })
                .collect(),
            needs: graph
                .needs()
                .map(|(_, need)| (need.event.index(), need.producers.len()))
                .collect(),
            known: FxHashMap::default(),
        }
    }

    /// Whether `first` is declared to come before `then`, or is it. A need that
    /// any of several can meet puts none of them first, but all of them what
    /// they all come after.
    pub(crate) fn holds(&mut self, first: Node, then: Node) -> bool {
        let (meets, needs) = (&self.meets, &self.needs);
        let reached = self.known.entry(first.index()).or_insert_with(|| {
            let mut reached = vec![false; meets.len()];
            // How many producers of a need come after `first`.
            let mut met: FxHashMap<usize, usize> = FxHashMap::default();
            let mut stack = vec![first.index()];
            while let Some(at) = stack.pop() {
                match reached.get_mut(at) {
                    Some(slot) if !*slot => *slot = true,
                    _ => continue,
                }
                for need in meets.get(at).into_iter().flatten() {
                    let met = met.entry(*need).or_default();
                    *met += 1;
                    stack.extend(
                        needs
                            .get(*need)
                            .filter(|(_, producers)| met == producers)
                            .map(|(event, _)| *event),
                    );
                }
            }
            reached
        });
        reached.get(then.index()).copied().unwrap_or(false)
    }
}
