//! From text to objects, as the tools around kustomize read it.

use std::collections::VecDeque;

use ecow::{EcoString, eco_format};
use yaml::{ErrorKind, FileId, Limits, Node, Span, Value};

use crate::error::{Cause, Error};
use crate::resource::is_empty;
use crate::transform::printed::printed_as_json;

/// The Kubernetes objects of a text: documents, with lists of objects replaced
/// by what they hold. Their spans point into `file`.
///
/// # Errors
///
/// On malformed YAML and on what has no kind or name.
pub fn objects(text: &str, file: FileId) -> Result<Vec<Node>, Error> {
    let documents = yaml::parse(text, file, &Limits::default()).map_err(error)?;
    match has_separator(text) {
        true => without_lists(documents),
        false => objects_of(documents),
    }
}

/// The objects of a text without a separator that was read before: as [`objects`].
///
/// # Errors
///
/// On what has no kind or name.
pub fn objects_of(documents: Vec<Node>) -> Result<Vec<Node>, Error> {
    if let [document] = documents.as_slice()
        && matches!(kind(document).as_str(), "List" | "ResourceList")
        && let Some(items) = document.get("items").filter(|items| items.is_seq())
    {
        return without_lists(items.items().to_vec());
    }
    without_lists(documents)
}

fn without_lists(documents: Vec<Node>) -> Result<Vec<Node>, Error> {
    let mut pending: VecDeque<Node> = valid(documents)?.into();
    let mut objects = Vec::with_capacity(pending.len());
    // What a list holds comes behind everything that waits.
    while let Some(object) = pending.pop_front() {
        match list_items(&object)? {
            Some(items) => pending.extend(valid(items)?),
            None => objects.push(object),
        }
    }
    Ok(objects)
}

/// Whether a text has a line that separates documents.
fn has_separator(text: &str) -> bool {
    text.match_indices("\n---")
        .any(|(at, _)| text.get(at + 1..).is_some_and(|rest| rest.contains('\n')))
}

fn kind(node: &Node) -> EcoString {
    node.get("kind")
        .and_then(|kind| kind.text().cloned())
        .unwrap_or_default()
}

/// What a `…List` with `items` holds.
fn list_items(object: &Node) -> Result<Option<Vec<Node>>, Error> {
    let kind = kind(object);
    if !kind.ends_with("List") {
        return Ok(None);
    }
    let Some(items) = object.get("items") else {
        return Ok(None);
    };
    match &items.value {
        // Upstream takes the items through JSON text.
        Value::Sequence(_) => {
            let mut items = canonical(items)?;
            printed_as_json(&mut items);
            Ok(Some(items.items().to_vec()))
        }
        _ if items.is_null() => Ok(Some(Vec::new())),
        Value::Mapping(_) => Err(wrong_items(&kind, "map[string]interface {}", items.span)),
        Value::Scalar(_) => Err(wrong_items(&kind, "string", items.span)),
    }
}

fn wrong_items(kind: &str, found: &str, span: Span) -> Error {
    Error::new(eco_format!(
        "expected array in {kind}/items, but found {found}"
    ))
    .at(span)
}

/// Drops what is empty; fails on what has no kind or, but for lists, no name.
fn valid(nodes: Vec<Node>) -> Result<Vec<Node>, Error> {
    nodes
        .into_iter()
        .filter(|node| !is_empty(node))
        .map(|node| {
            check_metadata(&node, false)?;
            Ok(node)
        })
        .collect()
}

/// Fails on what says nothing at all about itself. `noted`: upstream holds notes
/// in the annotations of the object now, so it has metadata.
pub(crate) fn check_any_metadata(node: &Node, noted: bool) -> Result<(), Error> {
    let filled = |node: &Node, fields: &[&str]| {
        let mut values = fields.iter().filter_map(|field| node.get(field));
        values.any(|value| !is_empty(value))
    };
    let said = filled(node, &["apiVersion", "kind"])
        || node.get("metadata").is_some_and(|metadata| {
            filled(metadata, &["name", "namespace", "labels", "annotations"])
        });
    if noted || said {
        return Ok(());
    }
    Err(Error::new("missing Resource metadata").at(node.span))
}

/// Fails on what has no kind or, but for lists, no name. `noted`: upstream holds
/// notes in the annotations of the object now, so it has metadata.
pub(crate) fn check_metadata(node: &Node, noted: bool) -> Result<(), Error> {
    check_any_metadata(node, noted)?;
    let kind = kind(node);
    let missing = |what: &str| {
        Error::new(eco_format!("missing {what} in object {}", describe(node))).at(node.span)
    };
    if kind.is_empty() || node.get("kind").is_some_and(Node::is_null) {
        return Err(missing("kind"));
    }
    if kind.ends_with("List") {
        return Ok(());
    }
    match crate::id::metadata_text(node, "name") {
        Some(name) if !name.is_empty() => Ok(()),
        _ => Err(missing("metadata.name")),
    }
}

/// Type and metadata the way Go prints the struct.
fn describe(node: &Node) -> EcoString {
    let text = |path: &[&str]| -> EcoString {
        node.path(path)
            .filter(|value| !value.is_null())
            .and_then(|value| value.text().cloned())
            .unwrap_or_default()
    };
    let map = |field: &str| {
        let mut pairs: Vec<String> = node
            .path(&["metadata", field])
            .map_or(&[][..], Node::entries)
            .iter()
            .map(|entry| {
                let text = |node: &Node| node.text().cloned().unwrap_or_default();
                format!("{}:{}", text(&entry.key), text(&entry.value))
            })
            .collect();
        pairs.sort();
        pairs.join(" ")
    };
    eco_format!(
        "{{{{{} {}}} {{{{{} {}}} map[{}] map[{}]}}}}",
        text(&["apiVersion"]),
        text(&["kind"]),
        text(&["metadata", "name"]),
        text(&["metadata", "namespace"]),
        map("labels"),
        map("annotations")
    )
}

/// The first document of a text, by the rules of YAML 1.1 and JSON: how
/// kustomization files and configurations are read. Keys are sorted; of
/// repeated ones the last counts.
pub(crate) fn json(text: &str, file: FileId) -> Result<Node, Error> {
    yaml::sigs_to_json(text, file, false).map_err(error)
}

/// A JSON text.
pub(crate) fn strict_json(text: &str, file: FileId) -> Result<Node, Error> {
    yaml::from_json(text, file).map_err(error)
}

/// The value an object has as JSON. Fails on repeated keys, and where comments are in
/// the way: kustomize prints an object with them, to read it again.
pub(crate) fn canonical(node: &Node) -> Result<Node, Error> {
    yaml::canonical(node).map_err(|mut refused| {
        let disturbing = match refused.kind {
            ErrorKind::Syntax => yaml::disturbing_comment(node),
            _ => None,
        };
        let Some(disturbing) = disturbing else {
            return error(refused);
        };
        refused.span = disturbing.span;
        error(refused).during(
            "kustomize cannot read the object again as it prints it with its comments; \
             put the comment here into a line of its own",
        )
    })
}

/// The JSON text of an object, as Go writes it.
pub(crate) fn to_json(node: &Node) -> Result<String, Error> {
    Ok(yaml::to_json(&canonical(node)?))
}

fn error(error: yaml::Error) -> Error {
    let cause = match error.is_malformed() {
        true => Cause::Malformed,
        false => Cause::Content,
    };
    Error::new(eco_format!("{error}")).at(error.span).of(cause)
}
