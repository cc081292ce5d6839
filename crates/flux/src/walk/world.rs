//! One entrypoint, walked to a fixpoint: components are built in rounds, each
//! again only when something it asked for changed.

use std::hash::BuildHasher;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::{
    ComponentKey, ComponentKind, HelmReleaseSpec, KustomizationSpec, Object, Problem, Spec, State,
    World,
};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use yaml::Node;

use crate::chart::Resolved;
use crate::entrypoint::{Entrypoint, How};
use crate::source::{Composed, Content, Placed, SourceTable};
use crate::spec;
use crate::taken::Taken;
use crate::walk::apis::Apis;
use crate::walk::build::Job;
use crate::walk::extract::{Extract, FluxHints};
use crate::walk::values::{Provided, Values};
use crate::workspace::Workspace;
use crate::{Progress, release, unreached};

/// Builds of one component before it counts as never settling. A chain of
/// substitution sources needs one more build a link.
const MAX_BUILDS: usize = 32;
/// Kustomizations that apply Kustomizations that apply …
const MAX_DEPTH: usize = 64;
/// Components of one entrypoint.
const MAX_COMPONENTS: usize = 50_000;

/// One component while the walk goes on.
pub(crate) struct Slot {
    pub key: ComponentKey,
    /// The cluster its Flux object lives in.
    pub home: EcoString,
    /// The cluster its objects are applied to.
    pub cluster: EcoString,
    /// Its Flux object, where a file holds one.
    pub object: Option<Arc<Object>>,
    /// What the build goes by.
    pub node: Arc<Node>,
    pub spec: Spec,
    pub suspended: bool,
    /// Components that apply it, in order.
    pub parents: Vec<usize>,
    depth: usize,
    /// Found in this round.
    pub alive: bool,
    asked: Option<Asked>,
    builds: usize,
    /// What the last build asked its cluster for.
    apis: super::apis::Asked,
    pub state: State,
    pub problems: Vec<Problem>,
    pub extract: Arc<Extract>,
}

/// What a component was, or would be, decided by.
pub(crate) struct Asked {
    node: Arc<Node>,
    /// Why it is not built; else what it is built from.
    given: Result<Given, EcoString>,
}

impl Asked {
    /// Whether the decision would be the same. Strictness matters only where a
    /// variable was found undefined.
    fn is_same(&self, other: &Asked, undefined: bool, apis: &super::apis::Asked) -> bool {
        let same = match (&self.given, &other.given) {
            (Ok(Given::Kustomization(a)), Ok(Given::Kustomization(b))) => {
                Arc::ptr_eq(&a.documents, &b.documents)
                    && a.values == b.values
                    && (a.strict == b.strict || !undefined)
            }
            (Ok(Given::Release(a)), Ok(Given::Release(b))) => a.is_same(b, apis),
            (Err(a), Err(b)) => a == b,
            _ => false,
        };
        same && (Arc::ptr_eq(&self.node, &other.node) || self.node == other.node)
    }
}

/// What a build gets.
#[derive(Clone)]
pub(crate) enum Given {
    Kustomization(Inputs),
    Release(super::release::Inputs),
}

/// What the build of a Kustomization gets.
#[derive(Clone)]
pub(crate) struct Inputs {
    pub documents: Arc<Documents>,
    /// What provides each entry of `substituteFrom`.
    pub values: Vec<Provided>,
    pub strict: bool,
}

/// What a release meets in its cluster.
struct Cluster {
    capabilities: Arc<helm::Capabilities>,
    helm3: bool,
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

/// A walk from one entrypoint.
pub(crate) struct Walk<'a> {
    pub workspace: &'a Workspace<'a>,
    pub entrypoint: Entrypoint,
    pub slots: Vec<Slot>,
    index: FxHashMap<Placed<ComponentKey>, usize>,
    pub composed: Vec<Composed>,
    /// What each cluster serves, as charts were told last.
    capabilities: FxHashMap<EcoString, Arc<helm::Capabilities>>,
    pub hints: FluxHints,
    /// The root's place and source were inferred from what it renders.
    inferred: bool,
    /// The first Flux object beyond [`MAX_COMPONENTS`].
    pub left_out: Option<yaml::Span>,
}

/// The root component's slot.
pub(crate) const ROOT: usize = 0;

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
            let Some(jobs) = self.next_jobs() else {
                break;
            };
            let workspace = self.workspace;
            let built: Vec<_> = loading_first(jobs)
                .into_iter()
                .par_bridge()
                .map(|(at, job)| {
                    let outcome = super::build::build(workspace, &job);
                    progress(Progress::Built(&job.key));
                    (at, outcome)
                })
                .collect();
            for (at, outcome) in built {
                if let Some(slot) = self.slots.get_mut(at) {
                    slot.state = outcome.state;
                    slot.problems = outcome.problems;
                    slot.apis = outcome.asked;
                    slot.extract = Arc::new(outcome.extract);
                }
            }
        }
        let taken = unreached::taken(&self);
        (self.finish(), taken)
    }

    /// Goes from the root through everything that is applied: which components
    /// there are, what they ask for, who applies them.
    fn find_components(&mut self) {
        for slot in &mut self.slots {
            slot.alive = false;
            slot.parents.clear();
        }
        self.hints = FluxHints {
            version: self.workspace.settings.flux_version.clone(),
            strict: self.workspace.settings.strict_substitution,
        };
        let mut open = std::collections::VecDeque::from([ROOT]);
        self.set_alive(ROOT);
        while let Some(at) = open.pop_front() {
            let Some(slot) = self.slots.get(at) else {
                continue;
            };
            self.hints.or(&slot.extract.flux);
            let cluster = slot.cluster.clone();
            let depth = slot.depth + 1;
            let extract = slot.extract.clone();
            if at == ROOT && !self.inferred && !extract.components.is_empty() {
                self.infer(&extract.components);
            }
            for (key, object) in &extract.components {
                if let Some(new) = self.meet(at, &cluster, depth, key, object) {
                    open.push_back(new);
                }
            }
        }
        self.hints.or(&FluxHints {
            version: self.entrypoint.bootstrap.version.clone(),
            strict: None,
        });
        self.keep_root_source();
    }

    /// Remembers the root source as it was last applied: when it takes away what
    /// applies it, it stays in the cluster all the same.
    fn keep_root_source(&mut self) {
        let root = &mut self.entrypoint.bootstrap.source;
        let applied = self
            .slots
            .iter()
            .filter(|slot| slot.alive && slot.cluster.is_empty())
            .flat_map(|slot| &slot.extract.sources)
            .find(|definition| definition.key == root.key);
        if let Some(definition) = applied {
            root.definition = Some(definition.clone());
        }
    }

    /// A Flux object that a component applies. Returns its component when this
    /// is the first one to do so.
    fn meet(
        &mut self,
        by: usize,
        cluster: &EcoString,
        depth: usize,
        key: &ComponentKey,
        object: &Arc<Object>,
    ) -> Option<usize> {
        let known = self.index.get(&(cluster.clone(), key.clone())).copied();
        if known == Some(ROOT) {
            // The root may apply itself, changed by patches.
            if by == ROOT {
                self.define_root(object);
            }
            return None;
        }
        let at = match known {
            Some(at) => at,
            None if self.slots.len() >= MAX_COMPONENTS => {
                self.left_out.get_or_insert(object.node.span);
                return None;
            }
            None => self.add(cluster.clone(), key.clone(), depth),
        };
        let slot = self.slots.get_mut(at)?;
        let first = !slot.alive;
        if first {
            slot.alive = true;
            slot.define(object);
        }
        if by != at && !slot.parents.contains(&by) {
            slot.parents.push(by);
        }
        first.then_some(at)
    }

    fn add(&mut self, home: EcoString, key: ComponentKey, depth: usize) -> usize {
        let at = self.slots.len();
        self.index.insert((home.clone(), key.clone()), at);
        let node = Arc::new(Node::map::<EcoString>([]));
        self.slots.push(Slot {
            spec: spec::read(&key, &node),
            key,
            cluster: home.clone(),
            home,
            object: None,
            node,
            suspended: false,
            parents: Vec::new(),
            depth,
            alive: false,
            asked: None,
            builds: 0,
            apis: super::apis::Asked::Nothing,
            state: State::Opaque("not looked at".into()),
            problems: Vec::new(),
            extract: Arc::default(),
        });
        at
    }

    fn set_alive(&mut self, at: usize) {
        if let Some(slot) = self.slots.get_mut(at) {
            slot.alive = true;
        }
    }

    /// The root's Flux object; its path is the entrypoint, whatever it says.
    fn define_root(&mut self, object: &Arc<Object>) {
        let held = self.entrypoint.bootstrap.how != How::Implied;
        let path = &self.entrypoint.path;
        let written = spec::text(object.node.path(&["spec", "path"])).unwrap_or_default();
        let same = vfs::normalize(&written).is_ok_and(|written| written == *path);
        let mut node = object.node.clone();
        if !same && let Some(spec) = Arc::make_mut(&mut node).get_mut("spec") {
            let span = spec.get("path").map_or(spec.span, |path| path.span);
            spec.insert("path", Node::string(eco_format!("./{path}")).at(span));
        }
        if let Some(slot) = self.slots.get_mut(ROOT) {
            slot.define_as(node);
            slot.object = held.then(|| object.clone());
        }
    }

    /// Takes the root for the Kustomization among what it renders that applies
    /// the same directory, and its source for the one that the Kustomizations
    /// it applies mostly name. Without such, both are as `flux bootstrap` names
    /// them.
    fn infer(&mut self, components: &[(ComponentKey, Arc<Object>)]) {
        self.inferred = true;
        let bootstrap = &mut self.entrypoint.bootstrap;
        let path_of = |object: &Object| {
            let path = spec::text(object.node.path(&["spec", "path"]))?;
            vfs::normalize(&path).ok()
        };
        let mut kustomizations = components
            .iter()
            .filter(|(key, _)| key.kind == ComponentKind::Kustomization);
        let own = kustomizations
            .clone()
            .find(|(_, object)| path_of(object).as_ref() == Some(&self.entrypoint.path));
        if let Some((key, object)) = own {
            *bootstrap = crate::entrypoint::self_applied(object, &[]);
            let old = self.slots.get(ROOT).map(|slot| slot.key.clone());
            if let Some(old) = old {
                self.index.remove(&(EcoString::new(), old));
            }
            self.index.insert((EcoString::new(), key.clone()), ROOT);
            if let Some(slot) = self.slots.get_mut(ROOT) {
                slot.key = key.clone();
            }
            self.define_root(&object.clone());
            return;
        }
        let Ok(documents) = self.workspace.repository() else {
            return;
        };
        let mut votes: Vec<(model::SourceKey, usize)> = Vec::new();
        for (_, object) in &mut kustomizations {
            let here = path_of(object)
                .is_some_and(|path| !path.is_empty() && documents.tree().probe(&path).is_some());
            if !here {
                continue;
            }
            let source = crate::entrypoint::source_of(object);
            match votes.iter_mut().find(|(known, _)| *known == source) {
                Some((_, count)) => *count += 1,
                None => votes.push((source, 1)),
            }
        }
        let usual = bootstrap.source.key.clone();
        votes.retain(|(key, _)| key.kind != "ExternalArtifact" && !key.name.is_empty());
        // The most named; of equals the usual name, else the first.
        votes.sort_by_key(|(key, count)| (std::cmp::Reverse(*count), *key != usual));
        if let Some((key, _)) = votes.into_iter().next() {
            *bootstrap = crate::entrypoint::implied_from(&self.entrypoint.path, key);
            let root = bootstrap.kustomization.clone();
            self.define_root(&root);
        }
    }

    /// The components to build in this round: those that have all they ask for,
    /// else those that wait for something nobody has brought. `None` when
    /// nothing changes any more.
    fn next_jobs(&mut self) -> Option<Vec<(usize, Job)>> {
        let strict = release::is_strict(&self.hints);
        let helm3 = release::has_helm3(&self.hints);
        let mut values = Values::new(self.workspace.settings);
        let mut apis = Apis::new(self.workspace.settings, &self.entrypoint.path);
        let mut composed = std::mem::take(&mut self.composed);
        let mut sources = SourceTable::new(
            self.workspace,
            &self.entrypoint.bootstrap.source,
            &mut composed,
        );
        for slot in self.slots.iter().filter(|slot| slot.alive) {
            sources.add(&slot.cluster, &slot.extract);
            apis.add(&slot.cluster, &slot.extract.apis);
            let declared = slot.apis.declared(&self.workspace.settings.crd_groups);
            apis.add(&slot.cluster, &declared);
            for provider in &slot.extract.values {
                values.add(&slot.cluster, provider);
            }
        }
        sources.introduce(&values);
        for slot in self.slots.iter().filter(|slot| slot.alive) {
            if let Spec::Kustomization(spec) = &slot.spec
                && let Some(source) = spec.source.as_ref().filter(|_| !slot.suspended)
            {
                sources.expect(&slot.home, &source.into());
            }
        }
        let mut ready = Vec::new();
        let mut waiting = Vec::new();
        let implied = self.entrypoint.bootstrap.how == How::Implied;
        for (at, slot) in self.slots.iter().enumerate() {
            if !slot.alive {
                continue;
            }
            let (mut asked, missing) = match &slot.spec {
                Spec::Kustomization(spec) => slot.ask(at, spec, &mut sources, &values, strict),
                Spec::HelmRelease(spec) => {
                    let before = self.capabilities.get(&slot.cluster);
                    let capabilities = apis.capabilities(&slot.cluster, before);
                    self.capabilities
                        .insert(slot.cluster.clone(), capabilities.clone());
                    let cluster = Cluster {
                        capabilities,
                        helm3,
                    };
                    slot.ask_release(spec, &mut sources, &values, cluster)
                }
            };
            if at == ROOT && implied {
                self.complete_root(&mut asked);
            }
            if !slot.is_decided_by(&asked) {
                if missing { &mut waiting } else { &mut ready }.push((at, asked));
            }
        }
        drop(sources);
        self.composed = composed;
        // What is decided without a build does not keep others from it.
        let builds = |asked: &[(usize, Asked)]| asked.iter().any(|(_, asked)| asked.given.is_ok());
        if !builds(&ready) {
            ready.append(&mut waiting);
        }
        // Charts ask for APIs, and most are brought by Kustomizations.
        let is_release = |(_, asked): &(usize, Asked)| matches!(asked.given, Ok(Given::Release(_)));
        if builds(&ready)
            && !ready
                .iter()
                .all(|asked| is_release(asked) || asked.1.given.is_err())
        {
            ready.retain(|asked| !is_release(asked));
        }
        if ready.is_empty() {
            return None;
        }
        let jobs = ready
            .into_iter()
            .filter_map(|(at, asked)| Some((at, self.slots.get_mut(at)?.take(asked)?)));
        Some(jobs.collect())
    }
}

impl Walk<'_> {
    /// A root that no file holds was given its source by what it renders. Where
    /// that source leaves the root's own directory out, the root comes from
    /// another one of the same repository, which nothing shows.
    fn complete_root(&self, asked: &mut Asked) {
        let path = &self.entrypoint.path;
        if let Ok(Given::Kustomization(given)) = &mut asked.given
            && given.documents.tree().probe(path).is_none()
            && self.workspace.has_directory(path)
            && let Ok(repository) = self.workspace.repository()
        {
            given.documents = repository;
        }
    }
}

impl Slot {
    fn define(&mut self, object: &Arc<Object>) {
        self.define_as(object.node.clone());
        self.object = Some(object.clone());
    }

    fn define_as(&mut self, node: Arc<Node>) {
        self.spec = spec::read(&self.key, &node);
        self.suspended = spec::is_suspended(&node);
        self.cluster = match self.spec.kube_config() {
            Some(config) => eco_format!("{}/{}", config.namespace, config.name),
            None => self.home.clone(),
        };
        self.node = node;
    }

    /// What decides the component now, and whether something it asks for is
    /// missing.
    fn ask(
        &self,
        at: usize,
        spec: &KustomizationSpec,
        sources: &mut SourceTable<'_>,
        values: &Values<'_>,
        strict: bool,
    ) -> (Asked, bool) {
        let asked = |given| self.asked(given);
        let refused = |reason: EcoString| (asked(Err(reason)), false);
        if self.depth > MAX_DEPTH {
            return refused(eco_format!(
                "more than {MAX_DEPTH} Kustomizations apply one another"
            ));
        }
        if at != ROOT
            && let Some(reason) = self.not_applied()
        {
            return refused(reason);
        }
        if yaml::unknown::contains(&spec.path) {
            return refused("its path holds a value that no file tells".into());
        }
        let content = match (&spec.source, at) {
            (_, ROOT) => sources.content(&self.home, &sources.root.key.clone()),
            (Some(reference), _) => sources.content(&self.home, &reference.into()),
            (None, _) => return refused("it names no source".into()),
        };
        let documents = match content {
            Content::Tree(documents, _) => documents,
            Content::Unavailable(reason) | Content::Absent(reason) => {
                let source = spec.source.as_ref();
                let name = source.map(|s| eco_format!("{}/{}/{}", s.kind, s.namespace, s.name));
                let name = name.unwrap_or_default();
                return refused(eco_format!("its source {name} is not available: {reason}"));
            }
            Content::Missing => {
                let name = spec.source.as_ref().map(|source| source.name.as_str());
                let reason = match name.filter(|name| yaml::unknown::contains(name)) {
                    Some(_) => "its source's name holds a value that no file tells",
                    None => "nothing defines its source",
                };
                return (asked(Err(reason.into())), true);
            }
        };
        let provided: Vec<Provided> = spec
            .substitute_from
            .iter()
            .map(|entry| values.look_up(&self.home, &entry.reference))
            .collect();
        let missing = provided.contains(&Provided::Missing);
        let given = Inputs {
            documents,
            values: provided,
            // Only substitution asks.
            strict: strict && spec.post_build,
        };
        (asked(Ok(Given::Kustomization(given))), missing)
    }

    /// What decides a release now, and whether something it asks for is missing.
    fn ask_release(
        &self,
        spec: &HelmReleaseSpec,
        sources: &mut SourceTable<'_>,
        values: &Values<'_>,
        cluster: Cluster,
    ) -> (Asked, bool) {
        let refused = |reason: EcoString| (self.asked(Err(reason)), false);
        if self.depth > MAX_DEPTH {
            return refused(eco_format!(
                "more than {MAX_DEPTH} components apply one another"
            ));
        }
        if let Some(reason) = self.not_applied() {
            return refused(reason);
        }
        let chart = match sources.chart(&self.home, &self.node, spec.source.as_ref()) {
            Resolved::Chart(wanted) => {
                wanted.expect(&sources.workspace.settings.mirrors);
                Ok(Arc::new(*wanted))
            }
            Resolved::Refused(message) => Err(message),
            Resolved::Unavailable(reason) => return refused(reason),
            Resolved::Missing(reason) => return (self.asked(Err(reason)), true),
        };
        let provided: Vec<Provided> = spec
            .values_from
            .iter()
            .map(|entry| values.look_up_values(&self.home, &entry.reference))
            .collect();
        let missing = provided.contains(&Provided::Missing);
        let given = super::release::Inputs {
            chart,
            values: provided,
            capabilities: cluster.capabilities,
            helm3: cluster.helm3,
        };
        (self.asked(Ok(Given::Release(given))), missing)
    }

    fn asked(&self, given: Result<Given, EcoString>) -> Asked {
        Asked {
            node: self.node.clone(),
            given,
        }
    }

    /// Why Flux does not apply what the Kustomization says.
    fn not_applied(&self) -> Option<EcoString> {
        if self.suspended {
            return Some("suspended: Flux does not apply it".into());
        }
        let annotation = |name: &str| self.node.str_at(&["metadata", "annotations", name]);
        let disabled = annotation("kustomize.toolkit.fluxcd.io/reconcile") == Some("disabled")
            || annotation("kustomize.toolkit.fluxcd.io/ssa")
                .is_some_and(|mode| mode.eq_ignore_ascii_case("ignore"));
        disabled.then(|| "an annotation keeps Flux from applying its Flux object".into())
    }

    /// Whether the component stands as this would decide it.
    fn is_decided_by(&self, asked: &Asked) -> bool {
        let undefined = self
            .problems
            .iter()
            .any(|problem| matches!(problem, Problem::UndefinedVariable { .. }));
        let before = self.asked.as_ref();
        before.is_some_and(|before| before.is_same(asked, undefined, &self.apis))
    }

    /// Notes what the component is decided by; decides it, or returns the build
    /// that will.
    fn take(&mut self, asked: Asked) -> Option<Job> {
        let given = asked.given.clone();
        self.asked = Some(asked);
        match given {
            Ok(_) if self.builds >= MAX_BUILDS => {
                self.problems = vec![Problem::RenderGap {
                    what:
                        "substitution values that depend on the component itself and never settle"
                            .into(),
                    span: self.node.span,
                }];
                self.state =
                    State::Opaque("what it substitutes depends on itself and never settles".into());
                None
            }
            Ok(given) => {
                self.builds += 1;
                Some(Job {
                    key: self.key.clone(),
                    node: self.node.clone(),
                    spec: self.spec.clone(),
                    given,
                })
            }
            Err(reason) => {
                self.state = State::Opaque(reason);
                self.problems = Vec::new();
                self.extract = Arc::default();
                None
            }
        }
    }

    /// The artifact of the last build.
    pub fn documents(&self) -> Option<&Arc<Documents>> {
        match &self.asked.as_ref()?.given {
            Ok(Given::Kustomization(inputs)) => Some(&inputs.documents),
            _ => None,
        }
    }

    /// What provided each entry of `substituteFrom` at the last build.
    pub fn provided(&self) -> &[Provided] {
        match self.asked.as_ref().map(|asked| &asked.given) {
            Some(Ok(Given::Kustomization(inputs))) => &inputs.values,
            _ => &[],
        }
    }
}
