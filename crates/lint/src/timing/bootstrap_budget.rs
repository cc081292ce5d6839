//! FL-T100: a bootstrap can take longer than allowed.

use ecow::eco_format;
use link::Linked;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T100",
    name: "bootstrap-budget",
    severity: Severity::Error,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a bootstrap can take longer than `timing.maxBootstrapBound` allows",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let (Some(timing), Some(budget)) = (
        linked.timing(),
        linked.config.timing.max_bootstrap_bound.as_ref(),
    ) else {
        return;
    };
    let allowed = budget.value.nanos;
    if timing.bound.is_some_and(|bound| bound <= allowed) {
        return;
    }
    let at_least = if timing.complete { "" } else { "at least " };
    let limit = words::duration(allowed);
    let message = match timing.bound {
        Some(bound) => eco_format!(
            "a bootstrap can take {at_least}{}, more than the {limit} allowed",
            words::duration(bound)
        ),
        None => eco_format!("nothing limits how long a bootstrap can take; {limit} are allowed"),
    };
    let last = timing.chain.last().and_then(|step| step.component);
    let mut report = sink.report(last, message).at(budget.span);
    let mut steps: Vec<_> = timing.chain.iter().filter(|step| step.added > 0).collect();
    steps.sort_by_key(|step| std::cmp::Reverse(step.added));
    for step in steps.into_iter().take(3) {
        let clause = eco_format!("+{}: {}", words::duration(step.added), step.reason);
        report = match step.span {
            Some(span) => report.detail_at(clause, span),
            None => report.detail(clause),
        };
    }
    let pools = timing.workers.iter().filter(|pool| pool.wait > Some(0));
    for pool in pools.filter(|_| timing.complete) {
        report = report.detail(eco_format!(
            "+{}: waits for one of the {} workers of {}",
            words::duration(pool.wait.unwrap_or(0)),
            pool.workers,
            pool.controller
        ));
    }
    if !timing.unlimited.is_empty() {
        report = report.detail(eco_format!(
            "without limit on retries: {}",
            words::components(linked, &timing.unlimited)
        ));
    }
    report
        .help("`fluxlint timing` shows the whole chain; shorten its longest waits, or raise the budget")
        .done();
}
