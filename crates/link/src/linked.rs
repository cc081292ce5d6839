//! One world, linked.

use std::sync::OnceLock;

use config::Config;
use ecow::EcoString;
use model::{Component, ComponentKey, Durations, Object, World};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{Firing, Graph};
use yaml::Span;

use crate::confidence::hides_objects;
use crate::events::View;
use crate::item::SOURCE_GROUP;
use crate::work::is_fetched;
use crate::{
    Ask, Controllers, Deadlock, Event, Exports, Given, Hint, Import, Phase, Reason, Timing, events,
    handling, imports,
};

/// What is known beside the repository and its configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// What was measured in a real cluster.
    pub durations: Option<&'a Durations>,
}

/// A rendered world with every import resolved: the graph that all questions
/// are asked of.
pub struct Linked<'a> {
    /// The world.
    pub world: &'a World,
    /// What the user declares.
    pub config: &'a Config,
    /// What components make.
    pub exports: Exports,
    /// What components need, by component, in the order of their keys.
    pub imports: Vec<Import>,
    /// What is there from the start.
    pub given: Given<'a>,
    /// What happens, and what it waits for.
    pub graph: Graph<Event, Reason>,
    /// What of that can happen.
    pub firing: Firing,
    /// What waits for itself.
    pub deadlocks: Vec<Deadlock>,
    /// How Flux's controllers are run.
    pub controllers: Controllers,
    pub(crate) durations: Option<&'a Durations>,
    by_key: FxHashMap<(EcoString, ComponentKey), usize>,
    /// The components in an order that only their keys decide, roots first: the
    /// graph is built in it, so that one repository gives one answer.
    pub ranked: Vec<usize>,
    /// The objects, by component and position, that need something for their
    /// work.
    pub(crate) working: FxHashSet<(usize, usize)>,
    timing: OnceLock<Option<Timing>>,
    pub(crate) hints: OnceLock<Vec<Hint>>,
    pub(crate) untold: OnceLock<Vec<bool>>,
    pub(crate) children: Vec<Vec<usize>>,
    /// The imports of each component.
    pub(crate) ranges: Vec<std::ops::Range<usize>>,
    /// Which components may make more than they show.
    pub(crate) hides: Vec<bool>,
}

impl<'a> Linked<'a> {
    /// Links a world.
    pub fn new(world: &'a World, config: &'a Config) -> Self {
        Self::with(world, config, Options::default())
    }

    /// Links a world of which more is known.
    pub fn with(world: &'a World, config: &'a Config, options: Options<'a>) -> Self {
        let components = world.components.iter().enumerate();
        let ranked = ranked(world);
        let exports = Exports::of(world, &ranked);
        let imports: Vec<Import> = ranked
            .iter()
            .filter_map(|at| Some((*at, world.components.get(*at)?)))
            .flat_map(|(at, component)| imports::of(at, component, &exports))
            .collect();
        let ranges = crate::subtree::ranges(&imports, world.components.len());
        let needing = imports.iter();
        let working = needing
            .filter_map(|import| Some((import.component, import.acting?)))
            .chain(components.clone().flat_map(|(at, component)| {
                let held = suspended_sources(component);
                held.map(move |(position, _)| (at, position))
            }))
            .collect();
        let by_key = components
            .map(|(at, component)| ((component.home.clone(), component.key.clone()), at))
            .collect();
        let mut linked = Linked {
            world,
            config,
            exports,
            imports,
            given: Given::of(world, config),
            graph: Graph::new(),
            firing: Graph::<Event, Reason>::new().fire(),
            deadlocks: Vec::new(),
            controllers: Controllers::of(world, config),
            durations: options.durations.filter(|durations| !durations.is_empty()),
            by_key,
            ranked,
            working,
            timing: OnceLock::new(),
            hints: OnceLock::new(),
            untold: OnceLock::new(),
            children: crate::subtree::children(world),
            ranges,
            hides: world.components.iter().map(hides_objects).collect(),
        };
        linked.graph = events::graph(&linked, View::NECESSARY);
        linked.firing = linked.graph.fire();
        linked.deadlocks = linked.find_deadlocks();
        linked
    }

    /// How long a bootstrap takes; `None` for a world in which nothing becomes
    /// ready.
    pub fn timing(&self) -> Option<&Timing> {
        let timing = || self.timing_of(&Ask::default());
        self.timing.get_or_init(timing).as_ref()
    }

    /// A component by index.
    pub fn component(&self, at: usize) -> Option<&'a Component> {
        self.world.components.get(at)
    }

    /// The component of a key whose Flux object lives in a cluster.
    pub fn find(&self, cluster: &str, key: &ComponentKey) -> Option<usize> {
        self.by_key.get(&(cluster.into(), key.clone())).copied()
    }

    /// The name of a component as people write it; empty for none.
    pub fn name(&self, at: usize) -> EcoString {
        self.component(at)
            .map_or_else(EcoString::new, |c| ecow::eco_format!("{}", c.key))
    }

    /// The objects that demand an import, by position.
    pub fn objects<'b>(&self, import: &'b Import) -> impl Iterator<Item = &'a Object> + 'b
    where
        'a: 'b,
    {
        let objects = self
            .component(import.component)
            .map_or(&[][..], Component::objects);
        import
            .objects
            .iter()
            .filter_map(move |at| objects.get(*at).map(AsRef::as_ref))
    }

    /// Whether a component's event happens at all.
    pub fn reaches(&self, component: usize, phase: Phase) -> bool {
        self.graph
            .find(&Event::Component(component, phase))
            .is_some_and(|event| self.firing.fired(event))
    }

    /// Whether an object needs something for its work.
    pub(crate) fn is_working(&self, component: usize, object: usize) -> bool {
        self.working.contains(&(component, object))
    }

    /// Whether the bootstrap makes the component: nothing applies it first.
    pub fn is_root(&self, at: usize) -> bool {
        self.component(at).is_some_and(|c| c.parents.is_empty())
    }
}

/// The components of a world by key, roots first.
fn ranked(world: &World) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..world.components.len()).collect();
    ranked.sort_by_key(|at| {
        let component = world.components.get(*at);
        component.map(|c| (!c.parents.is_empty(), &c.home, &c.key))
    });
    ranked
}

/// The sources a component applies that are suspended, by position, with the
/// place that says so: they are never fetched.
pub(crate) fn suspended_sources(component: &Component) -> impl Iterator<Item = (usize, Span)> {
    let objects = component.objects().iter().enumerate();
    objects.filter_map(|(position, object)| {
        let suspend = object.node.path(&["spec", "suspend"])?;
        let is_source = object.identity.group == SOURCE_GROUP;
        let is_held = suspend.as_bool() == Some(true) && is_fetched(object);
        (is_source && handling(object).applied && is_held).then_some((position, suspend.span))
    })
}
