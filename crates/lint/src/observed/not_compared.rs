//! FL-O003: components that only the repository or only the cluster has.

use ecow::eco_format;
use link::Linked;
use observed::State;

use super::Observed;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-O003",
    name: "not-compared",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a component that only the repository or only the cluster has",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(observed) = sink.observed() else {
        return;
    };
    for (at, component) in linked.world.components.iter().enumerate() {
        if component.suspended || observed.of(linked, at).is_some() {
            continue;
        }
        if component.home.is_empty() {
            only_here(linked, &observed, at, sink);
        }
    }
    only_there(linked, &observed, sink);
}

fn only_here(linked: &Linked<'_>, observed: &Observed<'_>, at: usize, sink: &mut Sink<'_>) {
    let Some(component) = linked.component(at) else {
        return;
    };
    let name = linked.name(at);
    let mut report = sink
        .report([at], eco_format!("the cluster has no `{name}`"))
        .at(component.span());
    for parent in &component.parents {
        let is = match observed.of(linked, *parent).map(|state| &state.state) {
            None => "is not in the cluster either",
            Some(State::Suspended) => "is suspended there",
            Some(State::Failing { .. }) => "is not ready there",
            Some(State::Undecided) => "is still at work there",
            Some(State::Ready) => "is ready there; it may be at another commit",
        };
        report = report.detail(eco_format!(
            "`{}`, which applies it, {is}",
            linked.name(*parent)
        ));
    }
    report.done();
}

fn only_there(linked: &Linked<'_>, observed: &Observed<'_>, sink: &mut Sink<'_>) {
    let components = linked.world.components.iter().enumerate();
    let opaque: Vec<usize> = components
        .filter(|(_, component)| !component.is_rendered())
        .map(|(at, _)| at)
        .collect();
    for (key, state) in observed.state.iter() {
        if linked.find("", key).is_some() || state.state == State::Suspended {
            continue;
        }
        let mut report = sink
            .report_key(key, eco_format!("only the cluster has `{key}`"))
            .detail_at("the cluster has it", state.span);
        if !opaque.is_empty() {
            let names = words::components(linked, &opaque);
            let is = if opaque.len() == 1 { "is" } else { "are" };
            report = report.detail(eco_format!(
                "{names} {is} not rendered here and may bring it"
            ));
        }
        report
            .help(
                "it belongs to another entrypoint or repository, was applied by hand, or was not \
                 pruned",
            )
            .done();
    }
}
