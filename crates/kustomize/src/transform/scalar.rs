//! Scalars that transformers write.

use ecow::EcoString;
pub use yaml::plain_tag;
use yaml::{Comments, Node, Span, Style, Tag, Tagging, Value};

use super::kind::{Kind, expect_kind};
use crate::error::Error;

/// A scalar without type of its own: in quotes a string, else what its text
/// means to the reader of resources.
pub fn untyped(text: impl Into<EcoString>, style: Style, span: Span) -> Node {
    let text = text.into();
    let tag = if matches!(style, Style::Plain | Style::Flow) {
        plain_tag(&text)
    } else {
        Tag::Str
    };
    Node {
        value: Value::Scalar(text),
        tag,
        style,
        tagging: Tagging::Open,
        unknown: false,
        comments: Comments::NONE,
        span,
    }
}

/// The same scalar with another text; its type and style stay. One without type
/// of its own is read anew.
pub fn with_text(node: &Node, text: EcoString) -> Node {
    let made = match node.tagging {
        Tagging::Open => untyped(text, node.style, node.span),
        Tagging::Implied | Tagging::Written => Node {
            value: Value::Scalar(text),
            ..node.clone()
        },
    };
    Node {
        unknown: node.unknown,
        ..made
    }
}

/// Puts a scalar without type of its own into quotes where it would be read as
/// something else than a string: what a setter of fields does to it.
pub fn quote_untyped(node: &mut Node) {
    if is_ambiguous(node) {
        node.style = Style::DoubleQuoted;
        node.tag = Tag::Str;
    }
}

/// Whether [`quote_untyped`] changes a node.
pub fn is_ambiguous(node: &Node) -> bool {
    node.tagging == Tagging::Open
        && node.style == Style::Plain
        && node.text().is_some_and(|text| is_old_non_string(text))
}

/// Whether a text without quotes is no string to a YAML 1.1 reader.
pub fn is_old_non_string(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !yaml::is_string_in_1_1(text)
}

/// A string, whatever it looks like.
pub fn string(text: impl Into<EcoString>, span: Span) -> Node {
    Node::string(text).at(span)
}

/// Puts a scalar in the place of another. The new one takes over the style; one
/// without type of its own is read anew in that style. Fails when the place
/// holds a mapping or list.
pub fn replace(
    place: &mut Node,
    text: impl Into<EcoString>,
    kind: Written,
    span: Span,
) -> Result<(), Error> {
    expect_kind(Kind::Scalar, place)?;
    let style = place.style;
    *place = match kind {
        Written::Untyped => untyped(text, style, span),
        Written::Typed(tag) => Node {
            value: Value::Scalar(text.into()),
            tag,
            style,
            tagging: Tagging::Implied,
            unknown: false,
            comments: Comments::NONE,
            span,
        },
    };
    Ok(())
}

/// What is known of the type of a text that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing: it means what it would mean in a file.
    Untyped,
    /// It has this type.
    Typed(Tag),
}
