//! Writing inside of JSON or YAML that a scalar holds as text.

use ecow::EcoString;
use yaml::{FileId, First, Limits, Node, Span, Value};

use super::places::each_match;
use crate::error::{Cause, Error};
use crate::transform::kind::Kind;
use crate::transform::path::{lookup, lookup_mut};
use crate::transform::scalar::{untyped, with_text};

/// Writes a value where a path goes on inside of a scalar. False when it does
/// not, or leads nowhere there. The text is printed anew, JSON as JSON. Fails
/// only on what is not modelled: YAML whose nodes share something.
pub fn write(
    object: &mut Node,
    parts: &[EcoString],
    value: &Node,
    create: Option<Kind>,
) -> Result<bool, Error> {
    let Some(Inner {
        outer,
        inner,
        text,
        span,
        parsed,
    }) = divide(object, parts)
    else {
        return Ok(false);
    };
    let (mut document, shares) = match parsed {
        First::Node(document) => (document, false),
        First::Shared(document) => (document, true),
        First::Nothing => return Ok(false),
    };
    if document.is_null() {
        return Ok(false);
    }
    let mut count = 0;
    let visited = each_match(&mut document, inner, create, &mut |place, fresh| {
        count += 1;
        put(place, value, fresh);
    });
    if visited.is_err() || count == 0 {
        return Ok(false);
    }
    if shares {
        return Err(Error::new(
            "a replacement inside of YAML text that has anchors, aliases or merge keys is not modelled",
        )
        .of(Cause::Unmodelled)
        .at(span));
    }
    let Some(printed) = print(&text, &document) else {
        return Ok(false);
    };
    if let Ok(Some(scalar)) = lookup_mut(object, outer, None) {
        scalar.value = Value::Scalar(printed);
        scalar.unknown |= value.unknown;
    }
    Ok(true)
}

/// A text inside of an object, and the path on both sides of it.
struct Inner<'p> {
    outer: &'p [EcoString],
    inner: &'p [EcoString],
    text: EcoString,
    span: Span,
    parsed: First,
}

/// Splits a path behind the first part that leads to a scalar.
fn divide<'p>(object: &Node, parts: &'p [EcoString]) -> Option<Inner<'p>> {
    (1..parts.len()).find_map(|at| {
        let (outer, inner) = parts.split_at_checked(at)?;
        let found = lookup(object, outer).ok()??;
        let text = found.text()?;
        // A text that is no YAML is passed over, and so is everything in it.
        let parsed = yaml::first_node(text, FileId::NONE, &Limits::default()).ok()?;
        Some(Inner {
            outer,
            inner,
            text: text.clone(),
            span: found.span,
            parsed,
        })
    })
}

/// As for fields of objects, but delimiters do not count here.
fn put(place: &mut Node, value: &Node, fresh: bool) {
    match (place.is_scalar(), value.text()) {
        (true, text) => {
            let text = text.cloned().unwrap_or_default();
            if fresh {
                *place = untyped(text, place.style, value.span);
            } else {
                *place = with_text(place, text);
            }
        }
        (false, _) => *place = value.clone(),
    }
}

/// The changed document as text, or `None` when it cannot be printed.
fn print(text: &str, document: &Node) -> Option<EcoString> {
    if text.trim_start().starts_with(['{', '[']) {
        let canonical = yaml::canonical(document).ok()?;
        let pretty = text.contains('\n') && text.contains("  ");
        let printed = match pretty {
            true => indented(&canonical, 0),
            false => yaml::to_json(&canonical),
        };
        return Some(printed.into());
    }
    Some(yaml::emit_v3(document).trim().into())
}

/// JSON with two spaces of indentation, as Go prints it.
fn indented(node: &Node, depth: usize) -> String {
    let pad = "  ".repeat(depth + 1);
    let close = "  ".repeat(depth);
    let join = |open: char, parts: Vec<String>, end: char| match parts.as_slice() {
        [] => format!("{open}{end}"),
        parts => {
            let lines: Vec<String> = parts.iter().map(|part| format!("{pad}{part}")).collect();
            format!("{open}\n{}\n{close}{end}", lines.join(",\n"))
        }
    };
    match &node.value {
        Value::Scalar(_) => yaml::to_json(node),
        Value::Sequence(items) => {
            let parts = items.iter().map(|item| indented(item, depth + 1));
            join('[', parts.collect(), ']')
        }
        Value::Mapping(entries) => {
            let part = |entry: &yaml::Entry| {
                let key = yaml::to_json(&entry.key);
                format!("{key}: {}", indented(&entry.value, depth + 1))
            };
            join('{', entries.iter().map(part).collect(), '}')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::path::split_dotted;

    fn replace(text: &str, path: &str, create: bool) -> Result<Option<String>, Error> {
        let data = Node::map([("config", Node::string(text))]);
        let mut object = Node::map([("data", data)]);
        let parts = split_dotted(&format!("data.config.{path}"));
        let create = create.then_some(Kind::Scalar);
        let written = write(&mut object, &parts, &Node::string("new"), create)?;
        let text = object.str_at(&["data", "config"]).unwrap_or_default();
        Ok(written.then(|| text.to_owned()))
    }

    #[test]
    fn json_stays_json() {
        let compact = replace(r#"{"b": {"host": "a"}, "a": [1, 2.0]}"#, "b.host", false);
        assert_eq!(
            compact.unwrap().unwrap(),
            r#"{"a":[1,2],"b":{"host":"new"}}"#
        );
        let pretty = replace("{\n  \"b\": [],\n  \"host\": \"a\"\n}", "host", false);
        assert_eq!(
            pretty.unwrap().unwrap(),
            "{\n  \"b\": [],\n  \"host\": \"new\"\n}"
        );
    }

    #[test]
    fn yaml_stays_yaml() {
        let text = "b:\n    host: a\na: 1\n";
        let replaced = replace(text, "b.host", false).unwrap().unwrap();
        assert_eq!(replaced, "b:\n  host: new\na: 1");
        let created = replace(text, "b.port", true).unwrap().unwrap();
        assert_eq!(created, "b:\n  host: a\n  port: new\na: 1");
        assert_eq!(replace(text, "b.port", false), Ok(None));
        assert_eq!(replace("plain text", "b", true), Ok(None));
    }

    #[test]
    fn comments_are_kept() {
        let text = "# about b\nb: # here\n    # where\n    host: a # of b\n";
        let replaced = replace(text, "b.host", false).unwrap().unwrap();
        assert_eq!(
            replaced,
            "# about b\nb: # here\n  # where\n  host: new # of b"
        );
        assert!(replace("b: 'x # y'\n", "b", false).unwrap().is_some());
    }

    #[test]
    fn shared_nodes_are_not_modelled() {
        let shared = replace("a: &a {host: x}\nb: *a\n", "b.host", false);
        assert_eq!(shared.unwrap_err().cause, Cause::Unmodelled);
    }
}
