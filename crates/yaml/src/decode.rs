//! A raw tree to the generic value Go's decoders make of it, as a canonical
//! node: keys sorted and textual, numbers as JSON prints them.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::Dialect;
use crate::read::chars::break_len;
use crate::read::raw::{RawDocument, RawKind, RawNode};
use crate::scalar::resolve::{Resolved, resolve};
use crate::scalar::{base64, number};
use crate::{Entry, Error, ErrorKind, Limits, Node, Span, Style, Tag, Text, Value};

/// Decodes a document.
///
/// `text` is what the document was read from; its lines are named in messages.
///
/// # Errors
///
/// What go-yaml's decoder or encoding/json refuses, with their words.
pub(crate) fn decode(
    document: &RawDocument,
    text: &str,
    dialect: Dialect,
    strict: bool,
) -> Result<Node, Error> {
    let mut decoder = Decoder {
        document,
        text,
        dialect,
        strict,
        errors: Vec::new(),
        unsupported: None,
        active: FxHashSet::default(),
        decoded: 0,
        aliased: 0,
        alias_depth: 0,
    };
    let root = decoder.root()?;
    decoder.finish(root)
}

/// A key as Go compares it in a map of interfaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Text(Text),
    Int(i64),
    Uint(u64),
    Float(u64),
    Bool(bool),
    Null,
}

/// Entries of a mapping that is being decoded.
#[derive(Default)]
struct Fields {
    entries: Vec<(Key, Entry)>,
    place: FxHashMap<Key, usize>,
}

impl Fields {
    fn set(&mut self, key: Key, entry: Entry) {
        match self
            .place
            .get(&key)
            .and_then(|at| self.entries.get_mut(*at))
        {
            Some(old) => old.1 = entry,
            None => {
                self.place.insert(key.clone(), self.entries.len());
                self.entries.push((key, entry));
            }
        }
    }
}

struct Decoder<'a> {
    document: &'a RawDocument,
    text: &'a str,
    dialect: Dialect,
    strict: bool,
    /// Refusals that do not end the decoding.
    errors: Vec<(String, Span)>,
    /// A mapping JSON cannot hold.
    unsupported: Option<Error>,
    active: FxHashSet<u32>,
    decoded: u64,
    aliased: u64,
    alias_depth: u32,
}

type Decoded = Result<Node, Error>;

impl Decoder<'_> {
    fn get(&self, index: u32) -> Result<&RawNode, Error> {
        self.document
            .node(index)
            .ok_or_else(|| Error::new(ErrorKind::Alias, "node out of range", Span::NONE))
    }

    fn line(&self, node: &RawNode) -> u32 {
        let src = self.text.as_bytes();
        let mut line = 1;
        let mut at = 0;
        while at < (node.start as usize).min(src.len()) {
            match break_len(src, at) {
                0 => at += 1,
                len => {
                    line += 1;
                    at += len;
                }
            }
        }
        line
    }

    fn finish(self, root: Node) -> Decoded {
        if let Some((_, span)) = self.errors.first() {
            let mut cause = String::from("unmarshal errors:");
            for (error, _) in &self.errors {
                let _ = write!(cause, "\n  {error}");
            }
            return Err(Error::new(ErrorKind::Duplicate, cause, *span));
        }
        match self.unsupported {
            Some(error) => Err(error),
            None => Ok(root),
        }
    }

    /// The root, which kyaml decodes into a map of strings.
    fn root(&mut self) -> Decoded {
        let index = self.document.root;
        let node = self.get(index)?;
        if self.dialect == Dialect::V3 && matches!(node.kind, RawKind::Mapping(_)) {
            self.count(index)?;
            return self.mapping(index, true);
        }
        self.value(index)
    }

    /// Counts a decoding step and refuses documents that are mostly aliases.
    fn count(&mut self, index: u32) -> Result<(), Error> {
        self.decoded += 1;
        if self.alias_depth > 0 {
            self.aliased += 1;
        }
        #[allow(clippy::cast_precision_loss)]
        let (aliased, decoded) = (self.aliased as f64, self.decoded as f64);
        if self.aliased > 100
            && self.decoded > 1000
            && aliased / decoded > allowed_alias_ratio(decoded)
        {
            let span = self.get(index)?.span;
            let cause = "document contains excessive aliasing";
            return Err(Error::new(ErrorKind::Alias, cause, span));
        }
        Ok(())
    }

    fn value(&mut self, index: u32) -> Decoded {
        self.count(index)?;
        match self.get(index)?.kind {
            RawKind::Scalar(_) => self.scalar(index),
            RawKind::Alias(_, target) => self.through_alias(index, target, Self::value),
            RawKind::Mapping(_) => self.mapping(index, false),
            RawKind::Sequence(_) => self.sequence(index),
        }
    }

    fn through_alias<T>(
        &mut self,
        index: u32,
        target: u32,
        read: impl FnOnce(&mut Self, u32) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.active.insert(index) {
            let node = self.get(index)?;
            let RawKind::Alias(name, _) = &node.kind else {
                return Err(Error::new(ErrorKind::Alias, "alias expected", node.span));
            };
            let cause = format!("anchor '{name}' value contains itself");
            return Err(Error::new(ErrorKind::Alias, cause, node.span));
        }
        self.alias_depth += 1;
        let value = read(self, target)?;
        self.alias_depth -= 1;
        self.active.remove(&index);
        Ok(value)
    }

    fn sequence(&mut self, index: u32) -> Decoded {
        let node = self.get(index)?.clone();
        let RawKind::Sequence(items) = &node.kind else {
            return Err(Error::new(ErrorKind::Value, "sequence expected", node.span));
        };
        let items: Result<Vec<Node>, Error> = items.iter().map(|item| self.value(*item)).collect();
        Ok(Node::seq(items?).at(node.span))
    }

    fn mapping(&mut self, index: u32, texts: bool) -> Decoded {
        let node = self.get(index)?.clone();
        let mut fields = Fields::default();
        match self.dialect {
            Dialect::V2 => self.fill_v2(index, &mut fields)?,
            Dialect::V3 => {
                let texts = texts || self.has_text_keys(&node)?;
                if !texts && self.unsupported.is_none() {
                    let cause = "json: unsupported type: map[interface {}]interface {}";
                    let error = Error::new(ErrorKind::Value, cause, node.span);
                    self.unsupported = Some(error.prefixed(""));
                }
                self.fill_v3(index, &mut fields, texts, &mut None)?;
            }
        }
        self.settle(fields, node.span)
    }

    /// Sorts the fields under their texts.
    fn settle(&mut self, fields: Fields, span: Span) -> Decoded {
        let mut entries = Vec::with_capacity(fields.entries.len());
        for (key, mut entry) in fields.entries {
            let Some(text) = key_text(&key) else {
                if self.unsupported.is_none() {
                    let error = unsupported_key(&key, &entry);
                    self.unsupported = Some(error);
                }
                continue;
            };
            entry.key.value = Value::Scalar(text);
            entry.key.tag = Tag::Str;
            entries.push(entry);
        }
        sort_entries(&mut entries);
        Ok(mapping_node(entries, span))
    }

    /// Whether every key is a string or a merge key.
    fn has_text_keys(&self, node: &RawNode) -> Result<bool, Error> {
        let RawKind::Mapping(children) = &node.kind else {
            return Ok(false);
        };
        for key in children.iter().step_by(2) {
            let mut key = self.get(*key)?;
            if let RawKind::Alias(_, target) = &key.kind {
                key = self.get(*target)?;
            }
            if !matches!(key.tag, Tag::Str | Tag::Merge) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill_v2(&mut self, index: u32, fields: &mut Fields) -> Result<(), Error> {
        self.each_pair(index, |decoder, key, value| {
            if decoder.is_merge(key)? {
                return decoder.merge_v2(value, fields);
            }
            let (name, key) = decoder.key(key, false)?;
            let value_index = value;
            let value = decoder.value(value)?;
            if decoder.strict && fields.place.contains_key(&name) {
                let line = decoder.line(decoder.get(value_index)?);
                let shown = go_syntax(&name);
                let error = format!("line {line}: key {shown} already set in map");
                decoder.errors.push((error, key.span));
                return Ok(());
            }
            fields.set(name, Entry { key, value });
            Ok(())
        })
    }

    fn each_pair(
        &mut self,
        index: u32,
        mut visit: impl FnMut(&mut Self, u32, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let RawKind::Mapping(children) = self.get(index)?.kind.clone() else {
            return Ok(());
        };
        for pair in children.chunks_exact(2) {
            if let [key, value] = pair {
                visit(self, *key, *value)?;
            }
        }
        Ok(())
    }

    fn merge_v2(&mut self, value: u32, fields: &mut Fields) -> Result<(), Error> {
        for source in self.merge_sources(value, true)? {
            self.merge_one(source, |decoder, map| decoder.fill_v2(map, fields))?;
        }
        Ok(())
    }

    fn merge_one(
        &mut self,
        source: u32,
        fill: impl FnOnce(&mut Self, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.count(source)?;
        match self.get(source)?.kind {
            RawKind::Alias(_, target) => self.through_alias(source, target, |decoder, target| {
                decoder.count(target)?;
                fill(decoder, target)
            }),
            _ => fill(self, source),
        }
    }

    /// The mappings a merge value names, in the order they are to be set.
    fn merge_sources(&self, value: u32, backwards: bool) -> Result<Vec<u32>, Error> {
        let node = self.get(value)?;
        let mut sources = match &node.kind {
            RawKind::Sequence(items) => items.clone(),
            _ => vec![value],
        };
        for source in &sources {
            let mut named = self.get(*source)?;
            if let RawKind::Alias(_, target) = &named.kind {
                named = self.get(*target)?;
            }
            if !matches!(named.kind, RawKind::Mapping(_)) {
                let cause = "map merge requires map or sequence of maps as the value";
                return Err(Error::new(ErrorKind::Alias, cause, node.span));
            }
        }
        if backwards {
            sources.reverse();
        }
        Ok(sources)
    }

    /// `taken` holds, inside a merge, the keys that are set already.
    fn fill_v3(
        &mut self,
        index: u32,
        fields: &mut Fields,
        texts: bool,
        taken: &mut Option<FxHashSet<Key>>,
    ) -> Result<(), Error> {
        if self.repeats_keys(index)? {
            return Ok(());
        }
        let mut merge = None;
        self.each_pair(index, |decoder, key, value| {
            if decoder.is_merge(key)? {
                merge = Some(value);
                return Ok(());
            }
            let (name, key) = decoder.key(key, texts)?;
            if texts && name == Key::Null {
                return Ok(());
            }
            if let Some(taken) = taken
                && !taken.insert(name.clone())
            {
                return Ok(());
            }
            let value = decoder.value(value)?;
            fields.set(name, Entry { key, value });
            Ok(())
        })?;
        let Some(merge) = merge else {
            return Ok(());
        };
        if taken.is_none() {
            let mut own = FxHashSet::default();
            self.each_pair(index, |decoder, key, _| {
                own.insert(decoder.key(key, texts)?.0);
                Ok(())
            })?;
            *taken = Some(own);
        }
        for source in self.merge_sources(merge, false)? {
            self.merge_one(source, |decoder, map| {
                decoder.fill_v3(map, fields, texts, taken)
            })?;
        }
        Ok(())
    }

    /// Reports keys that are written alike. Only the text counts, as upstream
    /// has it, not what it resolves to.
    fn repeats_keys(&mut self, index: u32) -> Result<bool, Error> {
        let RawKind::Mapping(children) = &self.get(index)?.kind else {
            return Ok(false);
        };
        let mut places: FxHashMap<(u8, &str), Vec<u32>> = FxHashMap::default();
        let mut repeated = false;
        let keys: Vec<u32> = children.iter().step_by(2).copied().collect();
        for key in &keys {
            let places = places.entry(key_identity(self.get(*key)?)).or_default();
            repeated |= !places.is_empty();
            places.push(*key);
        }
        if !repeated {
            return Ok(false);
        }
        let mut errors = Vec::new();
        for first in &keys {
            let node = self.get(*first)?;
            let alike = places
                .get(&key_identity(node))
                .map_or(&[][..], Vec::as_slice);
            for again in alike.iter().filter(|again| *again > first) {
                let again = self.get(*again)?;
                let (_, text) = key_identity(again);
                let error = format!(
                    "line {}: mapping key {} already defined at line {}",
                    self.line(again),
                    go_quote(text),
                    self.line(node)
                );
                errors.push((error, again.span));
            }
        }
        self.errors.append(&mut errors);
        Ok(true)
    }

    fn is_merge(&self, key: u32) -> Result<bool, Error> {
        let node = self.get(key)?;
        let RawKind::Scalar(text) = &node.kind else {
            return Ok(false);
        };
        if text != "<<" {
            return Ok(false);
        }
        Ok(match self.dialect {
            Dialect::V2 => match node.written_tag.as_deref() {
                None => node.style == Style::Plain,
                Some(tag) => tag == "!" || tag == "tag:yaml.org,2002:merge",
            },
            Dialect::V3 => node.tag == Tag::Merge,
        })
    }

    /// A key, and the node it was read from.
    fn key(&mut self, index: u32, texts: bool) -> Result<(Key, Node), Error> {
        self.count(index)?;
        let node = self.get(index)?.clone();
        let text = match &node.kind {
            RawKind::Scalar(text) => text,
            RawKind::Alias(_, target) => {
                return self
                    .through_alias(index, *target, |decoder, target| decoder.key(target, texts));
            }
            RawKind::Mapping(_) | RawKind::Sequence(_) => {
                let value = self.value(index)?;
                let cause = format!("invalid map key: {}", go_value(&value));
                return Err(Error::new(ErrorKind::Value, cause, node.span));
            }
        };
        let shell = Node::string(text.clone()).at(node.span);
        let key = match self.meaning(&node, text)? {
            Meaning::Text(text) => Key::Text(text),
            Meaning::Plain(Resolved::Null) => Key::Null,
            Meaning::Plain(_) if texts => Key::Text(text.clone()),
            Meaning::Plain(Resolved::Bool(value)) => Key::Bool(value),
            Meaning::Plain(Resolved::Int(value)) => Key::Int(value),
            Meaning::Plain(Resolved::Uint(value)) => Key::Uint(value),
            Meaning::Plain(Resolved::Float(value)) => Key::Float(value.to_bits()),
            Meaning::Plain(Resolved::Timestamp(_) | Resolved::Str) => Key::Text(text.clone()),
        };
        Ok((key, shell))
    }

    fn scalar(&mut self, index: u32) -> Decoded {
        let node = self.get(index)?;
        let RawKind::Scalar(text) = &node.kind else {
            return Err(Error::new(ErrorKind::Value, "scalar expected", node.span));
        };
        let canonical = match self.meaning(node, text)? {
            Meaning::Text(text) => Node::string(text),
            Meaning::Plain(Resolved::Timestamp(_)) if self.dialect == Dialect::V2 => {
                Node::string(text.clone())
            }
            Meaning::Plain(resolved) => canonical_scalar(resolved, text, node.span)?,
        };
        Ok(canonical.at(node.span))
    }

    fn meaning(&self, node: &RawNode, text: &Text) -> Result<Meaning, Error> {
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

/// What a scalar with a tag means.
enum Meaning {
    Text(Text),
    Plain(Resolved),
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
            return Ok(Meaning::Text(
                String::from_utf8_lossy(&bytes).as_ref().into(),
            ));
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

/// The canonical node of a resolved plain scalar.
pub(crate) fn canonical_scalar(resolved: Resolved, text: &str, span: Span) -> Decoded {
    Ok(match resolved {
        Resolved::Null => Node::null(),
        Resolved::Bool(value) => Node::bool(value),
        Resolved::Int(value) => Node::int(value),
        Resolved::Uint(value) => number_node(value.to_string()),
        Resolved::Float(value) => match number::format_json(value) {
            Some(text) => number_node(text),
            None => {
                let shown = if value.is_nan() {
                    "NaN"
                } else if value > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                };
                let cause = format!("json: unsupported value: {shown}");
                return Err(Error::new(ErrorKind::Value, cause, span).prefixed(""));
            }
        },
        Resolved::Timestamp(timestamp) => match timestamp.rfc3339() {
            Some(text) => Node::string(text),
            None => {
                let cause = "json: error calling MarshalJSON for type time.Time: \
                             Time.MarshalJSON: timezone hour outside of range [0,23]";
                return Err(Error::new(ErrorKind::Value, cause, span).prefixed(""));
            }
        },
        Resolved::Str => Node::string(text),
    })
}

/// A number from its JSON text: whole numbers of 64 bits are integers.
pub(crate) fn number_node(text: String) -> Node {
    let whole = number::parse_int(&text, 10).is_ok() || number::parse_uint(&text, 10).is_ok();
    let mut node = Node::string(text);
    node.tag = if whole { Tag::Int } else { Tag::Float };
    node
}

pub(crate) fn mapping_node(entries: Vec<Entry>, span: Span) -> Node {
    let mut node = Node::map::<Text>([]);
    node.value = Value::Mapping(entries.into_iter().collect());
    node.span = span;
    node
}

/// Sorts entries by key as encoding/json does; of equal keys the last stays.
pub(crate) fn sort_entries(entries: &mut Vec<Entry>) {
    let text = |entry: &Entry| entry.key.text().cloned().unwrap_or_default();
    entries.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
    let mut at = 1;
    while at < entries.len() {
        let (before, here) = (entries.get(at - 1).map(text), entries.get(at).map(text));
        if before == here {
            entries.remove(at - 1);
        } else {
            at += 1;
        }
    }
}

fn allowed_alias_ratio(decoded: f64) -> f64 {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    if decoded <= LOW {
        0.99
    } else if decoded >= HIGH {
        0.10
    } else {
        0.99 - 0.89 * ((decoded - LOW) / (HIGH - LOW))
    }
}

fn key_identity(node: &RawNode) -> (u8, &str) {
    match &node.kind {
        RawKind::Scalar(text) => (0, text),
        RawKind::Alias(name, _) => (1, name),
        RawKind::Mapping(_) => (2, ""),
        RawKind::Sequence(_) => (3, ""),
    }
}

fn key_text(key: &Key) -> Option<Text> {
    Some(match key {
        Key::Text(text) => text.clone(),
        Key::Int(value) => value.to_string().into(),
        Key::Float(bits) => number::format_g32(f64::from_bits(*bits)).into(),
        Key::Bool(value) => if *value { "true" } else { "false" }.into(),
        Key::Uint(_) | Key::Null => return None,
    })
}

fn unsupported_key(key: &Key, entry: &Entry) -> Error {
    let (kind, shown) = match key {
        Key::Uint(value) => ("uint64", format!("{value:#x}")),
        _ => ("%!s(<nil>)", "<nil>".to_owned()),
    };
    let value = go_value(&entry.value);
    let cause = format!("unsupported map key of type: {kind}, key: {shown}, value: {value}");
    Error::new(ErrorKind::Value, cause, entry.key.span).prefixed("")
}

fn go_syntax(key: &Key) -> String {
    match key {
        Key::Text(text) => go_quote(text),
        Key::Int(value) => value.to_string(),
        Key::Uint(value) => format!("{value:#x}"),
        Key::Float(bits) => number::format_g(f64::from_bits(*bits)),
        Key::Bool(value) => value.to_string(),
        Key::Null => "<nil>".into(),
    }
}

/// A value in Go's syntax, as messages show it.
fn go_value(node: &Node) -> String {
    match &node.value {
        Value::Scalar(text) => match node.tag {
            Tag::Str => go_quote(text),
            Tag::Null => "interface {}(nil)".into(),
            _ => text.to_string(),
        },
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(go_value).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Mapping(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|e| format!("{}:{}", go_value(&e.key), go_value(&e.value)))
                .collect();
            format!(
                "map[interface {{}}]interface {{}}{{{}}}",
                entries.join(", ")
            )
        }
    }
}

/// A string in Go's quotes.
fn go_quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0C' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0B' => quoted.push_str("\\v"),
            c if (c as u32) < 0x20 || c as u32 == 0x7F => {
                let _ = write!(quoted, "\\x{:02x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Nodes a canonical tree may have before it counts as hostile.
pub(crate) fn default_limits() -> Limits {
    Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    }
}
