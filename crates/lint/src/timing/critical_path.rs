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
            "{} (+{}): {}",
            words::duration(step.at),
            words::duration(step.added),
            step.reason
        );
        report = match (step.span, step.component) {
            (Some(span), Some(component)) => report.detail_of(clause, span, component),
            _ => report.detail(clause),
        };
    }
    for reason in workers(timing).into_iter().chain(caveats(linked, timing)) {
        report = report.detail(reason);
    }
    report.done();
}

fn message(linked: &Linked<'_>, timing: &Timing) -> EcoString {
    let end = timing
        .chain
        .last()
        .and_then(|step| step.component)
        .map(|at| linked.name(at))
        .unwrap_or_default();
    let time = words::duration(timing.one_try);
    let limit = if timing.complete {
        "at most"
    } else {
        "worst case at least"
    };
    match timing.bound {
        Some(_) => eco_format!("bootstrap: {limit} {time}, until `{end}` is ready"),
        None => eco_format!(
            "bootstrap: no bound; with one try of each release {limit} {time}, until `{end}` is ready"
        ),
    }
}

/// What waits for free workers add to a bound; below "at least" they are not
/// counted.
fn workers(timing: &Timing) -> Vec<EcoString> {
    let pools = timing.workers.iter().filter(|pool| pool.wait != Some(0));
    pools
        .map(|pool| match pool.wait {
            Some(wait) if timing.complete => eco_format!(
                "(+{}): waits for one of the {} workers of {}",
                words::duration(wait),
                pool.workers,
                pool.controller
            ),
            _ => eco_format!(
                "waits for one of the {} workers of {} are not counted",
                pool.workers,
                pool.controller
            ),
        })
        .collect()
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
    let unrendered = components
        .filter(|component| !component.is_rendered())
        .count();
    if unrendered > 0 {
        let are = if unrendered == 1 { "is" } else { "are" };
        caveats.push(eco_format!(
            "\"at least\": {} {are} not rendered here",
            words::count(unrendered, "component")
        ));
    }
    caveats
}
