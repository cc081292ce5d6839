//! What a component applies, and who may make what it needs.

use crate::{Import, Linked, Supply};

impl Linked<'_> {
    /// By index, a component and everything that is applied below it.
    pub fn subtree(&self, root: usize) -> Vec<bool> {
        let mut below = vec![false; self.world.components.len()];
        let mut stack = vec![root];
        while let Some(at) = stack.pop() {
            match below.get_mut(at) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            stack.extend(self.children(at));
        }
        below
    }

    /// The components whose Flux object a component applies, itself left out.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> {
        self.children
            .get(of)
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .copied()
    }

    /// A component and those it is applied by, nearest first; of several parents
    /// the first.
    pub fn lineage(&self, of: usize) -> Vec<usize> {
        let mut line = vec![of];
        let mut next = of;
        while let Some(parent) = self.component(next).and_then(|c| c.parents.first())
            && !line.contains(parent)
        {
            line.push(*parent);
            next = *parent;
        }
        line
    }

    /// The components that make what an import names, or that may: where nothing
    /// rendered makes it, those that are not rendered.
    pub fn makers(&self, import: &Import) -> Vec<usize> {
        match self.supply(import) {
            Supply::Given => Vec::new(),
            Supply::Component(component) => vec![component],
            Supply::Made(exports) => exports.iter().map(|export| export.component).collect(),
            Supply::Runtime(components) => components,
            Supply::Nothing => self.suspects_of(import),
        }
    }
}

/// The children of every component, by index.
pub(crate) fn children(world: &model::World) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); world.components.len()];
    for (at, component) in world.components.iter().enumerate() {
        for parent in &component.parents {
            if let Some(slot) = children.get_mut(*parent) {
                slot.push(at);
            }
        }
    }
    children
}
