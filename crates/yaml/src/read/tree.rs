//! The fast way to a tree: documents without merge keys.

use std::borrow::Cow;

use ecow::EcoVec;
use rustc_hash::FxHashMap;

use super::grammar::{Properties, Sink};
use super::scanner::Scan;
use super::tag::{explicit, implicit};
use super::token::Refusal;
use crate::{Comments, Entry, FileId, Limits, Node, Span, Style, Tag, Tagging, Text, Value};

/// A collection whose end was not seen yet.
struct Open<'a> {
    /// Where its children begin among the finished nodes.
    first: usize,
    map: bool,
    flow: bool,
    tag: Tag,
    tagging: Tagging,
    start: usize,
    anchor: Option<&'a str>,
    /// The comment before it.
    comments: Comments,
    /// Nodes there were before it.
    before: usize,
    /// Levels below it so far, aliases followed.
    height: usize,
}

/// What an anchor stands for.
struct Anchored {
    node: Node,
    /// Nodes in it, shared ones counted each time.
    size: usize,
    height: usize,
}

/// Builds nodes, aliases replaced by what they stand for. Gives up, with
/// [`TreeSink::indirect`] set, at merge keys, at keys that merging would do
/// something to, at aliases that cannot be followed, and where a comment may
/// change what an alias stands for.
pub(crate) struct TreeSink<'a> {
    file: FileId,
    base: usize,
    limits: Limits,
    done: Vec<Node>,
    open: Vec<Open<'a>>,
    /// `None` while the anchor's node is open.
    anchors: FxHashMap<&'a str, Option<Anchored>>,
    /// Nodes so far, shared ones counted each time.
    count: usize,
    pub indirect: bool,
    /// No anchor, alias or tag was met.
    pub bare: bool,
}

impl<'a> TreeSink<'a> {
    pub(crate) fn new(file: FileId, base: usize, limits: &Limits) -> Self {
        TreeSink {
            file,
            base,
            limits: *limits,
            done: Vec::new(),
            open: Vec::new(),
            anchors: FxHashMap::default(),
            count: 0,
            indirect: false,
            bare: true,
        }
    }

    fn note(&mut self, properties: &Properties<'_>) {
        self.bare &= properties.anchor.is_none() && properties.tag.is_none();
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

    /// Hands a comment below what comes now to the key it belongs to. Gives up where
    /// that key may be what an alias stands for.
    fn settle_foot(&mut self, comments: &mut Comments, flow: bool, first: usize) -> Scan<()> {
        if !comments.foot().is_empty() && !self.anchors.is_empty() {
            return Err(self.give_up());
        }
        let done = self.done.len();
        let children = done.saturating_sub(first);
        comments.settle_foot(flow, children, |back| {
            let at = done.checked_sub(back)?;
            self.done.get_mut(at).map(|key| &mut key.comments)
        });
        Ok(())
    }

    /// The comments of a node that comes now.
    #[inline]
    fn settled(&mut self, mut comments: Comments) -> Scan<Comments> {
        if !comments.is_empty()
            && let Some((flow, first)) = self
                .open
                .last()
                .filter(|open| open.map)
                .map(|open| (open.flow, open.first))
        {
            self.settle_foot(&mut comments, flow, first)?;
        }
        Ok(comments)
    }

    /// Adds a finished node, of `size` nodes and `height` levels.
    fn push(&mut self, node: Node, size: usize, height: usize) -> Scan<()> {
        self.count = self.count.saturating_add(size);
        let depth = self.open.len() + height;
        if self.count > self.limits.nodes || depth > self.limits.depth {
            return Err(self.give_up());
        }
        if let Some(open) = self.open.last_mut() {
            open.height = open.height.max(height);
        }
        self.done.push(node);
        Ok(())
    }
}

impl<'a> Sink<'a> for TreeSink<'a> {
    fn complete(&mut self, above: Text, below: Text) {
        if let Some(root) = self.done.last_mut() {
            root.comments.set_around(above, below);
        }
    }

    fn scalar(
        &mut self,
        properties: Properties<'a>,
        value: Cow<'a, str>,
        style: Style,
        bytes: (usize, usize),
    ) -> Scan<()> {
        self.note(&properties);
        let written = explicit(properties.tag.as_deref());
        let tagging = tagging(&written);
        let tag = written.unwrap_or_else(|| implicit(&value, style));
        if tag == Tag::Merge {
            return Err(self.give_up());
        }
        let comments = self.settled(properties.comments)?;
        let node = Node {
            value: Value::Scalar(value.as_ref().into()),
            tag,
            style,
            tagging,
            unknown: false,
            comments,
            span: self.span(bytes.0, bytes.1),
        };
        if let Some(name) = properties.anchor {
            let anchored = Anchored {
                node: node.clone(),
                size: 1,
                height: 0,
            };
            self.anchors.insert(name, Some(anchored));
        }
        self.push(node, 1, 0)
    }

    fn open(&mut self, map: bool, flow: bool, properties: Properties<'a>, at: usize) -> Scan<()> {
        if self.open.len() >= self.limits.depth {
            return Err(too_deep(self.limits.depth, at));
        }
        self.note(&properties);
        let fallback = if map { Tag::Map } else { Tag::Seq };
        let written = explicit(properties.tag.as_deref());
        if let Some(name) = properties.anchor {
            self.anchors.insert(name, None);
        }
        self.open.push(Open {
            first: self.done.len(),
            map,
            flow,
            tagging: tagging(&written),
            tag: written.unwrap_or(fallback),
            start: at,
            anchor: properties.anchor,
            comments: properties.comments,
            before: self.count,
            height: 0,
        });
        Ok(())
    }

    fn close(&mut self, end: usize, comments: Comments) -> Scan<()> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let mut comments = open.comments.up_to(&comments);
        if open.map && !open.flow && !comments.is_empty() {
            self.settle_foot(&mut comments, false, open.first)?;
        }
        let mut keys = self.done.iter().skip(open.first).step_by(2);
        if open.map && keys.any(is_odd_key) {
            return Err(self.give_up());
        }
        let span = self.span(open.start, end.max(open.start));
        let children = self.done.drain(open.first..);
        let value = if open.map {
            Value::Mapping(pairs(children))
        } else {
            let mut items = EcoVec::with_capacity(children.len());
            items.extend(children);
            Value::Sequence(items)
        };
        let comments = self.settled(comments)?;
        let node = Node {
            value,
            tag: open.tag,
            tagging: open.tagging,
            style: if open.flow { Style::Flow } else { Style::Plain },
            unknown: false,
            comments,
            span,
        };
        let height = open.height + 1;
        // A node within that has the same anchor took it over.
        if let Some(name) = open.anchor
            && self.anchors.get(name).is_some_and(Option::is_none)
        {
            let anchored = Anchored {
                node: node.clone(),
                size: self.count - open.before + 1,
                height,
            };
            self.anchors.insert(name, Some(anchored));
        }
        self.push(node, 1, height)
    }

    fn alias(&mut self, name: &'a str, _: (usize, usize), comments: Comments) -> Scan<()> {
        let Some(Some(anchored)) = self.anchors.get(name) else {
            return Err(self.give_up());
        };
        let (node, size, height) = (anchored.node.clone(), anchored.size, anchored.height);
        self.settled(comments)?;
        self.push(node, size, height)
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

fn tagging(written: &Option<Tag>) -> Tagging {
    match written {
        Some(_) => Tagging::Written,
        None => Tagging::Implied,
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
