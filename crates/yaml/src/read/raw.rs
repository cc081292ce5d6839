//! The tree as written: aliases point to their anchors.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::grammar::{Grammar, Properties, Sink};
use super::input::{Stop, stop};
use super::place;
use super::scanner::Scan;
use super::tag::{explicit, implicit};
use super::token::{Dialect, Refusal};
use super::tree::too_deep;
use crate::{Comments, Error, ErrorKind, FileId, Limits, Span, Style, Tag, Text};

/// What a [`RawNode`] is. Children are indices into [`RawDocument::nodes`].
#[derive(Clone, Debug, PartialEq)]
pub enum RawKind {
    /// A scalar's text.
    Scalar(Text),
    /// Keys and values in turn.
    Mapping(Vec<u32>),
    /// Items.
    Sequence(Vec<u32>),
    /// `*name` and the node it stands for.
    Alias(Text, u32),
}

/// A node as written.
#[derive(Clone, Debug)]
pub struct RawNode {
    /// What it is.
    pub kind: RawKind,
    /// Its tag as kyaml's reader gives it; meaningless for aliases.
    pub tag: Tag,
    /// The tag as written, `tag:yaml.org,2002:str` for `!!str`.
    pub written_tag: Option<Text>,
    /// How it was written.
    pub style: Style,
    /// The name behind `&`.
    pub anchor: Option<Text>,
    /// The comments that belong to it.
    pub comments: Comments,
    /// Where it begins, anchor and tag included.
    pub start: u32,
    /// Its bytes, without anchor and tag.
    pub span: Span,
}

/// A document as written.
#[derive(Clone, Debug, Default)]
pub struct RawDocument {
    /// All nodes; the root is [`RawDocument::root`].
    pub nodes: Vec<RawNode>,
    /// Index of the root.
    pub root: u32,
    /// How deep collections nest when aliases are followed.
    pub depth: usize,
}

impl RawDocument {
    /// The node with this index.
    pub fn node(&self, index: u32) -> Option<&RawNode> {
        self.nodes.get(index as usize)
    }

    /// Refuses a document whose aliases nest deeper than the limit.
    pub(crate) fn check_depth(&self, limits: &Limits) -> Result<(), Error> {
        if self.depth <= limits.depth {
            return Ok(());
        }
        let span = self.node(self.root).map_or(Span::NONE, |root| root.span);
        let cause = format!("exceeded max depth of {}", limits.depth);
        Err(Error::new(ErrorKind::Limit, cause, span))
    }
}

struct Open {
    first: usize,
    node: u32,
}

/// Fills a [`RawDocument`].
pub(crate) struct RawSink {
    file: FileId,
    base: usize,
    limits: Limits,
    document: RawDocument,
    done: Vec<u32>,
    open: Vec<Open>,
    heights: Vec<usize>,
    anchors: FxHashMap<Text, u32>,
    /// An alias without anchor: its name and place.
    pub unknown: Option<(Text, usize)>,
}

impl RawSink {
    pub(crate) fn new(file: FileId, base: usize, limits: &Limits) -> Self {
        RawSink {
            file,
            base,
            limits: *limits,
            document: RawDocument::default(),
            done: Vec::new(),
            open: Vec::new(),
            heights: Vec::new(),
            anchors: FxHashMap::default(),
            unknown: None,
        }
    }

    fn finish(mut self) -> RawDocument {
        self.document.root = self.done.pop().unwrap_or_default();
        self.document.depth = self.height(self.document.root);
        self.document
    }

    /// Levels below a node, aliases followed; those of an anchor that is still
    /// open are not known yet, and an alias to it is refused by who follows it.
    fn height(&self, index: u32) -> usize {
        self.heights.get(index as usize).copied().unwrap_or(0)
    }

    fn add(
        &mut self,
        kind: RawKind,
        properties: Properties<'_>,
        style: Style,
        at: (usize, usize),
    ) -> Scan<u32> {
        let index = u32::try_from(self.document.nodes.len()).unwrap_or(u32::MAX);
        if self.document.nodes.len() >= self.limits.nodes {
            return Err(Refusal {
                problem: format!("document has more than {} nodes", self.limits.nodes).into(),
                context: None,
                at: at.0,
                scanner: true,
                limit: true,
            });
        }
        let written = properties.tag.as_deref();
        let tag = match (explicit(written), &kind) {
            (Some(tag), _) => tag,
            (None, RawKind::Scalar(text)) => implicit(text, style),
            (None, RawKind::Mapping(_)) => Tag::Map,
            (None, _) => Tag::Seq,
        };
        self.heights.push(match &kind {
            RawKind::Alias(_, target) => self.height(*target),
            _ => 0,
        });
        self.document.nodes.push(RawNode {
            kind,
            tag,
            written_tag: written.map(Text::from),
            style,
            anchor: properties.anchor.map(Text::from),
            comments: properties.comments,
            start: u32::try_from(self.base + properties.start).unwrap_or(u32::MAX),
            span: Span::new(self.file, self.base + at.0, self.base + at.1),
        });
        if let Some(name) = properties.anchor {
            self.anchors.insert(name.into(), index);
        }
        Ok(index)
    }
}

impl RawSink {
    /// Whether a collection is a flow mapping (true), a block mapping (false), or none.
    fn is_map(&self, index: u32) -> Option<bool> {
        let node = self.document.nodes.get(index as usize)?;
        let is_map = matches!(node.kind, RawKind::Mapping(_));
        is_map.then_some(node.style == Style::Flow)
    }

    /// Hands a comment below what comes now to the key it belongs to.
    fn settle_foot(&mut self, comments: &mut Comments, flow: bool, first: usize) {
        let done = self.done.len();
        let children = done.saturating_sub(first);
        comments.settle_foot(flow, children, |back| {
            let key = *self.done.get(done.checked_sub(back)?)?;
            let key = self.document.nodes.get_mut(key as usize);
            key.map(|key| &mut key.comments)
        });
    }

    /// The comments of a node that comes now.
    #[inline]
    fn settled(&mut self, mut comments: Comments) -> Comments {
        if !comments.is_empty()
            && let Some((node, first)) = self.open.last().map(|open| (open.node, open.first))
            && let Some(flow) = self.is_map(node)
        {
            self.settle_foot(&mut comments, flow, first);
        }
        comments
    }
}

impl<'a> Sink<'a> for RawSink {
    fn complete(&mut self, above: Text, below: Text) {
        let root = self.done.last().map(|root| *root as usize);
        if let Some(root) = root.and_then(|root| self.document.nodes.get_mut(root)) {
            root.comments.set_around(above, below);
        }
    }

    fn scalar(
        &mut self,
        mut properties: Properties<'a>,
        value: Cow<'a, str>,
        style: Style,
        bytes: (usize, usize),
    ) -> Scan<()> {
        let kind = RawKind::Scalar(value.as_ref().into());
        properties.comments = self.settled(properties.comments);
        let index = self.add(kind, properties, style, bytes)?;
        self.done.push(index);
        Ok(())
    }

    fn open(&mut self, map: bool, flow: bool, properties: Properties<'a>, at: usize) -> Scan<()> {
        if self.open.len() >= self.limits.depth {
            return Err(too_deep(self.limits.depth, at));
        }
        let kind = if map {
            RawKind::Mapping(Vec::new())
        } else {
            RawKind::Sequence(Vec::new())
        };
        let style = if flow { Style::Flow } else { Style::Plain };
        let node = self.add(kind, properties, style, (at, at))?;
        self.open.push(Open {
            first: self.done.len(),
            node,
        });
        Ok(())
    }

    fn close(&mut self, end: usize, comments: Comments) -> Scan<()> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let node = self.document.nodes.get(open.node as usize);
        let mut comments = node.map_or(Comments::NONE, |node| node.comments.up_to(&comments));
        if !comments.is_empty() && self.is_map(open.node) == Some(false) {
            self.settle_foot(&mut comments, false, open.first);
        }
        let children = self.done.split_off(open.first);
        let below = children.iter().map(|child| self.height(*child)).max();
        if let Some(height) = self.heights.get_mut(open.node as usize) {
            *height = below.unwrap_or(0) + 1;
        }
        let comments = self.settled(comments);
        if let Some(node) = self.document.nodes.get_mut(open.node as usize) {
            node.comments = comments;
            let end = u32::try_from(self.base + end).unwrap_or(u32::MAX);
            node.span.end = end.max(node.span.start);
            match &mut node.kind {
                RawKind::Mapping(into) | RawKind::Sequence(into) => *into = children,
                RawKind::Scalar(_) | RawKind::Alias(..) => {}
            }
        }
        self.done.push(open.node);
        Ok(())
    }

    fn alias(&mut self, name: &'a str, bytes: (usize, usize), comments: Comments) -> Scan<()> {
        let Some(target) = self.anchors.get(name).copied() else {
            self.unknown = Some((name.into(), bytes.0));
            return Err(Refusal {
                problem: format!("unknown anchor '{name}' referenced").into(),
                context: None,
                at: bytes.0,
                scanner: false,
                limit: false,
            });
        };
        let properties = Properties {
            start: bytes.0,
            comments: self.settled(comments),
            ..Properties::default()
        };
        let index = self.add(
            RawKind::Alias(name.into(), target),
            properties,
            Style::Plain,
            bytes,
        )?;
        self.done.push(index);
        Ok(())
    }
}

/// Reads documents one by one.
pub(crate) struct RawReader<'a> {
    text: &'a str,
    grammar: Grammar<'a>,
    dialect: Dialect,
    file: FileId,
    base: usize,
    limits: Limits,
    stop: Option<Stop>,
}

impl<'a> RawReader<'a> {
    pub(crate) fn new(
        text: &'a str,
        dialect: Dialect,
        file: FileId,
        base: usize,
        limits: &Limits,
    ) -> Self {
        let stop = stop(text);
        let read = stop.map_or(text, |stop| text.get(..stop.piece).unwrap_or_default());
        RawReader {
            text,
            grammar: Grammar::new(read, dialect),
            dialect,
            file,
            base,
            limits: *limits,
            stop,
        }
    }

    /// The next document, or `None` at the end.
    ///
    /// # Errors
    ///
    /// When the text is refused.
    pub(crate) fn next(&mut self) -> Result<Option<RawDocument>, Error> {
        let mut sink = RawSink::new(self.file, self.base, &self.limits);
        let result = self.grammar.document(&mut sink);
        if let Some(stop) = self.stop {
            let refused_scanning = result.as_ref().is_err_and(|refusal| refusal.scanner);
            if stop.met(self.grammar.position(), refused_scanning) {
                return Err(stop.error(self.file, self.base));
            }
        }
        match result {
            Ok(true) => Ok(Some(sink.finish())),
            Ok(false) => Ok(None),
            Err(refusal) => Err(match sink.unknown.take() {
                // Upstream names no line, here.
                Some((_, at)) => Error::new(
                    ErrorKind::Alias,
                    refusal.problem.as_ref(),
                    Span::new(self.file, self.base + at, self.base + at),
                ),
                None => place::error(refusal, self.text, self.dialect, self.file, self.base),
            }),
        }
    }
}
