//! Substitution in one object.

use std::ops::Range;

use ecow::{EcoString, eco_format};
use model::{Identity, Problem};
use yaml::{FileId, Limits, Node, Sources, Tag, Value};

use super::place::Printed;
use super::respan::respan;
use super::retyped::Search;
use super::variables::Variables;
use crate::envsubst::{self, Expansion, Failure};
use crate::number;

/// A label or annotation that keeps an object as it is.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Bytes of an expression that a message shows.
const MAX_SHOWN: usize = 60;

/// What goes into the objects of one Kustomization.
pub(crate) struct Substitution<'a> {
    pub(crate) variables: &'a Variables,
    /// An undefined variable without a default fails the build.
    pub(crate) strict: bool,
    pub(crate) sources: &'a Sources,
}

/// An object after substitution.
pub(crate) struct Substituted {
    /// The object. Where substitution failed, as far as it came.
    pub(crate) node: Node,
    /// What was found.
    pub(crate) problems: Vec<Problem>,
    /// The build fails here.
    pub(crate) failed: bool,
}

impl Substitution<'_> {
    /// Whether an object says that it is to stay as it is.
    pub(crate) fn is_disabled(node: &Node) -> bool {
        ["labels", "annotations"]
            .iter()
            .any(|kind| node.str_at(&["metadata", kind, SWITCH]) == Some("disabled"))
    }

    /// Fills variables into a canonical object.
    pub(crate) fn apply(&self, node: &Node, identity: &Identity) -> Substituted {
        if needs_text(node) {
            return self.by_text(node, identity);
        }
        Substituted {
            node: through_float(node),
            problems: Vec::new(),
            failed: false,
        }
    }

    /// The way of every object upstream: print, expand, read.
    pub(super) fn by_text(&self, node: &Node, identity: &Identity) -> Substituted {
        let text = yaml::emit_v2(node);
        let lookup = |name: &str, has_default: bool| self.variables.look_up(name, has_default);
        let expansion = match envsubst::expand(&text, &lookup) {
            Ok(expansion) => expansion,
            Err(failure) => {
                let printed = Printed::new(node, &text, self.sources);
                return Substituted {
                    problems: vec![refused(&failure, &printed, &text, identity)],
                    node: node.clone(),
                    failed: true,
                };
            }
        };
        let mut problems = self.undefined(&expansion, node, &text, identity);
        let mut failed = self.strict && !problems.is_empty();
        problems.extend(self.defaults_in_prose(&expansion, node, &text, identity));
        let read = match read(&expansion.text) {
            Ok(mut read) => {
                respan(node, &mut read);
                yaml::unknown::mark(&mut read);
                let search = Search::new(self.variables, self.sources, identity);
                problems.extend(search.run(node, &read));
                read
            }
            Err((message, offset)) => {
                failed = true;
                let printed = Printed::new(node, &text, self.sources);
                let span = printed.offset(source_offset(&expansion, offset));
                problems.push(Problem::SubstitutedTextInvalid {
                    message,
                    object: identity.clone(),
                    span: Some(span).filter(|span| !span.is_none()),
                });
                node.clone()
            }
        };
        Substituted {
            node: read,
            problems,
            failed,
        }
    }

    /// Defaults that went into a CRD. Its texts are those of somebody else.
    fn defaults_in_prose(
        &self,
        expansion: &Expansion,
        node: &Node,
        text: &str,
        identity: &Identity,
    ) -> Vec<Problem> {
        if identity.kind != "CustomResourceDefinition" {
            return Vec::new();
        }
        let printed = Printed::new(node, text, self.sources);
        let expanded = expansion.pieces.iter().filter(|piece| piece.expanded);
        expanded
            .filter_map(|piece| {
                let expression = text.get(piece.input.clone())?;
                let name = expression.strip_prefix("${")?;
                let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric())?;
                let (name, rest) = name.split_at(end);
                let is_default = rest.starts_with([':', '=']);
                let undefined = self.variables.look_up(name, true).is_none();
                (is_default && undefined).then(|| Problem::DefaultInDefinition {
                    expression: expression.into(),
                    text: expansion
                        .text
                        .get(piece.output.clone())
                        .unwrap_or("")
                        .into(),
                    object: identity.clone(),
                    span: printed.expression(&piece.input),
                })
            })
            .collect()
    }

    fn undefined(
        &self,
        expansion: &Expansion,
        node: &Node,
        text: &str,
        identity: &Identity,
    ) -> Vec<Problem> {
        if expansion.undefined.is_empty() {
            return Vec::new();
        }
        let printed = Printed::new(node, text, self.sources);
        let problem = |used: &envsubst::Undefined| Problem::UndefinedVariable {
            name: used.name.as_str().into(),
            object: identity.clone(),
            span: printed.expression(&used.input),
            strict: self.strict,
        };
        expansion.undefined.iter().map(problem).collect()
    }
}

fn refused(failure: &Failure, printed: &Printed<'_>, text: &str, object: &Identity) -> Problem {
    let range = match failure {
        Failure::Parse(error) => error.range.clone(),
        Failure::Panic(_, range) | Failure::TooLarge(range) => range.clone(),
        Failure::NotUtf8(_, range) => {
            return Problem::SubstitutedTextInvalid {
                message: eco_format!("{failure}"),
                object: object.clone(),
                span: Some(printed.expression(range)).filter(|span| !span.is_none()),
            };
        }
    };
    Problem::UnsupportedExpression {
        expression: shown(text, &range),
        message: eco_format!("{failure}"),
        object: object.clone(),
        span: printed.expression(&range),
    }
}

/// The beginning of an expression, on one line.
fn shown(text: &str, range: &Range<usize>) -> EcoString {
    let whole = text.get(range.start..).unwrap_or_default();
    let end = range.end.saturating_sub(range.start);
    // Reading stops at the offending character; show it, and what belongs to it.
    let end = whole
        .get(end..)
        .and_then(|rest| rest.find(['}', '\n']))
        .map_or(whole.len(), |more| end + more + 1);
    // A template of another tool has two braces at either end.
    let is_double =
        whole.starts_with("${{") && whole.get(end..).is_some_and(|r| r.starts_with('}'));
    let end = end + usize::from(is_double);
    let whole = whole.get(..end).unwrap_or(whole).trim_end();
    let line = whole.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_SHOWN) {
        Some((cut, _)) => eco_format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line.into(),
    }
}

/// Reads an expanded text. The error comes with the offset it happened at.
fn read(text: &str) -> Result<Node, (EcoString, usize)> {
    let node = yaml::sigs_to_json(text, FileId::NONE, false).map_err(|error| {
        (
            eco_format!("YAMLToJSON: {error}"),
            error.span.start as usize,
        )
    })?;
    if !node.is_map() {
        let found = match (&node.value, &node.tag) {
            (Value::Sequence(_), _) => "array",
            (_, Tag::Bool) => "bool",
            (_, Tag::Int | Tag::Float) => "number",
            _ => "string",
        };
        let message = eco_format!(
            "UnmarshalJSON: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
        );
        return Err((message, 0));
    }
    if has_unreadable(&node) {
        take_over(&node)?;
    }
    Ok(through_float(&node))
}

/// The resource takes the result over by printing it once more with kyaml's
/// writer, and reading that.
fn take_over(node: &Node) -> Result<(), (EcoString, usize)> {
    let text = yaml::emit_v3(node);
    match yaml::parse(&text, FileId::NONE, &Limits::default()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let line = error.line.map_or(0, |line| line);
            let message = eco_format!("UnmarshalJSON: yaml: line {line}: {}", error.cause);
            Err((message, 0))
        }
    }
}

/// Whether kyaml's writer prints a text as a block that its reader refuses: one
/// of several lines that begins with a tab.
fn is_unreadable(text: &str) -> bool {
    text.starts_with('\t') && text.contains("\n")
}

fn has_unreadable(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(text) => is_unreadable(text),
        Value::Sequence(items) => items.iter().any(has_unreadable),
        Value::Mapping(entries) => entries
            .iter()
            .any(|entry| has_unreadable(&entry.key) || has_unreadable(&entry.value)),
    }
}

/// Where an offset of the result lies in the text before expansion.
fn source_offset(expansion: &Expansion, offset: usize) -> usize {
    let pieces = &expansion.pieces;
    let at = pieces.partition_point(|piece| piece.output.start <= offset);
    match at.checked_sub(1).and_then(|at| pieces.get(at)) {
        Some(piece) if piece.expanded => piece.input.start,
        Some(piece) => piece.input.start + (offset - piece.output.start),
        None => 0,
    }
}

/// Whether an object may change on the way through its text: an expansion would
/// change a text in it (printing brings no expression in and takes none apart),
/// it has a key `<<`, which is printed without the quotes it needs, or a text
/// that cannot be taken over.
pub(super) fn needs_text(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(text) => !envsubst::is_plain(text) || is_unreadable(text),
        Value::Sequence(items) => items.iter().any(needs_text),
        Value::Mapping(entries) => entries.iter().any(|entry| {
            let merge = entry.key.text().is_some_and(|text| text == "<<");
            merge || needs_text(&entry.key) || needs_text(&entry.value)
        }),
    }
}

/// Integers that `float64` holds exactly.
const EXACT: u64 = 1 << 53;

/// Every number as `float64` has it.
fn through_float(node: &Node) -> Node {
    let mut node = node.clone();
    round(&mut node);
    node
}

fn round(node: &mut Node) {
    if !has_large_number(node) {
        return;
    }
    match &mut node.value {
        Value::Scalar(text) => {
            if let Ok(value) = text.parse::<f64>() {
                *text = number::json(value).into();
                let whole = !text.contains(['.', 'e']);
                node.tag = if whole { Tag::Int } else { Tag::Float };
            }
        }
        Value::Sequence(items) => items.make_mut().iter_mut().for_each(round),
        Value::Mapping(entries) => entries
            .make_mut()
            .iter_mut()
            .for_each(|entry| round(&mut entry.value)),
    }
}

/// Whether a number below is not sure to stay the same.
fn has_large_number(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(text) => match node.tag {
            Tag::Int => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                digits.parse::<u64>().map_or(true, |size| size > EXACT)
            }
            Tag::Float => true,
            _ => false,
        },
        Value::Sequence(items) => items.iter().any(has_large_number),
        Value::Mapping(entries) => entries.iter().any(|entry| has_large_number(&entry.value)),
    }
}
