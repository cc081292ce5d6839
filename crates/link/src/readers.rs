//! Who is reconciled when a source has a new artifact.

use model::{Component, SourceKey};
use rustc_hash::FxHashSet;
use schedule::components;

use crate::{Cause, Linked, Target};

impl Linked<'_> {
    /// Whether a Kustomization is reconciled as soon as its source has an artifact.
    /// kustomize-controller brings all readers of a source into the order of their
    /// dependencies first; where those form a circle it reconciles none of them, and
    /// each comes at its own interval.
    pub(crate) fn is_told_of_artifacts(&self, component: usize) -> bool {
        let untold = self.untold.get_or_init(|| self.untold());
        untold.get(component) != Some(&true)
    }

    /// By component: some readers of its source depend on each other in a circle.
    fn untold(&self) -> Vec<bool> {
        let read = |component: &Component| component.source.clone();
        let source = |component: &Component| Some((component.home.clone(), read(component)?));
        let circles: FxHashSet<(ecow::EcoString, SourceKey)> = self
            .circles()
            .into_iter()
            .filter_map(|member| source(self.component(member)?))
            .collect();
        let is_untold = |component| source(component).is_some_and(|of| circles.contains(&of));
        self.world.components.iter().map(is_untold).collect()
    }

    /// One member of each circle of dependencies between readers of one source.
    fn circles(&self) -> Vec<usize> {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.world.components.len()];
        for import in &self.imports {
            if matches!(import.cause, Cause::DependsOn { .. })
                && let Target::Component(on) = self.target(import)
                && self.share_source(import.component, on)
                && let Some(depends_on) = next.get_mut(import.component)
            {
                depends_on.push(on);
            }
        }
        let is_circle = |members: &[usize]| match members {
            [one] => next.get(*one).is_some_and(|on| on.contains(one)),
            _ => members.len() > 1,
        };
        components(next.len(), &next)
            .iter()
            .filter(|members| is_circle(members))
            .filter_map(|members| members.first().copied())
            .collect()
    }
}
