//! FL-T007: one failure costs a whole long interval.

use ecow::{EcoString, eco_format};
use link::{Linked, field_span};
use model::Spec;

use super::dependency;
use crate::gather::Habit;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T007",
    name: "retry-cliff",
    severity: Severity::Warning,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a Kustomization without `retryInterval` and with a long `interval`",
    check,
};

/// From here on, waiting for the next interval is long: ten minutes.
const LONG: u64 = 600_000_000_000;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let Spec::Kustomization(spec) = &component.spec else {
            continue;
        };
        let Some(interval) = spec.interval.filter(|interval| *interval >= LONG) else {
            continue;
        };
        if spec.retry_interval.is_some() || linked.is_root(at) || component.suspended {
            continue;
        }
        let message = eco_format!(
            "`{}` has no `retryInterval`: after a failure it is tried again only {} later",
            linked.name(at),
            words::duration(interval)
        );
        let span = field_span(component, &["spec", "interval"]);
        let report = sink.report([at], message).at(span);
        let report = match dependency::insert_before(component, "interval", "retryInterval: 1m") {
            Some((span, text)) => report.fix(span, text),
            None => report,
        };
        report
            .help("add `retryInterval`, one or two minutes")
            .done();
    }
}

/// All of them are one.
pub(crate) const HABIT: Habit = Habit {
    rule: RULE.id,
    alike: |_| Some(EcoString::new()),
    message: |number, _| {
        eco_format!(
            "{number} Kustomizations have no `retryInterval` and an interval of {} or more: after a \
             failure each is tried again only that much later",
            words::duration(LONG)
        )
    },
    help: None,
    each: false,
};
