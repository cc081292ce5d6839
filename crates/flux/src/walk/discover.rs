//! Which components there are: everything that is applied from the root on.

use std::collections::VecDeque;
use std::sync::Arc;

use ecow::EcoString;
use model::{ComponentKey, Object};

use crate::release::FluxHints;
use crate::walk::component::Slot;
use crate::walk::world::{ROOT, Walk};

/// Components of one entrypoint.
const MAX_COMPONENTS: usize = 50_000;

impl Walk<'_> {
    /// Goes from the root through everything that is applied: which components
    /// there are, what they ask for, who applies them.
    pub(super) fn find_components(&mut self) {
        for slot in &mut self.slots {
            slot.alive = false;
            slot.parents.clear();
        }
        self.hints = FluxHints {
            version: self.workspace.settings.flux_version.clone(),
            strict: self.workspace.settings.strict_substitution,
        };
        let mut open = VecDeque::from([ROOT]);
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

    pub(super) fn add(&mut self, home: EcoString, key: ComponentKey, depth: usize) -> usize {
        let at = self.slots.len();
        self.index.insert((home.clone(), key.clone()), at);
        self.slots.push(Slot::new(home, key, depth));
        at
    }

    fn set_alive(&mut self, at: usize) {
        if let Some(slot) = self.slots.get_mut(at) {
            slot.alive = true;
        }
    }
}
