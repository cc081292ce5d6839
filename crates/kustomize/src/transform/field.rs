//! Following a field spec into an object.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{Node, Tag, Value};

use super::kind::Kind;
use super::path::{lookup_mut, split};
use crate::error::Error;
use crate::field_spec::FieldSpec;
use crate::id::{Gvk, ResId, field_text};

/// Changes the node at the end of a field spec's path.
pub type Change<'c> = &'c mut dyn FnMut(&mut Node) -> Result<(), Error>;

/// Calls `change` for each place of an object that a field spec leads to: lists
/// on the way are gone through element by element. With `create`, and if the
/// spec asks for it, missing fields are made, the last one of that kind.
///
/// Nothing happens to objects of other types and where the path ends early.
/// Fails where the path goes through a scalar, and with `change`.
pub fn each_place(
    object: &mut Node,
    spec: &FieldSpec,
    create: Option<Kind>,
    change: Change<'_>,
) -> Result<(), Error> {
    if !has_type(object, &spec.gvk) {
        return Ok(());
    }
    let parts = split(&spec.path, '/');
    let create = create.filter(|_| spec.create);
    follow(object, &parts, create, change).map_err(|error| {
        let (path, id) = (&spec.path, ResId::of(object));
        error.during(eco_format!("considering field '{path}' of object {id}"))
    })
}

/// As [`each_place`], for each spec of a list in turn.
pub fn each_place_of<'s>(
    object: &mut Node,
    specs: impl IntoIterator<Item = &'s FieldSpec>,
    create: Option<Kind>,
    change: Change<'_>,
) -> Result<(), Error> {
    specs
        .into_iter()
        .try_for_each(|spec| each_place(object, spec, create, change))
}

/// Whether the pattern of a spec selects an object. Asked for every object and
/// spec, so without making a [`Gvk`] of the object.
pub fn has_type(object: &Node, pattern: &Gvk) -> bool {
    let part = |pattern: &EcoString, text: &str| pattern.is_empty() || pattern == text;
    if !part(
        &pattern.kind,
        field_text(object, "kind").unwrap_or_default(),
    ) {
        return false;
    }
    let api_version = field_text(object, "apiVersion").unwrap_or_default();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    part(&pattern.group, group) && part(&pattern.version, version)
}

/// Whether [`each_place`] without creating would do something to an object: a
/// place satisfies the predicate, a null becomes a list, or the path fails.
pub fn concerns(object: &Node, spec: &FieldSpec, mut test: impl FnMut(&Node) -> bool) -> bool {
    has_type(object, &spec.gvk) && concerns_below(object, &split(&spec.path, '/'), &mut test)
}

fn concerns_below(node: &Node, parts: &[EcoString], test: &mut dyn FnMut(&Node) -> bool) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return test(node);
    };
    match &node.value {
        Value::Scalar(_) => !node.is_null(),
        Value::Sequence(items) => items.iter().any(|item| concerns_below(item, parts, test)),
        Value::Mapping(_) => {
            let name = part.strip_suffix("[]").unwrap_or(part);
            let is_list = name.len() != part.len();
            node.get(name).is_some_and(|field| match field.is_null() {
                true => is_list,
                false => concerns_below(field, rest, test),
            })
        }
    }
}

fn follow(
    node: &mut Node,
    parts: &[EcoString],
    create: Option<Kind>,
    change: Change<'_>,
) -> Result<(), Error> {
    let Some((part, rest)) = parts.split_first() else {
        return change(node);
    };
    if node.is_null() {
        return Ok(());
    }
    match &mut node.value {
        Value::Scalar(_) => Err(Error::new("expected sequence or mapping node").at(node.span)),
        Value::Sequence(items) => EcoVec::make_mut(items)
            .iter_mut()
            .try_for_each(|item| follow(item, parts, create, change))
            .map_err(|error| {
                let path = parts.join(" ");
                error.during(eco_format!("visit traversal on path: [{path}]"))
            }),
        Value::Mapping(_) => match field(node, part, rest.is_empty(), create)? {
            Some(field) => follow(field, rest, create, change),
            None => Ok(()),
        },
    }
}

/// The field of a mapping for one part of a path.
fn field<'n>(
    node: &'n mut Node,
    part: &str,
    last: bool,
    create: Option<Kind>,
) -> Result<Option<&'n mut Node>, Error> {
    let name = part.strip_suffix("[]").unwrap_or(part);
    if name.is_empty() {
        return Err(Error::new("cannot set or create an empty field name"));
    }
    let is_list = name.len() != part.len();
    let create = match create {
        Some(_) if is_list => None,
        Some(kind) if last => Some(kind),
        Some(_) => Some(Kind::Mapping),
        None => None,
    };
    let name = EcoString::from(name);
    let found = lookup_mut(node, std::slice::from_ref(&name), create)
        .map_err(|error| error.during(eco_format!("fieldName: {name}")))?;
    let Some(field) = found else {
        return Ok(None);
    };
    // A null becomes what would have been created in its place.
    let kind = create.or(is_list.then_some(Kind::Sequence));
    if let Some(kind) = kind.filter(|_| field.is_null()) {
        become_kind(field, kind);
    }
    Ok(Some(field))
}

fn become_kind(node: &mut Node, kind: Kind) {
    match kind {
        // The text stays; whatever is done next sees it.
        Kind::Scalar => node.tag = Tag::Str,
        Kind::Mapping | Kind::Sequence => {
            let empty = kind.empty();
            node.value = empty.value;
            node.tag = empty.tag;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(path: &str, create: bool) -> FieldSpec {
        FieldSpec {
            path: path.into(),
            create,
            ..FieldSpec::default()
        }
    }

    fn visit(object: &mut Node, spec: &FieldSpec, create: Option<Kind>) -> Result<usize, Error> {
        let mut count = 0;
        each_place(object, spec, create, &mut |node| {
            *node = Node::string("seen");
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    fn pod() -> Node {
        let container = |name| Node::map([("name", Node::string(name))]);
        let containers = Node::seq([container("a"), container("b")]);
        Node::map([("spec", Node::map([("containers", containers)]))])
    }

    #[test]
    fn lists_are_gone_through_with_and_without_hint() {
        for path in ["spec/containers/name", "spec/containers[]/name"] {
            assert_eq!(visit(&mut pod(), &spec(path, false), None), Ok(2), "{path}");
        }
    }

    #[test]
    fn only_create_makes_fields() {
        let mut object = pod();
        let path = "metadata/labels/app";
        assert_eq!(
            visit(&mut object, &spec(path, false), Some(Kind::Scalar)),
            Ok(0)
        );
        assert_eq!(visit(&mut object, &spec(path, true), None), Ok(0));
        assert_eq!(
            visit(&mut object, &spec(path, true), Some(Kind::Scalar)),
            Ok(1)
        );
        assert_eq!(object.str_at(&["metadata", "labels", "app"]), Some("seen"));
        // A list is never made.
        let path = "spec/volumes[]/name";
        assert_eq!(
            visit(&mut object, &spec(path, true), Some(Kind::Scalar)),
            Ok(0)
        );
    }

    #[test]
    fn other_types_are_left_alone() {
        let mut wanted = spec("spec", false);
        wanted.gvk.kind = "Service".into();
        assert_eq!(visit(&mut pod(), &wanted, None), Ok(0));
    }

    #[test]
    fn a_scalar_on_the_way_is_an_error() {
        let error = visit(&mut pod(), &spec("spec/containers/name/x", false), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "considering field 'spec/containers/name/x' of object \
             [noKind].[noVer].[noGrp]/[noName].[noNs]: visit traversal on path: \
             [name x]: expected sequence or mapping node"
        );
    }
}
