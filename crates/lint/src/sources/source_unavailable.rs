//! FL-X001: the content of a source could not be had.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Artifact, Component, ComponentKind, Fault, Problem, SourceKey};
use yaml::Span;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-X001",
    name: "source-unavailable",
    severity: Severity::Warning,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "the content of a source could not be had, so its components are not judged",
    check,
};

const HELP: &str = "if it cannot be fetched, give its content with `sources.overrides` or \
                    `sources.mirrors`; until then nothing below it is judged, and what it may \
                    bring is not reported as missing";
const WRITE_ANOTHER: &str = "write a reference that exists, or publish this one";

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (key, artifact, _, span) in &linked.world.sources {
        match artifact {
            Artifact::Unavailable(reason) => tree(linked, sink, key, *span, reason, false),
            Artifact::Absent(reason) => tree(linked, sink, key, *span, reason, true),
            _ => {}
        }
        charts(linked, sink, key, *span);
    }
    remote_bases(linked, sink);
}

/// Remote bases that do not exist, by the line that names each.
fn remote_bases(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let mut absent: BTreeMap<(Span, &EcoString), Vec<usize>> = BTreeMap::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        if component.key.kind != ComponentKind::Kustomization {
            continue;
        }
        for problem in &component.problems {
            if let Problem::Build {
                message,
                span,
                fault: Fault::Absent,
                ..
            } = problem
            {
                let place = span.unwrap_or(Span::NONE);
                absent.entry((place, message)).or_default().push(at);
            }
        }
    }
    for ((span, reason), users) in absent {
        let names = names(linked, &users);
        sink.report(users, eco_format!("{names} cannot be built: {reason}"))
            .severity(Severity::Error)
            .at(span)
            .help(WRITE_ANOTHER)
            .done();
    }
}

/// The components of a kind that ask a source for something.
fn users<'a>(
    linked: &'a Linked<'_>,
    key: &'a SourceKey,
    kind: ComponentKind,
) -> impl Iterator<Item = (usize, &'a Component)> {
    let components = linked.world.components.iter().enumerate();
    components.filter(move |(_, component)| {
        component.key.kind == kind && component.source.as_ref() == Some(key)
    })
}

fn shown(key: &SourceKey) -> EcoString {
    eco_format!("{} `{}/{}`", key.kind, key.namespace, key.name)
}

fn names(linked: &Linked<'_>, users: &[usize]) -> EcoString {
    let names: Vec<EcoString> = users.iter().map(|at| linked.name(*at)).collect();
    words::list(&names)
}

/// The files of a source, which Kustomizations build.
fn tree(
    linked: &Linked<'_>,
    sink: &mut Sink<'_>,
    key: &SourceKey,
    span: Span,
    reason: &EcoString,
    certain: bool,
) {
    let users: Vec<usize> = users(linked, key, ComponentKind::Kustomization)
        .filter(|(_, component)| !component.is_rendered())
        .map(|(at, _)| at)
        .collect();
    if users.is_empty() {
        return;
    }
    let (source, names) = (shown(key), names(linked, &users));
    let report = match certain {
        true => sink
            .report(
                users,
                eco_format!(
                    "what {source} asks for does not exist, so {names} will not be applied"
                ),
            )
            .severity(Severity::Error)
            .help(WRITE_ANOTHER),
        false => sink
            .report(
                users,
                eco_format!(
                    "the content of {source} is not here, so {names} could not be rendered"
                ),
            )
            .help(HELP),
    };
    report.at(span).detail(reason.clone()).done();
}

/// The charts that releases ask a source for and do not get: a finding for each
/// that does not exist, and one for the source when it was asked in vain.
fn charts(linked: &Linked<'_>, sink: &mut Sink<'_>, key: &SourceKey, span: Span) {
    let mut absent: BTreeMap<&EcoString, Vec<(usize, Span)>> = BTreeMap::new();
    let mut failed: BTreeMap<&EcoString, Vec<(usize, Span)>> = BTreeMap::new();
    for (at, component) in users(linked, key, ComponentKind::HelmRelease) {
        for problem in &component.problems {
            match problem {
                Problem::Build {
                    message,
                    span,
                    fault: Fault::Absent,
                    ..
                } => {
                    let place = (at, span.unwrap_or(Span::NONE));
                    absent.entry(message).or_default().push(place);
                }
                Problem::ChartUnavailable { reason, span } => {
                    failed.entry(reason).or_default().push((at, *span));
                }
                _ => {}
            }
        }
    }
    for (reason, places) in absent {
        no_chart(linked, sink, (key, span), reason, &places);
    }
    if !failed.is_empty() {
        not_given(linked, sink, (key, span), &failed);
    }
}

fn no_chart(
    linked: &Linked<'_>,
    sink: &mut Sink<'_>,
    (key, defined): (&SourceKey, Span),
    reason: &EcoString,
    places: &[(usize, Span)],
) {
    let users: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
    let message = eco_format!(
        "{} has no such chart: {reason}, so {} will not be installed",
        shown(key),
        names(linked, &users)
    );
    let mut places = places.iter();
    let first = places.next().map_or(Span::NONE, |(_, span)| *span);
    let mut report = sink
        .report(users, message)
        .severity(Severity::Error)
        .at(first);
    for (at, span) in places {
        report = report.detail_of("asked for here as well", *span, *at);
    }
    if !defined.is_none() {
        report = report.detail_at("the source is defined here", defined);
    }
    report.help(WRITE_ANOTHER).done();
}

fn not_given(
    linked: &Linked<'_>,
    sink: &mut Sink<'_>,
    (key, defined): (&SourceKey, Span),
    failed: &BTreeMap<&EcoString, Vec<(usize, Span)>>,
) {
    let places = failed.values().flatten();
    let users: Vec<usize> = places.map(|(at, _)| *at).collect();
    let message = eco_format!(
        "{} did not give what it is asked for, so {} could not be rendered",
        shown(key),
        names(linked, &users)
    );
    let mut report = sink.report(users, message).at(defined);
    for (reason, places) in failed {
        for (at, span) in places {
            report = report.detail_of((*reason).clone(), *span, *at);
        }
    }
    report.help(HELP).done();
}
