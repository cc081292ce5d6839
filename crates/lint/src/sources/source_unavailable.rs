//! FL-X001: the content of a source could not be had.

use std::collections::{BTreeMap, BTreeSet};

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
    let mut gaps = Vec::new();
    for (key, artifact, _, span) in &linked.world.sources {
        let source = Source { key, span: *span };
        match artifact {
            Artifact::Unavailable(reason) => gaps.extend(files(linked, source, reason)),
            Artifact::Absent(reason) => no_files(linked, sink, source, reason),
            _ => {}
        }
        gaps.extend(charts(linked, sink, source));
    }
    let shared = shared_reasons(&gaps);
    for reason in &shared {
        let of_it: Vec<&Gap<'_>> = gaps.iter().filter(|gap| gap.reason == *reason).collect();
        nobody_gave(linked, sink, reason, &of_it);
    }
    gaps.retain(|gap| !shared.contains(gap.reason));
    for some in gaps.chunk_by(|a, b| a.source.key == b.source.key && a.of_files == b.of_files) {
        not_given(linked, sink, some);
    }
    remote_bases(linked, sink);
}

/// A source object, and where it is written.
#[derive(Clone, Copy)]
struct Source<'a> {
    key: &'a SourceKey,
    span: Span,
}

/// What a source did not give, for one reason.
struct Gap<'a> {
    source: Source<'a>,
    reason: &'a EcoString,
    /// Who asks for it, and where.
    places: Vec<(usize, Span)>,
    /// It is the files of the source, not a chart.
    of_files: bool,
}

/// Reasons for which several sources gave nothing, such as a host that is not
/// reached.
fn shared_reasons<'a>(gaps: &[Gap<'a>]) -> BTreeSet<&'a EcoString> {
    let mut sources: BTreeMap<&EcoString, BTreeSet<String>> = BTreeMap::new();
    for gap in gaps {
        let of_it = sources.entry(gap.reason).or_default();
        of_it.insert(gap.source.key.to_string());
    }
    let shared = sources.into_iter().filter(|(_, sources)| sources.len() > 1);
    shared.map(|(reason, _)| reason).collect()
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

/// Those that build the files of a source and do not get them.
fn builders(linked: &Linked<'_>, key: &SourceKey) -> Vec<usize> {
    let users = users(linked, key, ComponentKind::Kustomization);
    let users = users.filter(|(_, component)| !component.is_rendered());
    users.map(|(at, _)| at).collect()
}

/// The files of a source, which Kustomizations build.
fn files<'a>(linked: &Linked<'_>, source: Source<'a>, reason: &'a EcoString) -> Option<Gap<'a>> {
    let users = builders(linked, source.key);
    let places: Vec<(usize, Span)> = users.into_iter().map(|at| (at, Span::NONE)).collect();
    (!places.is_empty()).then_some(Gap {
        source,
        reason,
        places,
        of_files: true,
    })
}

fn no_files(linked: &Linked<'_>, sink: &mut Sink<'_>, source: Source<'_>, reason: &EcoString) {
    let users = builders(linked, source.key);
    if users.is_empty() {
        return;
    }
    let message = eco_format!(
        "what {} asks for does not exist, so {} will not be applied",
        shown(source.key),
        names(linked, &users)
    );
    sink.report(users, message)
        .severity(Severity::Error)
        .at(source.span)
        .detail(reason.clone())
        .help(WRITE_ANOTHER)
        .done();
}

/// The charts that releases ask a source for and do not get: a finding for each
/// that does not exist, and the rest.
fn charts<'a>(
    linked: &'a Linked<'_>,
    sink: &mut Sink<'_>,
    source: Source<'a>,
) -> impl Iterator<Item = Gap<'a>> {
    let mut absent: BTreeMap<&EcoString, Vec<(usize, Span)>> = BTreeMap::new();
    let mut failed: BTreeMap<&EcoString, Vec<(usize, Span)>> = BTreeMap::new();
    for (at, component) in users(linked, source.key, ComponentKind::HelmRelease) {
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
        no_chart(linked, sink, source, reason, &places);
    }
    failed.into_iter().map(move |(reason, places)| Gap {
        source,
        reason,
        places,
        of_files: false,
    })
}

fn no_chart(
    linked: &Linked<'_>,
    sink: &mut Sink<'_>,
    source: Source<'_>,
    reason: &EcoString,
    places: &[(usize, Span)],
) {
    let users: Vec<usize> = places.iter().map(|(at, _)| *at).collect();
    let message = eco_format!(
        "{} has no such chart: {reason}, so {} will not be installed",
        shown(source.key),
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
    if !source.span.is_none() {
        report = report.detail_at("the source is defined here", source.span);
    }
    report.help(WRITE_ANOTHER).done();
}

/// What one source did not give.
fn not_given(linked: &Linked<'_>, sink: &mut Sink<'_>, gaps: &[Gap<'_>]) {
    let Some(Gap {
        source, of_files, ..
    }) = gaps.first()
    else {
        return;
    };
    let users = asking(gaps);
    let (source_name, names) = (shown(source.key), names(linked, &users));
    let message = match of_files {
        true => eco_format!(
            "the content of {source_name} is not here, so {names} could not be rendered"
        ),
        false => eco_format!(
            "{source_name} did not give what it is asked for, so {names} could not be rendered"
        ),
    };
    let mut report = sink.report(users, message).at(source.span);
    for gap in gaps {
        if gap.of_files {
            report = report.detail(gap.reason.clone());
            continue;
        }
        for (at, span) in &gap.places {
            report = report.detail_of(gap.reason.clone(), *span, *at);
        }
    }
    report.help(HELP).done();
}

/// What several sources did not give for one reason.
fn nobody_gave(linked: &Linked<'_>, sink: &mut Sink<'_>, reason: &EcoString, gaps: &[&Gap<'_>]) {
    let users = asking(gaps.iter().copied());
    let mut sources: Vec<Source<'_>> = gaps.iter().map(|gap| gap.source).collect();
    sources.dedup_by(|a, b| a.key == b.key);
    let message = eco_format!(
        "{reason}, so {} sources gave nothing and {} could not be rendered",
        sources.len(),
        names(linked, &users)
    );
    let first = sources.first().map_or(Span::NONE, |source| source.span);
    let mut report = sink.report(users, message).at(first);
    for source in sources {
        let text = eco_format!("{} is asked for it", shown(source.key));
        report = report.detail_at(text, source.span);
    }
    report.help(HELP).done();
}

/// Who asks for what is not given, each once.
fn asking<'a>(gaps: impl IntoIterator<Item = &'a Gap<'a>>) -> Vec<usize> {
    let places = gaps.into_iter().flat_map(|gap| &gap.places);
    let users: BTreeSet<usize> = places.map(|(at, _)| *at).collect();
    users.into_iter().collect()
}
