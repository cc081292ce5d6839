//! The node tree.

use ecow::{EcoString, EcoVec};
use rustc_hash::FxHashMap;

use crate::{Comments, Span};

/// Text that is cheap to clone.
pub type Text = EcoString;

/// The resolved type of a node.
///
/// Scalars keep the text they were written with ([`Value::Scalar`]); the tag
/// says what that text means to the resolver that read it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// `!!null`
    Null,
    /// `!!bool`
    Bool,
    /// `!!int`
    Int,
    /// `!!float`
    Float,
    /// `!!str`
    Str,
    /// `!!timestamp`
    Timestamp,
    /// `!!binary`
    Binary,
    /// `!!merge`, the key `<<`
    Merge,
    /// `!!map`
    Map,
    /// `!!seq`
    Seq,
    /// Any other tag, as written. Rare: in a box, so that nodes stay small.
    Other(Box<Text>),
}

/// How a node was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Plain scalar, block collection.
    #[default]
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// `{…}` or `[…]`
    Flow,
}

/// How the tag of a node came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tagging {
    /// It follows from text and style, by the reader's rules.
    #[default]
    Implied,
    /// It was written out (`!!str 1`) and is kept when the node is printed.
    Written,
    /// Whoever made the scalar did not say one. Printed and read again it is what
    /// text and style imply; Go's tools take it for a string until then.
    Open,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The text of a scalar, escapes and folding undone.
    Scalar(Text),
    /// Keys and values in written order.
    Mapping(Mapping),
    /// Items in order.
    Sequence(EcoVec<Node>),
}

/// The entries of a mapping, in order.
pub type Mapping = EcoVec<Entry>;

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Node,
    /// The value.
    pub value: Node,
}

/// A YAML node. Cloning is cheap: children are shared until changed.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it holds.
    pub value: Value,
    /// What it means.
    pub tag: Tag,
    /// How it was written.
    pub style: Style,
    /// How the tag came to be.
    pub tagging: Tagging,
    /// The value is not readable from Git: the text is a stable marker.
    pub unknown: bool,
    /// The comments that belong to it. Nodes that were made have none.
    pub comments: Comments,
    /// Where the effective value was written.
    pub span: Span,
}

/// Equal content: value and tag; neither style nor place count.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag && self.value == other.value
    }
}

impl Node {
    fn scalar(tag: Tag, text: impl Into<Text>) -> Self {
        Node {
            value: Value::Scalar(text.into()),
            tag,
            style: Style::Plain,
            tagging: Tagging::Implied,
            unknown: false,
            comments: Comments::NONE,
            span: Span::NONE,
        }
    }

    /// A string.
    pub fn string(text: impl Into<Text>) -> Self {
        Self::scalar(Tag::Str, text)
    }

    /// An integer.
    pub fn int(value: i64) -> Self {
        Self::scalar(Tag::Int, value.to_string())
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Self::scalar(Tag::Bool, if value { "true" } else { "false" })
    }

    /// `null`.
    pub fn null() -> Self {
        Self::scalar(Tag::Null, "null")
    }

    /// A mapping of string keys.
    pub fn map<K: Into<Text>>(entries: impl IntoIterator<Item = (K, Node)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| Entry {
            key: Node::string(key),
            value,
        });
        Node {
            value: Value::Mapping(entries.collect()),
            tag: Tag::Map,
            style: Style::Plain,
            tagging: Tagging::Implied,
            unknown: false,
            comments: Comments::NONE,
            span: Span::NONE,
        }
    }

    /// A sequence.
    pub fn seq(items: impl IntoIterator<Item = Node>) -> Self {
        Node {
            value: Value::Sequence(items.into_iter().collect()),
            tag: Tag::Seq,
            style: Style::Plain,
            tagging: Tagging::Implied,
            unknown: false,
            comments: Comments::NONE,
            span: Span::NONE,
        }
    }

    /// The same node said to stand at `span`.
    pub fn at(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// Whether it is null. A scalar whose tag was left open never is.
    pub fn is_null(&self) -> bool {
        self.tag == Tag::Null && self.tagging != Tagging::Open
    }

    /// Whether it is a mapping.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Mapping(_))
    }

    /// Whether it is a sequence.
    pub fn is_seq(&self) -> bool {
        matches!(self.value, Value::Sequence(_))
    }

    /// Whether it is a scalar of any type, null included.
    pub fn is_scalar(&self) -> bool {
        matches!(self.value, Value::Scalar(_))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match (&self.tag, &self.value) {
            (Tag::Str, Value::Scalar(text)) => Some(text),
            _ => None,
        }
    }

    /// The text of any scalar, as written.
    pub fn text(&self) -> Option<&Text> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean in its canonical forms.
    pub fn as_bool(&self) -> Option<bool> {
        match (&self.tag, self.text()?.as_str()) {
            (Tag::Bool, "true" | "True" | "TRUE") => Some(true),
            (Tag::Bool, "false" | "False" | "FALSE") => Some(false),
            _ => None,
        }
    }

    /// The value of a decimal integer.
    pub fn as_i64(&self) -> Option<i64> {
        match self.tag {
            Tag::Int => self.text()?.parse().ok(),
            _ => None,
        }
    }

    /// The entries of a mapping; empty for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The entries of a mapping, to change.
    pub fn entries_mut(&mut self) -> Option<&mut Mapping> {
        match &mut self.value {
            Value::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a sequence; empty for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Sequence(items) => items,
            _ => &[],
        }
    }

    /// The items of a sequence, to change.
    pub fn items_mut(&mut self) -> Option<&mut EcoVec<Node>> {
        match &mut self.value {
            Value::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The entry of a mapping with this key text.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()
            .iter()
            .find(|entry| entry.key.text().is_some_and(|text| text == key))
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value under a key of a mapping, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let at = self
            .entries()
            .iter()
            .position(|entry| entry.key.text().is_some_and(|text| text == key))?;
        match &mut self.value {
            Value::Mapping(entries) => entries.make_mut().get_mut(at).map(|e| &mut e.value),
            _ => None,
        }
    }

    /// The value under a path of keys.
    pub fn path(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The string under a path of keys.
    pub fn str_at(&self, path: &[&str]) -> Option<&str> {
        self.path(path)?.as_str()
    }

    /// Sets a key of a mapping: replaces the value, keeping the key's place, or
    /// appends. Does nothing to a node that is no mapping.
    pub fn insert(&mut self, key: &str, value: Node) {
        if let Some(old) = self.get_mut(key) {
            *old = value;
        } else if let Some(entries) = self.entries_mut() {
            entries.push(Entry {
                key: Node::string(key),
                value,
            });
        }
    }

    /// Removes a key of a mapping and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self
            .entries()
            .iter()
            .position(|entry| entry.key.text().is_some_and(|text| text == key))?;
        self.entries_mut().map(|entries| entries.remove(at).value)
    }

    /// Calls `visit` with the span of the node and of every node below it.
    pub fn each_span(&mut self, visit: &mut impl FnMut(&mut Span)) {
        visit(&mut self.span);
        match &mut self.value {
            Value::Scalar(_) => {}
            Value::Sequence(items) => {
                for item in items.make_mut() {
                    item.each_span(visit);
                }
            }
            Value::Mapping(entries) => {
                for entry in entries.make_mut() {
                    entry.key.each_span(visit);
                    entry.value.each_span(visit);
                }
            }
        }
    }

    /// Takes over spans and marks from a tree of the same values: items stand
    /// at their index, entries under their key.
    pub(crate) fn stand_where(&mut self, from: &Node) {
        self.take_over(from, |_, _| ());
    }

    /// [`Node::stand_where`], with numbers in the form they have there.
    pub(crate) fn stand_where_with_numbers(&mut self, from: &Node) {
        self.take_over(from, |node, from| {
            if matches!(from.tag, Tag::Int | Tag::Float) {
                node.tag = from.tag.clone();
                node.value = from.value.clone();
            }
        });
    }

    fn take_over(&mut self, from: &Node, more: fn(&mut Node, &Node)) {
        self.span = from.span;
        self.unknown = from.unknown;
        more(self, from);
        if let Value::Sequence(items) = &mut self.value {
            for (item, from) in items.make_mut().iter_mut().zip(from.items()) {
                item.take_over(from, more);
            }
        }
        let Value::Mapping(entries) = &mut self.value else {
            return;
        };
        let sources: FxHashMap<&str, &Entry> = from
            .entries()
            .iter()
            .filter_map(|entry| Some((entry.key.text()?.as_str(), entry)))
            .collect();
        for entry in entries.make_mut() {
            match entry.key.text().and_then(|text| sources.get(text.as_str())) {
                Some(source) => {
                    entry.key.take_over(&source.key, more);
                    entry.value.take_over(&source.value, more);
                }
                None => {
                    entry.key.span = from.span;
                    entry.value.span = from.span;
                }
            }
        }
    }
}
