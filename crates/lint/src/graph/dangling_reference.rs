//! FL-G001: a reference of a Flux object names something nothing defines.

use ecow::eco_format;
use link::{Cause, Import, Linked, Supply};

use super::dangling;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G001",
    name: "dangling-reference",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "dependsOn, a source reference or a health check names an object nothing defines",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, import) in linked.imports.iter().enumerate() {
        let judged = matches!(
            import.cause,
            Cause::DependsOn { .. } | Cause::Source | Cause::HealthCheck
        );
        // An object without a namespace is refused itself, and told so.
        let exists = linked
            .component(import.component)
            .is_some_and(|component| !component.key.namespace.is_empty());
        if judged && exists && linked.is_known(&import.place.cluster) {
            look(linked, at, import, sink);
        }
    }
}

fn look(linked: &Linked<'_>, at: usize, import: &Import, sink: &mut Sink<'_>) {
    if let Some(found) = dangling::wrong_api_version(linked, import) {
        let message = eco_format!(
            "{}, and that kind is not served as `{}`",
            linked.demand(import),
            found.written
        );
        return sink
            .report([import.component], message)
            .at(import.span)
            .detail(found.why)
            .help(found.help)
            .done();
    }
    if !matches!(linked.supply(import), Supply::Nothing)
        || dangling::may_be_cluster_wide(linked, import)
        // Told with the failure that keeps it away.
        || linked.lost(import).is_some()
    {
        return;
    }
    let hint = dangling::hint(linked, import);
    let name = linked.name(import.component);
    let effect = match import.cause {
        Cause::HealthCheck => {
            eco_format!("`{name}` waits out its whole timeout at every try and never becomes ready")
        }
        _ => eco_format!("`{name}` never starts"),
    };
    let mut report = sink
        .report(
            [import.component],
            eco_format!("{}, which nothing defines", linked.demand(import)),
        )
        .at(import.span)
        .detail(effect);
    for (reason, span) in hint.reasons {
        report = report.detail_at(reason, span);
    }
    let makers = linked.may_define(import);
    if !makers.is_empty() {
        let (names, run) = match makers.len() {
            1 => (words::components(linked, &makers), "runs"),
            _ => (words::components(linked, &makers), "run"),
        };
        report = report.severity(Severity::Warning).detail(eco_format!(
            "not certain: {names} {run} what may make it, as its role says; if so, list the group \
             under `externals.runtimeCRDs`"
        ));
    }
    report.help(hint.help).unless_made(&[at]).done();
}
