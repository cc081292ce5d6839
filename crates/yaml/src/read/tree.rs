//! The fast way to a tree: documents without aliases and merge keys.

use std::borrow::Cow;

use ecow::EcoVec;

use super::grammar::{Properties, Sink};
use super::scanner::Scan;
use super::tag::{explicit, implicit};
use super::token::Refusal;
use crate::{Entry, FileId, Limits, Node, Span, Style, Tag, Value};

struct Open {
    /// Where its children begin among the finished nodes.
    first: usize,
    map: bool,
    flow: bool,
    tag: Tag,
    tagged: bool,
    start: usize,
}

/// Builds nodes. Gives up, with [`TreeSink::indirect`] set, at the first alias
/// and at keys that are not simply kept.
pub(crate) struct TreeSink {
    file: FileId,
    base: usize,
    depth: usize,
    done: Vec<Node>,
    open: Vec<Open>,
    pub indirect: bool,
}

impl TreeSink {
    pub(crate) fn new(file: FileId, base: usize, limits: &Limits) -> Self {
        TreeSink {
            file,
            base,
            depth: limits.depth,
            done: Vec::new(),
            open: Vec::new(),
            indirect: false,
        }
    }

    /// The document, when it is complete.
    pub(crate) fn finish(mut self) -> Option<Node> {
        self.done.pop()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + end)
    }

    fn give_up(&mut self) -> Refusal {
        self.indirect = true;
        Refusal {
            problem: "indirect".into(),
            context: None,
            at: 0,
            scanner: false,
            limit: false,
        }
    }
}

impl<'a> Sink<'a> for TreeSink {
    fn scalar(
        &mut self,
        properties: Properties<'a>,
        value: Cow<'a, str>,
        style: Style,
        bytes: (usize, usize),
    ) -> Scan<()> {
        let written = explicit(properties.tag.as_deref());
        let tagged = written.is_some();
        let tag = written.unwrap_or_else(|| implicit(&value, style));
        if tag == Tag::Merge {
            return Err(self.give_up());
        }
        self.done.push(Node {
            value: Value::Scalar(value.as_ref().into()),
            tag,
            style,
            tagged,
            unknown: false,
            span: self.span(bytes.0, bytes.1),
        });
        Ok(())
    }

    fn open(&mut self, map: bool, flow: bool, properties: Properties<'a>, at: usize) -> Scan<()> {
        if self.open.len() >= self.depth {
            return Err(too_deep(self.depth, at));
        }
        let fallback = if map { Tag::Map } else { Tag::Seq };
        let written = explicit(properties.tag.as_deref());
        self.open.push(Open {
            first: self.done.len(),
            map,
            flow,
            tagged: written.is_some(),
            tag: written.unwrap_or(fallback),
            start: at,
        });
        Ok(())
    }

    fn close(&mut self, end: usize) -> Scan<()> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        if open.map && self.done.iter().skip(open.first).step_by(2).any(is_odd_key) {
            return Err(self.give_up());
        }
        let children = self.done.drain(open.first..);
        let value = if open.map {
            Value::Mapping(pairs(children))
        } else {
            let count = children.len();
            let mut items = EcoVec::with_capacity(count);
            items.extend(children);
            Value::Sequence(items)
        };
        let span = self.span(open.start, end.max(open.start));
        self.done.push(Node {
            value,
            tag: open.tag,
            tagged: open.tagged,
            style: if open.flow { Style::Flow } else { Style::Plain },
            unknown: false,
            span,
        });
        Ok(())
    }

    fn alias(&mut self, _: &'a str, _: (usize, usize)) -> Scan<()> {
        Err(self.give_up())
    }
}

/// Keys that kyaml's merging does something to, even without a merge: a
/// quoted `<<` is dropped, a null that is written out appears twice.
fn is_odd_key(key: &Node) -> bool {
    match &key.value {
        Value::Scalar(text) => text == "<<" || (key.tag == Tag::Null && !text.is_empty()),
        Value::Sequence(_) | Value::Mapping(_) => false,
    }
}

fn pairs(mut children: std::vec::Drain<'_, Node>) -> EcoVec<Entry> {
    let mut entries = EcoVec::with_capacity(children.len() / 2);
    while let (Some(key), Some(value)) = (children.next(), children.next()) {
        entries.push(Entry { key, value });
    }
    entries
}

pub(super) fn too_deep(depth: usize, at: usize) -> Refusal {
    Refusal {
        problem: format!("exceeded max depth of {depth}").into(),
        context: Some(at),
        at,
        scanner: true,
        limit: true,
    }
}
