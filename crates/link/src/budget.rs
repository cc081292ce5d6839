//! Releases that give up before what they need is there.
//!
//! Once Helm has stored a release, every failed try costs one of its retries,
//! and after the last the release stalls for good. What its pods need must
//! come within that time after the release starts.

use model::{Component, HelmReleaseSpec, Spec};
use rustc_hash::FxHashSet;
use schedule::{Delay, End, Event as Node, Graph, Producer};
use yaml::Span;

use crate::hints::{release_namespace, values};
use crate::pods::{self, Needed};
use crate::{Cause, Event, Item, Linked, Phase, Place, Supply};

/// Something that may come only after a release has given up.
#[derive(Clone, Debug)]
pub struct Overrun {
    /// The release.
    pub release: usize,
    /// What it needs.
    pub item: Item,
    /// Where it says so.
    pub span: Span,
    /// The components that make it.
    pub makers: Vec<usize>,
    /// How long all its tries take, in nanoseconds.
    pub patience: u64,
    /// How long after the start of the release it comes, at best: the least
    /// that is certain. `None` where nothing is.
    pub best: Option<u64>,
    /// How long after, at worst; `None` without a limit.
    pub worst: Option<u64>,
    /// It is read off the values alone: the chart is not rendered.
    pub by_values: bool,
}

/// How deep values are looked through.
const DEPTH: usize = 32;

/// Something a release needs once it is installed.
struct Wanted {
    item: Item,
    span: Span,
    events: Vec<(usize, Node)>,
    by_values: bool,
}

impl Linked<'_> {
    /// What comes, or may come, after a release has given up on it; in the
    /// order of releases.
    pub fn overruns(&self) -> Vec<Overrun> {
        let components = self.world.components.iter().enumerate();
        components
            .filter_map(|(at, component)| Some((at, patience(component)?)))
            .flat_map(|(at, patience)| self.overruns_of(at, patience))
            .collect()
    }

    fn overruns_of(&self, release: usize, patience: u64) -> Vec<Overrun> {
        let Some(start) = self.graph.find(&Event::Component(release, Phase::Start)) else {
            return Vec::new();
        };
        if !self.firing.fired(start) {
            return Vec::new();
        }
        let before = self.ancestors(start);
        let mut wanted = self.wanted(release);
        // What is there before the release starts is there in time.
        wanted.retain(|wanted| {
            let mut events = wanted.events.iter();
            !events.any(|(_, event)| before.contains(event) || !self.firing.fired(*event))
        });
        if wanted.is_empty() {
            return Vec::new();
        }
        let late = self.lagging(&before, |delay| Delay::between(delay.best, delay.best));
        let late = late.times(End::Worst);
        let soon = self.lagging(&before, |delay| match delay.worst {
            Some(worst) => Delay::between(worst, worst),
            None => delay,
        });
        let limited = before.iter().all(|event| self.is_limited(*event));
        let soon = limited.then(|| soon.times(End::Best));
        let mut found = Vec::new();
        for wanted in wanted {
            let after = |times: &schedule::Times| {
                let from = times.at(start).known()?;
                let events = wanted.events.iter();
                let first = events
                    .filter_map(|(_, event)| times.at(*event).known())
                    .min()?;
                Some(first.saturating_sub(from))
            };
            let worst = after(&late);
            if worst.is_none_or(|worst| worst > patience) {
                let mut makers: Vec<usize> = wanted.events.iter().map(|(at, _)| *at).collect();
                makers.dedup();
                found.push(Overrun {
                    release,
                    item: wanted.item,
                    span: wanted.span,
                    makers,
                    patience,
                    best: soon.as_ref().and_then(after),
                    worst,
                    by_values: wanted.by_values,
                });
            }
        }
        found
    }

    /// What a release's pods need, with the events of those who make it.
    fn wanted(&self, release: usize) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for import in &self.imports {
            let is_own = import.component == release && import.acting.is_none();
            if is_own
                && matches!(import.cause, Cause::Pod | Cause::Class)
                && let Supply::Made(exports) = self.supply(import)
                && !exports.iter().any(|e| self.is_met_by_itself(import, e))
            {
                let events = exports.iter().filter_map(|export| {
                    let event = self.graph.find(&self.event_of(import, export))?;
                    Some((export.component, event))
                });
                wanted.push(Wanted {
                    item: import.place.item.clone(),
                    span: import.span,
                    events: events.collect(),
                    by_values: false,
                });
            }
        }
        wanted.extend(self.wanted_by_values(release));
        wanted.retain(|wanted: &Wanted| !wanted.events.is_empty());
        wanted
    }

    fn wanted_by_values(&self, release: usize) -> Vec<Wanted> {
        let Some(component) = self.component(release).filter(|c| !c.is_rendered()) else {
            return Vec::new();
        };
        let (Some(values), Some(namespace)) = (values(component), release_namespace(component))
        else {
            return Vec::new();
        };
        let mut needs = Vec::new();
        pod_fields(values, DEPTH, &mut needs);
        let mut seen = FxHashSet::default();
        let needs = needs
            .into_iter()
            .map(|need| (need.item(&namespace), need.span))
            .filter(|(item, _)| seen.insert(item.clone()));
        needs
            .map(|(item, span)| {
                let place = Place {
                    cluster: component.cluster.clone(),
                    item,
                };
                let given = place.item.is_undecided() || self.given.has(&place);
                let exports = self.exports.producers(&place);
                let events = exports.iter().filter(|_| !given).filter_map(|export| {
                    let event = self.graph.find(&self.work_of(export))?;
                    Some((export.component, event))
                });
                Wanted {
                    events: events.collect(),
                    item: place.item,
                    span,
                    by_values: true,
                }
            })
            .collect()
    }

    /// Everything an event waits for, through any number of steps, and itself.
    fn ancestors(&self, event: Node) -> FxHashSet<Node> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![event];
        while let Some(event) = stack.pop() {
            if seen.insert(event) {
                for need in self.graph.needs_of(event) {
                    let producers = self.graph.get(*need).map(|n| n.producers.as_slice());
                    stack.extend(producers.unwrap_or_default().iter().map(|p| p.event));
                }
            }
        }
        seen
    }

    fn is_limited(&self, event: Node) -> bool {
        let needs = self.graph.needs_of(event).iter();
        needs
            .filter_map(|need| self.graph.get(*need))
            .flat_map(|need| &need.producers)
            .all(|producer| producer.delay.worst.is_some())
    }

    /// The graph with other delays before these events: what passes before
    /// both a release and what it needs says nothing of the time between them.
    fn lagging(&self, before: &FxHashSet<Node>, delay: impl Fn(Delay) -> Delay) -> Graph<Node, ()> {
        let mut graph = Graph::new();
        for event in self.graph.events() {
            graph.event(event);
        }
        for (_, need) in self.graph.needs() {
            let is_before = before.contains(&need.event);
            let producers: Vec<Producer<()>> = need
                .producers
                .iter()
                .map(|producer| Producer {
                    event: producer.event,
                    delay: match is_before {
                        true => delay(producer.delay),
                        false => producer.delay,
                    },
                    reason: (),
                })
                .collect();
            graph.need(need.event, (), producers);
        }
        graph
    }
}

/// How long a release tries; `None` for what is no release, is suspended, does
/// not wait, or tries without end.
fn patience(component: &Component) -> Option<u64> {
    match &component.spec {
        Spec::HelmRelease(spec) if !component.suspended && !spec.disable_wait => tries(spec),
        _ => None,
    }
}

fn tries(spec: &HelmReleaseSpec) -> Option<u64> {
    let retries = u64::try_from(spec.effective_retries()).ok()?;
    let runs = retries.saturating_add(1);
    Some(spec.effective_timeout().saturating_mul(runs))
}

/// `env` and `envFrom` entries anywhere below a node: whatever the chart, it
/// can only hand them to pods.
fn pod_fields(node: &yaml::Node, depth: usize, needs: &mut Vec<Needed>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if is_scheduled(node) {
        return;
    }
    pods::variable_needs(node, needs);
    for item in node.items() {
        pod_fields(item, depth, needs);
    }
    for entry in node.entries() {
        match entry.key.as_str() {
            Some("envFrom") => {
                for source in entry.value.items() {
                    pods::source_needs(source, needs);
                }
            }
            // Read above.
            Some("valueFrom") => {}
            _ => pod_fields(&entry.value, depth, needs),
        }
    }
}

/// Whether values are about pods that start only when their time has come: no
/// installation waits for those.
fn is_scheduled(values: &yaml::Node) -> bool {
    let is_cron = values
        .str_at(&["type"])
        .is_some_and(|kind| kind.eq_ignore_ascii_case("cronjob"));
    is_cron || values.str_at(&["schedule"]).is_some()
}
