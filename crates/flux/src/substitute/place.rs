//! Where a stretch of a printed object was written.

use std::ops::Range;

use yaml::{Node, Sources, Span};

/// A printed object with the place of each of its scalars.
pub(super) struct Printed<'a> {
    text: &'a str,
    scalars: Vec<(u32, u32, Span)>,
    object: Span,
    sources: &'a Sources,
}

impl<'a> Printed<'a> {
    /// `text` is what `node` prints as.
    pub(super) fn new(node: &Node, text: &'a str, sources: &'a Sources) -> Self {
        let (_, scalars) = yaml::emit_v2_mapped(node);
        Printed {
            text,
            scalars,
            object: node.span,
            sources,
        }
    }

    /// The place of an expression. The object's, where no file holds it.
    pub(super) fn expression(&self, range: &Range<usize>) -> Span {
        let Some((start, scalar)) = self.scalar(range.start) else {
            return self.object;
        };
        self.inside(range, start, scalar).unwrap_or(scalar)
    }

    /// The place of the scalar at an offset.
    pub(super) fn offset(&self, offset: usize) -> Span {
        self.scalar(offset).map_or(self.object, |(_, span)| span)
    }

    /// Start and place of the last scalar that begins at or before an offset.
    fn scalar(&self, offset: usize) -> Option<(usize, Span)> {
        let before = self
            .scalars
            .partition_point(|(start, _, _)| *start as usize <= offset);
        let (start, _, span) = self.scalars.get(before.checked_sub(1)?)?;
        (!span.is_none()).then_some((*start as usize, *span))
    }

    /// The same expression within the text of the scalar as it was written: the
    /// first, second … of equal ones.
    fn inside(&self, range: &Range<usize>, start: usize, scalar: Span) -> Option<Span> {
        let expression = self.text.get(range.clone())?;
        let before = self.text.get(start..range.start)?;
        let count = before.matches(expression).count();
        let file = self.sources.get(scalar.file)?;
        let written = file.text.get(scalar.start as usize..scalar.end as usize)?;
        let (at, _) = written.match_indices(expression).nth(count)?;
        let from = scalar.start as usize + at;
        Some(Span::new(scalar.file, from, from + expression.len()))
    }
}
