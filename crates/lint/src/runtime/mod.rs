//! Runtime: can pods start, and will the second reconcile undo the first?

pub(crate) mod unstable_render;
