//! What a finished walk hands on.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kubeapi::Crd;
use model::{
    Artifact, Assumption, Component, Identity, Problem, Reference, SourceKey, Spec, State, World,
};
use rustc_hash::{FxHashMap, FxHashSet};
use yaml::Span;

use crate::content::SourceTable;
use crate::entrypoint::How;
use crate::placed::Placed;
use crate::release;
use crate::values::Provided;
use crate::walk::component::Slot;
use crate::walk::world::{ROOT, Walk, alive, sources};

impl Walk<'_> {
    /// The world that was found: the root first, the others by cluster and key.
    pub(crate) fn finish(mut self) -> World {
        let mut composed = std::mem::take(&mut self.composed);
        let root = &self.entrypoint.bootstrap.source;
        let mut sources = sources(self.workspace, root, &self.slots, &mut composed);
        // Sources that only releases read are not opened.
        for slot in alive(&self.slots) {
            if let Spec::Kustomization(spec) = &slot.spec
                && let Some(reference) = &spec.source
            {
                sources.content(&slot.home, &reference.into());
            }
        }
        let mut order: Vec<usize> = (0..self.slots.len())
            .filter(|at| self.is_alive(*at))
            .collect();
        order.sort_by_key(|at| {
            let slot = self.slots.get(*at);
            (*at != ROOT, slot.map(|slot| (&slot.home, &slot.key)))
        });
        let mut place = vec![None; self.slots.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(place) = place.get_mut(*old) {
                *place = Some(new);
            }
        }
        let mut components: Vec<Component> = order
            .iter()
            .filter_map(|at| self.slots.get(*at))
            .map(|slot| component(slot, &place, &mut sources))
            .collect();
        leave_cluster_kinds(&mut components);
        if let (Some(span), Some(root)) = (self.left_out, components.first_mut()) {
            root.problems.push(Problem::RenderGap {
                what: "more components than one entrypoint may have".into(),
                span,
            });
        }
        if let Some(root) = components.first_mut() {
            root.problems.extend(sources.submodules_left_out());
        }
        World {
            entrypoint: self.entrypoint.path.clone(),
            given: self.given(&components),
            sources: all_sources(&sources, &self.charts()),
            assumptions: self.assumptions(),
            flux_version: release::shown(&self.hints),
            strict_substitution: release::is_strict(&self.hints),
            components,
            unreached: Vec::new(),
            helmfiles: Vec::new(),
        }
    }

    /// What the sources are that only releases read.
    fn charts(&self) -> FxHashMap<Placed<SourceKey>, Artifact> {
        let mut found: FxHashMap<Placed<SourceKey>, Artifact> = FxHashMap::default();
        for slot in alive(&self.slots) {
            let Spec::HelmRelease(spec) = &slot.spec else {
                continue;
            };
            let Some(reference) = &spec.source else {
                continue;
            };
            let artifact = match &slot.state {
                State::Opaque(reason) => Artifact::Unavailable(reason.clone()),
                _ => Artifact::Mirror,
            };
            let key = (slot.home.clone(), SourceKey::from(reference));
            let known = found.entry(key).or_insert_with(|| artifact.clone());
            if artifact == Artifact::Mirror {
                *known = artifact;
            }
        }
        found
    }

    fn is_alive(&self, at: usize) -> bool {
        self.slots.get(at).is_some_and(|slot| slot.alive)
    }

    /// What the bootstrap installs and no component renders.
    fn given(&self, components: &[Component]) -> Vec<Identity> {
        let bootstrap = &self.entrypoint.bootstrap;
        let root = bootstrap.kustomization.identity.clone();
        let source = &bootstrap.source;
        let mut given = vec![Identity {
            group: EcoString::new(),
            version: "v1".into(),
            kind: "Namespace".into(),
            namespace: EcoString::new(),
            name: root.namespace.clone(),
        }];
        given.push(Identity {
            group: crate::spec::SOURCE_GROUP.into(),
            version: "v1".into(),
            kind: source.key.kind.clone(),
            namespace: source.key.namespace.clone(),
            name: source.key.name.clone(),
        });
        let secret = source.definition.as_ref().and_then(|definition| {
            crate::spec::text(definition.object.node.path(&["spec", "secretRef", "name"]))
        });
        given.extend(secret.map(|name| Identity {
            group: EcoString::new(),
            version: "v1".into(),
            kind: "Secret".into(),
            namespace: source.key.namespace.clone(),
            name,
        }));
        given.push(root);
        given.retain(|identity| !is_rendered(components, identity));
        given
    }

    fn assumptions(&self) -> Vec<Assumption> {
        let bootstrap = &self.entrypoint.bootstrap;
        let path = match self.entrypoint.path.as_str() {
            "" => ".",
            path => path,
        };
        let root = &bootstrap.kustomization.identity;
        let source = &bootstrap.source.key;
        let how = match bootstrap.how {
            How::GotkSync => None,
            How::Instance => Some(eco_format!(
                "a FluxInstance makes Kustomization {}/{} and {source}, which deliver {path}",
                root.namespace,
                root.name
            )),
            How::SelfApplied => Some(eco_format!(
                "Kustomization {}/{} is what bootstraps {path}, and {source} delivers this repository",
                root.namespace,
                root.name
            )),
            How::Implied => Some(eco_format!(
                "no file says what bootstraps {path}: a Kustomization {}/{} is taken for granted, and {source} to deliver this repository",
                root.namespace,
                root.name
            )),
        };
        let span = bootstrap.kustomization.node.span;
        let directory = &bootstrap.source.directory;
        let pushed = (!directory.is_empty()).then(|| Assumption {
            message: eco_format!(
                "{source} is taken to hold the directory {directory} of this repository: from there its paths lead to directories"
            ),
            span,
        });
        let patched = bootstrap.unpatched.map(|span| Assumption {
            message: "patches of the FluxInstance that may change what its sync makes are left out"
                .into(),
            span,
        });
        how.map(|message| Assumption { message, span })
            .into_iter()
            .chain(pushed)
            .chain(patched)
            .chain([Assumption {
                message: release::reason(&self.hints),
                span: Span::NONE,
            }])
            .collect()
    }
}

/// Takes the namespace away that a release gave to objects of kinds which, as
/// a definition shows, belong to the cluster.
fn leave_cluster_kinds(components: &mut [Component]) {
    let mut kinds: FxHashSet<(EcoString, EcoString, EcoString)> = FxHashSet::default();
    for component in components.iter() {
        let definitions = component.objects().iter().filter(|object| {
            object.identity.kind == "CustomResourceDefinition"
                && object.node.str_at(&["spec", "scope"]) == Some("Cluster")
        });
        for object in definitions {
            if let Some(definition) = Crd::read(&object.node) {
                let cluster = component.cluster.clone();
                kinds.insert((cluster, definition.group, definition.kind));
            }
        }
    }
    for component in components {
        let cluster = component.cluster.clone();
        let (State::Rendered(objects) | State::Partial(objects, _) | State::Failed(objects)) =
            &mut component.state
        else {
            continue;
        };
        for object in &mut objects.objects {
            let identity = &object.identity;
            let made = object.template.is_some() && !identity.namespace.is_empty();
            let kind = || {
                let (group, kind) = (identity.group.clone(), identity.kind.clone());
                (cluster.clone(), group, kind)
            };
            if !made || !kinds.contains(&kind()) {
                continue;
            }
            let object = Arc::make_mut(object);
            object.identity.namespace = EcoString::new();
            if let Some(metadata) = Arc::make_mut(&mut object.node).get_mut("metadata") {
                metadata.remove("namespace");
            }
        }
    }
}

fn is_rendered(components: &[Component], identity: &Identity) -> bool {
    components
        .iter()
        .flat_map(Component::objects)
        .any(|object| {
            let other = &object.identity;
            other.group == identity.group
                && other.kind == identity.kind
                && other.namespace == identity.namespace
                && other.name == identity.name
        })
}

fn component(slot: &Slot, place: &[Option<usize>], sources: &mut SourceTable<'_>) -> Component {
    let mut parents: Vec<usize> = slot
        .parents
        .iter()
        .filter_map(|parent| place.get(*parent).copied().flatten())
        .collect();
    parents.sort_unstable();
    let mut problems = slot.problems.clone();
    problems.extend(slot.extract.gaps.iter().cloned());
    let source = slot.spec.source().map(SourceKey::from);
    for problem in &mut problems {
        if let (Problem::PathMissing { path, ignored, .. }, Some(key)) = (problem, &source) {
            *ignored = sources.ignores(&slot.home, key, path);
        }
    }
    Component {
        key: slot.key.clone(),
        home: slot.home.clone(),
        cluster: slot.cluster.clone(),
        parents,
        object: slot.object.clone(),
        spec: slot.spec.clone(),
        source: source.filter(|key| sources.is_known(&slot.home, key)),
        suspended: slot.suspended,
        state: slot.state.clone(),
        problems,
        substitutes_from: substituted_from(slot),
    }
}

/// The objects substitution read.
fn substituted_from(slot: &Slot) -> Vec<Reference> {
    let Spec::Kustomization(spec) = &slot.spec else {
        return Vec::new();
    };
    let entries = spec.substitute_from.iter().zip(slot.provided());
    entries
        .filter(|(_, provided)| **provided != Provided::Missing)
        .map(|(entry, _)| entry.reference.clone())
        .collect()
}

/// All sources of the world, by key.
fn all_sources(
    sources: &SourceTable<'_>,
    charts: &FxHashMap<Placed<SourceKey>, Artifact>,
) -> Vec<(SourceKey, Artifact, Option<Identity>, Span)> {
    let defined = sources.definitions.iter().map(|(placed, definition)| {
        let object = &definition.object;
        (
            placed.clone(),
            Some(object.identity.clone()),
            object.node.span,
        )
    });
    let made = sources
        .outputs
        .iter()
        .map(|(placed, output)| (placed.clone(), None, output.span));
    let root = (
        (EcoString::new(), sources.root.key.clone()),
        None,
        Span::NONE,
    );
    let mut all: Vec<_> = defined.chain(made).chain([root]).collect();
    // An object of the same key goes before what makes it.
    all.sort_by(|a, b| (&a.0, a.1.is_none()).cmp(&(&b.0, b.1.is_none())));
    all.dedup_by(|a, b| a.0 == b.0);
    let entries = all.into_iter().map(|(placed, identity, span)| {
        let artifact = sources.artifact(&placed.0, &placed.1);
        let artifact = match (artifact, charts.get(&placed)) {
            (Artifact::Unavailable(_), Some(chart)) => chart.clone(),
            (artifact, _) => artifact,
        };
        (placed.1, artifact, identity, span)
    });
    entries.collect()
}
