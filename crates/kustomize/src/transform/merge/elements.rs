//! Lists that merge: elements are paired by the values of their keys.

use ecow::{EcoString, EcoVec};
use yaml::{Comments, Node, Style, Value};

use super::directive::{Directive, take_from_list, take_from_map};
use super::{Growth, Keys, Merge, Placing};
use crate::error::Error;
use crate::tables::Shape;
use crate::transform::kind::{Kind, wrong_kind};
use crate::transform::scalar::{is_old_non_string, untyped};

/// The values of an element's keys, or the keys.
pub(super) type Texts = Vec<EcoString>;

/// What the patch has for a list of the object.
enum Other {
    /// Nothing.
    Nothing,
    /// This list.
    List(EcoVec<Node>),
    /// The list itself came from the patch.
    Same,
}

impl<'a> Merge<'a> {
    /// Both sides have a list here; the patch may say null.
    pub(super) fn combine_lists(
        &self,
        mut target: Node,
        mut patch: Node,
        shape: Option<Shape<'a>>,
    ) -> Result<Option<Node>, Error> {
        if patch.is_null() {
            return Ok(None);
        }
        let Some(keys) = self.merge_keys(shape, &[&target, &patch]) else {
            return Ok(Some(patch));
        };
        if target.items().is_empty() {
            target.style = patch.style;
        }
        match take_from_list(&mut patch)? {
            Directive::Delete => Ok(None),
            Directive::Replace => self.pair_up(patch, Other::Same, keys, shape).map(Some),
            Directive::Merge => {
                let items = patch.items_mut().map(std::mem::take).unwrap_or_default();
                self.pair_up(target, Other::List(items), keys, shape)
                    .map(Some)
            }
        }
    }

    /// Only the object has a list here.
    pub(super) fn settle_list(&self, list: Node, shape: Option<Shape<'a>>) -> Result<Node, Error> {
        match self.merge_keys(shape, &[&list]) {
            Some(keys) => self.pair_up(list, Other::Nothing, keys, shape),
            None => Ok(list),
        }
    }

    /// Only the patch has a list here.
    pub(super) fn adopt_list(
        &self,
        mut list: Node,
        shape: Option<Shape<'a>>,
        placing: Placing,
    ) -> Result<Option<Node>, Error> {
        let Some(keys) = self.merge_keys(shape, &[&list]) else {
            return Ok(Some(list));
        };
        // At the very place that is new upstream does not look for a directive.
        if placing == Placing::Below && take_from_list(&mut list)? == Directive::Delete {
            return Ok(None);
        }
        self.pair_up(list, Other::Same, keys, shape).map(Some)
    }

    fn pair_up(
        &self,
        mut list: Node,
        other: Other,
        keys: Keys<'a>,
        shape: Option<Shape<'a>>,
    ) -> Result<Node, Error> {
        let keys: Texts = match keys {
            Keys::Known(keys) => keys.to_vec(),
            Keys::Inferred => vec!["name".into()],
        };
        let is_filled = match &other {
            Other::List(items) => !(items.is_empty() && list.items().is_empty()),
            Other::Nothing | Other::Same => !list.items().is_empty(),
        };
        if is_filled && self.growth == Growth::Prepend {
            // The list is made anew, in front of the old one.
            list.comments = Comments::NONE;
        }
        let Some(items) = list.items_mut() else {
            return Ok(list);
        };
        let items = std::mem::take(items);
        let paired = Pairing {
            merge: self,
            shape: shape.and_then(|shape| shape.elements()),
            target: items,
            added: EcoVec::new(),
            other,
        }
        .run(keys)?;
        list.value = Value::Sequence(paired);
        Ok(list)
    }
}

/// The work on one list.
struct Pairing<'m, 'a> {
    merge: &'m Merge<'a>,
    shape: Option<Shape<'a>>,
    target: EcoVec<Node>,
    added: EcoVec<Node>,
    other: Other,
}

impl Pairing<'_, '_> {
    fn run(mut self, mut keys: Texts) -> Result<EcoVec<Node>, Error> {
        let mut all = self.key_values(&keys);
        if keys.is_empty() {
            // Scalars are their own key.
            keys.push(EcoString::new());
        } else if keys.len() > 1 {
            complete(&mut all);
        }
        let mut used = Texts::new();
        for values in &all {
            used = keys_in_use(&all, &keys);
            let values = pick(&keys, values, &used);
            self.element(&used, &values)?;
        }
        if all.is_empty() {
            return Ok(self.target);
        }
        match self.merge.growth {
            Growth::Prepend => join(self.added, self.target, &used),
            Growth::Append => join(self.target, self.added, &used),
        }
    }

    /// The values of the keys in every element of both sides, each combination
    /// once, in the order in which elements shall come.
    fn key_values(&self, keys: &[EcoString]) -> Vec<Texts> {
        let patch = match &self.other {
            Other::List(items) => items.as_slice(),
            Other::Nothing | Other::Same => &[],
        };
        let sides = match self.merge.growth {
            Growth::Prepend => [patch, self.target.as_slice()],
            Growth::Append => [self.target.as_slice(), patch],
        };
        values_of(sides.into_iter().flatten(), keys)
    }

    /// Makes one element of the result from those that have these values.
    fn element(&mut self, keys: &[EcoString], values: &[EcoString]) -> Result<(), Error> {
        // Keys without value do not count when an element is looked for.
        let one = [values.to_vec()];
        let named = keys_in_use(&one, keys);
        let wanted = pick(keys, values, &named);
        let at = position(&self.target, &named, &wanted);
        let merged = self.merged(at, &named, &wanted)?;
        let Some(mut element) = merged.filter(|node| !is_void(node)) else {
            return remove(&mut self.target, keys, values);
        };
        for (key, value) in keys.iter().zip(values) {
            if !value.is_empty() && element.is_map() && element.get(key).is_none() {
                let value = key_scalar(value, &element);
                element.insert(key, value);
            }
        }
        put(&mut self.added, keys, values, element)
    }

    /// What becomes of the object's element at an index and of its partner in
    /// the patch. The object's element is changed along.
    fn merged(
        &mut self,
        at: Option<usize>,
        keys: &[EcoString],
        values: &[EcoString],
    ) -> Result<Option<Node>, Error> {
        let (merge, shape) = (self.merge, self.shape);
        let target = at.and_then(|at| self.target.get(at)).cloned();
        let partner = self.partner(keys, values);
        let replaces = partner.as_ref().is_some_and(asks_to_replace);
        let merged = match (target, partner) {
            (None, None) => None,
            (Some(target), None) if matches!(self.other, Other::Same) => {
                merge.adopt(target, shape, Placing::Below)?
            }
            (Some(target), None) => merge.settle(target, shape)?,
            (Some(target), Some(partner)) if !target.is_null() => {
                merge.combine(target, partner, shape)?
            }
            (_, Some(partner)) => merge.adopt(partner, shape, Placing::New)?,
        };
        // An element that replaces another is a new one; the old one stays as
        // it is, and later wins over it. So does a scalar.
        let changed = match (&merged, &self.other) {
            (Some(merged), _) => Some(merged.clone()).filter(|node| node.is_map() && !replaces),
            // Of a deletion that then finds nothing, the directive is gone.
            (None, Other::Same) => at
                .and_then(|at| self.target.get(at).cloned())
                .and_then(|mut node| take_from_map(&mut node).ok().map(|_| node)),
            (None, _) => None,
        };
        if let (Some(at), Some(changed)) = (at, changed)
            && let Some(place) = self.target.make_mut().get_mut(at)
        {
            *place = changed;
        }
        Ok(merged)
    }

    /// The patch's element with these values. Its directive takes effect once:
    /// whoever comes to it again finds it without.
    fn partner(&mut self, keys: &[EcoString], values: &[EcoString]) -> Option<Node> {
        let Other::List(items) = &mut self.other else {
            return None;
        };
        let at = position(items, keys, values)?;
        let partner = items.get(at)?.clone();
        if partner.get("$patch").is_some()
            && let Some(rest) = items.make_mut().get_mut(at)
        {
            // An unknown one fails where it is applied.
            let _ = take_from_map(rest);
        }
        Some(partner)
    }
}

fn asks_to_replace(element: &Node) -> bool {
    let directive = element.get("$patch").and_then(Node::text);
    directive.is_some_and(|text| text == "replace")
}

fn text(node: &Node) -> EcoString {
    node.text().cloned().unwrap_or_default()
}

/// The values of the keys in every element, each combination once. Without keys
/// elements are scalars and stand for themselves.
pub(super) fn values_of<'n>(
    items: impl Iterator<Item = &'n Node>,
    keys: &[EcoString],
) -> Vec<Texts> {
    let mut all: Vec<Texts> = Vec::new();
    for item in items {
        let values = match keys {
            [] => vec![text(item)],
            keys => keys.iter().map(|key| key_value(item, key)).collect(),
        };
        if !all.contains(&values) {
            all.push(values);
        }
    }
    all
}

/// The value of a key in an element; empty when it is absent, null or empty.
fn key_value(element: &Node, key: &str) -> EcoString {
    match element.get(key) {
        Some(value) if !value.is_null() => text(value),
        _ => EcoString::new(),
    }
}

/// A key that is put into an element which lacks it.
pub(super) fn key_scalar(value: &EcoString, element: &Node) -> Node {
    let style = if is_old_non_string(value) {
        Style::DoubleQuoted
    } else {
        Style::Plain
    };
    untyped(value.clone(), style, element.span)
}

/// The keys for which some combination has a value; all when none has any.
pub(super) fn keys_in_use(all: &[Texts], keys: &[EcoString]) -> Texts {
    let in_use = |at: usize| {
        let value = |values: &Texts| values.get(at).is_some_and(|value| !value.is_empty());
        all.iter().any(value)
    };
    let used: Texts = (0..)
        .zip(keys)
        .filter(|(at, _)| in_use(*at))
        .map(|(_, key)| key.clone())
        .collect();
    if used.is_empty() { keys.to_vec() } else { used }
}

/// The values of some of the keys.
pub(super) fn pick(keys: &[EcoString], values: &[EcoString], some: &[EcoString]) -> Texts {
    let picked = keys
        .iter()
        .zip(values)
        .filter(|(key, _)| some.contains(key));
    picked.map(|(_, value)| value.clone()).collect()
}

/// Fills gaps: of two combinations that agree where both have a value, and do so
/// somewhere, each takes from the other what it lacks.
pub(super) fn complete(all: &mut [Texts]) {
    for i in 0..all.len() {
        // What the first has is read once, though it changes meanwhile.
        let Some(first) = all.get(i).cloned() else {
            return;
        };
        for j in 0..all.len() {
            let Some(joined) = all.get(j).and_then(|second| join_values(&first, second)) else {
                continue;
            };
            for at in [i, j] {
                if let Some(place) = all.get_mut(at) {
                    place.clone_from(&joined);
                }
            }
        }
    }
}

fn join_values(a: &Texts, b: &Texts) -> Option<Texts> {
    let mut common = false;
    let mut joined = Texts::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        common |= a == b;
        if a != b && !a.is_empty() && !b.is_empty() {
            return None;
        }
        joined.push(if a.is_empty() { b.clone() } else { a.clone() });
    }
    common.then_some(joined)
}

/// Whether a node is null or an empty mapping; such elements vanish.
pub(super) fn is_void(node: &Node) -> bool {
    node.is_null() || (node.is_map() && node.entries().is_empty())
}

/// The first element in which each key has its value; for scalars the key is
/// empty.
pub(super) fn position(items: &[Node], keys: &[EcoString], values: &[EcoString]) -> Option<usize> {
    if keys.first().is_none_or(|key| key.is_empty()) {
        let wanted = values.first()?;
        return items.iter().position(|item| text(item) == *wanted);
    }
    items.iter().position(|item| {
        item.is_map()
            && keys
                .iter()
                .zip(values)
                .all(|(key, value)| item.get(key).is_some_and(|found| text(found) == *value))
    })
}

/// Puts an element where one with the same key values stands, or at the end.
pub(super) fn put(
    items: &mut EcoVec<Node>,
    keys: &[EcoString],
    values: &[EcoString],
    element: Node,
) -> Result<(), Error> {
    set(items, keys, values, Some(element))
}

/// Removes the elements that have these key values.
pub(super) fn remove(
    items: &mut EcoVec<Node>,
    keys: &[EcoString],
    values: &[EcoString],
) -> Result<(), Error> {
    set(items, keys, values, None)
}

/// Replaces every element with these key values, or removes them. Elements that
/// are null or empty are dropped in passing. Without any value nothing matches
/// and nothing stays: upstream's answer to an element that lacks its key.
fn set(
    items: &mut EcoVec<Node>,
    keys: &[EcoString],
    values: &[EcoString],
    element: Option<Node>,
) -> Result<(), Error> {
    let filled = |texts: &[EcoString]| texts.first().is_some_and(|text| !text.is_empty());
    let for_maps = filled(keys) && filled(values);
    let mut kept = EcoVec::with_capacity(items.len() + 1);
    let mut found = false;
    for item in std::mem::take(items) {
        if is_void(&item) {
            continue;
        }
        if !item.is_map() && for_maps {
            kept.push(item);
        } else if has_values(&item, keys, values)? {
            found = true;
            kept.extend(element.clone());
        } else if !values.is_empty() {
            kept.push(item);
        }
    }
    if !found {
        kept.extend(element.filter(|element| !element.is_null()));
    }
    *items = kept;
    Ok(())
}

/// Whether an element has the values. A key beyond the values counts as found
/// when the one before it was; an empty value stands for any.
fn has_values(item: &Node, keys: &[EcoString], values: &[EcoString]) -> Result<bool, Error> {
    let mut matched = false;
    for (at, key) in keys.iter().enumerate() {
        if let Some(value) = values.get(at) {
            matched = if key.is_empty() {
                if !item.is_scalar() {
                    return Err(wrong_kind(Kind::Scalar, item));
                }
                text(item) == *value
            } else {
                if !item.is_map() {
                    return Err(wrong_kind(Kind::Mapping, item));
                }
                let field = item.get(key);
                field.is_some_and(|field| value.is_empty() || text(field) == *value)
            };
        }
        if !matched {
            return Ok(false);
        }
    }
    Ok(matched)
}

/// Lays the elements of one list over another.
pub(super) fn join(
    mut into: EcoVec<Node>,
    from: EcoVec<Node>,
    keys: &[EcoString],
) -> Result<EcoVec<Node>, Error> {
    for item in from {
        if keys.first().is_none_or(|key| key.is_empty()) {
            let value = text(&item);
            put(&mut into, keys, &[value], item)?;
            continue;
        }
        let mut values = Texts::new();
        for key in keys {
            if !item.is_map() && !item.is_null() {
                return Err(wrong_kind(Kind::Mapping, &item));
            }
            match item.get(key) {
                Some(value) => values.push(text(value)),
                None => into.push(item.clone()),
            }
        }
        if keys.len() > 1 {
            remove(&mut into, keys, &values)?;
        }
        put(&mut into, keys, &values, item)?;
    }
    Ok(into)
}
