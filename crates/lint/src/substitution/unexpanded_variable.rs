//! FL-S004: a variable of Flux that nobody fills in.

use std::collections::BTreeSet;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Component, Identity, Object, Problem, Spec};
use yaml::{Node, Span, Value};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S004",
    name: "unexpanded-variable",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a variable that reaches the cluster as it is, because nothing is substituted",
    check,
};

/// How many further objects are listed.
const LISTED: usize = 6;

/// A label or annotation that keeps an object as it is.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// The variables of one object.
struct Use<'a> {
    object: &'a Identity,
    names: BTreeSet<EcoString>,
    span: Span,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let Spec::Kustomization(spec) = &component.spec else {
            continue;
        };
        let no_variables = component.problems.iter().find_map(|problem| match problem {
            Problem::NoVariables { span } => Some(*span),
            _ => None,
        });
        if spec.post_build && no_variables.is_none() {
            continue;
        }
        let mut uses: Vec<Use<'_>> = uses(component);
        // However the objects stand.
        uses.sort_by_key(|one| one.object);
        if !uses.is_empty() {
            report(linked, at, &uses, no_variables, sink);
        }
    }
}

fn uses(component: &Component) -> Vec<Use<'_>> {
    component
        .objects()
        .iter()
        .filter(|object| !is_exempt(object))
        .filter_map(|object| {
            let mut found = Use {
                object: &object.identity,
                names: BTreeSet::new(),
                span: Span::NONE,
            };
            look(&object.node, &mut found);
            (!found.names.is_empty()).then_some(found)
        })
        .collect()
}

/// Definitions hold prose, and what says that it stays as it is means it.
fn is_exempt(object: &Object) -> bool {
    object.identity.kind == "CustomResourceDefinition"
        || object.label(SWITCH) == Some("disabled")
        || object.annotation(SWITCH) == Some("disabled")
}

/// Looks at every text of one line. Longer ones are scripts, dashboards and
/// files of other programs, which have the same syntax; so have commands.
fn look(node: &Node, found: &mut Use<'_>) {
    match &node.value {
        Value::Scalar(text) => {
            if text.contains("${") && !text.contains('\n') {
                for name in names(text) {
                    if found.names.is_empty() {
                        found.span = node.span;
                    }
                    found.names.insert(name);
                }
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| look(item, found)),
        Value::Mapping(entries) => {
            let command = |key: &str| matches!(key, "command" | "args" | "exec");
            for entry in entries {
                if !entry.key.text().is_some_and(|key| command(key)) {
                    look(&entry.value, found);
                }
            }
        }
    }
}

/// The names in expressions that look meant for Flux: `${NAME}`, and with a
/// default. A text with any other is of another language.
fn names(text: &str) -> Vec<EcoString> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        // `$${` is how Flux is told to leave it.
        let before = rest.get(..start).unwrap_or_default();
        let inner = rest.get(start + 2..).unwrap_or_default();
        let Some(end) = inner.find('}') else {
            return Vec::new();
        };
        let expression = inner.get(..end).unwrap_or_default();
        rest = inner.get(end + 1..).unwrap_or_default();
        let name = expression.find(':').map_or(expression, |colon| {
            expression.get(..colon).unwrap_or_default()
        });
        let tail = expression.get(name.len()..).unwrap_or_default();
        let is_default = tail.is_empty() || tail.starts_with(":-") || tail.starts_with(":=");
        if before.ends_with('$') || !is_default || !is_name(name) {
            return Vec::new();
        }
        found.push(name.into());
    }
    found
}

/// Whether a name is one as people give them to Flux: capitals.
fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b == b'_' || b.is_ascii_uppercase())
        && bytes.all(|b| b == b'_' || b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn report(
    linked: &Linked<'_>,
    at: usize,
    uses: &[Use<'_>],
    no_variables: Option<Span>,
    sink: &mut Sink<'_>,
) {
    let Some(first) = uses.first() else { return };
    let component = linked.name(at);
    let names: BTreeSet<&EcoString> = uses.iter().flat_map(|one| &one.names).collect();
    let shown: Vec<EcoString> = names
        .iter()
        .map(|name| eco_format!("${{{name}}}"))
        .collect();
    let more = match uses.len() - 1 {
        0 => EcoString::new(),
        more => eco_format!(" and in {}", words::count(more, "other object")),
    };
    let reach = if names.len() == 1 { "reaches" } else { "reach" };
    let mut report = sink
        .report(
            [at],
            eco_format!(
                "{} in {}{more} {reach} the cluster as written: `{component}` substitutes nothing",
                words::list(&shown),
                words::object(first.object),
            ),
        )
        .object(first.object)
        .at(first.span);
    report = match no_variables {
        Some(span) => report.detail_at(
            "its `postBuild` defines no variable, and then defaults do not count either",
            span,
        ),
        None => report.detail("it has no `postBuild`; that of its parent does not count"),
    };
    for one in uses.iter().skip(1).take(LISTED) {
        report = report.detail_at(
            eco_format!("also in {}", words::object(one.object)),
            one.span,
        );
    }
    report
        .help(
            "define the variables in its `postBuild`; where only defaults are meant, set \
             `substituteStrategy: Always` (Flux 2.9)",
        )
        .done();
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn only_what_looks_meant_for_flux_counts() {
        assert_eq!(names("${DOMAIN}"), ["DOMAIN"]);
        assert_eq!(names("${A}.${B:-x}/${_C:=}"), ["A", "B", "_C"]);
        for text in [
            "$${DOMAIN}",
            "${datasource}",
            "${HOST%%.*}",
            "${DOMAIN",
            "${A} ${B:1}",
            "$DOMAIN",
            "${{ DOMAIN }}",
            "${env:A}",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
