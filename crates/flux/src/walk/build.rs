//! One component's build, as the walk asks for it.

use std::sync::Arc;

use ecow::eco_format;
use kustomize::git_url::GitUrl;
use kustomize::{Documents, Remote};
use model::{ComponentKey, KustomizationSpec, Object, Problem, Reference, Rendered, Spec, State};
use vfs::{Kind, Tree};
use yaml::Node;

use crate::apis;
use crate::build::{self, Env, Outcome, Request};
use crate::extract::{Extract, extract};
use crate::mirror::{Absence, Asked, Checkout, Mirror, absence};
use crate::values::Provided;
use crate::walk::decision::{Given, Inputs};
use crate::walk::release;
use crate::workspace::Workspace;
use crate::{Settings, Variable};

/// What is to be built.
pub(crate) struct Job {
    pub key: ComponentKey,
    pub node: Arc<Node>,
    pub spec: Spec,
    pub given: Given,
}

/// What a Kustomization is built from.
struct Work<'a> {
    key: &'a ComponentKey,
    node: &'a Node,
    spec: &'a KustomizationSpec,
    inputs: &'a Inputs,
}

/// What came out.
pub(crate) struct Result {
    pub state: State,
    pub problems: Vec<Problem>,
    pub extract: Extract,
    /// What it asked its cluster for.
    pub asked: apis::Asked,
}

/// Builds a component. What a failed one would apply is followed all the same:
/// it tells more than the failure alone.
pub(crate) fn build(workspace: &Workspace<'_>, job: &Job) -> Result {
    match (&job.spec, &job.given) {
        (Spec::Kustomization(spec), Given::Kustomization(inputs)) => kustomization(
            workspace,
            &Work {
                key: &job.key,
                node: &job.node,
                spec,
                inputs,
            },
        ),
        (Spec::HelmRelease(spec), Given::Release(inputs)) => {
            release::build(workspace, &job.key, &job.node, spec, inputs)
        }
        _ => Result {
            state: State::Opaque("it is given what another kind needs".into()),
            problems: Vec::new(),
            extract: Extract::default(),
            asked: apis::Asked::Nothing,
        },
    }
}

fn kustomization(workspace: &Workspace<'_>, job: &Work<'_>) -> Result {
    let settings = workspace.settings;
    let request = Request {
        documents: &job.inputs.documents,
        key: job.key,
        object: job.node,
        spec: job.spec,
        strict: job.inputs.strict,
        no_remote_bases: settings.no_remote_bases,
        remote: remote(settings),
        engine: settings.engine.as_deref(),
    };
    let lookup = Lookup { job, settings };
    let mut built = build::build(&request, &lookup);
    if let Some(documents) = unignored(workspace, job, &built.problems) {
        let besides = build::build(
            &Request {
                documents: &documents,
                ..request
            },
            &lookup,
        );
        built.objects = besides.objects;
        built.problems.extend(besides.problems);
    }
    Result {
        extract: extract(&built.objects),
        state: state(built.outcome, built.objects),
        problems: built.problems,
        asked: apis::Asked::Nothing,
    }
}

/// How a build ended, with the objects it gave.
pub(crate) fn state(outcome: Outcome, objects: Vec<Arc<Object>>) -> State {
    let objects = Rendered { objects };
    match outcome {
        Outcome::Rendered => State::Rendered(objects),
        Outcome::Failed => State::Failed(objects),
        Outcome::Partial(reason) => State::Partial(objects, reason),
        Outcome::Opaque(reason) => State::Opaque(reason),
    }
}

/// The repository, where it has the path of a component, but the source's ignore
/// rules leave it out: what stands there is still of interest.
fn unignored(
    workspace: &Workspace<'_>,
    job: &Work<'_>,
    problems: &[Problem],
) -> Option<Arc<Documents>> {
    let path = problems.iter().find_map(|problem| match problem {
        Problem::PathMissing { path, .. } => vfs::normalize(path).ok(),
        _ => None,
    })?;
    let repository = workspace.repository().ok()?;
    // Files of other repositories are known by another path.
    let same = job.inputs.documents.tree().origin(&path) == path;
    (same && repository.tree().probe(&path) == Some(Kind::Directory)).then_some(repository)
}

/// What the other components provide, as it was found before the build.
struct Lookup<'a> {
    job: &'a Work<'a>,
    settings: &'a Settings,
}

impl Env for Lookup<'_> {
    fn absence(&self, address: &str) -> Option<Absence> {
        asked_for(address, |asked| absence(&self.settings.mirrors, asked))
    }

    fn variables(&self, reference: &Reference) -> Option<crate::Provided> {
        let Work { spec, inputs, .. } = self.job;
        let at = spec
            .substitute_from
            .iter()
            .position(|entry| entry.reference == *reference)?;
        let unreadable = |provider, names: Option<&[ecow::EcoString]>, span| crate::Provided {
            provider,
            variables: names
                .unwrap_or_default()
                .iter()
                .map(|name| Variable {
                    name: name.clone(),
                    value: None,
                    span,
                })
                .collect(),
            open: names.is_none(),
        };
        let named = || {
            eco_format!(
                "{}/{}/{}",
                reference.kind,
                reference.namespace,
                reference.name
            )
        };
        Some(match inputs.values.get(at)? {
            Provided::Object(object) => crate::Provided::of(object),
            Provided::Made(object, keys) => unreadable(
                eco_format!("{}", object.identity),
                keys.as_deref(),
                object.node.span,
            ),
            Provided::Undecided => unreadable(named(), None, reference.span),
            Provided::Declared(keys) => unreadable(named(), keys.as_deref(), reference.span),
            Provided::External(index) => {
                let external = self.settings.substitutions.get(*index)?;
                crate::Provided {
                    provider: named(),
                    variables: external
                        .variables
                        .iter()
                        .map(|(name, value)| Variable {
                            name: name.clone(),
                            value: value.clone(),
                            span: external.span,
                        })
                        .collect(),
                    // An entry that lists nothing leaves its content open.
                    open: external.variables.is_empty(),
                }
            }
            Provided::Missing => return None,
        })
    }
}

/// What kustomize asks mirrors for by an address as it is written.
fn asked_for<T>(address: &str, ask: impl FnOnce(&Asked<'_>) -> T) -> T {
    match GitUrl::parse(address) {
        Some(url) => ask(&Asked::Checkout(
            &url.clone_url(),
            &url.reference,
            Checkout::Clone,
        )),
        None => ask(&Asked::File(address)),
    }
}

/// The mirrors as kustomize asks them for remote bases.
fn remote(settings: &Settings) -> Option<Arc<dyn Remote>> {
    if settings.mirrors.is_empty() {
        return None;
    }
    Some(Arc::new(Mirrors(settings.mirrors.clone())))
}

struct Mirrors(Vec<Arc<dyn Mirror>>);

impl Remote for Mirrors {
    fn repository(&self, url: &str, reference: &str) -> Option<Tree> {
        let mut mirrors = self.0.iter();
        mirrors.find_map(|mirror| mirror.checkout(url, reference, Checkout::Clone))
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.0.iter().find_map(|mirror| mirror.file(url))
    }
}
