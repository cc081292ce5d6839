//! The engine: asks the programs whenever the native renderers have rendered.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ecow::{EcoString, eco_format};
use flux::{ChartRender, KustomizeBuild};
use kustomize::{Error, Output, Resource};
use model::ComponentKey;
use yaml::Node;

use crate::checkout::Checkouts;
use crate::compare::{self, Difference};
use crate::program::{Program, Programs};
use crate::{flux_program, helm_program, kustomize_program, objects};

/// What becomes of what a program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is compared with what the native renderer makes, which counts.
    Compare,
    /// It counts. Where it is what the native renderer makes, the places of its
    /// values are known; elsewhere only the place of the object is.
    Replace,
}

/// The upstream programs as an engine. See [`flux::Engine`].
pub struct Engine {
    programs: Programs,
    role: Role,
    checkouts: Checkouts,
    /// By component and directory: of several builds the last counts.
    seen: Mutex<BTreeMap<(ComponentKey, EcoString), Comparison>>,
}

/// A component that was rendered by a program, too.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The component.
    pub component: ComponentKey,
    /// The program and its version.
    pub program: EcoString,
    /// What came of it.
    pub verdict: Verdict,
}

/// What comparing gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both make this many objects, all equal.
    Equal(usize),
    /// Both refuse the input.
    BothRefuse,
    /// They differ.
    Differs(Vec<Difference>),
    /// They could not be compared, for this reason.
    NotCompared(EcoString),
}

impl Engine {
    /// An engine of the programs.
    pub fn new(programs: Programs, role: Role) -> Self {
        Engine {
            programs,
            role,
            checkouts: Checkouts::default(),
            seen: Mutex::default(),
        }
    }

    /// The programs.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// What was rendered so far, by component.
    pub fn comparisons(&self) -> Vec<Comparison> {
        self.seen().values().cloned().collect()
    }

    fn remember(&self, component: &ComponentKey, dir: &str, program: &Program, verdict: Verdict) {
        let comparison = Comparison {
            component: component.clone(),
            program: eco_format!("{program}"),
            verdict,
        };
        let key = (component.clone(), EcoString::from(dir));
        self.seen().insert(key, comparison);
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<(ComponentKey, EcoString), Comparison>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl flux::Engine for Engine {
    fn kustomize(
        &self,
        build: &KustomizeBuild<'_>,
        native: Result<Output, Error>,
    ) -> Result<Output, Error> {
        let Some(program) = &self.programs.kustomize else {
            return native;
        };
        let made = match remote(&native) {
            Some(reason) => Err(reason),
            None => kustomize_program::build(program, &self.checkouts, build),
        };
        let (verdict, counts) = match made {
            Err(reason) => (Verdict::NotCompared(reason), native),
            Ok(mut made) => {
                if let (true, Ok(made), Ok(native)) = (program.is_flux(), &mut made, &native) {
                    flux_program::unmask(made, &native.resources);
                }
                let verdict = judge(&native, &made);
                match self.role {
                    Role::Compare => (verdict, native),
                    Role::Replace => (verdict, replaced(native, made)),
                }
            }
        };
        self.remember(build.component, build.dir, program, verdict);
        counts
    }

    fn helm(
        &self,
        render: &ChartRender<'_>,
        native: Result<helm::Output, EcoString>,
    ) -> Result<helm::Output, EcoString> {
        let Some(program) = &self.programs.helm else {
            return native;
        };
        // A schema that refers to another server is not judged here, and the program
        // would fetch it.
        let judged = native
            .as_ref()
            .map_or(true, |output| output.unjudged.is_empty());
        let (verdict, counts) = match helm_program::render(program, render, judged) {
            Err(reason) => (Verdict::NotCompared(reason), native),
            Ok(made) => {
                let verdict = judge_chart(&native, &made);
                let counts = match (self.role, made) {
                    (Role::Compare, _) => native,
                    (Role::Replace, Err(words)) => Err(words),
                    (Role::Replace, Ok(made)) => Ok(helm::Output {
                        manifests: made.documents.manifests,
                        hooks: made.documents.hooks,
                        ..native.unwrap_or_default()
                    }),
                };
                (verdict, counts)
            }
        };
        self.remember(render.component, "", program, verdict);
        counts
    }
}

/// What Helm installs and runs, as objects in order.
fn objects_of(output: &helm::Output) -> Result<Vec<Node>, EcoString> {
    let manifests = output.manifests.iter().map(|manifest| &manifest.text);
    let hooks = output.hooks.iter().map(|hook| &hook.text);
    let mut objects = Vec::new();
    for text in manifests.chain(hooks) {
        // Helm ends each with a line's end, which a text at its end may hold.
        objects.extend(objects::read(&format!("{text}\n"))?);
    }
    Ok(objects)
}

/// What comparing a chart's renders gives.
fn judge_chart(
    native: &Result<helm::Output, EcoString>,
    made: &Result<helm_program::Made, EcoString>,
) -> Verdict {
    let (output, made) = match (native, made) {
        (Ok(output), Ok(made)) => (output, made),
        (Err(_), Err(_)) => return Verdict::BothRefuse,
        (Ok(_), Err(words)) => {
            return Verdict::Differs(vec![Difference::OnlyUpstreamRefuses(words.clone())]);
        }
        (Err(words), Ok(_)) => {
            return Verdict::Differs(vec![Difference::OnlyNativeRefuses(words.clone())]);
        }
    };
    let ours = match objects_of(output) {
        Ok(ours) => ours,
        Err(reason) => return Verdict::NotCompared(reason),
    };
    let ours: Vec<&Node> = ours.iter().collect();
    let mut found = compare::objects(&ours, &made.objects);
    // Go walks the keys of a map in another order each time, and so do charts that
    // make an object a key.
    found.retain(|difference| !matches!(difference, Difference::Order(..)));
    if found.is_empty() {
        return Verdict::Equal(made.objects.len());
    }
    let mut unstable: Vec<&str> = output.unstable.iter().map(|(name, _)| *name).collect();
    unstable.sort_unstable();
    unstable.dedup();
    match unstable.is_empty() {
        true => Verdict::Differs(found),
        // Nobody's two renders are equal.
        false => Verdict::NotCompared(eco_format!(
            "its templates use {}, which gives something else each time",
            unstable.join(", ")
        )),
    }
}

/// Why a program is not asked: it would use the network.
fn remote(native: &Result<Output, Error>) -> Option<EcoString> {
    let url = match native {
        Ok(output) => output.remotes.first().map(|remote| &remote.url),
        Err(error) => error.remote.as_ref(),
    };
    url.map(|url| eco_format!("it has a remote base, {url}, that the program would fetch"))
}

fn judge(native: &Result<Output, Error>, made: &Result<Vec<Node>, EcoString>) -> Verdict {
    let differences = match (native, made) {
        (Ok(output), Ok(made)) => {
            let ours: Vec<&Node> = output.resources.iter().map(Resource::node).collect();
            let found = compare::objects(&ours, made);
            if found.is_empty() {
                return Verdict::Equal(made.len());
            }
            found
        }
        (Err(_), Err(_)) => return Verdict::BothRefuse,
        (Ok(_), Err(refusal)) => vec![Difference::OnlyUpstreamRefuses(refusal.clone())],
        (Err(error), Ok(_)) => {
            vec![Difference::OnlyNativeRefuses(eco_format!("{error}"))]
        }
    };
    Verdict::Differs(differences)
}

/// What the program makes, in the native form.
fn replaced(
    native: Result<Output, Error>,
    made: Result<Vec<Node>, EcoString>,
) -> Result<Output, Error> {
    let made = match (made, &native) {
        (Ok(made), _) => made,
        // The same refusal in the native words has a place.
        (Err(_), Err(_)) => return native,
        (Err(refusal), Ok(_)) => return Err(Error::new(refusal)),
    };
    let mut output = native.unwrap_or_default();
    let mut ours: Vec<Option<Resource>> = output.resources.into_iter().map(Some).collect();
    output.resources = made
        .into_iter()
        .map(|node| {
            let same = |known: &Option<Resource>| {
                let known = known.as_ref().map(Resource::node);
                known.is_some_and(|known| objects::are_same(known, &node))
            };
            let known = ours
                .iter_mut()
                .find(|known| same(known))
                .and_then(Option::take);
            match known {
                Some(known) if *known.node() == node => known,
                Some(mut known) => {
                    let span = known.node().span;
                    *known.node_mut() = placed(node, span);
                    known
                }
                None => Resource::new(node),
            }
        })
        .collect();
    Ok(output)
}

/// A node all of which stands at one place.
fn placed(mut node: Node, span: yaml::Span) -> Node {
    node.span = span;
    if let Some(entries) = node.entries_mut() {
        for entry in entries.make_mut() {
            entry.key.span = span;
            entry.value = placed(std::mem::replace(&mut entry.value, Node::null()), span);
        }
    }
    if let Some(items) = node.items_mut() {
        for item in items.make_mut() {
            *item = placed(std::mem::replace(item, Node::null()), span);
        }
    }
    node
}
