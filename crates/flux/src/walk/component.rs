//! One component while the walk goes on: what it asks for, what it is decided by,
//! what came of it.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::{ComponentKey, HelmReleaseSpec, KustomizationSpec, Object, Problem, Spec, State};
use yaml::Node;

use crate::content::{Content, Resolved, SourceTable};
use crate::extract::Extract;
use crate::values::{Provided, Values};
use crate::walk::build::{self, Job};
use crate::walk::decision::{Decision, Given, Inputs};
use crate::walk::release;
use crate::walk::world::ROOT;
use crate::{apis, spec};

/// Builds of one component before it counts as never settling. A chain of
/// substitution sources needs one more build a link.
const MAX_BUILDS: usize = 32;
/// Kustomizations that apply Kustomizations that apply …
const MAX_DEPTH: usize = 64;

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
    pub depth: usize,
    /// Found in this round.
    pub alive: bool,
    decision: Option<Decision>,
    builds: usize,
    /// What the last build asked its cluster for.
    pub apis: apis::Asked,
    pub state: State,
    pub problems: Vec<Problem>,
    pub extract: Arc<Extract>,
}

/// What a release meets in its cluster.
pub(crate) struct Cluster {
    pub capabilities: Arc<helm::Capabilities>,
    pub helm3: bool,
}

impl Slot {
    /// A component that nothing is known of but its name.
    pub fn new(home: EcoString, key: ComponentKey, depth: usize) -> Self {
        let node = Arc::new(Node::map::<EcoString>([]));
        Slot {
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
            decision: None,
            builds: 0,
            apis: apis::Asked::Nothing,
            state: State::Opaque("not looked at".into()),
            problems: Vec::new(),
            extract: Arc::default(),
        }
    }

    /// Takes what a Flux object says.
    pub fn define(&mut self, object: &Arc<Object>) {
        self.define_as(object.node.clone());
        self.object = Some(object.clone());
    }

    /// Takes what a Flux object that no file holds says.
    pub fn define_as(&mut self, node: Arc<Node>) {
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
    pub fn decide(
        &self,
        at: usize,
        spec: &KustomizationSpec,
        sources: &mut SourceTable<'_>,
        values: &Values<'_>,
        strict: bool,
    ) -> (Decision, bool) {
        let refused = |reason: EcoString| (self.decided(Err(reason)), false);
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
                return (self.decided(Err(reason.into())), true);
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
        (self.decided(Ok(Given::Kustomization(given))), missing)
    }

    /// What decides a release now, and whether something it asks for is missing.
    pub fn decide_release(
        &self,
        spec: &HelmReleaseSpec,
        sources: &mut SourceTable<'_>,
        values: &Values<'_>,
        cluster: Cluster,
    ) -> (Decision, bool) {
        let refused = |reason: EcoString| (self.decided(Err(reason)), false);
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
            Resolved::Missing(reason) => return (self.decided(Err(reason)), true),
        };
        let provided: Vec<Provided> = spec
            .values_from
            .iter()
            .map(|entry| values.look_up_values(&self.home, &entry.reference))
            .collect();
        let missing = provided.contains(&Provided::Missing);
        let given = release::Inputs {
            chart,
            values: provided,
            capabilities: cluster.capabilities,
            helm3: cluster.helm3,
        };
        (self.decided(Ok(Given::Release(given))), missing)
    }

    fn decided(&self, given: Result<Given, EcoString>) -> Decision {
        Decision {
            node: self.node.clone(),
            given,
        }
    }

    /// Why Flux does not apply what the component says, or we do not follow it.
    fn not_applied(&self) -> Option<EcoString> {
        if self.depth > MAX_DEPTH {
            return Some(eco_format!(
                "more than {MAX_DEPTH} components apply one another"
            ));
        }
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
    pub fn is_decided_by(&self, decision: &Decision) -> bool {
        let undefined = self
            .problems
            .iter()
            .any(|problem| matches!(problem, Problem::UndefinedVariable { .. }));
        let before = self.decision.as_ref();
        before.is_some_and(|before| before.is_same(decision, undefined, &self.apis))
    }

    /// Notes what the component is decided by; decides it, or returns the build
    /// that will.
    pub fn take(&mut self, decision: Decision) -> Option<Job> {
        let given = decision.given.clone();
        self.decision = Some(decision);
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

    /// Keeps what a build gave.
    pub fn keep(&mut self, built: build::Result) {
        self.state = built.state;
        self.problems = built.problems;
        self.apis = built.asked;
        self.extract = Arc::new(built.extract);
    }

    /// The artifact of the last build.
    pub fn documents(&self) -> Option<&Arc<Documents>> {
        match &self.decision.as_ref()?.given {
            Ok(Given::Kustomization(inputs)) => Some(&inputs.documents),
            _ => None,
        }
    }

    /// What provided each entry of `substituteFrom` at the last build.
    pub fn provided(&self) -> &[Provided] {
        match self.decision.as_ref().map(|decision| &decision.given) {
            Some(Ok(Given::Kustomization(inputs))) => &inputs.values,
            _ => &[],
        }
    }
}
