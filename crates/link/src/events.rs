//! The event graph: for each component start, applied and ready, and what each
//! of them cannot happen before.
//!
//! Only what is *necessary* is an edge, so that a cycle is a proof. An order
//! that nothing declares is an edge like any other: Flux keeps it by failing
//! and retrying, which changes how long it takes, not whether it holds.

use model::{Component, Spec, State};
use schedule::{Delay, Event as Node, Graph, Producer};
use yaml::Span;

use crate::delay::{self, Patience};
use crate::export::field_span;
use crate::item::SOURCE_GROUP;
use crate::linked::suspended_sources;
use crate::order::Order;
use crate::{
    Cause, Event, Export, Import, Linked, Phase, Reason, Sought, Supply, Why, handling, imports,
};

/// What a graph is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// How many tries of a release count.
    pub patience: Patience,
    /// Whether who installs a CRD is taken from names where nothing else tells.
    pub likely: bool,
}

impl View {
    /// What is necessary, and all the time it may take.
    pub(crate) const NECESSARY: View = View {
        patience: Patience::Budget,
        likely: false,
    };
}

/// How many objects in a row may wait for each other's work.
const DEPTH: usize = 8;

/// The graph of a world whose imports and exports are known.
pub(crate) fn graph(linked: &Linked<'_>, view: View) -> Graph<Event, Reason> {
    let mut builder = Builder {
        linked,
        defines: linked.world.components.iter().map(delay::define).collect(),
        view,
        graph: Graph::new(),
    };
    let ranked = linked.ranked.iter();
    let ranked = ranked.filter_map(|at| Some((*at, linked.component(*at)?)));
    for (at, component) in ranked.clone() {
        builder.own(at, component);
    }
    for (at, component) in ranked {
        builder.parents(at, component);
        builder.waits(at, component);
    }
    builder.work();
    let (declared, others): (Vec<_>, Vec<_>) = linked
        .imports
        .iter()
        .enumerate()
        .filter(|(_, import)| !import.optional)
        .partition(|(_, import)| {
            matches!(import.cause, Cause::DependsOn { .. } | Cause::HealthCheck)
        });
    for (at, import) in declared {
        builder.declared(at, import);
    }
    let mut order = Order::of(&builder.graph);
    // What objects do their work with comes first: others wait for that.
    let (acting, others): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(_, import)| import.acting.is_some());
    for (at, import) in acting.into_iter().chain(others) {
        builder.import(at, import, &mut order);
    }
    builder.unrendered();
    builder.graph
}

struct Builder<'a, 'b> {
    linked: &'b Linked<'a>,
    view: View,
    /// How long the definitions of each component take.
    defines: Vec<Delay>,
    graph: Graph<Event, Reason>,
}

impl Builder<'_, '_> {
    fn event(&mut self, component: usize, phase: Phase) -> Node {
        self.graph.event(Event::Component(component, phase))
    }

    /// What waits for an import.
    fn waiting(&mut self, import: &Import) -> Node {
        let event = match import.acting {
            Some(object) => Event::Working(import.component, object),
            None => Event::Component(import.component, import.phase),
        };
        self.graph.event(event)
    }

    /// Objects do their work once they are applied, and never while they are
    /// suspended.
    fn work(&mut self) {
        let mut working: Vec<(usize, usize)> = self.linked.working.iter().copied().collect();
        working.sort_by_cached_key(|(at, object)| {
            let component = self.linked.component(*at);
            component.map(|c| (&c.key, c.objects().get(*object).map(|o| &o.identity)))
        });
        for (at, object) in working {
            let Some(component) = self.linked.component(at) else {
                continue;
            };
            let applied = self.event(at, Phase::Applied);
            let event = self.graph.event(Event::Working(at, object));
            let span = component.objects().get(object).map(|o| o.node.span);
            let own = Reason::new(Why::Own, span.unwrap_or(Span::NONE));
            let delay = delay::work(component, object);
            self.graph.precede(applied, event, delay, own);
            if waits_for_work(component, object) {
                let ready = self.event(at, Phase::Ready);
                let reason = Reason::new(Why::Waits, field_span(component, &["spec", "wait"]));
                self.graph.precede(event, ready, delay::seen(), reason);
            }
        }
        for at in &self.linked.ranked {
            let component = self.linked.component(*at);
            for (object, span) in component.into_iter().flat_map(suspended_sources) {
                let event = self.graph.event(Event::Working(*at, object));
                let reason = Reason::new(Why::Suspended, span);
                self.graph.need(event, reason, []);
                if component.is_some_and(|component| waits_for_source(component, object)) {
                    let ready = self.event(*at, Phase::Ready);
                    self.graph.need(ready, reason, []);
                }
            }
        }
    }

    fn producer(&mut self, at: (usize, Phase), delay: Delay, reason: Reason) -> Producer<Reason> {
        Producer {
            event: self.event(at.0, at.1),
            delay,
            reason,
        }
    }

    /// The component's own phases, and what keeps it from starting for good.
    fn own(&mut self, at: usize, component: &Component) {
        let [start, applied, ready] =
            [Phase::Start, Phase::Applied, Phase::Ready].map(|phase| self.event(at, phase));
        let own = Reason::new(Why::Own, component.span());
        self.graph
            .precede(start, applied, delay::apply(component), own);
        let health = delay::health(component, self.view.patience, None);
        let span = match &component.spec {
            Spec::Kustomization(spec) if spec.timeout.is_some() => {
                field_span(component, &["spec", "timeout"])
            }
            Spec::HelmRelease(spec) if spec.timeout.is_some() => {
                field_span(component, &["spec", "timeout"])
            }
            _ => component.span(),
        };
        self.graph
            .precede(applied, ready, health, Reason::new(Why::Own, span));
        if component.suspended {
            let span = field_span(component, &["spec", "suspend"]);
            self.graph
                .need(start, Reason::new(Why::Suspended, span), []);
        }
        if matches!(component.state, State::Failed(_)) {
            let reason = Reason::new(Why::Failed, component.span());
            self.graph.need(start, reason, []);
        }
    }

    /// A component exists once any of those that apply it has applied all it
    /// has: a stage is dry-run as a whole before anything of it is written.
    fn parents(&mut self, at: usize, component: &Component) {
        if self.linked.is_root(at) {
            return;
        }
        let reason = Reason::new(Why::AppliedBy, component.span());
        let producers: Vec<_> = self
            .other_parents(at, component)
            .into_iter()
            .map(|parent| self.producer((parent, Phase::Applied), Delay::ZERO, reason))
            .collect();
        let start = self.event(at, Phase::Start);
        self.graph.need(start, reason, producers);
    }

    /// Who else applies a component, by key.
    fn other_parents(&self, at: usize, component: &Component) -> Vec<usize> {
        let mut parents = component.parents.clone();
        parents.retain(|parent| *parent != at);
        parents.sort_by_key(|parent| self.linked.component(*parent).map(|c| &c.key));
        parents
    }

    /// A parent that waits is ready only when its children are.
    fn waits(&mut self, at: usize, component: &Component) {
        for parent in self.other_parents(at, component) {
            let Some(waiting) = self.linked.component(parent) else {
                continue;
            };
            if !self.linked.waits_for(waiting, component) {
                continue;
            }
            let reason = Reason::new(Why::Waits, waits_span(waiting));
            let (child, ready) = (
                self.event(at, Phase::Ready),
                self.event(parent, Phase::Ready),
            );
            self.graph.precede(child, ready, delay::seen(), reason);
        }
    }

    /// Dependencies and health checks: orders that the repository states.
    fn declared(&mut self, at: usize, import: &Import) {
        match self.linked.supply(import) {
            Supply::Component(target) => self.depends(at, import, target),
            Supply::Given => {}
            Supply::Made(exports) => {
                // The health of an own object is part of the component's own.
                let is_own = |export: &&Export| self.linked.is_met_by_itself(import, export);
                if !exports.iter().any(is_own) {
                    self.made(at, import, &exports, |export| {
                        self.linked.until_healthy(import, export)
                    });
                }
            }
            Supply::Runtime(_) | Supply::Nothing => self.nothing(at, import),
        }
    }

    fn depends(&mut self, at: usize, import: &Import, target: usize) {
        let event = self.event(import.component, import.phase);
        let mut reason = Reason {
            why: Why::DependsOn,
            import: Some(at),
            span: import.span,
            made: None,
        };
        match import.cause {
            Cause::DependsOn { ready_expr: true } => {
                // The expression may accept any state, so all that is needed is
                // that the dependency exists.
                if self.linked.is_root(target) {
                    return;
                }
                let parents = self
                    .linked
                    .component(target)
                    .map_or(&[][..], |component| &component.parents);
                let requeue = Delay::up_to(self.linked.requeue());
                let producers: Vec<_> = parents
                    .iter()
                    .map(|parent| self.producer((*parent, Phase::Applied), requeue, reason))
                    .collect();
                self.graph.need(event, reason, producers);
            }
            Cause::DependsOn { .. } => {
                let requeue = Delay::up_to(self.linked.requeue());
                let ready = self.event(target, Phase::Ready);
                self.graph.precede(ready, event, requeue, reason);
            }
            // The controller leaves itself out.
            _ if target == import.component => {}
            _ => {
                reason.why = Why::HealthCheck;
                let ready = self.event(target, Phase::Ready);
                self.graph.precede(ready, event, delay::seen(), reason);
            }
        }
    }

    /// An import whose producers no one declares to come first.
    fn import(&mut self, at: usize, import: &Import, order: &mut Order) {
        match self.linked.supply(import) {
            Supply::Given | Supply::Component(_) => {}
            Supply::Made(exports) => {
                let met = |export: &&Export| self.linked.is_met_by_itself(import, export);
                if exports.iter().any(met) {
                    return;
                }
                let start = match import.acting {
                    Some(_) => self.waiting(import),
                    None => self.event(import.component, Phase::Start),
                };
                let mut waits = Vec::with_capacity(exports.len());
                for export in &exports {
                    let event = self.graph.event(self.linked.event_of(import, export));
                    let there = match export.phase {
                        Phase::Start => self.defines.get(export.component).copied(),
                        // The API server takes its time to serve a new kind.
                        _ if import.cause == Cause::CustomResource => Some(delay::served()),
                        _ => None,
                    };
                    let there = there.unwrap_or_default();
                    let sure = match self
                        .linked
                        .sure_from(import, export.component, export.phase)
                    {
                        Some(phase) if phase == export.phase => {
                            self.is_ordered(event, start, order, DEPTH)
                        }
                        Some(phase) => {
                            let event = self.event(export.component, phase);
                            order.holds(event, start)
                        }
                        None => false,
                    };
                    waits.push(match sure {
                        true => there,
                        false => there.plus(self.linked.retry(import)),
                    });
                }
                let mut waits = waits.into_iter();
                self.made(at, import, &exports, |_| waits.next().unwrap_or_default());
            }
            Supply::Runtime(providers) => {
                let event = self.waiting(import);
                let reason = self.reason(at, import, None);
                let retry = self.linked.retry(import);
                let producers: Vec<_> = providers
                    .into_iter()
                    .map(|provider| self.producer((provider, Phase::Ready), retry, reason))
                    .collect();
                self.graph.need(event, reason, producers);
            }
            Supply::Nothing => self.nothing(at, import),
        }
    }

    /// Whether a declared order puts `first`, or all that it comes from, before
    /// `then`.
    fn is_ordered(&self, first: Node, then: Node, order: &mut Order, depth: usize) -> bool {
        if !matches!(self.graph.key(first), Some(Event::Working(..))) {
            return order.holds(first, then);
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        self.graph.needs_of(first).iter().all(|need| {
            let producers = self.graph.get(*need).map(|need| need.producers.as_slice());
            let mut producers = producers.unwrap_or_default().iter();
            producers.any(|producer| self.is_ordered(producer.event, then, order, depth))
        })
    }

    fn made(
        &mut self,
        at: usize,
        import: &Import,
        exports: &[&Export],
        mut delay: impl FnMut(&Export) -> Delay,
    ) {
        let event = self.waiting(import);
        let mut producers = Vec::with_capacity(exports.len());
        for export in exports {
            let reason = self.reason(at, import, Some(export.span));
            let delay = delay(export);
            let event = self.graph.event(self.linked.event_of(import, export));
            producers.push(Producer {
                event,
                delay,
                reason,
            });
        }
        let reason = self.reason(at, import, None);
        self.graph.need(event, reason, producers);
    }

    fn reason(&self, at: usize, import: &Import, made: Option<Span>) -> Reason {
        let why = match import.cause {
            Cause::HealthCheck => Why::HealthCheck,
            Cause::DependsOn { .. } => Why::DependsOn,
            _ => Why::Import,
        };
        Reason {
            why,
            import: Some(at),
            span: import.span,
            made,
        }
    }

    /// Nothing known makes it. Then one of the components that could not be
    /// rendered may; without one, the event never happens. What no rule calls
    /// missing is taken to come from outside.
    fn nothing(&mut self, at: usize, import: &Import) {
        let event = self.waiting(import);
        let reason = self.reason(at, import, None);
        let is_judged = matches!(
            import.cause,
            Cause::DependsOn { .. }
                | Cause::HealthCheck
                | Cause::Source
                | Cause::Substitute
                | Cause::Namespace
                | Cause::TargetNamespace
        );
        if !self.linked.is_known(&import.place.cluster) {
            return;
        }
        if matches!(import.cause, Cause::CustomResource | Cause::Controller) && self.view.likely {
            return self.likely(event, reason, import);
        }
        if !is_judged {
            return;
        }
        let suspects = self.linked.suspects_of(import);
        if suspects.is_empty() {
            self.graph.need(event, reason, []);
            return;
        }
        // What is only likely is shown without what is merely possible.
        if self.view.likely {
            return;
        }
        let sought = Sought::of(&import.place.item);
        let hidden = Event::Unrendered(import.place.cluster.clone(), sought);
        let hidden = self.graph.event(hidden);
        let reason = Reason {
            why: Why::Import,
            ..reason
        };
        self.graph.precede(hidden, event, Delay::ZERO, reason);
    }

    /// A CRD that only a component nobody could render is likely to install.
    fn likely(&mut self, event: Node, reason: Reason, import: &Import) {
        let producers: Vec<_> = self
            .linked
            .likely_installers(import)
            .into_iter()
            .map(|installer| {
                let reason = Reason {
                    why: Why::Likely,
                    ..reason
                };
                self.producer((installer, Phase::Applied), Delay::ZERO, reason)
            })
            .collect();
        if !producers.is_empty() {
            self.graph.need(event, reason, producers);
        }
    }

    /// What a component hides is there, at the earliest, once it is applied.
    fn unrendered(&mut self) {
        let hidden: Vec<Event> = self
            .graph
            .events()
            .filter_map(|event| self.graph.key(event))
            .filter(|key| matches!(key, Event::Unrendered(..)))
            .cloned()
            .collect();
        for key in hidden {
            let Event::Unrendered(cluster, sought) = key.clone() else {
                continue;
            };
            let reason = Reason::new(Why::Suspect, Span::NONE);
            let producers: Vec<_> = self
                .linked
                .unrendered(&cluster, sought)
                .into_iter()
                .map(|suspect| {
                    let span = self
                        .linked
                        .component(suspect)
                        .map_or(Span::NONE, Component::span);
                    let reason = Reason::new(Why::Suspect, span);
                    self.producer((suspect, Phase::Applied), Delay::ZERO, reason)
                })
                .collect();
            let event = self.graph.event(key);
            self.graph.need(event, reason, producers);
        }
    }
}

/// Whether a component is ready only when a source it applies is.
pub(crate) fn waits_for_source(component: &Component, object: usize) -> bool {
    let object = component.objects().get(object);
    object.is_some_and(|object| imports::waits_for(component, object))
}

/// Where a parent says that it waits for what it applies; its object for one
/// that does so unasked.
pub(crate) fn waits_span(parent: &Component) -> Span {
    match &parent.spec {
        Spec::Kustomization(_) => field_span(parent, &["spec", "wait"]),
        Spec::HelmRelease(_) => parent.span(),
    }
}

/// Whether a component waits until a source or claim of it works. What pods need
/// is the component's own import, and other objects count as healthy before their
/// controller has seen them.
fn waits_for_work(component: &Component, object: usize) -> bool {
    let Some(object) = component.objects().get(object) else {
        return false;
    };
    let identity = &object.identity;
    let tells = identity.group == SOURCE_GROUP
        || (identity.group.is_empty() && identity.kind == "PersistentVolumeClaim");
    tells
        && match &component.spec {
            Spec::Kustomization(spec) => spec.wait && handling(object).waited_for,
            Spec::HelmRelease(spec) => !spec.disable_wait,
        }
}

impl Linked<'_> {
    /// Whether a parent is ready only when this child of it is.
    pub(crate) fn waits_for(&self, parent: &Component, child: &Component) -> bool {
        let object = child.object.as_ref();
        match &parent.spec {
            Spec::Kustomization(spec) => {
                let skipped = object.is_some_and(|object| !handling(object).waited_for);
                spec.wait && !skipped
            }
            Spec::HelmRelease(spec) => {
                let hook = object.is_some_and(|o| o.annotation("helm.sh/hook").is_some());
                !spec.disable_wait && !hook && self.waits_for_custom(parent)
            }
        }
    }

    /// Whether a release waits for custom resources: Helm's poller does, which
    /// came with Flux 2.8; its predecessor knows Kubernetes' own kinds only.
    fn waits_for_custom(&self, release: &Component) -> bool {
        let object = release.object.as_ref();
        let strategy = object.and_then(|o| o.node.str_at(&["spec", "waitStrategy", "name"]));
        match strategy {
            Some(strategy) => strategy == "poller",
            None => self.is_flux_since(2, 8),
        }
    }
}
