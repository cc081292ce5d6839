//! Strategic merge: a patch laid over an object.
//!
//! Mappings are merged field by field; null removes a field. Lists are replaced,
//! except where the schema of the kind says that they merge (see [`elements`]).
//! `$patch` in a mapping or list says otherwise (see [`directive`]).
//!
//! Three cases need different care and are therefore three functions:
//! both sides are there ([`Merge::combine`]), only the object ([`Merge::settle`])
//! and only the patch ([`Merge::adopt`]). Even where only one side is there
//! something happens: nulls vanish, lists that merge lose repeated elements.

mod directive;
mod elements;
mod three_way;

use std::collections::BTreeMap;

use ecow::EcoString;
use yaml::{Comments, Entry, Mapping, Node, Style, Value};

use self::directive::{Directive, take_from_map};
use super::kind::{Kind, expect_kind, wrong_kind};
use super::scalar::{is_ambiguous, quote_untyped};
use crate::error::Error;
use crate::tables::{Schema, Shape};

/// Where elements that only the patch has go in a list that merges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// In front of the others: how patches are applied.
    #[default]
    Prepend,
    /// Behind the others.
    Append,
}

/// How to merge.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    schema: &'a Schema,
    growth: Growth,
    infer: bool,
}

impl<'a> Merge<'a> {
    /// The way patches are applied.
    pub fn new(schema: &'a Schema) -> Self {
        Merge {
            schema,
            growth: Growth::default(),
            infer: false,
        }
    }

    /// Says where new elements go.
    pub fn growing(mut self, growth: Growth) -> Self {
        self.growth = growth;
        self
    }

    /// Lists of which no schema is known merge by `name` when each element of
    /// one side has it.
    pub fn inferring_keys(mut self) -> Self {
        self.infer = true;
        self
    }

    /// Lays `patch` over `object`. `None` when nothing is left. Fails where the
    /// two differ in kind (mapping, list, scalar) and on an unknown `$patch`.
    pub fn apply(&self, object: Node, patch: Node) -> Result<Option<Node>, Error> {
        if object.is_null() {
            return self.adopt(patch, None, Placing::New);
        }
        self.combine(object, patch, None)
    }

    /// The shape of a value: of its place, else of the kind it says it has.
    fn shape_of(&self, place: Option<Shape<'a>>, nodes: &[&Node]) -> Option<Shape<'a>> {
        let by_kind = |node: &Node| {
            let text = |key: &str| {
                let value = node.get(key).filter(|value| !value.is_null())?;
                value.text().filter(|text| !text.is_empty())
            };
            self.schema.of_kind(text("apiVersion")?, text("kind")?)
        };
        place.or_else(|| nodes.iter().copied().find_map(by_kind))
    }

    /// What is known of a field: from a comment at its value or key, on either side,
    /// else from the shape of what it is in.
    fn below(
        &self,
        shape: Option<Shape<'a>>,
        key: &Node,
        value: &Node,
        other: Option<&Entry>,
    ) -> Option<Shape<'a>> {
        let other = || other.and_then(|entry| self.said(&entry.key, &entry.value));
        let said = self.said(key, value).or_else(other);
        said.or_else(|| shape?.field(key.text().map_or("", |text| text.as_str())))
    }

    /// What a comment says about a field.
    fn said(&self, key: &Node, value: &Node) -> Option<Shape<'a>> {
        let of_value = self.schema.of_comment(value);
        of_value.or_else(|| self.schema.of_comment(key))
    }

    /// Both sides are there, and `target` is not null.
    fn combine(
        &self,
        mut target: Node,
        mut patch: Node,
        place: Option<Shape<'a>>,
    ) -> Result<Option<Node>, Error> {
        if !patch.is_null() {
            expect_kind(Kind::of(&target), &patch)?;
        }
        let shape = self.shape_of(place, &[&target, &patch]);
        target.comments.take_over(&patch.comments);
        match &target.value {
            Value::Scalar(_) => {
                if patch.is_null() {
                    return Ok(None);
                }
                patch.style = target.style;
                Ok(Some(patch))
            }
            Value::Sequence(_) => self.combine_lists(target, patch, shape),
            Value::Mapping(_) if patch.is_null() => Ok(None),
            Value::Mapping(_) => match take_from_map(&mut patch)? {
                Directive::Delete => Ok(None),
                Directive::Replace => self.adopt_fields(patch, shape).map(Some),
                Directive::Merge => {
                    if target.entries().is_empty() {
                        target.style = patch.style;
                    }
                    self.combine_fields(target, patch, shape).map(Some)
                }
            },
        }
    }

    fn combine_fields(
        &self,
        mut target: Node,
        patch: Node,
        shape: Option<Shape<'a>>,
    ) -> Result<Node, Error> {
        let mut patches: BTreeMap<EcoString, Entry> = BTreeMap::new();
        for entry in patch.entries().iter().rev() {
            // Of a repeated key the first counts.
            patches.insert(key_text(entry), entry.clone());
        }
        if target.entries().iter().any(is_nameless) {
            // Upstream takes a field without a name for the mapping itself.
            return Err(wrong_kind(Kind::Scalar, &target));
        }
        let Some(entries) = target.entries_mut() else {
            return Ok(target);
        };
        let mut merged = Mapping::with_capacity(entries.len() + patches.len());
        for entry in std::mem::take(entries) {
            let key = key_text(&entry);
            let patch = patches.remove(&key);
            let place = self.below(shape, &entry.key, &entry.value, patch.as_ref());
            let style = patch.as_ref().map(|p| style_kept(&entry.value, &p.value));
            let value = match patch {
                None => self.settle_field(entry.value, place),
                Some(patch) if entry.value.is_null() => {
                    self.adopt(patch.value, place, Placing::New)
                }
                Some(patch) => self.combine(entry.value, patch.value, place),
            }?;
            if let Some(mut value) = value {
                let key = entry.key;
                value.style = style.unwrap_or(value.style);
                merged.push(Entry { key, value });
            }
        }
        for Entry { mut key, value } in patches.into_values() {
            let place = self.below(shape, &key, &value, None);
            if let Some(value) = self.adopt(value, place, Placing::New)? {
                // The field is made anew.
                key.comments = Comments::NONE;
                merged.push(Entry { key, value });
            }
        }
        target.value = Value::Mapping(merged);
        Ok(target)
    }

    /// [`Merge::settle`] of a field: it is set anew.
    fn settle_field(&self, node: Node, place: Option<Shape<'a>>) -> Result<Option<Node>, Error> {
        let mut settled = self.settle(node, place)?;
        if let Some(node) = &mut settled {
            quote_untyped(node);
        }
        Ok(settled)
    }

    /// Only the object has a value here. An empty null vanishes, one that is
    /// written out stays.
    fn settle(&self, node: Node, place: Option<Shape<'a>>) -> Result<Option<Node>, Error> {
        if node.is_null() {
            let written = node.text().is_some_and(|text| !text.is_empty());
            return Ok(written.then_some(node));
        }
        if !self.is_unsettled(&node, place) {
            return Ok(Some(node));
        }
        let shape = self.shape_of(place, &[&node]);
        match &node.value {
            Value::Scalar(_) => Ok(Some(node)),
            Value::Sequence(_) => self.settle_list(node, shape).map(Some),
            Value::Mapping(_) => self
                .each_field(node, |value, key| {
                    let place = self.below(shape, key, &value, None);
                    self.settle_field(value, place)
                })
                .map(Some),
        }
    }

    /// Whether [`Merge::settle`] may change a value that is not null. Most never
    /// change, and a tree that is left alone need not be copied.
    fn is_unsettled(&self, node: &Node, place: Option<Shape<'a>>) -> bool {
        match &node.value {
            Value::Scalar(_) => false,
            Value::Sequence(_) => {
                let shape = self.shape_of(place, &[node]);
                self.merge_keys(shape, &[node]).is_some()
            }
            Value::Mapping(entries) => {
                let shape = self.shape_of(place, &[node]);
                entries.iter().any(|entry| {
                    let field = || self.below(shape, &entry.key, &entry.value, None);
                    match entry.value.text() {
                        Some(text) => {
                            (entry.value.is_null() && text.is_empty()) || is_ambiguous(&entry.value)
                        }
                        None => self.is_unsettled(&entry.value, field()),
                    }
                })
            }
        }
    }

    /// Only the patch has a value here; it becomes part of the object. Nulls in
    /// it vanish, directives take effect.
    fn adopt(
        &self,
        mut node: Node,
        place: Option<Shape<'a>>,
        placing: Placing,
    ) -> Result<Option<Node>, Error> {
        if node.is_null() {
            return Ok(None);
        }
        let shape = self.shape_of(place, &[&node]);
        match &node.value {
            Value::Scalar(_) => Ok(Some(node)),
            Value::Sequence(_) => self.adopt_list(node, shape, placing),
            Value::Mapping(_) => {
                let directive = match (take_from_map(&mut node), placing) {
                    (Ok(directive), _) => directive,
                    // Upstream ignores an unknown one at the very place that is
                    // new, but not below it.
                    (Err(_), Placing::New) => Directive::Merge,
                    (Err(error), Placing::Below) => return Err(error),
                };
                match directive {
                    Directive::Delete => Ok(None),
                    Directive::Replace | Directive::Merge => {
                        self.adopt_fields(node, shape).map(Some)
                    }
                }
            }
        }
    }

    fn adopt_fields(&self, node: Node, shape: Option<Shape<'a>>) -> Result<Node, Error> {
        self.each_field(node, |value, key| {
            let place = self.below(shape, key, &value, None);
            self.adopt(value, place, Placing::Below)
        })
    }

    /// Rebuilds a mapping from what becomes of its values.
    fn each_field(
        &self,
        mut node: Node,
        mut change: impl FnMut(Node, &Node) -> Result<Option<Node>, Error>,
    ) -> Result<Node, Error> {
        let Some(entries) = node.entries_mut() else {
            return Ok(node);
        };
        let mut kept = Mapping::with_capacity(entries.len());
        for entry in std::mem::take(entries) {
            let Entry { key, value } = entry;
            if let Some(value) = change(value, &key)? {
                kept.push(Entry { key, value });
            }
        }
        node.value = Value::Mapping(kept);
        Ok(node)
    }

    /// Of a list that merges, the keys of its elements.
    fn merge_keys(&self, shape: Option<Shape<'a>>, lists: &[&Node]) -> Option<Keys<'a>> {
        match shape {
            Some(shape) => shape.merge_keys().map(Keys::Known),
            None if self.infer => lists
                .iter()
                .copied()
                .any(has_names)
                .then_some(Keys::Inferred),
            None => None,
        }
    }
}

/// The keys by which a list merges.
#[derive(Clone, Copy, Debug)]
enum Keys<'a> {
    /// From the schema; none for scalars.
    Known(&'a [EcoString]),
    /// `name`, because the elements have it.
    Inferred,
}

/// Where an adopted value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placing {
    /// At a place the object does not have.
    New,
    /// Below such a place.
    Below,
}

/// Whether each element of a non-empty list has `name`.
fn has_names(list: &Node) -> bool {
    let items = list.items();
    list.is_seq() && items.iter().all(|item| item.get("name").is_some())
}

fn is_nameless(entry: &Entry) -> bool {
    entry.key.text().is_some_and(|text| text.is_empty())
}

fn key_text(entry: &Entry) -> EcoString {
    entry.key.text().cloned().unwrap_or_default()
}

/// The style of a field that a patch sets: the one it had, but that of the patch
/// where an empty collection was.
fn style_kept(old: &Node, patch: &Node) -> Style {
    match &old.value {
        Value::Mapping(entries) if entries.is_empty() => patch.style,
        Value::Sequence(items) if items.is_empty() => patch.style,
        _ => old.style,
    }
}
