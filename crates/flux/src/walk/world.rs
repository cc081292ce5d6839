//! One entrypoint, walked to a fixpoint: components are built in rounds, each
//! again only when something it asked for changed.

use std::hash::BuildHasher;
use std::sync::Arc;

use ecow::EcoString;
use model::{ComponentKey, Spec, World};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::apis::Apis;
use crate::content::{Composed, SourceTable};
use crate::entrypoint::{Entrypoint, How, RootSource};
use crate::placed::Placed;
use crate::release::FluxHints;
use crate::taken::Taken;
use crate::values::Values;
use crate::walk::build::{self, Job};
use crate::walk::component::{Cluster, Slot};
use crate::walk::decision::{Decision, Given};
use crate::workspace::Workspace;
use crate::{Progress, release, spec};

/// A walk from one entrypoint.
pub(crate) struct Walk<'a> {
    pub workspace: &'a Workspace<'a>,
    pub entrypoint: Entrypoint,
    pub slots: Vec<Slot>,
    pub index: FxHashMap<Placed<ComponentKey>, usize>,
    pub composed: Vec<Composed>,
    /// What each cluster serves, as charts were told last.
    capabilities: FxHashMap<EcoString, Arc<helm::Capabilities>>,
    pub hints: FluxHints,
    /// The root's place and source were inferred from what it renders.
    pub inferred: bool,
    /// The first Flux object beyond those that one entrypoint may have.
    pub left_out: Option<yaml::Span>,
}

/// The root component's slot.
pub(crate) const ROOT: usize = 0;

/// Decisions of one round, by slot.
#[derive(Default)]
struct Decisions {
    /// Of components that have all they ask for.
    ready: Vec<(usize, Decision)>,
    /// Of components that ask for something nobody has brought.
    waiting: Vec<(usize, Decision)>,
}

impl<'a> Walk<'a> {
    pub fn new(workspace: &'a Workspace<'a>, entrypoint: Entrypoint) -> Self {
        let mut walk = Walk {
            workspace,
            slots: Vec::new(),
            index: FxHashMap::default(),
            composed: Vec::new(),
            capabilities: FxHashMap::default(),
            hints: FluxHints::default(),
            left_out: None,
            inferred: entrypoint.bootstrap.how != How::Implied,
            entrypoint,
        };
        let kustomization = walk.entrypoint.bootstrap.kustomization.clone();
        if let Some(key) = spec::component_key(&kustomization) {
            walk.add(EcoString::new(), key, 0);
            walk.define_root(&kustomization);
        }
        walk
    }

    /// Walks until nothing changes any more. Also gives what the builds took in.
    pub fn run(mut self, progress: &(dyn Fn(Progress<'_>) + Sync)) -> (World, Vec<Taken>) {
        loop {
            self.find_components();
            let decisions = self.changed().of_this_round();
            if decisions.is_empty() {
                break;
            }
            let jobs = decisions
                .into_iter()
                .filter_map(|(at, decision)| Some((at, self.slots.get_mut(at)?.take(decision)?)));
            let jobs: Vec<_> = loading_first(jobs.collect());
            let workspace = self.workspace;
            let built: Vec<_> = jobs
                .into_iter()
                .par_bridge()
                .map(|(at, job)| {
                    let outcome = build::build(workspace, &job);
                    progress(Progress::Built(&job.key));
                    (at, outcome)
                })
                .collect();
            for (at, outcome) in built {
                if let Some(slot) = self.slots.get_mut(at) {
                    slot.keep(outcome);
                }
            }
        }
        let taken = self.taken();
        (self.finish(), taken)
    }

    /// What the components that stand otherwise than now are decided by now.
    fn changed(&mut self) -> Decisions {
        let strict = release::is_strict(&self.hints);
        let helm3 = release::has_helm3(&self.hints);
        let implied = self.entrypoint.bootstrap.how == How::Implied;
        let values = self.values();
        let apis = self.apis();
        let mut composed = std::mem::take(&mut self.composed);
        let root = &self.entrypoint.bootstrap.source;
        let mut sources = sources(self.workspace, root, &self.slots, &mut composed);
        sources.introduce(&values);
        expect(&self.slots, &sources);
        let mut changed = Decisions::default();
        for (at, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.alive) {
            let (mut decision, missing) = match &slot.spec {
                Spec::Kustomization(spec) => slot.decide(at, spec, &mut sources, &values, strict),
                Spec::HelmRelease(spec) => {
                    let before = self.capabilities.get(&slot.cluster);
                    let capabilities = apis.capabilities(&slot.cluster, before);
                    let known = capabilities.clone();
                    self.capabilities.insert(slot.cluster.clone(), known);
                    let cluster = Cluster {
                        capabilities,
                        helm3,
                    };
                    slot.decide_release(spec, &mut sources, &values, cluster)
                }
            };
            if at == ROOT && implied {
                self.complete_root(&mut decision);
            }
            if !slot.is_decided_by(&decision) {
                changed.add(at, decision, missing);
            }
        }
        drop(sources);
        self.composed = composed;
        changed
    }

    /// The ConfigMaps and Secrets that the components bring.
    fn values(&self) -> Values<'a> {
        let mut values = Values::new(self.workspace.settings);
        for slot in alive(&self.slots) {
            for provider in &slot.extract.values {
                values.add(&slot.cluster, provider);
            }
        }
        values
    }

    /// The APIs that the components bring, and those of declared groups that
    /// charts have asked for.
    fn apis(&self) -> Apis {
        let settings = self.workspace.settings;
        let mut apis = Apis::new(settings, &self.entrypoint.path);
        for slot in alive(&self.slots) {
            apis.add(&slot.cluster, &slot.extract.apis);
            let declared = slot.apis.declared(&settings.crd_groups);
            apis.add(&slot.cluster, &declared);
        }
        apis
    }
}

/// The components that were found in this round.
pub(crate) fn alive(slots: &[Slot]) -> impl Iterator<Item = &Slot> {
    slots.iter().filter(|slot| slot.alive)
}

/// The sources that the components bring.
pub(crate) fn sources<'a>(
    workspace: &'a Workspace<'a>,
    root: &'a RootSource,
    slots: &[Slot],
    composed: &'a mut Vec<Composed>,
) -> SourceTable<'a> {
    let mut sources = SourceTable::new(workspace, root, composed);
    for slot in alive(slots) {
        sources.add(&slot.cluster, &slot.extract);
    }
    sources
}

/// Tells of the sources whose content Kustomizations will ask for.
fn expect(slots: &[Slot], sources: &SourceTable<'_>) {
    for slot in alive(slots).filter(|slot| !slot.suspended) {
        if let Spec::Kustomization(spec) = &slot.spec
            && let Some(source) = &spec.source
        {
            sources.expect(&slot.home, &source.into());
        }
    }
}

impl Decisions {
    fn add(&mut self, at: usize, decision: Decision, missing: bool) {
        let list = match missing {
            true => &mut self.waiting,
            false => &mut self.ready,
        };
        list.push((at, decision));
    }

    /// Those of components that have all they ask for, else also those of
    /// components that wait for something nobody has brought.
    fn of_this_round(mut self) -> Vec<(usize, Decision)> {
        // What is decided without a build does not keep others from it.
        let build = |(_, decision): &(usize, Decision)| decision.given.is_ok();
        if !self.ready.iter().any(build) {
            self.ready.append(&mut self.waiting);
        }
        // Charts ask for APIs, and most are brought by Kustomizations.
        let is =
            |decision: &Decision, kind: fn(&Given) -> bool| decision.given.as_ref().is_ok_and(kind);
        let release = |given: &Given| matches!(given, Given::Release(_));
        let kustomization = |given: &Given| matches!(given, Given::Kustomization(_));
        if self
            .ready
            .iter()
            .any(|(_, decision)| is(decision, kustomization))
        {
            self.ready.retain(|(_, decision)| !is(decision, release));
        }
        self.ready
    }
}

/// Puts the first build of each chart before all others: what takes longest does
/// not come last, and threads rarely wait for each other's charts.
fn loading_first(jobs: Vec<(usize, Job)>) -> Vec<(usize, Job)> {
    // Two charts of one hash cost no more than the order.
    let mut charts: FxHashSet<u64> = FxHashSet::default();
    let loads = |(_, job): &(usize, Job)| match &job.given {
        Given::Release(inputs) => inputs
            .chart
            .as_ref()
            .is_ok_and(|wanted| charts.insert(FxBuildHasher.hash_one(wanted))),
        Given::Kustomization(_) => false,
    };
    let (mut first, rest): (Vec<_>, Vec<_>) = jobs.into_iter().partition(loads);
    first.extend(rest);
    first
}
