//! FL-T002: one component is most of the bound.

use ecow::eco_format;
use link::{Contribution, Linked};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T002",
    name: "dominant-delay",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "one component alone is a large part of the longest chain of waits",
    check,
};

/// `timing.dominantShare` when it is not set.
const SHARE: f64 = 0.4;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(timing) = linked.timing() else {
        return;
    };
    let share = linked.config.timing.dominant_share.as_ref();
    let least = share.map_or(SHARE, |share| share.value);
    let of = |component: usize| {
        let own = move |step: &&Contribution| step.component == Some(component) && step.added > 0;
        timing.chain.iter().filter(own)
    };
    let mut components: Vec<usize> = timing
        .chain
        .iter()
        .filter(|step| step.added > 0)
        .filter_map(|step| step.component)
        .collect();
    components.sort_unstable();
    components.dedup();
    // Of a chain of one there is nothing to compare.
    if components.len() < 2 {
        return;
    }
    for component in components {
        let sum: u64 = of(component).map(|step| step.added).sum();
        let part = sum as f64 / timing.critical as f64;
        if part < least {
            continue;
        }
        let message = eco_format!(
            "`{}` alone is {}% of the longest chain of waits: {} of {}",
            linked.name(component),
            (part * 100.0).round(),
            words::duration(sum),
            words::duration(timing.critical)
        );
        let longest = of(component).max_by_key(|step| step.added);
        let mut report = sink.report([component], message);
        if let Some(span) = longest.and_then(|step| step.span) {
            report = report.at(span);
        }
        for step in of(component) {
            let clause = eco_format!("+{}: {}", words::duration(step.added), step.reason);
            report = match step.span {
                Some(span) => report.detail_at(clause, span),
                None => report.detail(clause),
            };
        }
        report
            .help("where it is ready sooner in practice, a shorter `timeout` makes failures known sooner")
            .done();
    }
}
