//! The places of an object that a path with wildcards leads to.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{FileId, Limits, Node, Style, Value};

use crate::error::Error;
use crate::regexp;
use crate::transform::kind::{Kind, expect_kind, no_kind};
use crate::transform::path::{integer, is_match, kind_before, split_match};
use crate::transform::scalar::untyped;

/// What is done at a place; it is told whether the place was made for it.
pub type Visit<'v> = &'v mut dyn FnMut(&mut Node, bool);

/// Visits the places a path leads to: fields, indices, `*` for every element of
/// a list, `[key=regex]` for those whose key matches. With `create` missing
/// fields and elements are made, the last of that kind.
///
/// A path that goes on inside of a scalar is followed into the YAML the scalar
/// holds, but what is done there is lost; see [`super::structured`] for the
/// paths where it is not.
pub fn each_match(
    node: &mut Node,
    parts: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    follow(node, parts, create, false, visit)
}

fn follow(
    node: &mut Node,
    parts: &[EcoString],
    create: Option<Kind>,
    fresh: bool,
    visit: Visit<'_>,
) -> Result<(), Error> {
    let Some((part, rest)) = parts.split_first() else {
        visit(node, fresh);
        return Ok(());
    };
    if let Some(index) = integer(part).and_then(|index| usize::try_from(index).ok()) {
        return element(node, index, rest, create, visit);
    }
    if is_match(part) {
        return matching(node, part, rest, create, visit);
    }
    if part == "*" {
        expect_kind(Kind::Sequence, node)?;
        let items = node.items_mut().map(EcoVec::make_mut).unwrap_or_default();
        return items
            .iter_mut()
            .try_for_each(|item| follow(item, rest, create, false, visit));
    }
    field(node, part, rest, create, visit)
}

fn field(
    node: &mut Node,
    name: &EcoString,
    rest: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    if name.is_empty() {
        // No name means the node itself, which must then be a scalar.
        expect_kind(Kind::Scalar, node)?;
    }
    expect_kind(Kind::Mapping, node)?;
    let fresh = node.get(name).is_none();
    if fresh {
        let Some(last) = create else {
            return Ok(());
        };
        let mut made = kind_before(rest.first(), last).empty();
        if node.is_null() {
            // Nothing can be put into null; what is done is lost.
            return follow(&mut made, rest, create, true, visit);
        }
        node.insert(name, made);
    }
    let Some(field) = node.get_mut(name) else {
        return Ok(());
    };
    if field.is_scalar() && !rest.is_empty() {
        return inside(field, rest, create, visit);
    }
    follow(field, rest, create, fresh, visit)
}

/// Follows a path into the YAML that a scalar holds.
fn inside(
    scalar: &Node,
    parts: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    let text = scalar.text().map_or("", |text| text.as_str());
    let mut documents = yaml::parse(text, FileId::NONE, &Limits::default())
        .map_err(|e| Error::new(eco_format!("{e}")).at(scalar.span))?;
    match documents.first_mut() {
        Some(document) => follow(document, parts, create, false, visit),
        None if text.is_empty() => {
            let expected = match parts.first() {
                Some(part) if part == "*" => Kind::Sequence,
                part => kind_before(part, Kind::Mapping),
            };
            Err(no_kind(expected, scalar.span))
        }
        None => Ok(()),
    }
}

fn element(
    node: &mut Node,
    index: usize,
    rest: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    expect_kind(Kind::Sequence, node)?;
    let count = node.items().len();
    let fresh = index == count && create.is_some();
    if let (true, Some(last)) = (fresh, create)
        && let Some(items) = node.items_mut()
    {
        items.push(kind_before(rest.first(), last).empty());
    }
    let span = node.span;
    let items = node.items_mut().map(EcoVec::make_mut).unwrap_or_default();
    match items.get_mut(index) {
        Some(item) => follow(item, rest, create, fresh, visit),
        None => Err(Error::new(eco_format!(
            "index {index} specified but only {count} elements found"
        ))
        .at(span)),
    }
}

fn matching(
    node: &mut Node,
    part: &str,
    rest: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    let (key, pattern) = split_match(part)?;
    expect_kind(Kind::Sequence, node)?;
    let span = node.span;
    let Some(items) = node.items_mut() else {
        return Ok(());
    };
    if matches_of(items, &key, &pattern, rest, create, visit)? > 0 {
        return Ok(());
    }
    if create.is_none() {
        return Ok(());
    }
    let value = untyped(pattern.clone(), Style::Plain, span);
    items.push(match key.as_str() {
        "" => value,
        key => Node::map([(key, value)]),
    });
    match matches_of(items, &key, &pattern, rest, create, visit)? {
        // Upstream tries again for ever.
        0 => Err(Error::new(eco_format!(
            "the element created for {part:?} does not match it"
        ))),
        _ => Ok(()),
    }
}

/// Follows the rest of the path in each matching element and says at how many
/// places it arrived.
fn matches_of(
    items: &mut EcoVec<Node>,
    key: &str,
    pattern: &str,
    rest: &[EcoString],
    create: Option<Kind>,
    visit: Visit<'_>,
) -> Result<usize, Error> {
    if items.is_empty() {
        return Ok(0);
    }
    let regex = regexp::compile(pattern)?;
    let mut arrived = 0;
    for item in items.make_mut() {
        let compared = match key {
            "" => Some(&*item),
            key => item.get(key),
        };
        if !compared.is_some_and(|node| regex.is_match(&printed(node))) {
            continue;
        }
        let mut counting = |place: &mut Node, fresh: bool| {
            arrived += 1;
            visit(place, fresh);
        };
        // Elements of lists of scalars are matched themselves.
        let rest = if key.is_empty() { &[] } else { rest };
        follow(item, rest, create, false, &mut counting)?;
    }
    Ok(arrived)
}

/// A node as upstream prints it for comparing: quotes and comments are part of it.
fn printed(node: &Node) -> String {
    match &node.value {
        Value::Scalar(text)
            if node.style == Style::Plain && node.comments.is_empty() && is_plain_word(text) =>
        {
            text.to_string()
        }
        _ => yaml::emit_v3(node).trim().to_owned(),
    }
}

/// Whether a text is printed as it is, whatever its type.
fn is_plain_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'/'))
        && yaml::plain_tag(text) == yaml::Tag::Str
        && yaml::is_string_in_1_1(text)
}
