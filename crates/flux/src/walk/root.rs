//! The root component: what applies the entrypoint, as far as what it renders
//! tells.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use model::{ComponentKey, ComponentKind, Object};
use yaml::Node;

use crate::entrypoint::How;
use crate::spec;
use crate::walk::decision::{Decision, Given};
use crate::walk::world::{ROOT, Walk};

impl Walk<'_> {
    /// The root's Flux object; its path is the entrypoint, whatever it says.
    pub(super) fn define_root(&mut self, object: &Arc<Object>) {
        let held = self.entrypoint.bootstrap.how != How::Implied;
        let path = self.entrypoint.path_in_source();
        let written = spec::text(object.node.path(&["spec", "path"])).unwrap_or_default();
        let same = vfs::normalize(&written).is_ok_and(|written| written == path);
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
    pub(super) fn infer(&mut self, components: &[(ComponentKey, Arc<Object>)]) {
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

    /// Remembers the root source as it was last applied: when it takes away what
    /// applies it, it stays in the cluster all the same.
    pub(super) fn keep_root_source(&mut self) {
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

    /// A root that no file holds was given its source by what it renders. Where
    /// that source leaves the root's own directory out, the root comes from
    /// another one of the same repository, which nothing shows.
    pub(super) fn complete_root(&self, decision: &mut Decision) {
        let path = &self.entrypoint.path;
        if let Ok(Given::Kustomization(given)) = &mut decision.given
            && given.documents.tree().probe(path).is_none()
            && self.workspace.has_directory(path)
            && let Ok(repository) = self.workspace.repository()
        {
            given.documents = repository;
        }
    }
}
