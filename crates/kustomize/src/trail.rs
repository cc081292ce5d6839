//! Finding fields without changing anything: objects share their nodes with
//! the parsed files, and asking for a mutable node copies everything above it.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{Node, Value};

use crate::error::Error;

/// The way from an object to one of its nodes: indices of entries and items.
pub(crate) type Trail = EcoVec<usize>;

/// Splits a path at `/`; a `\/` is part of a name, a leading `/` is ignored.
pub(crate) fn split_path(path: &str) -> EcoVec<EcoString> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let mut parts: EcoVec<EcoString> = EcoVec::new();
    let mut joins = false;
    for part in path.split('/') {
        let (text, escaped) = match part.strip_suffix('\\') {
            Some(text) => (text, true),
            None => (part, false),
        };
        match parts.make_mut().last_mut() {
            Some(last) if joins => {
                last.push('/');
                last.push_str(text);
            }
            _ => parts.push(text.into()),
        }
        joins = escaped;
    }
    parts
}

/// Calls `visit` with every node a field path leads to, and the way to it.
/// Lists on the way are passed through. Fails where the path goes on and the
/// object has a scalar, and where `visit` fails.
pub(crate) fn locate(
    node: &Node,
    path: &[EcoString],
    visit: &mut dyn FnMut(&Node, &Trail) -> Result<(), Error>,
) -> Result<(), Error> {
    walk(node, path, &mut Trail::new(), visit)
}

fn walk(
    node: &Node,
    path: &[EcoString],
    trail: &mut Trail,
    visit: &mut dyn FnMut(&Node, &Trail) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some((first, rest)) = path.split_first() else {
        return visit(node, trail);
    };
    if node.is_null() {
        return Ok(());
    }
    match &node.value {
        Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                trail.push(index);
                let result = walk(item, path, trail, visit);
                trail.pop();
                result.map_err(|e| {
                    e.during(eco_format!("visit traversal on path: [{}]", path.join(" ")))
                })?;
            }
            Ok(())
        }
        Value::Mapping(entries) => {
            let name = first.strip_suffix("[]").unwrap_or(first);
            if name.is_empty() {
                return Err(Error::new("cannot set or create an empty field name"));
            }
            let found = entries
                .iter()
                .position(|entry| entry.key.text().is_some_and(|text| text == name));
            let Some((index, entry)) = found.and_then(|at| Some((at, entries.get(at)?))) else {
                return Ok(());
            };
            trail.push(index);
            let result = walk(&entry.value, rest, trail, visit);
            trail.pop();
            result
        }
        Value::Scalar(_) => Err(Error::new("expected sequence or mapping node").at(node.span)),
    }
}

/// The node at the end of a way, to change.
pub(crate) fn node_at_mut<'a>(node: &'a mut Node, trail: &[usize]) -> Option<&'a mut Node> {
    let mut node = node;
    for index in trail {
        node = match &mut node.value {
            Value::Sequence(items) => items.make_mut().get_mut(*index)?,
            Value::Mapping(entries) => &mut entries.make_mut().get_mut(*index)?.value,
            Value::Scalar(_) => return None,
        };
    }
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_can_be_part_of_a_name() {
        let parts = |path: &str| split_path(path).to_vec();
        assert_eq!(parts("metadata/name"), ["metadata", "name"]);
        assert_eq!(parts("/a/b"), ["a", "b"]);
        assert_eq!(
            parts(r"metadata/annotations/example.com\/key"),
            ["metadata", "annotations", "example.com/key"]
        );
    }

    #[test]
    fn lists_are_passed_through() {
        let item = |name: &str| Node::map([("name", Node::string(name))]);
        let mut node = Node::map([("list", Node::seq([item("a"), item("b")]))]);
        let mut found = Vec::new();
        let path = split_path("list/name");
        locate(&node, &path, &mut |node, trail| {
            found.push((node.as_str().map(str::to_owned), trail.clone()));
            Ok(())
        })
        .unwrap();
        assert_eq!(found.len(), 2);
        let (_, trail) = &found[1];
        assert_eq!(node_at_mut(&mut node, trail).unwrap().as_str(), Some("b"));
    }
}
