//! Writing inside of JSON or YAML that a scalar holds as text.

use ecow::{EcoString, eco_format};
use yaml::{FileId, Limits, Node, Span, Value};

use super::places::each_match;
use crate::error::Error;
use crate::transform::kind::Kind;
use crate::transform::path::{lookup, lookup_mut};
use crate::transform::scalar::{untyped, with_text};

/// Writes a value where a path goes on inside of a scalar. False when it does
/// not, or leads nowhere there. The text is printed anew, JSON as JSON. Fails
/// only on what is not modelled: comments that cannot be kept.
pub fn write(
    object: &mut Node,
    parts: &[EcoString],
    value: &Node,
    create: Option<Kind>,
) -> Result<bool, Error> {
    let Some((outer, inner)) = divide(object, parts) else {
        return Ok(false);
    };
    let Ok(Some(scalar)) = lookup(object, outer) else {
        return Ok(false);
    };
    let (text, span) = (scalar.text().cloned().unwrap_or_default(), scalar.span);
    let Some(document) = parse(&text) else {
        return Ok(false);
    };
    let mut changed = document.clone();
    let mut count = 0;
    let visited = each_match(&mut changed, inner, create, &mut |place, fresh| {
        count += 1;
        put(place, value, fresh);
    });
    if visited.is_err() || count == 0 {
        return Ok(false);
    }
    let Some(printed) = print(&text, &document, &changed, span)? else {
        return Ok(false);
    };
    if let Ok(Some(scalar)) = lookup_mut(object, outer, None) {
        scalar.value = Value::Scalar(printed);
        scalar.unknown |= value.unknown;
    }
    Ok(true)
}

/// Splits a path behind the first part that leads to a scalar.
fn divide<'p>(object: &Node, parts: &'p [EcoString]) -> Option<(&'p [EcoString], &'p [EcoString])> {
    (1..parts.len()).find_map(|at| {
        let (outer, inner) = parts.split_at_checked(at)?;
        let found = lookup(object, outer).ok()??;
        let text = found.text()?;
        // A text that is no YAML is passed over, and so is everything in it.
        yaml::parse(text, FileId::NONE, &Limits::default()).ok()?;
        Some((outer, inner))
    })
}

fn parse(text: &str) -> Option<Node> {
    let documents = yaml::parse(text, FileId::NONE, &Limits::default()).ok()?;
    documents.into_iter().next()
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
fn print(text: &str, before: &Node, after: &Node, span: Span) -> Result<Option<EcoString>, Error> {
    if text.trim_start().starts_with(['{', '[']) {
        let Ok(canonical) = yaml::canonical(after) else {
            return Ok(None);
        };
        let pretty = text.contains('\n') && text.contains("  ");
        let printed = match pretty {
            true => indented(&canonical, 0),
            false => yaml::to_json(&canonical),
        };
        return Ok(Some(printed.into()));
    }
    let printed = yaml::emit_v3(after);
    if !has_comments(text, before) {
        return Ok(Some(printed.trim().into()));
    }
    match with_comments(text, &yaml::emit_v3(before), printed.trim()) {
        Some(kept) => Ok(Some(kept.into())),
        None => Err(Error::new(
            "not modelled: a replacement inside of YAML text whose comments would have to be laid out anew",
        )
        .at(span)),
    }
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

/// Whether a text has comments: a `#` that stands in no scalar.
fn has_comments(text: &str, document: &Node) -> bool {
    let mut scalars = Vec::new();
    collect_scalars(document, &mut scalars);
    text.match_indices('#').any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        before.is_none_or(char::is_whitespace)
            && !scalars
                .iter()
                .any(|(start, end)| (*start..*end).contains(&at))
    })
}

fn collect_scalars(node: &Node, into: &mut Vec<(usize, usize)>) {
    match &node.value {
        Value::Scalar(_) => into.push((node.span.start as usize, node.span.end as usize)),
        Value::Sequence(items) => items.iter().for_each(|item| collect_scalars(item, into)),
        Value::Mapping(entries) => {
            for entry in entries {
                collect_scalars(&entry.key, into);
                collect_scalars(&entry.value, into);
            }
        }
    }
}

/// The printed text with the comments of the original one, when their layout is
/// certain: the original is printed as it stands, apart from comments, and the
/// change touches no line's place.
fn with_comments(original: &str, before: &str, after: &str) -> Option<String> {
    let mut before = before.trim().lines();
    let mut after = after.lines();
    let mut out: Vec<String> = Vec::new();
    let mut lines = original.trim().lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with('#') {
            let indent = |line: &str| line.len() - line.trim_start().len();
            // A comment belongs to the line below it, at the same depth.
            if indent(lines.peek()?) != indent(line) {
                return None;
            }
            out.push(line.to_owned());
            continue;
        }
        let (old, new) = (before.next()?, after.next()?);
        match line.strip_prefix(old)? {
            "" => out.push(new.to_owned()),
            comment if comment.starts_with(" #") => out.push(eco_format!("{new}{comment}").into()),
            _ => return None,
        }
    }
    (before.next().is_none() && after.next().is_none()).then(|| out.join("\n"))
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
    fn comments_are_kept_where_that_is_certain() {
        let text = "# about b\nb: # here\n  # where\n  host: a # of b\n";
        let replaced = replace(text, "b.host", false).unwrap().unwrap();
        assert_eq!(
            replaced,
            "# about b\nb: # here\n  # where\n  host: new # of b"
        );
        assert!(replace("b:\n    # odd\n    host: a\n", "b.host", false).is_err());
        assert!(replace("b: 'x # y'\n", "b", false).unwrap().is_some());
    }
}
