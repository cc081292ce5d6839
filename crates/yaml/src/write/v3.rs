//! kyaml's output: what its nodes print as.

use super::analyze::analyze;
use super::out::{Context, Out, STEP, choose};
use crate::read::Dialect;
use crate::scalar::resolve::resolve;
use crate::{Entry, Node, Style, Tag, Tagging, Value};

/// Length up to which a key needs no `?`.
const SIMPLE_KEY: usize = 128;

/// The text kyaml's `RNode.String` gives: order, quotes, block scalars and
/// flow collections as they were, two spaces of indentation, sequences not
/// indented below their key, no folding.
///
/// Comments are not kept by the tree and so are not written.
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
    writer.node(node, -1, Place::Root);
    writer.out.indent(-1);
    writer.out.text
}

struct Writer {
    out: Out,
    /// Open flow collections.
    flow: usize,
    /// A sequence below a key is not indented.
    compact: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Item,
    Mapping,
}

impl Writer {
    fn node(&mut self, node: &Node, indent: i32, place: Place) {
        let tag = shown_tag(node);
        match &node.value {
            Value::Scalar(text) => self.scalar(node, text, indent, false),
            Value::Mapping(entries) => {
                self.tag(tag);
                if self.flow > 0 || node.style == Style::Flow || entries.is_empty() {
                    self.flow_mapping(entries, indent);
                } else {
                    self.mapping(entries, indent);
                }
            }
            Value::Sequence(items) => {
                self.tag(tag);
                if self.flow > 0 || node.style == Style::Flow || items.is_empty() {
                    self.flow_sequence(items, indent);
                } else {
                    self.sequence(items, indent, place);
                }
            }
        }
    }

    fn tag(&mut self, tag: Option<&str>) {
        if let Some(tag) = tag {
            self.out.tag(tag);
        }
    }

    fn sequence(&mut self, items: &[Node], indent: i32, place: Place) {
        let flush = self.compact
            && place == Place::Mapping
            && (self.out.column == 0 || !self.out.indention);
        let indent = match indent {
            ..0 => 0,
            _ if flush => indent,
            _ => indent + STEP,
        };
        for item in items {
            self.out.indent(indent);
            self.out.indicator("-", true, false, true);
            self.node(item, indent, Place::Item);
        }
    }

    fn mapping(&mut self, entries: &[Entry], indent: i32) {
        let indent = if indent < 0 { 0 } else { indent + STEP };
        for Entry { key, value } in entries {
            self.out.indent(indent);
            if is_simple_key(key) {
                self.simple_key(key, indent);
                self.out.indicator(":", false, false, false);
            } else {
                self.out.indicator("?", true, false, true);
                self.node(key, indent, Place::Mapping);
                self.out.indent(indent);
                self.out.indicator(":", true, false, true);
            }
            self.node(value, indent, Place::Mapping);
        }
    }

    fn flow_sequence(&mut self, items: &[Node], indent: i32) {
        self.out.indicator("[", true, true, false);
        self.flow += 1;
        let indent = scalar_indent(indent);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.indicator(",", false, false, false);
            }
            self.node(item, indent, Place::Item);
        }
        self.flow -= 1;
        self.out.indicator("]", false, false, false);
    }

    fn flow_mapping(&mut self, entries: &[Entry], indent: i32) {
        self.out.indicator("{", true, true, false);
        self.flow += 1;
        let indent = scalar_indent(indent);
        for (index, Entry { key, value }) in entries.iter().enumerate() {
            if index > 0 {
                self.out.indicator(",", false, false, false);
            }
            if is_simple_key(key) {
                self.simple_key(key, indent);
                self.out.indicator(":", false, false, false);
            } else {
                self.out.indicator("?", true, false, false);
                self.node(key, indent, Place::Mapping);
                self.out.indicator(":", true, false, false);
            }
            self.node(value, indent, Place::Mapping);
        }
        self.flow -= 1;
        self.out.indicator("}", false, false, false);
    }

    fn simple_key(&mut self, key: &Node, indent: i32) {
        match &key.value {
            Value::Scalar(text) => self.scalar(key, text, indent, true),
            // Only empty collections are simple.
            _ => self.node(key, indent, Place::Mapping),
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
