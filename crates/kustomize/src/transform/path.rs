//! Paths to fields and how they are followed.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{Node, Style, Value};

use super::kind::{Kind, wrong_kind};
use super::scalar::untyped;
use crate::error::Error;

/// Splits a path at a delimiter, which a backslash in front of it escapes. A
/// leading delimiter is left out.
pub fn split(path: &str, delimiter: char) -> Vec<EcoString> {
    let mut pieces = path.split(delimiter).peekable();
    let first = pieces.next().unwrap_or_default();
    let first = match pieces.peek() {
        Some(_) if first.is_empty() => pieces.next().unwrap_or_default(),
        _ => first,
    };
    let mut parts: Vec<EcoString> = vec![first.into()];
    for piece in pieces {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(piece);
            }
            _ => parts.push(piece.into()),
        }
    }
    parts
}

/// Splits a path at dots. A dot in brackets does not count: `[name=a.b]` stays
/// as it is, `[a.b]` becomes the key `a.b`.
pub fn split_dotted(path: &str) -> Vec<EcoString> {
    let mut parts = Vec::new();
    let mut pieces = split(path, '.').into_iter();
    while let Some(mut part) = pieces.next() {
        if part.starts_with('[') && !part.ends_with(']') {
            for piece in pieces.by_ref() {
                part.push('.');
                part.push_str(&piece);
                if piece.ends_with(']') {
                    break;
                }
            }
            if !part.contains('=') {
                part = part.trim_matches(['[', ']']).into();
            }
        }
        parts.push(part);
    }
    parts
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field of a mapping.
    Field(EcoString),
    /// An element of a list, by index; `None` is the last one.
    Index(Option<usize>),
    /// `[key=value]`; for scalars the key is empty.
    Match(EcoString, EcoString),
}

impl Step {
    /// Reads one part of a path that leads to one place. Fails on a negative
    /// index, a wildcard and brackets without `=`.
    pub fn parse(part: &str) -> Result<Self, Error> {
        if let Some(index) = integer(part) {
            return match usize::try_from(index) {
                Ok(index) => Ok(Step::Index(Some(index))),
                Err(_) => Err(Error::new(eco_format!(
                    "array index {index} cannot be negative"
                ))),
            };
        }
        match part {
            "-" => Ok(Step::Index(None)),
            "*" => Err(Error::new("wildcard is not supported in PathGetter")),
            _ if is_match(part) => {
                let (key, value) = split_match(part)?;
                Ok(Step::Match(key, value))
            }
            _ => Ok(Step::Field(part.into())),
        }
    }

    /// The kind of node this step is taken in.
    fn container(&self) -> Kind {
        match self {
            Step::Field(_) => Kind::Mapping,
            Step::Index(_) | Step::Match(..) => Kind::Sequence,
        }
    }

    /// Where the step leads in a node. `None` when nothing is there or the node
    /// is null. Fails when the node is of another kind.
    fn place(&self, node: &Node) -> Result<Option<usize>, Error> {
        if node.is_null() {
            return Ok(None);
        }
        if Kind::of(node) != self.container() {
            return Err(wrong_kind(self.container(), node));
        }
        let items = node.items();
        Ok(match self {
            Step::Field(name) => node
                .entries()
                .iter()
                .position(|entry| entry.key.text().is_some_and(|text| text == name)),
            Step::Index(Some(index)) => (*index < items.len()).then_some(*index),
            Step::Index(None) if items.is_empty() => {
                return Err(Error::new("index out of range [-1]").at(node.span));
            }
            Step::Index(None) => items.len().checked_sub(1),
            Step::Match(key, value) => find(items, key, value),
        })
    }

    /// What is made where the step leads nowhere: a field with an empty value
    /// of a kind, or an element with the key. An index makes nothing.
    fn create(&self, node: &mut Node, kind: Kind) {
        let element = match self {
            Step::Field(name) => {
                let value = kind.empty();
                return node.insert(name, value);
            }
            Step::Index(_) => return,
            Step::Match(key, value) => {
                let value = untyped(value.clone(), Style::Plain, node.span);
                match key.as_str() {
                    "" => value,
                    key => Node::map([(key, value)]),
                }
            }
        };
        if let Some(items) = node.items_mut() {
            items.push(element);
        }
    }
}

/// The first element with a key value; for scalars the key is empty.
fn find(items: &[Node], key: &str, value: &str) -> Option<usize> {
    let has = |node: &Node| node.text().map_or("", |text| text.as_str()) == value;
    items.iter().position(|item| match key {
        "" => has(item),
        key => item.get(key).is_some_and(has),
    })
}

/// A number as Go's `Atoi` reads it.
pub fn integer(part: &str) -> Option<i64> {
    let digits = part.strip_prefix(['+', '-']).unwrap_or(part);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { part.parse().ok() } else { None }
}

/// Whether a part is in brackets.
pub fn is_match(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// Key and value of `[key=value]`.
pub fn split_match(part: &str) -> Result<(EcoString, EcoString), Error> {
    let inner = part.strip_suffix(']').unwrap_or(part);
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    match inner.split_once('=') {
        Some((key, value)) => Ok((key.into(), value.into())),
        None => Err(Error::new(
            "list path element must contain fieldName=fieldValue for element to match",
        )),
    }
}

/// The kind of node in which the next part of a path is found.
pub fn kind_before(next: Option<&EcoString>, last: Kind) -> Kind {
    match next {
        None => last,
        Some(part) if is_match(part) || integer(part).is_some_and(|i| i >= 0) => Kind::Sequence,
        Some(part) if part.is_empty() => last,
        Some(_) => Kind::Mapping,
    }
}

/// Parts that mean something: without space around, without empty ones.
fn steps(parts: &[EcoString]) -> impl Iterator<Item = Result<Step, Error>> {
    let trimmed = parts.iter().map(|part| part.trim());
    trimmed.filter(|part| !part.is_empty()).map(Step::parse)
}

/// The node a path leads to, or `None`. Fails where the path goes through a node
/// of another kind.
pub fn lookup<'n>(node: &'n Node, parts: &[EcoString]) -> Result<Option<&'n Node>, Error> {
    let mut current = node;
    for step in steps(parts) {
        let place = step?.place(current)?;
        match place.and_then(|at| child(current, at)) {
            Some(next) => current = next,
            None => return Ok(None),
        }
    }
    Ok(Some(current))
}

/// The node a path leads to, to change. With `create` what is missing is made,
/// the last node of that kind.
pub fn lookup_mut<'n>(
    node: &'n mut Node,
    parts: &[EcoString],
    create: Option<Kind>,
) -> Result<Option<&'n mut Node>, Error> {
    let steps: Vec<Step> = steps(parts).collect::<Result<_, _>>()?;
    let mut current = node;
    for (at, step) in steps.iter().enumerate() {
        let mut place = step.place(current)?;
        if let (None, Some(last), false) = (place, create, current.is_null()) {
            let kind = steps.get(at + 1).map_or(last, Step::container);
            step.create(current, kind);
            place = step.place(current)?;
        }
        match place.and_then(|at| child_mut(current, at)) {
            Some(next) => current = next,
            None => return Ok(None),
        }
    }
    Ok(Some(current))
}

fn child(node: &Node, at: usize) -> Option<&Node> {
    match &node.value {
        Value::Mapping(entries) => entries.get(at).map(|entry| &entry.value),
        Value::Sequence(items) => items.get(at),
        Value::Scalar(_) => None,
    }
}

fn child_mut(node: &mut Node, at: usize) -> Option<&mut Node> {
    match &mut node.value {
        Value::Mapping(entries) => entries.make_mut().get_mut(at).map(|entry| &mut entry.value),
        Value::Sequence(items) => EcoVec::make_mut(items).get_mut(at),
        Value::Scalar(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_can_be_escaped() {
        assert_eq!(split("a/b", '/'), ["a", "b"]);
        assert_eq!(split("/a/b", '/'), ["a", "b"]);
        assert_eq!(split(r"a/b\/c/d", '/'), ["a", "b/c", "d"]);
        assert_eq!(split("", '/'), [""]);
    }

    #[test]
    fn dots_in_brackets_do_not_split() {
        assert_eq!(
            split_dotted("spec.containers.[name=a.b].image"),
            ["spec", "containers", "[name=a.b]", "image"]
        );
        assert_eq!(
            split_dotted("metadata.annotations.[a.b/c]"),
            ["metadata", "annotations", "a.b/c"]
        );
        assert_eq!(split_dotted(r"a.b\.c"), ["a", "b.c"]);
    }

    fn pod() -> Node {
        let container = Node::map([("name", Node::string("a"))]);
        Node::map([("spec", Node::map([("containers", Node::seq([container]))]))])
    }

    #[test]
    fn elements_are_found_by_key_and_index() {
        let pod = pod();
        for path in [
            "spec.containers.[name=a].name",
            "spec.containers.0.name",
            "spec.containers.-.name",
        ] {
            let found = lookup(&pod, &split_dotted(path)).unwrap().unwrap();
            assert_eq!(found.as_str(), Some("a"), "{path}");
        }
        assert!(
            lookup(&pod, &split_dotted("spec.containers.1"))
                .unwrap()
                .is_none()
        );
        assert!(lookup(&pod, &split_dotted("spec.containers.name")).is_err());
        assert!(lookup(&pod, &split_dotted("spec.containers.-1")).is_err());
    }

    #[test]
    fn what_is_missing_is_created() {
        let mut pod = pod();
        let path = split_dotted("spec.containers.[name=b].image");
        assert!(lookup_mut(&mut pod, &path, None).unwrap().is_none());
        let place = lookup_mut(&mut pod, &path, Some(Kind::Scalar))
            .unwrap()
            .unwrap();
        *place = Node::string("x");
        let containers = pod.path(&["spec", "containers"]).unwrap();
        assert_eq!(containers.items()[1].str_at(&["image"]), Some("x"));
    }
}
