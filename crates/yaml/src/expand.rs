//! Aliases and merge keys replaced by what they stand for, as kyaml does it
//! before a resource is looked at.
//!
//! kyaml works in place on shared nodes and copies every mapping it enters,
//! which shows in two ways that are kept: a mapping reached through an alias
//! stays expanded for later users, while one that is merged before that gives
//! its own `<<` key along, unresolved.

use ecow::EcoVec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::raw::{RawDocument, RawKind, RawNode};
use crate::stack::with_room;
use crate::{Entry, Error, ErrorKind, Limits, Node, Span, Tag, Tagging, Value};

/// The tree of a document, without aliases.
///
/// # Errors
///
/// When a merge is impossible, an anchor holds itself, or the expanded tree
/// exceeds the limits.
pub(crate) fn expand(document: &RawDocument, limits: &Limits) -> Result<Node, Error> {
    document.check_depth(limits)?;
    with_room(document.depth, || {
        let mut expander = Expander {
            document,
            limits,
            done: FxHashMap::default(),
            active: FxHashSet::default(),
            nodes: 0,
        };
        expander.raw(document.root, true, 0).map(|sized| sized.node)
    })
}

/// A node and how many nodes it has, shared ones counted each time.
#[derive(Clone)]
struct Sized {
    node: Node,
    size: usize,
    depth: usize,
}

/// A child that was read, or one that is the result of an expansion.
#[derive(Clone)]
enum Item {
    Raw(u32),
    Built(Sized),
}

struct Expander<'a> {
    document: &'a RawDocument,
    limits: &'a Limits,
    /// Anchored nodes that were expanded in place.
    done: FxHashMap<u32, Sized>,
    active: FxHashSet<u32>,
    nodes: usize,
}

type Expanded = Result<Sized, Error>;
type Pairs = Vec<(Item, Item)>;

impl<'a> Expander<'a> {
    fn get(&self, index: u32) -> Result<&'a RawNode, Error> {
        self.document
            .node(index)
            .ok_or_else(|| Error::new(ErrorKind::Alias, "node out of range", Span::NONE))
    }

    fn refuse(&self, index: u32, cause: &str) -> Error {
        let span = self.document.node(index).map_or(Span::NONE, |n| n.span);
        Error::new(ErrorKind::Alias, cause, span).prefixed("")
    }

    fn count(&mut self, span: Span, size: usize, depth: usize) -> Result<(), Error> {
        self.nodes = self.nodes.saturating_add(size);
        if self.nodes > self.limits.nodes {
            let cause = "document contains excessive aliasing";
            return Err(Error::new(ErrorKind::Limit, cause, span));
        }
        if depth > self.limits.depth {
            let cause = format!("exceeded max depth of {}", self.limits.depth);
            return Err(Error::new(ErrorKind::Limit, cause, span));
        }
        Ok(())
    }

    /// Expands a node as read. `in_place`: later users of the node see the
    /// result.
    fn raw(&mut self, index: u32, in_place: bool, depth: usize) -> Expanded {
        let node = self.get(index)?;
        self.count(node.span, 1, depth)?;
        match &node.kind {
            RawKind::Scalar(text) => Ok(Sized {
                node: made(node, Value::Scalar(text.clone())),
                size: 1,
                depth: 0,
            }),
            RawKind::Alias(name, target) => self.alias(index, name, *target, depth),
            RawKind::Sequence(items) => {
                let mut built = EcoVec::with_capacity(items.len());
                let (mut size, mut deepest) = (1_usize, 0);
                for item in items {
                    let item = self.raw(*item, in_place, depth + 1)?;
                    size = size.saturating_add(item.size);
                    deepest = deepest.max(item.depth + 1);
                    built.push(item.node);
                }
                Ok(Sized {
                    node: made(node, Value::Sequence(built)),
                    size,
                    depth: deepest,
                })
            }
            RawKind::Mapping(children) => {
                let pairs = raw_pairs(children);
                let shell = made(node, Value::Mapping(EcoVec::new()));
                let built = self.mapping(index, shell, pairs, depth)?;
                if in_place {
                    self.done.insert(index, built.clone());
                }
                Ok(built)
            }
        }
    }

    fn alias(&mut self, index: u32, name: &str, target: u32, depth: usize) -> Expanded {
        if !self.active.insert(target) {
            let cause = format!("anchor '{name}' value contains itself");
            return Err(self.refuse(index, &cause));
        }
        let built = match self.done.get(&target).cloned() {
            None => self.raw(target, true, depth)?,
            Some(done) => {
                let again = self.again(index, done, depth)?;
                self.done.insert(target, again.clone());
                again
            }
        };
        self.active.remove(&target);
        self.count(built.node.span, built.size, depth + built.depth)?;
        Ok(built)
    }

    /// Expands a result once more: only merge keys that came along unresolved
    /// make a difference.
    fn again(&mut self, index: u32, built: Sized, depth: usize) -> Expanded {
        if !holds_merge(&built.node) {
            return Ok(built);
        }
        match &built.node.value {
            Value::Scalar(_) => Ok(built),
            Value::Sequence(items) => {
                let mut again = EcoVec::with_capacity(items.len());
                let (mut size, mut deepest) = (1_usize, 0);
                for item in items {
                    let item = self.again(index, sized(item), depth + 1)?;
                    size = size.saturating_add(item.size);
                    deepest = deepest.max(item.depth + 1);
                    again.push(item.node);
                }
                let mut node = built.node.clone();
                node.value = Value::Sequence(again);
                Ok(Sized {
                    node,
                    size,
                    depth: deepest,
                })
            }
            Value::Mapping(entries) => {
                let pairs = built_pairs(entries);
                let mut shell = built.node.clone();
                shell.value = Value::Mapping(EcoVec::new());
                self.mapping(index, shell, pairs, depth)
            }
        }
    }

    fn mapping(&mut self, index: u32, mut shell: Node, pairs: Pairs, depth: usize) -> Expanded {
        let pairs = self.merged(index, pairs)?;
        self.active.insert(index);
        let mut entries = EcoVec::with_capacity(pairs.len());
        let (mut size, mut deepest) = (1_usize, 0);
        for (key, value) in pairs {
            let key = self.item(index, key, depth + 1)?;
            let value = self.item(index, value, depth + 1)?;
            size = size.saturating_add(key.size).saturating_add(value.size);
            deepest = deepest.max(key.depth + 1).max(value.depth + 1);
            entries.push(Entry {
                key: key.node,
                value: value.node,
            });
        }
        self.active.remove(&index);
        shell.value = Value::Mapping(entries);
        Ok(Sized {
            node: shell,
            size,
            depth: deepest,
        })
    }

    fn item(&mut self, index: u32, item: Item, depth: usize) -> Expanded {
        match item {
            Item::Raw(raw) => self.raw(raw, false, depth),
            Item::Built(built) => {
                self.count(built.node.span, built.size, depth + built.depth)?;
                self.again(index, built, depth)
            }
        }
    }

    /// The pairs with those of the merge key, which own keys override.
    ///
    /// kyaml sets the own pairs once more, merge or not, looking each up by
    /// its key's value, which is empty for a null: that key comes out twice.
    fn merged(&self, index: u32, mut pairs: Pairs) -> Result<Pairs, Error> {
        if !pairs.iter().any(|(key, _)| self.is_odd(key)) {
            return Ok(pairs);
        }
        let mut merges = pairs
            .iter()
            .filter(|(key, _)| self.tag(key) == Some(&Tag::Merge));
        let merge = merges.next().map(|(_, value)| value.clone());
        if merges.next().is_some() {
            return Err(self.refuse(index, "duplicate merge key"));
        }
        let mut sources = match merge {
            Some(merge) => self.merge_sources(index, &merge, false)?,
            None => Vec::new(),
        };
        // Dropped by its text, so that a quoted key of that text goes, too.
        if let Some(at) = pairs
            .iter()
            .position(|(key, _)| self.text(key) == Some("<<"))
        {
            pairs.remove(at);
        }
        sources.push(pairs.clone());
        let mut place = self.places(&pairs);
        for source in sources {
            // A key that appears twice counts with its first pair, each time.
            let first = self.places(&source);
            for (key, _) in &source {
                let at = first.get(&self.owned_text(key)).copied();
                let Some(pair) = at.and_then(|at| source.get(at)) else {
                    continue;
                };
                let name = match self.tag(&pair.0) {
                    Some(Tag::Null) => String::new(),
                    _ => self.owned_text(&pair.0),
                };
                match place.get(&name).and_then(|at| pairs.get_mut(*at)) {
                    Some(old) => {
                        *old = pair.clone();
                        // The place is now found by the new key's text.
                        let text = self.owned_text(&pair.0);
                        if text != name {
                            place = self.places(&pairs);
                        }
                    }
                    None => {
                        let text = self.owned_text(&pair.0);
                        place.entry(text).or_insert(pairs.len());
                        pairs.push(pair.clone());
                    }
                }
            }
        }
        Ok(pairs)
    }

    /// Whether a key makes the merging change the pairs.
    fn is_odd(&self, key: &Item) -> bool {
        let text = self.text(key);
        text == Some("<<")
            || match self.tag(key) {
                Some(Tag::Merge) => true,
                Some(Tag::Null) => text != Some(""),
                _ => false,
            }
    }

    fn places(&self, pairs: &Pairs) -> FxHashMap<String, usize> {
        let mut place = FxHashMap::default();
        for (at, (key, _)) in pairs.iter().enumerate() {
            place.entry(self.owned_text(key)).or_insert(at);
        }
        place
    }

    fn owned_text(&self, item: &Item) -> String {
        self.text(item).unwrap_or_default().to_owned()
    }

    /// The mappings a merge value names, the last to win last.
    fn merge_sources(&self, index: u32, value: &Item, listed: bool) -> Result<Vec<Pairs>, Error> {
        const NO_MAP: &str = "map merge requires map or sequence of maps as the value";
        match value {
            Item::Built(built) => match &built.node.value {
                Value::Mapping(entries) => Ok(vec![built_pairs(entries)]),
                Value::Sequence(items) if !listed => {
                    let mut sources = Vec::new();
                    for item in items {
                        let item = Item::Built(sized(item));
                        let mut found = self.merge_sources(index, &item, true)?;
                        found.append(&mut sources);
                        sources = found;
                    }
                    Ok(sources)
                }
                Value::Sequence(_) => {
                    Err(self.refuse(index, "invalid map merge: received a nested sequence"))
                }
                Value::Scalar(_) => Err(self.refuse(index, NO_MAP)),
            },
            Item::Raw(raw) => match &self.get(*raw)?.kind {
                RawKind::Mapping(children) => Ok(vec![raw_pairs(children)]),
                RawKind::Alias(_, target) => self.alias_source(*raw, *target),
                RawKind::Sequence(items) if !listed => {
                    let mut sources = Vec::new();
                    for item in items {
                        let mut found = self.merge_sources(index, &Item::Raw(*item), true)?;
                        found.append(&mut sources);
                        sources = found;
                    }
                    Ok(sources)
                }
                RawKind::Sequence(_) => {
                    Err(self.refuse(*raw, "invalid map merge: received a nested sequence"))
                }
                RawKind::Scalar(_) => Err(self.refuse(*raw, NO_MAP)),
            },
        }
    }

    fn alias_source(&self, alias: u32, target: u32) -> Result<Vec<Pairs>, Error> {
        if let Some(Sized { node, .. }) = self.done.get(&target) {
            return Ok(vec![built_pairs(node.entries())]);
        }
        match &self.get(target)?.kind {
            RawKind::Mapping(children) => Ok(vec![raw_pairs(children)]),
            _ => Err(self.refuse(
                alias,
                "invalid map merge: received alias for a non-map value",
            )),
        }
    }

    fn tag<'b>(&'b self, item: &'b Item) -> Option<&'b Tag> {
        match item {
            Item::Built(built) => Some(&built.node.tag),
            Item::Raw(raw) => match self.document.node(*raw)? {
                RawNode {
                    kind: RawKind::Alias(..),
                    ..
                } => None,
                node => Some(&node.tag),
            },
        }
    }

    /// The text kyaml compares keys by; for an alias that is its name.
    fn text<'b>(&'b self, item: &'b Item) -> Option<&'b str> {
        match item {
            Item::Built(built) => built.node.text().map(|text| text.as_str()),
            Item::Raw(raw) => match &self.document.node(*raw)?.kind {
                RawKind::Scalar(text) | RawKind::Alias(text, _) => Some(text),
                RawKind::Mapping(_) | RawKind::Sequence(_) => None,
            },
        }
    }
}

fn made(node: &RawNode, value: Value) -> Node {
    Node {
        value,
        tag: node.tag.clone(),
        style: node.style,
        tagging: match node.written_tag.as_deref() {
            None | Some("" | "!") => Tagging::Implied,
            Some(_) => Tagging::Written,
        },
        unknown: false,
        comments: node.comments.clone(),
        span: node.span,
    }
}

fn sized(node: &Node) -> Sized {
    let mut size = 1_usize;
    let mut depth = 0;
    let children = node
        .items()
        .iter()
        .chain(node.entries().iter().flat_map(|e| [&e.key, &e.value]));
    for child in children {
        let child = sized(child);
        size = size.saturating_add(child.size);
        depth = depth.max(child.depth + 1);
    }
    Sized {
        node: node.clone(),
        size,
        depth,
    }
}

fn holds_merge(node: &Node) -> bool {
    node.items().iter().any(holds_merge)
        || node.entries().iter().any(|entry| {
            entry.key.tag == Tag::Merge || holds_merge(&entry.key) || holds_merge(&entry.value)
        })
}

fn raw_pairs(children: &[u32]) -> Pairs {
    children
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [key, value] => Some((Item::Raw(*key), Item::Raw(*value))),
            _ => None,
        })
        .collect()
}

fn built_pairs(entries: &[Entry]) -> Pairs {
    entries
        .iter()
        .map(|entry| {
            let key = Item::Built(sized(&entry.key));
            (key, Item::Built(sized(&entry.value)))
        })
        .collect()
}
