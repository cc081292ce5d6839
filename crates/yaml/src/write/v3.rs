//! kyaml's output: what its nodes print as.

use std::borrow::Cow;

use super::analyze::analyze;
use super::out::{Context, Out, STEP, choose};
use crate::read::Dialect;
use crate::scalar::resolve::resolve;
use crate::{Comments, Entry, Node, Style, Tag, Tagging, Value};

/// Length up to which a key needs no `?`.
const SIMPLE_KEY: usize = 128;

/// The text kyaml's `RNode.String` gives: order, quotes, block scalars, flow
/// collections and comments as they were, two spaces of indentation, sequences not
/// indented below their key, no folding.
pub fn emit_v3(node: &Node) -> String {
    emit(node, true)
}

/// [`emit_v3`] with sequences indented below their key, as go-yaml v3 writes
/// them unless it is told otherwise.
pub fn emit_v3_indented(node: &Node) -> String {
    emit(node, false)
}

fn emit(node: &Node, compact: bool) -> String {
    let mut writer = Writer {
        out: Out::new(usize::MAX, true),
        flow: 0,
        compact,
    };
    writer.document(node);
    writer.out.text
}

struct Writer {
    out: Out,
    /// Open flow collections.
    flow: usize,
    /// A sequence below a key is not indented.
    compact: bool,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    /// In a block sequence.
    Item,
    /// Key of a mapping.
    Key,
    /// Value of a block mapping.
    Value,
    /// In a flow sequence, or value of a flow mapping.
    Flow,
}

impl Writer {
    fn document(&mut self, node: &Node) {
        let comments = &node.comments;
        if !comments.above().is_empty() {
            self.out.pending.head = comments.above().into();
            self.out.comment_above(-1);
            self.out.put_break();
        }
        self.begin(node);
        self.out.comment_above(-1);
        self.node(node, -1, Place::Root);
        if !comments.below().is_empty() {
            self.out.pending.foot = comments.below().into();
        }
        self.out.foot_indent = Some(0);
        self.out.comment_below(-1);
        self.out.foot_indent = None;
        self.out.indent(-1);
    }

    /// Notes the comments of a node that is to be written.
    fn begin(&mut self, node: &Node) {
        if !node.comments.is_empty() {
            let is_scalar = node.is_scalar();
            self.out.pending.begin(&node.comments, is_scalar);
        }
    }

    /// Writes a node, and the comments that wait once it is written. In a collection
    /// those come before what it holds.
    fn node(&mut self, node: &Node, indent: i32, place: Place) {
        let tag = shown_tag(node);
        match &node.value {
            Value::Scalar(text) => {
                self.scalar(node, text, indent, false);
                self.comments(indent, place);
            }
            Value::Mapping(entries) => {
                self.tag(tag);
                self.comments(indent, place);
                if self.flow > 0 || node.style == Style::Flow || entries.is_empty() {
                    self.flow_mapping(entries, &node.comments, indent);
                } else {
                    self.mapping(entries, &node.comments, indent);
                }
            }
            Value::Sequence(items) => {
                self.tag(tag);
                self.comments(indent, place);
                if self.flow > 0 || node.style == Style::Flow || items.is_empty() {
                    self.flow_sequence(items, &node.comments, indent);
                } else {
                    self.sequence(items, &node.comments, indent, place);
                }
            }
        }
    }

    /// Writes the comments that wait behind and below a node.
    fn comments(&mut self, indent: i32, place: Place) {
        match place {
            Place::Key => return,
            Place::Flow if self.out.pending.follows() => {
                self.out.indicator(",", false, false, false);
            }
            Place::Root | Place::Item | Place::Value | Place::Flow => {}
        }
        self.out.comment_behind(indent);
        self.out.comment_below(indent);
    }

    fn tag(&mut self, tag: Option<&str>) {
        if let Some(tag) = tag {
            self.out.tag(tag);
        }
    }

    fn sequence(&mut self, items: &[Node], end: &Comments, indent: i32, place: Place) {
        let in_mapping = matches!(place, Place::Key | Place::Value);
        let flush = self.compact && in_mapping && (self.out.column == 0 || !self.out.indention);
        let indent = match indent {
            ..0 => 0,
            _ if flush => indent,
            _ => indent + STEP,
        };
        for item in items {
            self.begin(item);
            self.out.comment_above(indent);
            self.out.indent(indent);
            self.out.indicator("-", true, false, true);
            self.node(item, indent, Place::Item);
        }
        self.out.pending.end(end);
    }

    fn mapping(&mut self, entries: &[Entry], end: &Comments, indent: i32) {
        let indent = if indent < 0 { 0 } else { indent + STEP };
        let mut tail = "";
        for Entry { key, value } in entries {
            let below = key.comments.foot();
            let key = &*self.key(key, tail);
            tail = below;
            self.out.comment_above(indent);
            self.out.indent(indent);
            let behind = std::mem::take(&mut self.out.pending.line);
            if !behind.is_empty() {
                self.out.pending.key_line = behind;
            }
            if is_simple_key(key) {
                self.simple_key(key, indent);
                self.begin(value);
                self.out.indicator(":", false, false, false);
            } else {
                self.out.indicator("?", true, false, true);
                self.node(key, indent, Place::Key);
                self.begin(value);
                self.out.indent(indent);
                self.out.indicator(":", true, false, true);
            }
            if !self.out.pending.key_line.is_empty() {
                self.comment_behind_key(value, indent);
            }
            self.node(value, indent, Place::Value);
        }
        self.out.pending.tail(tail);
        self.out.pending.end(end);
        self.out.comment_above(indent);
    }

    /// Notes the comments of a key and gives it without the one below, which comes once
    /// its value is written, as `tail` does, which stands below the key before.
    fn key<'n>(&mut self, key: &'n Node, tail: &str) -> Cow<'n, Node> {
        self.out.pending.tail(tail);
        let key = match key.comments.foot() {
            "" => Cow::Borrowed(key),
            _ => Cow::Owned(Node {
                comments: key.comments.without_foot(),
                ..key.clone()
            }),
        };
        self.begin(&key);
        key
    }

    /// A comment behind a key goes behind a scalar that is its value; before a block
    /// it is written at once, whether that turns out to be empty or not.
    fn comment_behind_key(&mut self, value: &Node, indent: i32) {
        let pending = &mut self.out.pending;
        if value.is_scalar() {
            if pending.line.is_empty() {
                pending.line = std::mem::take(&mut pending.key_line);
            }
        } else if value.style != Style::Flow {
            let own = std::mem::take(&mut pending.line);
            pending.line = std::mem::take(&mut pending.key_line);
            self.out.comment_behind(indent);
            self.out.pending.line = own;
        }
    }

    fn flow_sequence(&mut self, items: &[Node], end: &Comments, indent: i32) {
        self.out.indicator("[", true, true, false);
        self.flow += 1;
        let inner = scalar_indent(indent);
        let mut separated = true;
        for item in items {
            self.begin(item);
            self.flow_start(&mut separated, inner);
            self.node(item, inner, Place::Flow);
        }
        self.flow -= 1;
        self.out.pending.end(end);
        if self.out.column == 0 {
            self.out.indent(indent);
        }
        self.out.indicator("]", false, false, false);
        self.out.comment_behind(indent);
        self.out.comment_below(indent);
    }

    /// Begins what comes next in a flow collection, behind a comma unless there is
    /// one. Notes whether the comments behind it bring the next comma.
    fn flow_start(&mut self, separated: &mut bool, indent: i32) {
        if !*separated {
            self.out.indicator(",", false, false, false);
        }
        self.out.comment_above(indent);
        if self.out.column == 0 {
            self.out.indent(indent);
        }
        *separated = self.out.pending.follows();
    }

    fn flow_mapping(&mut self, entries: &[Entry], end: &Comments, indent: i32) {
        self.out.indicator("{", true, true, false);
        self.flow += 1;
        let inner = scalar_indent(indent);
        let mut separated = true;
        let mut tail = "";
        for Entry { key, value } in entries {
            let below = key.comments.foot();
            let key = &*self.key(key, tail);
            tail = below;
            self.flow_start(&mut separated, inner);
            if is_simple_key(key) {
                self.simple_key(key, inner);
                self.begin(value);
                self.out.indicator(":", false, false, false);
            } else {
                self.out.indicator("?", true, false, false);
                self.node(key, inner, Place::Key);
                self.begin(value);
                self.out.indicator(":", true, false, false);
            }
            separated = self.out.pending.follows();
            self.node(value, inner, Place::Flow);
        }
        self.out.pending.tail(tail);
        self.out.pending.end(end);
        let pending = &self.out.pending;
        let waits =
            !(pending.head.is_empty() && pending.foot.is_empty() && pending.tail.is_empty());
        if waits && !separated {
            self.out.indicator(",", false, false, false);
        }
        self.out.comment_above(inner);
        self.flow -= 1;
        self.out.indicator("}", false, false, false);
        self.out.comment_behind(indent);
        self.out.comment_below(indent);
    }

    fn simple_key(&mut self, key: &Node, indent: i32) {
        match &key.value {
            Value::Scalar(text) => self.scalar(key, text, indent, true),
            // Only empty collections are simple.
            _ => self.node(key, indent, Place::Key),
        }
    }

    fn scalar(&mut self, node: &Node, text: &str, indent: i32, simple_key: bool) {
        let tag = shown_tag(node);
        let context = Context {
            flow: self.flow > 0,
            simple_key,
        };
        let style = choose(wanted_style(node, text), text, analyze(text, true), context);
        self.tag(tag);
        self.out
            .scalar(text, style, scalar_indent(indent), !simple_key);
    }
}

fn scalar_indent(indent: i32) -> i32 {
    if indent < 0 { STEP } else { indent + STEP }
}

/// The tag that has to be written for the node to be read as what it is.
fn shown_tag(node: &Node) -> Option<&str> {
    let tag = node.tag.short();
    if node.tagging == Tagging::Written {
        return Some(tag);
    }
    let implied = match &node.value {
        Value::Mapping(_) => node.tag == Tag::Map,
        Value::Sequence(_) => node.tag == Tag::Seq,
        Value::Scalar(text) => {
            node.tag == Tag::Str || resolve(text, Dialect::V3, true).tag() == node.tag
        }
    };
    (!implied).then_some(tag)
}

fn wanted_style(node: &Node, text: &str) -> Style {
    match node.style {
        Style::Plain | Style::Flow => {}
        quoted => return quoted,
    }
    if text.contains('\n') {
        return Style::Literal;
    }
    let ambiguous = node.tag == Tag::Str
        && node.tagging != Tagging::Written
        && resolve(text, Dialect::V3, true).tag() != Tag::Str;
    if ambiguous {
        Style::DoubleQuoted
    } else {
        Style::Plain
    }
}

fn is_simple_key(key: &Node) -> bool {
    let tag = shown_tag(key).map_or(0, str::len);
    match &key.value {
        Value::Scalar(text) => !analyze(text, true).multiline && tag + text.len() <= SIMPLE_KEY,
        Value::Mapping(entries) => entries.is_empty() && tag <= SIMPLE_KEY,
        Value::Sequence(items) => items.is_empty() && tag <= SIMPLE_KEY,
    }
}
