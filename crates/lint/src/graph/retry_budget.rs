//! FL-G011: a release gives up before what it needs is there.

use ecow::{EcoString, eco_format};
use link::{Linked, Overrun};
use model::Component;

use crate::gather::Habit;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G011",
    name: "retry-budget",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Timing,
    summary: "a release gives up for good before something that its pods need is there",
    check,
};

/// Releases that may give up, by their worst case, are told as one; each that does
/// is told alone.
pub(crate) const HABIT: Habit = Habit {
    rule: RULE.id,
    alike: |finding| (finding.severity < Severity::Error).then(EcoString::new),
    message: |number, _| {
        eco_format!(
            "{number} times a release may give up for good before something is there that its pods \
             need"
        )
    },
    help: Some(
        "let what applies each release depend on what makes it, or let the releases try without \
         end: `install.strategy.name: RetryOnFailure`, or `install.remediation.retries: -1`",
    ),
    each: false,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for overrun in linked.overruns() {
        let certain = overrun.best.is_some_and(|best| best > overrun.patience);
        let mut report = sink
            .report([overrun.release], message(linked, &overrun, certain))
            .at(overrun.span)
            .detail(arrival(linked, &overrun));
        for maker in &overrun.makers {
            if let Some(span) = linked.component(*maker).map(Component::span) {
                let name = linked.name(*maker);
                report = report.detail_of(eco_format!("`{name}` makes it"), span, *maker);
            }
        }
        if !certain || overrun.by_values {
            report = report.severity(Severity::Warning);
        }
        if overrun.by_values {
            report = report
                .evidence(Evidence::Heuristic)
                .detail("read off the values: the chart is not rendered here");
        }
        report.help(help(linked, &overrun)).done();
    }
}

fn message(linked: &Linked<'_>, overrun: &Overrun, certain: bool) -> EcoString {
    let release = linked.name(overrun.release);
    let gives_up = if certain { "gives up" } else { "may give up" };
    eco_format!(
        "`{release}` {gives_up} for good before {} is there, which its pods need",
        overrun.item
    )
}

fn arrival(linked: &Linked<'_>, overrun: &Overrun) -> EcoString {
    let patience = words::duration(overrun.patience);
    let release = linked.name(overrun.release);
    let after = match (overrun.best, overrun.worst) {
        (Some(best), _) if best > overrun.patience => {
            eco_format!("at the earliest {} after", words::duration(best))
        }
        (_, Some(worst)) => eco_format!("up to {} after", words::duration(worst)),
        (_, None) => "any time after".into(),
    };
    eco_format!("it comes {after} `{release}` starts, whose tries take {patience} in all")
}

fn help(linked: &Linked<'_>, overrun: &Overrun) -> EcoString {
    let release = linked.name(overrun.release);
    let first = overrun.makers.first().map(|maker| linked.name(*maker));
    let maker = first.unwrap_or_default();
    eco_format!(
        "let what applies `{release}` depend on `{maker}`, or let the release try without end: \
         `install.strategy.name: RetryOnFailure`, or `install.remediation.retries: -1`"
    )
}
