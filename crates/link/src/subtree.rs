//! What a component applies, and who may make what it needs.

use std::ops::Range;

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

    /// What a component imports, with the positions in [`Linked::imports`].
    pub fn imports_of(&self, component: usize) -> impl Iterator<Item = (usize, &Import)> {
        let range = self.ranges.get(component).cloned().unwrap_or_default();
        range.filter_map(|at| Some((at, self.imports.get(at)?)))
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

/// Where the imports of every component are, which stand together.
pub(crate) fn ranges(imports: &[Import], components: usize) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; components];
    for (at, import) in imports.iter().enumerate() {
        if let Some(range) = ranges.get_mut(import.component) {
            let start = if range.start == range.end {
                at
            } else {
                range.start
            };
            *range = start..at + 1;
        }
    }
    ranges
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
