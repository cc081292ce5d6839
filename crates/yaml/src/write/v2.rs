//! sigs.k8s.io/yaml's output: what `kustomize build` prints.

use std::borrow::Cow;

use super::analyze::analyze;
use super::order::sorted;
use super::out::{Context, Out, STEP, choose};
use crate::read::Dialect;
use crate::scalar::number::format_g;
use crate::scalar::resolve::{Resolved, resolve};
use crate::{Entry, Node, Span, Style, Tag, Value};

/// Column behind which scalars fold.
const WIDTH: usize = 80;
/// Length up to which a key needs no `?`.
const SIMPLE_KEY: usize = 128;

/// The YAML text of a canonical node, as sigs.k8s.io/yaml's `Marshal` and
/// `JSONToYAML` print it: keys sorted with digits as numbers, scalars folded
/// at 80 columns, sequences not indented.
pub fn emit_v2(node: &Node) -> String {
    let mut writer = Writer::new(false);
    writer.document(node);
    writer.out.text
}

/// Where the scalars of a written text came from: start and end in the text,
/// and the span of the node; sorted by place.
pub type Places = Vec<(u32, u32, Span)>;

/// [`emit_v2`], and where every scalar stands, keys included.
pub fn emit_v2_mapped(node: &Node) -> (String, Places) {
    let mut writer = Writer::new(true);
    writer.document(node);
    (writer.out.text, writer.map.unwrap_or_default())
}

struct Writer {
    out: Out,
    map: Option<Places>,
}

/// What a node stands in.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Item,
    Mapping,
}

impl Writer {
    fn new(mapped: bool) -> Self {
        Writer {
            out: Out::new(WIDTH, false),
            map: mapped.then(Vec::new),
        }
    }

    fn document(&mut self, node: &Node) {
        self.node(node, -1, Place::Root);
        self.out.indent(-1);
    }

    fn node(&mut self, node: &Node, indent: i32, place: Place) {
        match &node.value {
            Value::Scalar(text) => self.scalar(node, text, indent, false),
            Value::Mapping(entries) if entries.is_empty() => self.empty("{", "}"),
            Value::Sequence(items) if items.is_empty() => self.empty("[", "]"),
            Value::Mapping(entries) => self.mapping(entries, indent),
            Value::Sequence(items) => self.sequence(items, indent, place),
        }
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.out.indicator(open, true, true, false);
        self.out.indicator(close, false, false, false);
    }

    fn sequence(&mut self, items: &[Node], indent: i32, place: Place) {
        let flush = place == Place::Mapping && !self.out.indention;
        let indent = deeper(indent, flush);
        for item in items {
            self.out.indent(indent);
            self.out.indicator("-", true, false, true);
            self.node(item, indent, Place::Item);
        }
    }

    fn mapping(&mut self, entries: &[Entry], indent: i32) {
        let indent = deeper(indent, false);
        for Entry { key, value } in sorted(entries) {
            self.out.indent(indent);
            let simple = key
                .text()
                .is_some_and(|text| text.len() <= SIMPLE_KEY && !analyze(text, false).multiline);
            if simple {
                let text = key.text().map_or("", |text| text);
                self.scalar(key, text, indent, true);
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

    fn scalar(&mut self, node: &Node, text: &str, indent: i32, simple_key: bool) {
        let (text, wanted) = presentation(node, text);
        let indent = if indent < 0 { STEP } else { indent + STEP };
        let context = Context {
            flow: false,
            simple_key,
        };
        let style = choose(wanted, &text, analyze(&text, false), context);
        self.out.separate();
        self.out.whitespace = true;
        let start = self.out.text.len();
        self.out.scalar(&text, style, indent, !simple_key);
        if let Some(map) = &mut self.map {
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            map.push((offset(start), offset(self.out.text.len()), node.span));
        }
    }
}

fn deeper(indent: i32, flush: bool) -> i32 {
    match indent {
        ..0 => 0,
        _ if flush => indent,
        _ => indent + STEP,
    }
}

/// The text a scalar is printed with, and the style to try.
fn presentation<'a>(node: &Node, text: &'a str) -> (Cow<'a, str>, Style) {
    match node.tag {
        Tag::Null => ("null".into(), Style::Plain),
        Tag::Bool => (text.into(), Style::Plain),
        Tag::Int | Tag::Float => (number(text).into(), Style::Plain),
        _ if text.contains('\n') => (text.into(), Style::Literal),
        _ => {
            let plain = resolve(text, Dialect::V2, true) == Resolved::Str && !is_base60(text);
            let style = if plain {
                Style::Plain
            } else {
                Style::DoubleQuoted
            };
            (text.into(), style)
        }
    }
}

/// A JSON number as YAML: what cannot be an integer is a float.
fn number(text: &str) -> String {
    match resolve(text, Dialect::V2, false) {
        Resolved::Int(value) => value.to_string(),
        Resolved::Uint(value) => value.to_string(),
        Resolved::Float(value) => format_g(value),
        _ => text.into(),
    }
}

/// Whether the text is a number of base 60 in YAML 1.1, `12:30:45`.
pub(crate) fn is_base60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
        return false;
    }
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let leads = first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut count = 0;
    let sixties = parts.all(|part| {
        count += 1;
        match part.as_bytes() {
            [one] => one.is_ascii_digit(),
            [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
            _ => false,
        }
    });
    leads && sixties && count > 0
}
