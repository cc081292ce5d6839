//! Tags in their short form.

use std::borrow::Cow;

use crate::scalar::resolve::resolve;
use crate::{Style, Tag};

use super::token::Dialect;

const CORE: &str = "tag:yaml.org,2002:";

/// `tag:yaml.org,2002:x` as `!!x`, anything else as it is.
pub(crate) fn short(tag: &str) -> Cow<'_, str> {
    match tag.strip_prefix(CORE) {
        Some(name) => Cow::Owned(format!("!!{name}")),
        None => Cow::Borrowed(tag),
    }
}

impl Tag {
    /// The tag with this short text.
    pub(crate) fn from_short(text: &str) -> Tag {
        match text {
            "!!null" => Tag::Null,
            "!!bool" => Tag::Bool,
            "!!int" => Tag::Int,
            "!!float" => Tag::Float,
            "!!str" => Tag::Str,
            "!!timestamp" => Tag::Timestamp,
            "!!binary" => Tag::Binary,
            "!!merge" => Tag::Merge,
            "!!map" => Tag::Map,
            "!!seq" => Tag::Seq,
            other => Tag::Other(Box::new(other.into())),
        }
    }

    /// The short text, `!!str`.
    pub fn short(&self) -> &str {
        match self {
            Tag::Null => "!!null",
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Str => "!!str",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
            Tag::Map => "!!map",
            Tag::Seq => "!!seq",
            Tag::Other(text) => text,
        }
    }
}

/// The tag a written tag gives; `None` for none, and for `!`, which says
/// nothing.
pub(crate) fn explicit(tag: Option<&str>) -> Option<Tag> {
    match tag {
        None | Some("" | "!") => None,
        Some(tag) => Some(Tag::from_short(&short(tag))),
    }
}

/// The tag kyaml's reader gives a scalar that has none.
pub(crate) fn implicit(value: &str, style: Style) -> Tag {
    match style {
        Style::Plain if value == "<<" => Tag::Merge,
        Style::Plain => resolve(value, Dialect::V3, true).tag(),
        _ => Tag::Str,
    }
}
