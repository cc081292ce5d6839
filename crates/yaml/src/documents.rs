//! A file of resources to trees, as kustomize takes it in.

use memchr::{memchr, memmem};

use crate::decode::{How, decode};
use crate::expand::expand;
use crate::read::raw::{RawDocument, RawKind, RawNode, RawReader};
use crate::read::{Dialect, Grammar, input::stop, place, tree::TreeSink};
use crate::{Error, ErrorKind, FileId, Limits, Node, Span, Tag, Text};

/// A mapping key that appears again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key.
    pub key: Text,
    /// The key where it appears first.
    pub first: Span,
    /// The key where it appears again.
    pub again: Span,
}

/// A file's documents and what is odd about them.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The documents that are not null, in order.
    pub documents: Vec<Node>,
    /// Keys that appear twice in a mapping, in document order. The trees keep
    /// both entries; [`crate::canonical`] refuses them.
    pub duplicates: Vec<Duplicate>,
}

/// Reads a file of resources: split at `---` lines, each part read up to the
/// end of its first document, null documents dropped, aliases expanded, merge
/// keys resolved. That is kyaml's `kio.FromBytes`, but for the unwrapping of
/// lists, which is no matter of YAML.
///
/// A node that an alias brought in has the span of its definition.
///
/// # Errors
///
/// What kyaml refuses, and what exceeds the limits.
pub fn parse(text: &str, file: FileId, limits: &Limits) -> Result<Vec<Node>, Error> {
    check_size(text, file, limits)?;
    if memchr(b'\r', text.as_bytes()).is_some() && returns_matter(text) {
        return without_returns(text, file, limits);
    }
    parts(text, file, limits)
}

fn parts(text: &str, file: FileId, limits: &Limits) -> Result<Vec<Node>, Error> {
    let mut read = Vec::new();
    for part in split(text, file)? {
        read.extend(document(text, part, file, limits)?);
    }
    // Aliases are followed when every part has been read.
    read.into_iter()
        .map(|document| match document {
            Document::Tree(node) => Ok(node),
            Document::Raw(raw) => expand(&raw, limits),
        })
        .collect()
}

/// A part that was read: complete, or with aliases still to follow.
enum Document {
    Tree(Node),
    Raw(RawDocument),
}

/// kyaml replaces CR LF by LF before it reads. The reader treats them alike,
/// so that step is left out where nothing depends on it.
fn returns_matter(text: &str) -> bool {
    let is_odd = || text.contains('#') || stop(text).is_some();
    text.contains("\r\r\n") || (text.contains("\r\n") && is_odd())
}

fn without_returns(text: &str, file: FileId, limits: &Limits) -> Result<Vec<Node>, Error> {
    let replaced = text.replace("\r\n", "\n");
    // Offsets in the replaced text before which a CR was taken out.
    let mut removed = Vec::new();
    for (at, _) in text.match_indices("\r\n") {
        removed.push(at - removed.len());
    }
    let move_back = |span: &mut Span| {
        for offset in [&mut span.start, &mut span.end] {
            let before = removed.partition_point(|at| *at < *offset as usize);
            *offset = offset.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
        }
    };
    match parts(&replaced, file, limits) {
        Ok(mut documents) => {
            for document in &mut documents {
                document.each_span(&mut |span| move_back(span));
            }
            Ok(documents)
        }
        Err(mut error) => {
            move_back(&mut error.span);
            Err(error)
        }
    }
}

/// [`parse`], and the keys that appear twice.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_with_duplicates(text: &str, file: FileId, limits: &Limits) -> Result<Parsed, Error> {
    let documents = parse(text, file, limits)?;
    let mut duplicates = Vec::new();
    for document in &documents {
        find_duplicates(document, &mut duplicates);
    }
    Ok(Parsed {
        documents,
        duplicates,
    })
}

/// What the first document of a text is to go-yaml v3.
#[derive(Clone, Debug, PartialEq)]
pub enum First {
    /// There is none.
    Nothing,
    /// This.
    Node(Node),
    /// This, but it has anchors, aliases or merge keys, which are resolved here: in
    /// the document some nodes are one.
    Shared(Node),
}

/// Reads a text's first document as go-yaml v3 does without kyaml.
///
/// # Errors
///
/// What go-yaml refuses, and what exceeds the limits.
pub fn first_node(text: &str, file: FileId, limits: &Limits) -> Result<First, Error> {
    check_size(text, file, limits)?;
    let mut reader = RawReader::new(text, Dialect::V3, file, 0, limits);
    let Some(document) = reader.next()? else {
        return Ok(First::Nothing);
    };
    let is_shared = |node: &RawNode| {
        let is_alias = matches!(node.kind, RawKind::Alias(..));
        is_alias || node.anchor.is_some() || node.tag == Tag::Merge
    };
    let node = expand(&document, limits)?;
    Ok(match document.nodes.iter().any(is_shared) {
        true => First::Shared(node),
        false => First::Node(node),
    })
}

/// Reads every document of a stream, anchors and aliases kept, as go-yaml v3
/// does without kyaml.
///
/// # Errors
///
/// What go-yaml refuses, and what exceeds the limits.
pub fn parse_raw(text: &str, file: FileId, limits: &Limits) -> Result<Vec<RawDocument>, Error> {
    check_size(text, file, limits)?;
    let mut reader = RawReader::new(text, Dialect::V3, file, 0, limits);
    let mut documents = Vec::new();
    while let Some(document) = reader.next()? {
        documents.push(document);
    }
    Ok(documents)
}

/// The values of a stream's documents, as go-yaml v3 decodes them into an
/// `interface{}` and encoding/json shows them: canonical nodes.
///
/// # Errors
///
/// What go-yaml or encoding/json refuses, and what exceeds the limits.
pub fn values(text: &str, file: FileId, limits: &Limits) -> Result<Vec<Node>, Error> {
    let documents = parse_raw(text, file, limits)?;
    documents
        .iter()
        .map(|document| {
            document.check_depth(limits)?;
            decode(document, text, Dialect::V3, How::Lenient)
        })
        .collect()
}

pub(crate) fn check_size(text: &str, file: FileId, limits: &Limits) -> Result<(), Error> {
    if text.len() > limits.bytes.min(u32::MAX as usize) {
        let cause = format!("text is larger than {} bytes", limits.bytes);
        return Err(Error::new(ErrorKind::Limit, cause, Span::new(file, 0, 0)));
    }
    Ok(())
}

/// The stretches of text between separator lines.
fn split(text: &str, file: FileId) -> Result<Vec<(usize, usize)>, Error> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut from = 0;
    let bytes = text.as_bytes();
    let rest = |at: usize| bytes.get(at..).unwrap_or_default();
    while let Some(found) = memmem::find(rest(from), b"\n---") {
        let line = from + found + 1;
        let Some(length) = memchr(b'\n', rest(line)) else {
            break;
        };
        let separator = text.get(line + 3..line + length).unwrap_or_default();
        let trailing = separator.trim();
        if !trailing.is_empty() && !trailing.starts_with('#') {
            let shown = text.get(line..line + length).unwrap_or_default().trim();
            let span = Span::new(file, line, line + length);
            let cause = format!("invalid document separator: {shown}");
            return Err(Error::new(ErrorKind::Syntax, cause, span).prefixed(""));
        }
        parts.push((start, line));
        start = line + length + 1;
        // The separator took the line break behind it with it.
        from = start;
    }
    parts.push((start, text.len()));
    Ok(parts)
}

fn document(
    text: &str,
    (start, end): (usize, usize),
    file: FileId,
    limits: &Limits,
) -> Result<Option<Document>, Error> {
    let part = text.get(start..end).unwrap_or_default();
    if stop(part).is_some() {
        return through_raw(part, start, file, limits);
    }
    let mut sink = TreeSink::new(file, start, limits);
    match Grammar::new(part, Dialect::V3).document(&mut sink) {
        Ok(false) => Ok(None),
        Ok(true) => Ok(sink
            .finish()
            .filter(|node| !node.is_null())
            .map(Document::Tree)),
        Err(_) if sink.indirect => through_raw(part, start, file, limits),
        Err(refusal) => Err(malformed(place::error(
            refusal,
            part,
            Dialect::V3,
            file,
            start,
        ))),
    }
}

fn through_raw(
    part: &str,
    start: usize,
    file: FileId,
    limits: &Limits,
) -> Result<Option<Document>, Error> {
    let mut reader = RawReader::new(part, Dialect::V3, file, start, limits);
    let raw = reader.next().map_err(malformed)?;
    let kept = raw.filter(|raw| raw.node(raw.root).is_none_or(|root| root.tag != Tag::Null));
    Ok(kept.map(Document::Raw))
}

fn malformed(error: Error) -> Error {
    error.prefixed(crate::error::MALFORMED)
}

fn find_duplicates(node: &Node, into: &mut Vec<Duplicate>) {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let entries = node.entries();
        let mut first = rustc_hash::FxHashMap::default();
        for entry in entries {
            if let Some(text) = entry.key.text() {
                match first.entry(text.as_str()) {
                    std::collections::hash_map::Entry::Vacant(vacant) => {
                        vacant.insert(entry.key.span);
                    }
                    std::collections::hash_map::Entry::Occupied(occupied) => {
                        into.push(Duplicate {
                            key: text.clone(),
                            first: *occupied.get(),
                            again: entry.key.span,
                        });
                    }
                }
            }
        }
        pending.extend(entries.iter().rev().map(|entry| &entry.value));
        pending.extend(node.items().iter().rev());
    }
}
