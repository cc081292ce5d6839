//! A raw tree to the generic value Go's decoders make of it, as a canonical
//! node: keys sorted and textual, numbers as JSON prints them.

mod keys;
mod message;
mod refused;
mod scalar;

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use keys::{Fields, Key};
use message::unsupported_key;
pub(crate) use refused::refused_by_json;
pub(crate) use scalar::{canonical_scalar, number_node};

use crate::read::Dialect;
use crate::read::place::line_of;
use crate::read::raw::{RawDocument, RawKind, RawNode};
use crate::stack::with_room;
use crate::{Entry, Error, ErrorKind, Limits, Node, Span, Tag, Text, Value};

/// What a document is decoded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Any value.
    Lenient,
    /// Any value; keys that are set twice are refused by the older reader, too.
    Strict,
    /// A resource: the keys of the root are strings whatever they look like.
    Resource,
}

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
    how: How,
) -> Result<Node, Error> {
    with_room(document.depth, || {
        let mut decoder = Decoder {
            document,
            text,
            dialect,
            strict: how == How::Strict,
            errors: Vec::new(),
            active: FxHashSet::default(),
            decoded: 0,
            aliased: 0,
            alias_depth: 0,
        };
        let root = match how {
            How::Resource => decoder.resource()?,
            How::Lenient | How::Strict => decoder.value(document.root)?,
        };
        decoder.finish(root)
    })
}

struct Decoder<'a> {
    document: &'a RawDocument,
    text: &'a str,
    dialect: Dialect,
    strict: bool,
    /// Refusals that do not end the decoding.
    errors: Vec<(String, Span)>,
    active: FxHashSet<u32>,
    decoded: u64,
    aliased: u64,
    alias_depth: u32,
}

type Decoded = Result<Node, Error>;

impl<'a> Decoder<'a> {
    fn get(&self, index: u32) -> Result<&'a RawNode, Error> {
        self.document
            .node(index)
            .ok_or_else(|| Error::new(ErrorKind::Alias, "node out of range", Span::NONE))
    }

    fn line(&self, node: &RawNode) -> u32 {
        line_of(self.text, node.start as usize) + 1
    }

    fn finish(self, root: Node) -> Decoded {
        if let Some((_, span)) = self.errors.first() {
            let mut cause = String::from("unmarshal errors:");
            for (error, _) in &self.errors {
                let _ = write!(cause, "\n  {error}");
            }
            return Err(Error::new(ErrorKind::Duplicate, cause, *span));
        }
        match refused_by_json(&root) {
            Some(error) => Err(error),
            None => Ok(root),
        }
    }

    /// The root, which kyaml decodes into a map of strings.
    fn resource(&mut self) -> Decoded {
        let index = self.document.root;
        let node = self.get(index)?;
        if matches!(node.kind, RawKind::Mapping(_)) {
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
        let node = self.get(index)?;
        let RawKind::Sequence(items) = &node.kind else {
            return Err(Error::new(ErrorKind::Value, "sequence expected", node.span));
        };
        let items: Result<Vec<Node>, Error> = items.iter().map(|item| self.value(*item)).collect();
        Ok(Node::seq(items?).at(node.span))
    }

    fn mapping(&mut self, index: u32, texts: bool) -> Decoded {
        let node = self.get(index)?;
        let mut fields = Fields::default();
        match self.dialect {
            Dialect::V2 => self.fill_v2(index, &mut fields)?,
            Dialect::V3 => {
                let texts = texts || self.has_text_keys(node)?;
                self.fill_v3(index, &mut fields, texts, &mut None)?;
                let mut made = self.settle(fields, node.span)?;
                if !texts {
                    made.tag = Tag::Other(Box::new(refused::MIXED_KEYS.into()));
                }
                return Ok(made);
            }
        }
        self.settle(fields, node.span)
    }

    /// Sorts the fields under their texts.
    fn settle(&mut self, fields: Fields, span: Span) -> Decoded {
        let mut entries = Vec::with_capacity(fields.entries.len());
        let mut unsupported = None;
        for (key, mut entry) in fields.entries {
            let text = key.text();
            if self.dialect == Dialect::V2 && text.is_none() {
                // Another value may yet take this one's place.
                unsupported.get_or_insert_with(|| unsupported_key(&key, &entry, self.dialect));
                continue;
            }
            entry.key.value = Value::Scalar(text.unwrap_or_default());
            entry.key.tag = Tag::Str;
            entries.push(entry);
        }
        sort_entries(&mut entries);
        let mut node = mapping_node(entries, span);
        if let Some(cause) = unsupported {
            node.tag = Tag::Other(Box::new(cause.into()));
        }
        Ok(node)
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
            if decoder.strict && fields.contains(&name) {
                let line = decoder.line(decoder.get(value_index)?);
                let shown = message::go_syntax(&name);
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
        let RawKind::Mapping(children) = &self.get(index)?.kind else {
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
        let mut named = self.get(source)?;
        if let RawKind::Alias(_, target) = &named.kind {
            named = self.get(*target)?;
        }
        if !matches!(named.kind, RawKind::Mapping(_)) {
            let cause = "map merge requires map or sequence of maps as the value";
            return Err(Error::new(ErrorKind::Alias, cause, named.span));
        }
        self.count(source)?;
        match &self.get(source)?.kind {
            RawKind::Alias(_, target) => self.through_alias(source, *target, |decoder, target| {
                decoder.count(target)?;
                fill(decoder, target)
            }),
            _ => fill(self, source),
        }
    }

    /// The mappings a merge value names, in the order they are to be set.
    fn merge_sources(&self, value: u32, backwards: bool) -> Result<Vec<u32>, Error> {
        let mut sources = match &self.get(value)?.kind {
            RawKind::Sequence(items) => items.clone(),
            _ => vec![value],
        };
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

/// Nodes a canonical tree may have before it counts as hostile.
pub(crate) fn default_limits() -> Limits {
    Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    }
}
