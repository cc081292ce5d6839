//! FL-X003: what was not modelled, and what nobody here can read.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Component, Problem};
use yaml::{Node, Span, Value};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-X003",
    name: "render-gap",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a part of a spec that is not modelled, or values that Git does not hold readably",
    check,
};

/// How many components with unreadable values are listed.
const LISTED: usize = 8;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // What many charts have in common is one gap.
    let mut gaps: Vec<(&EcoString, Vec<(usize, Span)>)> = Vec::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            if let Problem::RenderGap { what, span } = problem {
                match gaps.iter_mut().find(|(known, _)| *known == what) {
                    Some((_, places)) => places.push((at, *span)),
                    None => gaps.push((what, vec![(at, *span)])),
                }
            }
        }
    }
    for (what, places) in gaps {
        gap(linked, what, &places, sink);
    }
    unknown_values(linked, sink);
}

fn gap(linked: &Linked<'_>, what: &str, places: &[(usize, Span)], sink: &mut Sink<'_>) {
    let mut components: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
    components.dedup();
    let names = words::components(linked, &components);
    let message = eco_format!("not modelled in {names}: {what}");
    let mut report = sink.report(components, message);
    if let Some((_, span)) = places.first() {
        report = report.at(*span);
    }
    for (at, span) in places.iter().skip(1) {
        report = report.detail_of(eco_format!("also `{}`", linked.name(*at)), *span, *at);
    }
    report.detail("what follows from it is not judged").done();
}

/// One finding for all values that are not readable: they are nobody's fault.
fn unknown_values(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let components = linked.world.components.iter().enumerate();
    let found: Vec<(usize, usize, Span)> = components
        .filter_map(|(at, component)| {
            let (number, first) = unknown(component);
            (number > 0).then_some((at, number, first))
        })
        .collect();
    let total: usize = found.iter().map(|(_, number, _)| number).sum();
    if total == 0 {
        return;
    }
    let message = eco_format!(
        "{} of {} {} not readable in Git",
        words::count(total, "value"),
        words::count(found.len(), "component"),
        if total == 1 { "is" } else { "are" }
    );
    let mut report = sink.report(found.iter().map(|(at, ..)| *at), message);
    for (at, number, span) in found.iter().take(LISTED) {
        let clause: EcoString = eco_format!(
            "{} of `{}`",
            words::count(*number, "value"),
            linked.name(*at)
        );
        report = report.detail_of(clause, *span, *at);
    }
    report
        .detail("what contains one of them is not judged by its type, path or name")
        .done();
}

/// How many values of a component are unknown, and where the first stands.
fn unknown(component: &Component) -> (usize, Span) {
    let mut number = 0;
    let mut first = Span::NONE;
    let mut stack: Vec<&Node> = component
        .objects()
        .iter()
        .map(|object| object.node.as_ref())
        .collect();
    stack.reverse();
    while let Some(node) = stack.pop() {
        match &node.value {
            Value::Scalar(_) if node.unknown => {
                number += 1;
                if first.is_none() {
                    first = node.span;
                }
            }
            Value::Scalar(_) => {}
            Value::Mapping(entries) => stack.extend(entries.iter().map(|entry| &entry.value)),
            Value::Sequence(items) => stack.extend(items),
        }
    }
    (number, first)
}
