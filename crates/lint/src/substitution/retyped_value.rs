//! FL-S003: a text that is a number, a boolean or null once variables are
//! filled in.

use std::collections::BTreeSet;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Component, Identity, Problem};
use yaml::{Node, Span, Tag};

use super::position::{Needs, needs};
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S003",
    name: "retyped-value",
    severity: Severity::Warning,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a text that is a number, a boolean or null once variables are filled in",
    check,
};

/// A value that changed its type.
struct Retyped<'a> {
    object: &'a Identity,
    field: EcoString,
    written: &'a str,
    text: Option<&'a str>,
    value: &'a Node,
    quoted: bool,
    span: Span,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let mut told = BTreeSet::new();
        for problem in &component.problems {
            let Problem::Retyped {
                object,
                field,
                written,
                text,
                value,
                quoted,
                span,
            } = problem
            else {
                continue;
            };
            told.insert(*span);
            let retyped = Retyped {
                object,
                field: display(field),
                written,
                text: text.as_deref(),
                value,
                quoted: *quoted,
                span: *span,
            };
            judge(linked, at, &retyped, needs(object, field), sink);
        }
        substitute_values(linked, at, component, &told, sink);
    }
}

/// A field as people write it.
fn display(field: &[EcoString]) -> EcoString {
    let mut shown = EcoString::new();
    for step in field {
        if !shown.is_empty() && !step.starts_with('[') {
            shown.push('.');
        }
        shown.push_str(step);
    }
    shown
}

fn judge(linked: &Linked<'_>, at: usize, retyped: &Retyped<'_>, needs: Needs, sink: &mut Sink<'_>) {
    let (severity, effect) = match needs {
        // Null is read as the empty text there.
        Needs::Text | Needs::Label if retyped.value.is_null() => return,
        Needs::Other => return,
        Needs::Text => (
            Severity::Error,
            eco_format!(
                "only a text is taken there: the object is refused, and `{}` with it",
                linked.name(at)
            ),
        ),
        Needs::Label => (
            Severity::Warning,
            "with one label that is no text, Flux loses all labels of the object without a word"
                .into(),
        ),
        Needs::Passed if !retyped.value.is_null() => (
            Severity::Warning,
            "what is passed on to such a field of Kubernetes has to be a text".into(),
        ),
        Needs::Passed | Needs::Unknown => match surprise(retyped) {
            Some(found) => found,
            None => return,
        },
    };
    report(linked, at, retyped, severity, effect, sink);
}

/// What speaks against the type where the position says nothing: a value that
/// does not read as it was given, or, which often does no harm, quotes around
/// what is written.
fn surprise(retyped: &Retyped<'_>) -> Option<(Severity, EcoString)> {
    changed(retyped)
        .map(|why| (Severity::Warning, why))
        .or_else(|| {
            retyped.quoted.then(|| {
                let why = "it is quoted where it is written, but the text that Flux substitutes \
                           in is printed anew, without the quotes; harmless where a number or a \
                           boolean will do";
                (Severity::Info, why.into())
            })
        })
}

/// How a value reads, where that is not as it was given.
fn changed(retyped: &Retyped<'_>) -> Option<EcoString> {
    let text = retyped.text.filter(|text| !text.is_empty())?;
    let value = retyped.value.text()?;
    match retyped.value.tag {
        Tag::Null => None,
        Tag::Int if text == value => printed_by_charts(retyped.object, value).map(|printed| {
            eco_format!("`{text}` is a number then, and a chart prints it as `{printed}`")
        }),
        Tag::Bool if text.eq_ignore_ascii_case(value) => None,
        _ if text == value => None,
        Tag::Bool => Some(eco_format!(
            "YAML 1.1, which Flux reads here, takes `{text}` for a boolean; written in a file it \
             would be a text"
        )),
        _ => Some(eco_format!("`{text}` is read as the number {value}")),
    }
}

/// What Go's templates make of a whole number among the values of a chart, all
/// of which are `float64`: from seven digits on they print an exponent.
fn printed_by_charts(object: &Identity, number: &str) -> Option<EcoString> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    if object.kind != "HelmRelease" || digits.len() < 7 {
        return None;
    }
    let sign = if digits.len() < number.len() { "-" } else { "" };
    let (first, rest) = digits.split_at_checked(1)?;
    let rest = rest.trim_end_matches('0');
    let point = if rest.is_empty() { "" } else { "." };
    Some(eco_format!(
        "{sign}{first}{point}{rest}e+{:02}",
        digits.len() - 1
    ))
}

fn report(
    linked: &Linked<'_>,
    at: usize,
    retyped: &Retyped<'_>,
    severity: Severity,
    effect: EcoString,
    sink: &mut Sink<'_>,
) {
    let brings = match retyped.text {
        Some("") => "the empty string goes in".into(),
        Some(text) => eco_format!("`{text}` goes in"),
        None => "what goes in reads as one".into(),
    };
    sink.report(
        [at],
        eco_format!(
            "`{}` in {} of `{}` becomes {}: {brings} for `{}`",
            retyped.field,
            words::object(retyped.object),
            linked.name(at),
            shown(retyped),
            first_line(retyped.written),
        ),
    )
    .severity(severity)
    .object(retyped.object)
    .at(retyped.span)
    .detail(effect)
    .help(eco_format!(
        "quotes in the file do not survive; for a text, put a quote into a variable, `quote: '\"'`, \
         and write `${{quote}}{}${{quote}}`",
        first_line(retyped.written)
    ))
    .done();
}

/// The value with its type; the type alone where a Secret brings it.
fn shown(retyped: &Retyped<'_>) -> EcoString {
    let value = retyped.value.text().map_or("", |text| text.as_str());
    match (&retyped.value.tag, retyped.text) {
        (Tag::Null, _) => "null".into(),
        (Tag::Bool, None) => "a boolean".into(),
        (Tag::Bool, _) => eco_format!("the boolean {value}"),
        (_, None) => "a number".into(),
        _ => eco_format!("the number {value}"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Values of `postBuild.substitute` that are no texts as they are written.
fn substitute_values(
    linked: &Linked<'_>,
    at: usize,
    component: &Component,
    told: &BTreeSet<Span>,
    sink: &mut Sink<'_>,
) {
    let kustomizations = component.objects().iter().filter(|object| {
        object.identity.kind == "Kustomization"
            && object.identity.group == "kustomize.toolkit.fluxcd.io"
    });
    for object in kustomizations {
        let substitute = object.node.path(&["spec", "postBuild", "substitute"]);
        for entry in substitute.map(Node::entries).unwrap_or_default() {
            let value = &entry.value;
            if matches!(value.tag, Tag::Str | Tag::Null) || told.contains(&value.span) {
                continue;
            }
            let kind = match value.tag {
                Tag::Map | Tag::Seq => "a collection",
                Tag::Bool => "a boolean",
                _ => "a number",
            };
            let name = entry.key.text().map_or("", |text| text.as_str());
            sink.report(
                [at],
                eco_format!(
                    "`spec.postBuild.substitute.{name}` in {} of `{}` is {kind}, and has to be a text",
                    words::object(&object.identity),
                    linked.name(at)
                ),
            )
            .severity(Severity::Error)
            .object(&object.identity)
            .at(value.span)
            .detail(eco_format!(
                "the API server refuses the object, and `{}`, which applies it, fails",
                linked.name(at)
            ))
            .help("put the value in quotes")
            .done();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_print_large_numbers_with_an_exponent() {
        let object = Identity {
            group: "helm.toolkit.fluxcd.io".into(),
            version: "v2".into(),
            kind: "HelmRelease".into(),
            namespace: "a".into(),
            name: "b".into(),
        };
        let printed = |number: &str| printed_by_charts(&object, number);
        assert_eq!(printed("20240101").as_deref(), Some("2.0240101e+07"));
        assert_eq!(printed("1000000").as_deref(), Some("1e+06"));
        assert_eq!(printed("-12345670").as_deref(), Some("-1.234567e+07"));
        assert_eq!(printed("65537"), None);
    }
}
