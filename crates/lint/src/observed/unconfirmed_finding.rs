//! FL-O002: an error about components that are ready in the cluster.

use ecow::eco_format;
use link::Linked;
use observed::State;

use super::Observed;
use crate::{Evidence, Finding, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-O002",
    name: "unconfirmed-finding",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "an error about components that are ready in the cluster",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(observed) = sink.observed() else {
        return;
    };
    for finding in observed.findings {
        if finding.severity == Severity::Error {
            report(linked, &observed, finding, sink);
        }
    }
}

/// Reports an error none of whose components fails, and some of which are ready.
fn report(linked: &Linked<'_>, observed: &Observed<'_>, finding: &Finding, sink: &mut Sink<'_>) {
    let mut ready = Vec::new();
    for key in &finding.components {
        let Some(at) = linked.find("", key) else {
            continue;
        };
        match observed.of(linked, at).map(|state| &state.state) {
            Some(State::Ready) => ready.push(at),
            Some(State::Failing { .. }) => return,
            Some(State::Undecided | State::Suspended) | None => {}
        }
    }
    if ready.is_empty() {
        return;
    }
    let names = words::components(linked, &ready);
    let is = if ready.len() == 1 { "is" } else { "are" };
    let mut report = sink.report(
        ready.iter().copied(),
        eco_format!(
            "{names} {is} ready in the cluster, but {} ({}) says otherwise",
            finding.rule,
            finding.name
        ),
    );
    if let Some(object) = &finding.object {
        report = report.object(object);
    }
    if let Some(span) = finding.span {
        report = report.at(span);
    }
    report
        .detail(eco_format!("{}: {}", finding.rule, finding.message))
        .help(
            "a cluster that grew step by step may run what an empty one cannot start; if something \
             that is not in Git makes up for it, declare it under `externals`",
        )
        .done();
}
