//! Three-way merge: what changed between two versions of an object, carried over
//! to a copy that was changed on its own. No build does this; it is how tools
//! update packages that were taken over and edited.
//!
//! A field that differs between the two versions takes its newer value, and goes
//! where the newer one lacks it. All others are as in the copy. Lists that merge
//! are paired by their keys, all others are one value.

use std::collections::BTreeSet;

use ecow::{EcoString, EcoVec};
use yaml::{Entry, Mapping, Node, Style, Value};

use super::elements::{
    Texts, complete, is_void, join, key_scalar, keys_in_use, pick, position, put, remove, values_of,
};
use super::{Keys, Merge, key_text};
use crate::error::Error;
use crate::tables::Shape;
use crate::transform::kind::{Kind, expect_kind};

/// One place in the three trees; a side may lack it.
#[derive(Clone, Copy, Default)]
struct Sides<'n> {
    /// The copy with changes of its own.
    local: Option<&'n Node>,
    /// What it was copied from.
    origin: Option<&'n Node>,
    /// What that has become.
    update: Option<&'n Node>,
}

impl<'n> Sides<'n> {
    fn all(self) -> impl Iterator<Item = &'n Node> {
        [self.local, self.origin, self.update].into_iter().flatten()
    }

    /// Those that hold something.
    fn filled(self) -> impl Iterator<Item = &'n Node> {
        self.all().filter(|node| !node.is_null())
    }

    /// The place below on each side.
    fn each(self, below: impl Fn(&'n Node) -> Option<&'n Node>) -> Self {
        Sides {
            local: self.local.and_then(&below),
            origin: self.origin.and_then(&below),
            update: self.update.and_then(&below),
        }
    }

    /// Whether the copy or the newer version says null here.
    fn is_cleared(self) -> bool {
        [self.local, self.update]
            .into_iter()
            .flatten()
            .any(Node::is_null)
    }
}

/// A side that is there and not null.
fn present(side: Option<&Node>) -> Option<&Node> {
    side.filter(|node| !node.is_null())
}

impl<'a> Merge<'a> {
    /// Carries what changed from `origin` to `update` over to `local`. `None`
    /// when nothing is left. Fails where the three differ in kind (mapping,
    /// list, scalar).
    pub fn update(
        &self,
        local: &Node,
        origin: &Node,
        update: &Node,
    ) -> Result<Option<Node>, Error> {
        let sides = Sides {
            local: Some(local),
            origin: Some(origin),
            update: Some(update),
        };
        self.carry(sides, None)
    }

    fn carry(&self, sides: Sides<'_>, place: Option<Shape<'a>>) -> Result<Option<Node>, Error> {
        let kind = sides.filled().next().map_or(Kind::Mapping, Kind::of);
        for node in sides.all() {
            expect_kind(kind, node)?;
        }
        let filled: Vec<&Node> = sides.filled().collect();
        let shape = self.shape_of(place, &filled);
        match kind {
            Kind::Mapping => self.carry_fields(sides, shape),
            Kind::Scalar => Ok(carry_whole(sides)),
            Kind::Sequence => match self.merge_keys(shape, &filled) {
                Some(keys) => self.carry_elements(sides, shape, keys),
                None => Ok(carry_whole(sides)),
            },
        }
    }

    fn carry_fields(
        &self,
        sides: Sides<'_>,
        shape: Option<Shape<'a>>,
    ) -> Result<Option<Node>, Error> {
        if sides.is_cleared() || (sides.local.is_none() && sides.update.is_none()) {
            return Ok(None);
        }
        let mut merged = sides
            .local
            .cloned()
            .unwrap_or_else(|| Kind::Mapping.empty());
        let entries = sides.all().flat_map(|node| node.entries());
        let names: BTreeSet<EcoString> = entries.map(key_text).collect();
        for name in names {
            let below = sides.each(|node| node.get(&name));
            let keys = sides.all().flat_map(|node| node.entries());
            let keys = keys.filter(|entry| key_text(entry) == name);
            let said = keys
                .into_iter()
                .find_map(|entry| self.said(&entry.key, &entry.value));
            let place = said.or_else(|| shape?.field(&name));
            match self.carry(below, place)? {
                Some(value) => set_field(&mut merged, &name, value, sides),
                None => {
                    merged.remove(&name);
                }
            }
        }
        Ok(Some(merged))
    }

    fn carry_elements(
        &self,
        sides: Sides<'_>,
        shape: Option<Shape<'a>>,
        keys: Keys<'a>,
    ) -> Result<Option<Node>, Error> {
        if present(sides.update).is_none() && present(sides.origin).is_some() {
            return Ok(None);
        }
        let mut keys: Texts = match keys {
            Keys::Known(keys) => keys.to_vec(),
            Keys::Inferred => vec!["name".into()],
        };
        let mut all = values_of(sides.all().flat_map(|node| node.items()), &keys);
        if keys.is_empty() {
            // Scalars are their own key.
            keys.push(EcoString::new());
        } else if keys.len() > 1 {
            complete(&mut all);
        }
        let local = present(sides.local).cloned();
        let mut list = local.unwrap_or_else(|| Kind::Sequence.empty());
        let mut old: EcoVec<Node> = list.items_mut().map(std::mem::take).unwrap_or_default();
        let mut new = EcoVec::new();
        let used = keys_in_use(&all, &keys);
        for values in &all {
            let values = pick(&keys, values, &used);
            match self.carry_element(sides, &used, &values, shape)? {
                Some(element) => put(&mut new, &used, &values, element)?,
                None => remove(&mut old, &used, &values)?,
            }
        }
        if !all.is_empty() {
            old = join(old, new, &used)?;
        }
        list.value = Value::Sequence(old);
        Ok(Some(list))
    }

    fn carry_element(
        &self,
        sides: Sides<'_>,
        keys: &[EcoString],
        values: &[EcoString],
        shape: Option<Shape<'a>>,
    ) -> Result<Option<Node>, Error> {
        // Keys without value do not count when an element is looked for.
        let named = keys_in_use(&[values.to_vec()], keys);
        let wanted = pick(keys, values, &named);
        let below = sides.each(|list| {
            let items = list.items();
            items.get(position(items, &named, &wanted)?)
        });
        let shape = shape.and_then(|shape| shape.elements());
        let merged = self.carry(below, shape)?.filter(|node| !is_void(node));
        let Some(mut element) = merged else {
            return Ok(None);
        };
        for (key, value) in keys.iter().zip(values) {
            if !value.is_empty() && element.is_map() && element.get(key).is_none() {
                let value = key_scalar(value, &element);
                element.insert(key, value);
            }
        }
        Ok(Some(element))
    }
}

/// Puts a value at a field: in its old style where there was one, else behind
/// the others, under the key as it was written.
fn set_field(map: &mut Node, name: &EcoString, mut value: Node, sides: Sides<'_>) {
    let Some(entries) = map.entries_mut() else {
        return;
    };
    let entries: &mut Mapping = entries;
    let known = entries.iter().position(|entry| key_text(entry) == *name);
    if let Some(entry) = known.and_then(|at| entries.make_mut().get_mut(at)) {
        if value.is_scalar() && entry.value.style != Style::Plain {
            value.style = entry.value.style;
        }
        entry.value = value;
        return;
    }
    let written = sides.all().flat_map(|node| node.entries());
    let key = written.filter(|entry| key_text(entry) == *name).last();
    let key = key.map_or_else(|| Node::string(name.clone()), |entry| entry.key.clone());
    entries.push(Entry { key, value });
}

/// A value that is taken as a whole.
fn carry_whole(sides: Sides<'_>) -> Option<Node> {
    if sides.is_cleared() {
        return None;
    }
    let chosen = match (present(sides.origin), present(sides.update)) {
        (None, None) => sides.local,
        (Some(_), None) | (None, Some(_)) => sides.update,
        (Some(origin), Some(update)) if is_newer(sides.local, origin, update) => Some(update),
        _ => sides.local,
    };
    chosen.cloned()
}

/// Whether the newer version's value counts. A type that changes while the text
/// does not is taken over only where the copy did not change anything.
fn is_newer(local: Option<&Node>, origin: &Node, update: &Node) -> bool {
    if !update.is_scalar() {
        return origin != update;
    }
    if origin.text() != update.text() {
        return true;
    }
    let untouched = present(local).is_none_or(|local| local == origin);
    origin.tag != update.tag && untouched
}
