//! Scalars with their tags to values.

use super::{Decoded, Decoder};
use crate::read::Dialect;
use crate::read::raw::{RawKind, RawNode};
use crate::scalar::resolve::{Resolved, resolve};
use crate::scalar::{base64, number};
use crate::{Error, ErrorKind, Node, Span, Style, Tag, Text};

/// What a scalar with a tag means.
pub(super) enum Meaning {
    Text(Text),
    Plain(Resolved),
}

impl Decoder<'_> {
    pub(super) fn scalar(&mut self, index: u32) -> Decoded {
        let node = self.get(index)?;
        let RawKind::Scalar(text) = &node.kind else {
            return Err(Error::new(ErrorKind::Value, "scalar expected", node.span));
        };
        let canonical = match self.meaning(node, text)? {
            Meaning::Text(text) => Node::string(text),
            Meaning::Plain(Resolved::Timestamp(_)) if self.dialect == Dialect::V2 => {
                Node::string(text.clone())
            }
            Meaning::Plain(resolved) => canonical_scalar(resolved, text),
        };
        Ok(canonical.at(node.span))
    }

    pub(super) fn meaning(&self, node: &RawNode, text: &Text) -> Result<Meaning, Error> {
        let tag = match self.dialect {
            Dialect::V3 if node.tag == Tag::Str => return Ok(Meaning::Text(text.clone())),
            Dialect::V3 => Some(node.tag.clone()),
            Dialect::V2 => match node.written_tag.as_deref() {
                None if node.style == Style::Plain => None,
                None => return Ok(Meaning::Text(text.clone())),
                Some(written) => Some(Tag::from_short(&crate::read::tag::short(written))),
            },
        };
        meaning(tag.as_ref(), text, self.dialect, node.span)
    }
}

fn meaning(tag: Option<&Tag>, text: &Text, dialect: Dialect, span: Span) -> Result<Meaning, Error> {
    let Some(tag) = tag else {
        return Ok(match resolve(text, dialect, true) {
            Resolved::Str => Meaning::Text(text.clone()),
            resolved => Meaning::Plain(resolved),
        });
    };
    match tag {
        Tag::Str => return Ok(Meaning::Text(text.clone())),
        Tag::Binary => {
            let Some(bytes) = base64::decode(text) else {
                let cause = "!!binary value contains invalid base64 data";
                return Err(Error::new(ErrorKind::Value, cause, span));
            };
            return Ok(Meaning::Text(replace_invalid(&bytes)));
        }
        Tag::Bool | Tag::Int | Tag::Float | Tag::Null | Tag::Timestamp => {}
        // A tag that is not known leaves the text alone.
        Tag::Merge | Tag::Map | Tag::Seq | Tag::Other(_) => return Ok(Meaning::Text(text.clone())),
    }
    let resolved = resolve(text, dialect, *tag == Tag::Timestamp);
    match (tag, resolved) {
        #[allow(clippy::cast_precision_loss)]
        (Tag::Float, Resolved::Int(value)) => Ok(Meaning::Plain(Resolved::Float(value as f64))),
        (tag, resolved) if *tag == resolved.tag() => Ok(Meaning::Plain(resolved)),
        (tag, resolved) => {
            let (found, wanted) = (resolved.tag(), tag.short());
            let cause = format!("cannot decode {} `{text}` as a {wanted}", found.short());
            Err(Error::new(ErrorKind::Value, cause, span))
        }
    }
}

/// The canonical node of a resolved plain scalar. What JSON cannot hold keeps
/// its tag and text and is found by [`super::refused_by_json`].
pub(crate) fn canonical_scalar(resolved: Resolved, text: &str) -> Node {
    match resolved {
        Resolved::Null => Node::null(),
        Resolved::Bool(value) => Node::bool(value),
        Resolved::Int(value) => Node::int(value),
        Resolved::Uint(value) => number_node(value.to_string()),
        Resolved::Float(value) => match number::format_json(value) {
            Some(text) => number_node(text),
            None => {
                let mut node = Node::string(number::format_g(value));
                node.tag = Tag::Float;
                node
            }
        },
        Resolved::Timestamp(timestamp) => match timestamp.rfc3339() {
            Some(text) => Node::string(text),
            None => {
                let mut node = Node::string(text);
                node.tag = Tag::Timestamp;
                node
            }
        },
        Resolved::Str => Node::string(text),
    }
}

/// A number from its JSON text: whole numbers of 64 bits are integers.
pub(crate) fn number_node(text: String) -> Node {
    let whole = number::parse_int(&text, 10).is_ok() || number::parse_uint(&text, 10).is_ok();
    let mut node = Node::string(text);
    node.tag = if whole { Tag::Int } else { Tag::Float };
    node
}

/// Bytes as Go's encoding/json shows a string: one U+FFFD for every byte that
/// is no text.
fn replace_invalid(bytes: &[u8]) -> Text {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text.into()
}
