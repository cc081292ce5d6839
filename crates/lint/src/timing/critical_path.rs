//! FL-T001: the bound on a bootstrap and the chain of waits behind it.

use ecow::{EcoString, eco_format};
use link::{Contribution, Linked, Timing};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T001",
    name: "critical-path",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "the bound on a bootstrap and the chain of waits it comes from",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(timing) = linked.timing() else {
        return;
    };
    let steps: Vec<&Contribution> = timing.chain.iter().filter(|step| step.added > 0).collect();
    let components = steps.iter().filter_map(|step| step.component);
    let last = timing.chain.last().and_then(|step| step.component);
    let mut report = sink.report(last.into_iter().chain(components), message(linked, timing));
    let place = steps
        .iter()
        .max_by_key(|step| step.added)
        .and_then(|step| step.span);
    if let Some(place) = place {
        report = report.at(place);
    }
    for step in &steps {
        let clause = eco_format!(
            "{} at {} (+{}): {}",
            step.event,
            words::duration(step.at),
            words::duration(step.added),
            step.reason
        );
        report = match (step.span, step.component) {
            (Some(span), Some(component)) => report.detail_of(clause, span, component),
            _ => report.detail(clause),
        };
    }
    for reason in caveats(linked, timing) {
        report = report.detail(reason);
    }
    report.done();
}

fn message(linked: &Linked<'_>, timing: &Timing) -> EcoString {
    let at_least = if timing.complete { "" } else { "at least " };
    let end = timing
        .chain
        .last()
        .and_then(|step| step.component)
        .map(|at| linked.name(at))
        .unwrap_or_default();
    match timing.bound {
        Some(bound) => eco_format!(
            "a bootstrap takes {at_least}{} in the worst case, until `{end}` is ready",
            words::duration(bound)
        ),
        None => eco_format!(
            "nothing limits how long a bootstrap takes; with one try of each release it is {at_least}{} \
             in the worst case, until `{end}` is ready",
            words::duration(timing.one_try)
        ),
    }
}

fn caveats(linked: &Linked<'_>, timing: &Timing) -> Vec<EcoString> {
    let mut caveats = Vec::new();
    if !timing.unlimited.is_empty() {
        caveats.push(eco_format!(
            "without limit on retries: {}",
            words::components(linked, &timing.unlimited)
        ));
    }
    if timing.never > 0 {
        caveats.push(eco_format!(
            "{} never become ready and are not counted",
            words::count(timing.never, "component")
        ));
    }
    let components = linked.world.components.iter();
    let unrendered = components.filter(|component| !component.is_rendered());
    match unrendered.count() {
        0 if !timing.complete => {
            caveats.push("waits for a free worker of a controller are not counted".into());
        }
        0 => {}
        count => caveats.push(eco_format!(
            "\"at least\", because {} not rendered here",
            match count {
                1 => "1 component is".into(),
                count => eco_format!("{count} components are"),
            }
        )),
    }
    caveats
}
