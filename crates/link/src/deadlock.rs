//! Deadlocks in terms of components.

use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{Firing, Graph, Link, NeedId};
use yaml::Span;

use crate::delay::Patience;
use crate::events::{self, View};
use crate::{Cause, Event, Explained, Linked, Phase, Place, Reason, Why};

/// Components that wait for each other.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// The waits of a shortest circle, each for the next: the component that
    /// waits, why, and where. Steps within one component are left out.
    pub circle: Vec<Explained>,
    /// The components on that circle, in its order, each once.
    pub on_circle: Vec<usize>,
    /// Further components that are part of the deadlock.
    pub others: Vec<usize>,
    /// Components that never become ready because of it, without being part of
    /// it.
    pub blocked: Vec<usize>,
    /// Waits of the circle that each, taken away alone, end the deadlock; the
    /// easiest first.
    pub breaks: Vec<Break>,
    /// All of the circle's waits between components are `dependsOn` of
    /// Kustomizations: then the controller cannot sort them at all.
    pub only_dependencies: bool,
    /// Imports that cannot be met because of it, by index.
    pub imports: Vec<usize>,
    /// Of a circle that leads through components nobody could render: the
    /// import, by index, that only they could meet, too late. Whether they
    /// would is not known, but nothing else does.
    pub circle_import: Option<usize>,
    /// All imports of that kind in the deadlock.
    pub too_late: Vec<usize>,
    /// It holds only if CRDs come from the components whose names say so.
    pub likely: bool,
}

/// A wait that ends a deadlock when it is taken away.
#[derive(Clone, Debug)]
pub struct Break {
    /// What kind of wait it is.
    pub why: Why,
    /// Of an import, its cause.
    pub cause: Option<Cause>,
    /// The component that waits.
    pub component: usize,
    /// The component it waits for; `None` where that is not known.
    pub on: Option<usize>,
    /// Where it is demanded.
    pub span: Span,
}

impl Linked<'_> {
    /// The deadlocks that are proven, then those that only names suggest.
    pub(crate) fn find_deadlocks(&self) -> Vec<Deadlock> {
        let proven = Reader::new(self, &self.graph);
        let mut found: Vec<Deadlock> = proven.deadlocks();
        let likely = events::graph(
            self,
            View {
                patience: Patience::Budget,
                likely: true,
            },
        );
        let suggested = Reader::new(self, &likely);
        let suggested = suggested.deadlocks().into_iter();
        found.extend(suggested.filter(|deadlock| deadlock.likely));
        found
    }

    /// Components that may meet an import, by index, in time; and those that
    /// could only do so after it was met.
    pub fn doubts(&self, import: usize) -> (Vec<usize>, Vec<usize>) {
        let Some(found) = self.imports.get(import) else {
            return (Vec::new(), Vec::new());
        };
        let suspects = self.suspects_of(found);
        // Who cannot make it in time for one cannot make it for another either.
        let too_late = self
            .deadlocks
            .iter()
            .flat_map(|deadlock| &deadlock.too_late)
            .filter_map(|late| self.imports.get(*late))
            .any(|late| late.place == found.place);
        match too_late {
            true => (Vec::new(), suspects),
            false => (suspects, Vec::new()),
        }
    }
}

/// Reads the deadlocks of one graph of a world.
struct Reader<'a, 'b> {
    linked: &'b Linked<'a>,
    graph: &'b Graph<Event, Reason>,
    firing: Firing,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(linked: &'b Linked<'a>, graph: &'b Graph<Event, Reason>) -> Self {
        Reader {
            linked,
            graph,
            firing: graph.fire(),
        }
    }

    fn deadlocks(&self) -> Vec<Deadlock> {
        self.graph
            .deadlocks()
            .iter()
            .map(|d| self.read(d))
            .collect()
    }

    fn read(&self, deadlock: &schedule::Deadlock) -> Deadlock {
        // The graph's circle follows what comes first; people ask what a
        // component waits for, which is the other way round.
        let links: Vec<Link> = deadlock.cycle.iter().rev().copied().collect();
        let between: Vec<Link> = links
            .iter()
            .copied()
            .filter(|link| self.why(*link) != Some(Why::Own))
            .collect();
        let circle = between
            .iter()
            .filter_map(|link| self.linked.explain_in(self.graph, *link))
            .collect();
        let on_circle = unique(
            links
                .iter()
                .filter_map(|link| self.graph.link(*link))
                .filter_map(|(need, _)| self.component_of(need.event)),
        );
        let members = deadlock.members.iter();
        let members = unique(members.filter_map(|event| self.component_of(*event)));
        let others: Vec<usize> = members
            .iter()
            .copied()
            .filter(|member| !on_circle.contains(member))
            .collect();
        let imports = between
            .iter()
            .filter_map(|link| self.graph.link(*link)?.1.reason.import)
            .chain(self.imports_within(deadlock))
            .collect();
        Deadlock {
            circle_import: between.iter().find_map(|link| self.hidden_import(*link)),
            too_late: self.too_late(deadlock),
            likely: between
                .iter()
                .any(|link| self.why(*link) == Some(Why::Likely)),
            only_dependencies: self.is_dependencies(&between),
            blocked: self.blocked_by(deadlock, &members),
            breaks: self.breaks(deadlock, &between),
            circle,
            on_circle,
            others,
            imports,
        }
    }

    /// The import of a link from components nobody could render.
    fn hidden_import(&self, link: Link) -> Option<usize> {
        let (_, producer) = self.graph.link(link)?;
        let hidden = matches!(self.graph.key(producer.event)?, Event::Unrendered(..));
        producer.reason.import.filter(|_| hidden)
    }

    /// Imports that stay unmet even if everything else that is missing was
    /// there: all who could make them need them first.
    fn too_late(&self, deadlock: &schedule::Deadlock) -> Vec<usize> {
        let hidden = deadlock
            .members
            .iter()
            .filter(|event| matches!(self.graph.key(**event), Some(Event::Unrendered(..))));
        let links = hidden.flat_map(|event| self.graph.links_from(*event));
        let mut by_place: FxHashMap<&Place, Vec<(NeedId, usize)>> = FxHashMap::default();
        for link in links {
            let need = self.graph.get(link.need).map(|need| need.event);
            if let Some(at) = self.hidden_import(*link)
                && let Some(import) = self.linked.imports.get(at)
                && need.is_some_and(|event| deadlock.members.binary_search(&event).is_ok())
            {
                by_place
                    .entry(&import.place)
                    .or_default()
                    .push((link.need, at));
            }
        }
        let all: FxHashSet<NeedId> = by_place.values().flatten().map(|(need, _)| *need).collect();
        let mut late = Vec::new();
        for missing in by_place.values() {
            let own: FxHashSet<NeedId> = missing.iter().map(|(need, _)| *need).collect();
            let others = |need: NeedId| all.contains(&need) && !own.contains(&need);
            if !self.graph.fires_within(&deadlock.members, others) {
                late.extend(missing.iter().map(|(_, import)| *import));
            }
        }
        late
    }

    fn imports_within(&self, deadlock: &schedule::Deadlock) -> Vec<usize> {
        deadlock
            .members
            .iter()
            .flat_map(|event| self.firing.unmet(self.graph, *event))
            .filter_map(|need| self.graph.get(need)?.reason.import)
            .collect()
    }

    fn is_dependencies(&self, between: &[Link]) -> bool {
        let kustomization = |component: usize| {
            self.linked
                .component(component)
                .is_some_and(|c| c.key.kind == model::ComponentKind::Kustomization)
        };
        between.iter().all(|link| {
            self.why(*link) == Some(Why::DependsOn)
                && self
                    .graph
                    .link(*link)
                    .and_then(|(need, _)| self.component_of(need.event))
                    .is_some_and(kustomization)
        })
    }

    fn why(&self, link: Link) -> Option<Why> {
        Some(self.graph.link(link)?.1.reason.why)
    }

    fn component_of(&self, event: schedule::Event) -> Option<usize> {
        self.graph.key(event)?.owner()
    }

    /// Components whose readiness waits, through any number of steps, for an
    /// event of the deadlock.
    fn blocked_by(&self, deadlock: &schedule::Deadlock, members: &[usize]) -> Vec<usize> {
        let mut seen: FxHashSet<schedule::Event> = deadlock.members.iter().copied().collect();
        let mut stack = deadlock.members.clone();
        let mut blocked = Vec::new();
        while let Some(event) = stack.pop() {
            for link in self.graph.links_from(event) {
                let Some((need, _)) = self.graph.link(*link) else {
                    continue;
                };
                if self.firing.met(link.need) || !seen.insert(need.event) {
                    continue;
                }
                stack.push(need.event);
                if let Some(Event::Component(at, Phase::Ready)) = self.graph.key(need.event)
                    && !members.contains(at)
                {
                    blocked.push(*at);
                }
            }
        }
        blocked.sort_unstable();
        blocked
    }

    fn breaks(&self, deadlock: &schedule::Deadlock, between: &[Link]) -> Vec<Break> {
        let mut breaks: Vec<Break> = between
            .iter()
            .filter(|link| {
                let dropped = self.same_cause(link.need);
                self.graph
                    .fires_within(&deadlock.members, |need| dropped.contains(&need))
            })
            .filter_map(|link| self.broken(*link))
            .collect();
        breaks.sort_by_key(effort);
        breaks.dedup_by_key(|found| (found.why, found.component, found.span));
        breaks
    }

    /// The needs that go with one: `wait: true` is one setting for all children,
    /// and custom resources of several kinds move together.
    fn same_cause(&self, need: NeedId) -> Vec<NeedId> {
        let Some(found) = self.graph.get(need) else {
            return Vec::new();
        };
        let together = |reason: &Reason| {
            let import = reason.import.and_then(|at| self.linked.imports.get(at));
            reason.why == Why::Waits
                || import.is_some_and(|import| import.cause == Cause::CustomResource)
        };
        if !together(&found.reason) {
            return vec![need];
        }
        let of = self.graph.needs_of(found.event).iter().copied();
        of.filter(|other| {
            self.graph.get(*other).is_some_and(|other| {
                together(&other.reason)
                    && (other.reason.why == Why::Waits) == (found.reason.why == Why::Waits)
            })
        })
        .collect()
    }

    fn broken(&self, link: Link) -> Option<Break> {
        let (need, producer) = self.graph.link(link)?;
        let import = producer
            .reason
            .import
            .and_then(|at| self.linked.imports.get(at));
        Some(Break {
            why: producer.reason.why,
            cause: import.map(|import| import.cause),
            component: self.component_of(need.event)?,
            on: self.component_of(producer.event),
            span: producer.reason.span,
        })
    }
}

/// How much a break asks of the one who makes it.
fn effort(found: &Break) -> u8 {
    match found.why {
        Why::DependsOn => 0,
        Why::Waits | Why::HealthCheck => 1,
        Why::Import | Why::Likely => 2,
        Why::AppliedBy | Why::Suspect => 3,
        Why::Own | Why::Suspended | Why::Failed => 4,
    }
}

fn unique(items: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut seen = FxHashSet::default();
    items
        .into_iter()
        .filter(|item| seen.insert(*item))
        .collect()
}
