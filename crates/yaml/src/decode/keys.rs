//! Keys: how they compare, and when two are the same.

use rustc_hash::FxHashMap;

use super::Decoder;
use super::message::{go_quote, go_value};
use super::scalar::Meaning;
use crate::read::Dialect;
use crate::read::raw::{RawKind, RawNode};
use crate::scalar::number;
use crate::scalar::resolve::Resolved;
use crate::{Entry, Error, ErrorKind, Node, Style, Tag, Text};

/// A key as Go compares it in a map of interfaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Text(Text),
    Int(i64),
    Uint(u64),
    Float(u64),
    Bool(bool),
    Null,
}

impl Key {
    /// The text sigs.k8s.io/yaml gives it; `None` for keys it refuses.
    pub(super) fn text(&self) -> Option<Text> {
        Some(match self {
            Key::Text(text) => text.clone(),
            Key::Int(value) => value.to_string().into(),
            Key::Float(bits) => number::format_g32(f64::from_bits(*bits)).into(),
            Key::Bool(value) => if *value { "true" } else { "false" }.into(),
            Key::Uint(_) | Key::Null => return None,
        })
    }
}

/// Entries of a mapping that is being decoded.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) entries: Vec<(Key, Entry)>,
    place: FxHashMap<Key, usize>,
}

impl Fields {
    pub(super) fn contains(&self, key: &Key) -> bool {
        self.place.contains_key(key)
    }

    pub(super) fn set(&mut self, key: Key, entry: Entry) {
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

impl Decoder<'_> {
    /// Reports keys that are written alike. Only the text counts, as upstream
    /// has it, not what it resolves to.
    pub(super) fn repeats_keys(&mut self, index: u32) -> Result<bool, Error> {
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

    pub(super) fn is_merge(&self, key: u32) -> Result<bool, Error> {
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
    pub(super) fn key(&mut self, index: u32, texts: bool) -> Result<(Key, Node), Error> {
        self.count(index)?;
        let node = self.get(index)?;
        let text = match &node.kind {
            RawKind::Scalar(text) => text,
            RawKind::Alias(_, target) => {
                return self
                    .through_alias(index, *target, |decoder, target| decoder.key(target, texts));
            }
            RawKind::Mapping(_) | RawKind::Sequence(_) => {
                self.collection_key(index, texts)?;
                return Ok((Key::Null, Node::null().at(node.span)));
            }
        };
        let shell = Node::string(text.clone()).at(node.span);
        let key = match self.meaning(node, text)? {
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

    /// Refuses a key that is a collection, unless its own keys are worse.
    fn collection_key(&mut self, index: u32, texts: bool) -> Result<(), Error> {
        let node = self.get(index)?;
        if self.dialect == Dialect::V3 && self.repeats_keys(index)? {
            return Ok(());
        }
        if texts {
            let line = self.line(node);
            let error = format!(
                "line {line}: cannot unmarshal {} into string",
                node.tag.short()
            );
            self.errors.push((error, node.span));
            return Ok(());
        }
        let value = self.value(index)?;
        let cause = format!("invalid map key: {}", go_value(&value, self.dialect));
        Err(Error::new(ErrorKind::Value, cause, node.span))
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
