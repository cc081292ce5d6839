//! FL-G008: Flux cannot build a component.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Linked, Supply};
use model::{Fault, Identity, Problem};
use yaml::Span;

use crate::sink::Report;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G008",
    name: "build-failed",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a path does not exist, or what stands there cannot be built",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let mut echoes: BTreeMap<usize, Vec<&Import>> = BTreeMap::new();
    for import in linked.imports.iter().filter(|import| is_told(import)) {
        if matches!(linked.supply(import), Supply::Nothing)
            && let Some(at) = linked.lost(import)
        {
            echoes.entry(at).or_default().push(import);
        }
    }
    for (at, component) in linked.world.components.iter().enumerate() {
        let mut faults = component.problems.iter().filter(|p| is_fault(p));
        if let Some(first) = faults.next() {
            let build = Build {
                name: linked.name(at),
                others: faults.collect(),
                echoes: echoes.remove(&at).unwrap_or_default(),
            };
            look(linked, at, first, &build, sink);
        }
    }
}

/// What is told of a build beside the fault that ends it.
struct Build<'a> {
    name: EcoString,
    /// Further faults.
    others: Vec<&'a Problem>,
    /// What names an object that the faults keep away.
    echoes: Vec<&'a Import>,
}

/// Whether a reference that nothing defines is told at all.
fn is_told(import: &Import) -> bool {
    matches!(
        import.cause,
        Cause::DependsOn { .. } | Cause::Source | Cause::HealthCheck
    )
}

/// What the build of a component ends with.
fn is_fault(problem: &Problem) -> bool {
    match problem {
        // A source without the chart is told of by FL-X001.
        Problem::Build { fault, .. } => *fault != Fault::Absent,
        Problem::PathMissing { .. } | Problem::SubstitutedTextInvalid { .. } => true,
        _ => false,
    }
}

/// Flux stops at the first fault; the others, which it would stumble over next,
/// stand beside it.
fn look(linked: &Linked<'_>, at: usize, first: &Problem, build: &Build<'_>, sink: &mut Sink<'_>) {
    let name = &build.name;
    let report = match first {
        Problem::PathMissing {
            path,
            candidates,
            ignored,
            span,
        } => {
            let report = sink.report([at], eco_format!("path `{path}` of {}", missing(name)));
            missing_path(report.at(*span), at, path, candidates, *ignored)
        }
        Problem::Build {
            message,
            span,
            fault,
            ..
        } => {
            let object = linked.component(at).and_then(|c| c.object.as_ref());
            let place = span.or(object.map(|object| object.node.span));
            let report = sink.report([at], eco_format!("`{name}` cannot be built: {message}"));
            let report = report.at(place.unwrap_or(Span::NONE));
            match *fault == Fault::Undecoded {
                true => report.help(
                    "Flux takes every YAML file below a path that has no `kustomization.yaml`: add \
                     one that lists the manifests, or leave the other files out in `.sourceignore`",
                ),
                false => report,
            }
        }
        Problem::SubstitutedTextInvalid {
            message,
            object,
            span,
        } => sink
            .report([at], invalid_text(object, name, message))
            .object(object)
            .at(span.unwrap_or(Span::NONE))
            .detail(
                "Flux fills variables into the text that kustomize prints, where quotes around a \
                 placeholder are gone",
            )
            .help(
                "keep the value from being read as YAML: let a variable hold the quote, as in \
                 `${quote}${value}${quote}`",
            ),
        _ => return,
    };
    let report = beside(report, name, &build.others);
    echoes(report, linked, &build.echoes).done();
}

fn missing(name: &str) -> EcoString {
    eco_format!("`{name}` does not exist in its source")
}

fn invalid_text(object: &Identity, name: &str, message: &str) -> EcoString {
    eco_format!(
        "{} of `{name}` is no valid YAML once its variables are filled in: {message}",
        words::object(object)
    )
}

fn missing_path<'s, 'a>(
    mut report: Report<'s, 'a>,
    at: usize,
    path: &str,
    candidates: &[EcoString],
    ignored: Option<Span>,
) -> Report<'s, 'a> {
    if path.contains("${") {
        report = report.detail(
            "a Kustomization's own `postBuild` does not apply to its own `path`; only that of the \
             Kustomization that applies it does",
        );
    }
    if let Some(rules) = ignored {
        report = report.detail_of(
            "the repository has it, but the source's ignore rules leave it out",
            rules,
            at,
        );
    }
    let help: EcoString = match candidates {
        _ if ignored.is_some() => "take it back in, in the source's `spec.ignore`".into(),
        [] => "correct the path, or add the directory".into(),
        [one] => eco_format!("did you mean `./{one}`?"),
        several => eco_format!("directories of this name are {}", words::list(several)),
    };
    report.help(help)
}

/// The further faults of the same build.
fn beside<'s, 'a>(mut report: Report<'s, 'a>, name: &str, faults: &[&Problem]) -> Report<'s, 'a> {
    if faults.is_empty() {
        return report;
    }
    let (more, are) = (faults.len(), if faults.len() == 1 { "is" } else { "are" });
    report = report.detail(eco_format!(
        "{} of the same build {are} beside it:",
        words::count(more, "more fault")
    ));
    for fault in faults {
        report = match fault {
            Problem::PathMissing { path, span, .. } => {
                report.detail_at(eco_format!("path `{path}` of {}", missing(name)), *span)
            }
            Problem::Build { message, span, .. } => {
                report.detail_at(message.clone(), span.unwrap_or(Span::NONE))
            }
            Problem::SubstitutedTextInvalid {
                message,
                object,
                span,
            } => report.detail_at(
                invalid_text(object, name, message),
                span.unwrap_or(Span::NONE),
            ),
            _ => report,
        };
    }
    report
}

/// What else cannot work because of the fault.
fn echoes<'s, 'a>(
    mut report: Report<'s, 'a>,
    linked: &Linked<'_>,
    echoes: &[&Import],
) -> Report<'s, 'a> {
    for import in echoes {
        report = report.detail_of(
            eco_format!("{}, which this keeps away", linked.demand(import)),
            import.span,
            import.component,
        );
    }
    report
}
