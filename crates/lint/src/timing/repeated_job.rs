//! FL-T011: a Job that Flux runs again at each interval.

use ecow::eco_format;
use link::{Linked, handling};
use model::{KustomizationSpec, Object, Reference, Spec};
use yaml::Node;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T011",
    name: "repeated-job",
    severity: Severity::Warning,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a Job that is deleted after it ended, and applied again at the next interval",
    check,
};

const SECOND: u64 = 1_000_000_000;
/// What is gone sooner after its end than this is easily missed: health is looked
/// at every five seconds, and what is gone counts as not there yet.
const MISSED: u64 = 30 * SECOND;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let Spec::Kustomization(spec) = &component.spec else {
            continue;
        };
        let Some(interval) = spec.interval.filter(|_| !component.suspended) else {
            continue;
        };
        for object in component.objects() {
            let Some((stays, node)) = stays(object) else {
                continue;
            };
            if stays >= interval || !handling(object).applied {
                continue;
            }
            let message = eco_format!(
                "{} is deleted {} after it ended, and `{}` runs it again at each interval of {}",
                words::object(&object.identity),
                words::duration(stays),
                linked.name(at),
                words::duration(interval)
            );
            let report = sink.report([at], message).object(&object.identity);
            let report = match stays <= MISSED && is_waited_for(spec, object) {
                true => report.detail(
                    "it is waited for, and may be gone before it is seen to be complete: the wait then fails",
                ),
                false => report,
            };
            report
                .at(node.span)
                .help(
                    "leave `ttlSecondsAfterFinished` out: Flux replaces the Job when it changes if it is \
                     annotated `kustomize.toolkit.fluxcd.io/force: Enabled`; or make it a CronJob",
                )
                .done();
        }
    }
}

/// How long a Job stays after its end, in nanoseconds, where that is limited.
fn stays(object: &Object) -> Option<(u64, &Node)> {
    let identity = &object.identity;
    let node = object.node.path(&["spec", "ttlSecondsAfterFinished"])?;
    let seconds = node.text()?.parse::<u64>().ok()?;
    let is_job = identity.group == "batch" && identity.kind == "Job";
    is_job.then(|| (seconds.saturating_mul(SECOND), node))
}

fn is_waited_for(spec: &KustomizationSpec, object: &Object) -> bool {
    let identity = &object.identity;
    let is_it = |check: &Reference| {
        check.kind == identity.kind
            && check.name == identity.name
            && check.namespace == identity.namespace
    };
    match spec.wait {
        true => handling(object).waited_for,
        false => spec.health_checks.iter().any(is_it),
    }
}
