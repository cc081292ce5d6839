//! Replica counts.

use ecow::eco_format;
use yaml::{Node, Span, Tag};

use super::field::each_place;
use super::kind::Kind;
use super::scalar::{Written, replace};
use crate::error::Error;
use crate::field_spec::FieldSpec;

/// Sets the count where a spec leads. Fails where that is no scalar.
pub fn set_count(object: &mut Node, spec: &FieldSpec, count: i64, span: Span) -> Result<(), Error> {
    each_place(object, spec, Some(Kind::Scalar), &mut |place| {
        replace(
            place,
            eco_format!("{count}"),
            Written::Typed(Tag::Int),
            span,
        )
    })
}
