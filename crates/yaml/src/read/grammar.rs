//! Tokens to nodes: which token may follow which, and what it means.
//!
//! The grammar keeps its own stack, so nesting costs no call stack. Nodes go
//! to a [`Sink`] in document order.

use std::borrow::Cow;

use super::scanner::{Scan, Scanner};
use super::token::{Dialect, Kind, Refusal};
use crate::{Comments, Style, Text};

/// What stands before a node: its anchor and tag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties<'a> {
    pub anchor: Option<&'a str>,
    /// The tag with its handle resolved, `tag:yaml.org,2002:str`.
    pub tag: Option<Cow<'a, str>>,
    /// The comments that belong to the node, those of a collection's end apart.
    pub comments: Comments,
    /// Where the node begins, properties included.
    pub start: usize,
}

/// Receives the nodes of a document.
pub(crate) trait Sink<'a> {
    fn scalar(
        &mut self,
        properties: Properties<'a>,
        value: Cow<'a, str>,
        style: Style,
        bytes: (usize, usize),
    ) -> Scan<()>;
    fn open(&mut self, map: bool, flow: bool, properties: Properties<'a>, at: usize) -> Scan<()>;
    /// `comments`: those of the collection's end.
    fn close(&mut self, end: usize, comments: Comments) -> Scan<()>;
    fn alias(&mut self, name: &'a str, bytes: (usize, usize), comments: Comments) -> Scan<()>;
    /// The document is complete; comments stand `above` and `below` it.
    fn complete(&mut self, above: Text, below: Text) {
        let _ = (above, below);
    }
}

/// What is expected next inside an open collection. The offset is where the
/// collection began, for messages.
#[derive(Clone, Copy, Debug)]
enum Expect {
    BlockItem(usize),
    IndentlessItem,
    BlockKey(usize),
    BlockValue(usize),
    FlowItem(usize, bool),
    /// A `key: value` that stands as an item of a flow sequence.
    PairKey,
    PairValue,
    PairEnd,
    FlowKey(usize, bool),
    FlowValue(usize),
    FlowNoValue(usize),
}

/// Reads documents one after another.
pub(crate) struct Grammar<'a> {
    scanner: Scanner<'a>,
    stack: Vec<Expect>,
    handles: Vec<(&'a str, Cow<'a, str>)>,
    /// End of the last token that has characters.
    last_end: usize,
    /// The comment before a list item that is a block collection.
    stem: Comments,
    started: bool,
}

impl<'a> Grammar<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Self {
        Grammar {
            scanner: Scanner::new(text, dialect),
            stack: Vec::new(),
            handles: Vec::new(),
            last_end: 0,
            stem: Comments::NONE,
            started: false,
        }
    }

    /// How far the text was looked at.
    pub(crate) fn position(&self) -> usize {
        self.scanner.pos
    }

    /// Reads the next document into `sink`; `false` at the end of the stream.
    pub(crate) fn document(&mut self, sink: &mut impl Sink<'a>) -> Scan<bool> {
        let explicit = match self.document_start()? {
            None => return Ok(false),
            Some(explicit) => explicit,
        };
        let above = match explicit {
            true => Text::new(),
            false => self.scanner.waiting.take_above(),
        };
        let empty = explicit
            && matches!(
                self.scanner.peek()?.kind,
                Kind::Version { .. }
                    | Kind::TagHandle { .. }
                    | Kind::DocumentStart
                    | Kind::DocumentEnd
                    | Kind::StreamEnd
            );
        if empty {
            let at = self.scanner.peek()?.start;
            self.empty(sink, at)?;
        } else {
            self.node(sink, true, false)?;
        }
        while let Some(expect) = self.stack.pop() {
            self.step(sink, expect)?;
        }
        let below = self.document_end()?;
        sink.complete(above, below);
        Ok(true)
    }

    /// Reads what stands before a document's content. Tells whether `---`
    /// stood there; `None` at the end of the stream.
    fn document_start(&mut self) -> Scan<Option<bool>> {
        let first = !self.started;
        self.started = true;
        if !first {
            while self.scanner.peek()?.kind == Kind::DocumentEnd {
                self.skip()?;
            }
        }
        let token = self.scanner.peek()?;
        match token.kind {
            Kind::StreamEnd => return Ok(None),
            Kind::Version { .. } | Kind::TagHandle { .. } | Kind::DocumentStart => {}
            _ if first => {
                self.directives()?;
                return Ok(Some(false));
            }
            _ => {}
        }
        self.directives()?;
        let token = self.scanner.peek()?;
        if token.kind != Kind::DocumentStart {
            return Err(problem(
                "did not find expected <document start>",
                token.start,
            ));
        }
        self.skip()?;
        Ok(Some(true))
    }

    /// Reads what ends a document. Gives the comment below it.
    fn document_end(&mut self) -> Scan<Text> {
        if self.scanner.peek()?.kind == Kind::DocumentEnd {
            self.skip()?;
        }
        self.handles.clear();
        Ok(self.scanner.waiting.take_below())
    }

    fn directives(&mut self) -> Scan<()> {
        let mut versioned = false;
        loop {
            let token = self.scanner.peek()?;
            let at = token.start;
            match &token.kind {
                Kind::Version { .. } if versioned => {
                    return Err(problem("found duplicate %YAML directive", at));
                }
                Kind::Version { major: 1, minor: 1 } => versioned = true,
                Kind::Version { .. } => {
                    return Err(problem("found incompatible YAML document", at));
                }
                Kind::TagHandle { handle, prefix } => {
                    let (handle, prefix) = (*handle, prefix.clone());
                    if self.handles.iter().any(|(known, _)| *known == handle) {
                        return Err(problem("found duplicate %TAG directive", at));
                    }
                    self.handles.push((handle, prefix));
                }
                _ => break,
            }
            self.skip()?;
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.handles.iter().any(|(known, _)| *known == handle) {
                self.handles.push((handle, prefix.into()));
            }
        }
        Ok(())
    }

    /// Takes a token and remembers its end.
    fn skip(&mut self) -> Scan<usize> {
        let token = self.scanner.next()?;
        if token.end > token.start {
            self.last_end = token.end;
        }
        Ok(token.end)
    }

    /// The comments of what begins or ends here.
    fn comments(&mut self) -> Comments {
        self.scanner.waiting.take()
    }

    /// Takes the `-` of a list item. A comment before it is the item's, even where
    /// that is a collection that begins with a node of its own.
    fn item(&mut self) -> Scan<usize> {
        let before = self.scanner.waiting.head_len();
        let end = self.skip()?;
        if before > 0
            && matches!(
                self.scanner.peek()?.kind,
                Kind::BlockSequence | Kind::BlockMapping
            )
        {
            self.stem = self.scanner.waiting.take_stem(before);
        }
        Ok(end)
    }

    fn empty(&mut self, sink: &mut impl Sink<'a>, at: usize) -> Scan<()> {
        let properties = Properties {
            start: at,
            ..Properties::default()
        };
        sink.scalar(properties, Cow::Borrowed(""), Style::Plain, (at, at))
    }

    /// Reads one node; a collection is opened and left to the stack.
    fn node(&mut self, sink: &mut impl Sink<'a>, block: bool, indentless: bool) -> Scan<()> {
        let token = self.scanner.peek()?;
        if let Kind::Alias(name) = token.kind {
            let bytes = (token.start, token.end);
            let comments = self.comments();
            self.skip()?;
            return sink.alias(name, bytes, comments);
        }
        let mut properties = self.properties()?;
        let token = self.scanner.peek()?;
        let at = token.start;
        match token.kind {
            Kind::Item if indentless => {
                self.stack.push(Expect::IndentlessItem);
                sink.open(false, false, properties, at)
            }
            Kind::Scalar { .. } => self.scalar(sink, properties),
            Kind::FlowSequence => {
                properties.comments = self.comments();
                self.skip()?;
                self.stack.push(Expect::FlowItem(at, true));
                sink.open(false, true, properties, at)
            }
            Kind::FlowMapping => {
                properties.comments = self.comments();
                self.skip()?;
                self.stack.push(Expect::FlowKey(at, true));
                sink.open(true, true, properties, at)
            }
            Kind::BlockSequence if block => {
                properties.comments = std::mem::take(&mut self.stem);
                self.skip()?;
                self.stack.push(Expect::BlockItem(at));
                sink.open(false, false, properties, at)
            }
            Kind::BlockMapping if block => {
                properties.comments = std::mem::take(&mut self.stem);
                self.skip()?;
                self.stack.push(Expect::BlockKey(at));
                sink.open(true, false, properties, at)
            }
            _ if properties.anchor.is_some() || properties.tag.is_some() => {
                let bytes = (self.last_end, self.last_end);
                sink.scalar(properties, Cow::Borrowed(""), Style::Plain, bytes)
            }
            _ => Err(Refusal {
                context: Some(properties.start),
                ..problem("did not find expected node content", at)
            }),
        }
    }

    fn scalar(&mut self, sink: &mut impl Sink<'a>, mut properties: Properties<'a>) -> Scan<()> {
        properties.comments = self.comments();
        let token = self.scanner.next()?;
        self.last_end = token.end;
        match token.kind {
            Kind::Scalar { value, style } => {
                sink.scalar(properties, value, style, (token.start, token.end))
            }
            _ => Ok(()),
        }
    }

    /// Reads anchor and tag, in either order, each at most once.
    fn properties(&mut self) -> Scan<Properties<'a>> {
        let start = self.scanner.peek()?.start;
        let mut anchor = None;
        let mut tag = None;
        let mut undefined = None;
        loop {
            let token = self.scanner.peek()?;
            match &token.kind {
                Kind::Anchor(name) if anchor.is_none() => anchor = Some(*name),
                Kind::Tag { handle, suffix } if tag.is_none() => {
                    let (handle, suffix) = (*handle, suffix.clone());
                    let at = token.start;
                    tag = self.resolve_tag(handle, suffix);
                    if tag.is_none() {
                        undefined = Some(at);
                        // Told only behind the anchor that may follow.
                        tag = Some(Cow::Borrowed(""));
                    }
                }
                _ => break,
            }
            self.skip()?;
        }
        if let Some(at) = undefined {
            return Err(Refusal {
                context: Some(start),
                ..problem("found undefined tag handle", at)
            });
        }
        Ok(Properties {
            anchor,
            tag,
            start,
            comments: Comments::NONE,
        })
    }

    fn resolve_tag(&self, handle: &str, suffix: Cow<'a, str>) -> Option<Cow<'a, str>> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let (_, prefix) = self.handles.iter().find(|(known, _)| *known == handle)?;
        let tag = format!("{prefix}{suffix}");
        (!tag.is_empty()).then_some(Cow::Owned(tag))
    }

    fn step(&mut self, sink: &mut impl Sink<'a>, expect: Expect) -> Scan<()> {
        match expect {
            Expect::BlockItem(at) => self.block_item(sink, at),
            Expect::IndentlessItem => self.indentless_item(sink),
            Expect::BlockKey(at) => self.block_key(sink, at),
            Expect::BlockValue(at) => self.block_value(sink, at),
            Expect::FlowItem(at, first) => self.flow_item(sink, at, first),
            Expect::PairKey => self.pair_key(sink),
            Expect::PairValue => self.pair_value(sink),
            Expect::PairEnd => sink.close(self.last_end, Comments::NONE),
            Expect::FlowKey(at, first) => self.flow_key(sink, at, first),
            Expect::FlowValue(at) => self.flow_value(sink, at),
            Expect::FlowNoValue(at) => {
                let here = self.scanner.peek()?.start;
                self.stack.push(Expect::FlowKey(at, false));
                self.empty(sink, here)
            }
        }
    }

    fn block_item(&mut self, sink: &mut impl Sink<'a>, at: usize) -> Scan<()> {
        let token = self.scanner.peek()?;
        match token.kind {
            Kind::Item => {
                let end = self.item()?;
                self.stack.push(Expect::BlockItem(at));
                match self.scanner.peek()?.kind {
                    Kind::Item | Kind::BlockEnd { .. } => self.empty(sink, end),
                    _ => self.node(sink, true, false),
                }
            }
            Kind::BlockEnd { .. } => {
                self.skip()?;
                sink.close(self.last_end, Comments::NONE)
            }
            _ => Err(Refusal {
                context: Some(at),
                ..problem("did not find expected '-' indicator", token.start)
            }),
        }
    }

    fn indentless_item(&mut self, sink: &mut impl Sink<'a>) -> Scan<()> {
        if self.scanner.peek()?.kind != Kind::Item {
            return sink.close(self.last_end, Comments::NONE);
        }
        let end = self.item()?;
        self.stack.push(Expect::IndentlessItem);
        match self.scanner.peek()?.kind {
            Kind::Item | Kind::Key | Kind::Value | Kind::BlockEnd { .. } => self.empty(sink, end),
            _ => self.node(sink, true, false),
        }
    }

    fn block_key(&mut self, sink: &mut impl Sink<'a>, at: usize) -> Scan<()> {
        let token = self.scanner.peek()?;
        match token.kind {
            Kind::Key => {
                let end = self.skip()?;
                self.stack.push(Expect::BlockValue(at));
                match self.scanner.peek()?.kind {
                    Kind::Key | Kind::Value | Kind::BlockEnd { .. } => self.empty(sink, end),
                    _ => self.node(sink, true, true),
                }
            }
            Kind::BlockEnd { .. } => {
                let comments = self.comments();
                self.skip()?;
                sink.close(self.last_end, comments)
            }
            _ => Err(Refusal {
                context: Some(at),
                ..problem("did not find expected key", token.start)
            }),
        }
    }

    fn block_value(&mut self, sink: &mut impl Sink<'a>, at: usize) -> Scan<()> {
        self.stack.push(Expect::BlockKey(at));
        let token = self.scanner.peek()?;
        if token.kind != Kind::Value {
            let here = token.start;
            return self.empty(sink, here);
        }
        let end = self.skip()?;
        match self.scanner.peek()?.kind {
            Kind::Key | Kind::Value | Kind::BlockEnd { .. } => self.empty(sink, end),
            _ => self.node(sink, true, true),
        }
    }

    fn flow_item(&mut self, sink: &mut impl Sink<'a>, at: usize, first: bool) -> Scan<()> {
        if !first {
            let token = self.scanner.peek()?;
            match token.kind {
                Kind::FlowSequenceEnd => {}
                Kind::Comma => {
                    self.skip()?;
                }
                _ => {
                    return Err(Refusal {
                        context: Some(at),
                        ..problem("did not find expected ',' or ']'", token.start)
                    });
                }
            }
        }
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            Kind::FlowSequenceEnd => {
                let comments = self.comments();
                let end = self.skip()?;
                sink.close(end, comments)
            }
            Kind::Key => {
                self.skip()?;
                self.stack.push(Expect::FlowItem(at, false));
                self.stack.push(Expect::PairKey);
                let properties = Properties {
                    start,
                    ..Properties::default()
                };
                sink.open(true, true, properties, start)
            }
            _ => {
                self.stack.push(Expect::FlowItem(at, false));
                self.node(sink, false, false)
            }
        }
    }

    fn pair_key(&mut self, sink: &mut impl Sink<'a>) -> Scan<()> {
        self.stack.push(Expect::PairValue);
        match self.scanner.peek()?.kind {
            Kind::Value | Kind::Comma | Kind::FlowSequenceEnd => {
                // Upstream takes the token that shows the key to be empty:
                // `[? : x]` has no value left to find.
                let end = self.skip()?;
                self.empty(sink, end)
            }
            _ => self.node(sink, false, false),
        }
    }

    fn pair_value(&mut self, sink: &mut impl Sink<'a>) -> Scan<()> {
        self.stack.push(Expect::PairEnd);
        let token = self.scanner.peek()?;
        let here = token.start;
        if token.kind == Kind::Value {
            self.skip()?;
            if !matches!(
                self.scanner.peek()?.kind,
                Kind::Comma | Kind::FlowSequenceEnd
            ) {
                return self.node(sink, false, false);
            }
        }
        self.empty(sink, here)
    }

    fn flow_key(&mut self, sink: &mut impl Sink<'a>, at: usize, first: bool) -> Scan<()> {
        if !first {
            let token = self.scanner.peek()?;
            match token.kind {
                Kind::FlowMappingEnd => {}
                Kind::Comma => {
                    self.skip()?;
                }
                _ => {
                    return Err(Refusal {
                        context: Some(at),
                        ..problem("did not find expected ',' or '}'", token.start)
                    });
                }
            }
        }
        match self.scanner.peek()?.kind {
            Kind::FlowMappingEnd => {
                let comments = self.comments();
                let end = self.skip()?;
                sink.close(end, comments)
            }
            Kind::Key => {
                self.skip()?;
                self.stack.push(Expect::FlowValue(at));
                let token = self.scanner.peek()?;
                match token.kind {
                    Kind::Value | Kind::Comma | Kind::FlowMappingEnd => {
                        let here = token.start;
                        self.empty(sink, here)
                    }
                    _ => self.node(sink, false, false),
                }
            }
            _ => {
                self.stack.push(Expect::FlowNoValue(at));
                self.node(sink, false, false)
            }
        }
    }

    fn flow_value(&mut self, sink: &mut impl Sink<'a>, at: usize) -> Scan<()> {
        self.stack.push(Expect::FlowKey(at, false));
        if self.scanner.peek()?.kind == Kind::Value {
            self.skip()?;
            if !matches!(
                self.scanner.peek()?.kind,
                Kind::Comma | Kind::FlowMappingEnd
            ) {
                return self.node(sink, false, false);
            }
        }
        let here = self.scanner.peek()?.start;
        self.empty(sink, here)
    }
}

fn problem(text: &'static str, at: usize) -> Refusal {
    Refusal {
        problem: text.into(),
        context: None,
        at,
        scanner: false,
        limit: false,
    }
}
