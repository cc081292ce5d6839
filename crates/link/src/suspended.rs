//! What waits for something that is suspended.

use model::Component;
use schedule::Event as Node;
use yaml::Span;

use crate::events::{waits_for_source, waits_span};
use crate::export::field_span;
use crate::linked::suspended_sources;
use crate::{Cause, Event, Linked, Phase, Supply, Target};

/// A component that waits for something that is suspended.
#[derive(Clone, Debug)]
pub struct Held {
    /// The component that waits.
    pub component: usize,
    /// How it waits.
    pub by: HeldBy,
    /// Where that is written.
    pub span: Span,
    /// Where the other is suspended.
    pub suspended: Span,
}

/// How a component waits for something that is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// `dependsOn` names this component.
    DependsOn(usize),
    /// `healthChecks` names this component.
    HealthCheck(usize),
    /// `wait: true`, and it applies this component.
    Waits(usize),
    /// Its source, demanded by this import, is suspended.
    Source(usize),
    /// `wait: true`, or `healthChecks`, and it applies this source, by position
    /// in its objects.
    WaitsSource(usize),
}

/// What a component waits for among the sources it applies.
fn held_by_sources(at: usize, component: &Component) -> impl Iterator<Item = Held> {
    let sources = suspended_sources(component);
    let waited = sources.filter(|(position, _)| waits_for_source(component, *position));
    waited.map(move |(position, suspended)| Held {
        component: at,
        by: HeldBy::WaitsSource(position),
        span: waits_span(component),
        suspended,
    })
}

impl Linked<'_> {
    /// Everything that waits for something suspended, in the order of
    /// components. What is suspended itself waits for nothing.
    pub fn held(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for (at, import) in self.imports.iter().enumerate() {
            if import.acting.is_some() || import.optional || self.is_suspended(import.component) {
                continue;
            }
            let by = match (import.cause, self.target(import)) {
                (Cause::DependsOn { ready_expr: false }, Target::Component(target)) => {
                    HeldBy::DependsOn(target)
                }
                (Cause::HealthCheck, Target::Component(target)) => HeldBy::HealthCheck(target),
                (Cause::Source, _) => HeldBy::Source(at),
                _ => continue,
            };
            let suspended = match by {
                HeldBy::DependsOn(target) | HeldBy::HealthCheck(target) => {
                    self.suspended_at(target)
                }
                _ => self.suspended_source(at),
            };
            if let Some(suspended) = suspended {
                held.push(Held {
                    component: import.component,
                    by,
                    span: import.span,
                    suspended,
                });
            }
        }
        held.extend(self.held_parents());
        held.sort_by_key(|held| held.component);
        held
    }

    fn held_parents(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for (at, component) in self.world.components.iter().enumerate() {
            if !component.suspended {
                held.extend(held_by_sources(at, component));
            }
            let Some(suspended) = self.suspended_at(at) else {
                continue;
            };
            for parent in component.parents.iter().copied() {
                let Some(waiting) = self.component(parent) else {
                    continue;
                };
                if !waiting.suspended && self.waits_for(waiting, component) {
                    held.push(Held {
                        component: parent,
                        by: HeldBy::Waits(at),
                        span: waits_span(waiting),
                        suspended,
                    });
                }
            }
        }
        held
    }

    fn is_suspended(&self, at: usize) -> bool {
        self.component(at).is_some_and(|c| c.suspended)
    }

    fn suspended_at(&self, at: usize) -> Option<Span> {
        let component = self.component(at).filter(|c| c.suspended)?;
        Some(field_span(component, &["spec", "suspend"]))
    }

    /// Where the source of an import is suspended, if all who make it suspend
    /// it.
    fn suspended_source(&self, import: usize) -> Option<Span> {
        let Supply::Made(exports) = self.supply(self.imports.get(import)?) else {
            return None;
        };
        let mut first = None;
        for export in exports {
            let component = self.component(export.component)?;
            let (_, span) = suspended_sources(component)
                .find(|(position, _)| Some(*position) == export.object)?;
            first = first.or(Some(span));
        }
        first
    }

    /// Other components that never become ready because this one does not,
    /// through any number of steps, sorted.
    pub fn blocked_by(&self, component: usize) -> Vec<usize> {
        let ready = Event::Component(component, Phase::Ready);
        let mut stack: Vec<Node> = self.graph.find(&ready).into_iter().collect();
        let mut seen = vec![false; self.graph.len()];
        let mut blocked = Vec::new();
        while let Some(event) = stack.pop() {
            match seen.get_mut(event.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            if let Some(Event::Component(at, Phase::Ready)) = self.graph.key(event)
                && *at != component
            {
                blocked.push(*at);
            }
            let links = self.graph.links_from(event).iter();
            let unmet = links.filter(|link| !self.firing.met(link.need));
            stack.extend(unmet.filter_map(|link| Some(self.graph.link(*link)?.0.event)));
        }
        blocked.sort_unstable();
        blocked
    }
}
