//! FL-G008: Flux cannot build a component.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::Problem;

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
    for (at, component) in linked.world.components.iter().enumerate() {
        let (undecoded, others): (Vec<&Problem>, Vec<&Problem>) =
            component.problems.iter().partition(|p| is_undecoded(p));
        for problem in others {
            look(linked, at, problem, sink);
        }
        report_undecoded(linked, at, &undecoded, sink);
    }
}

/// A file in a folder that Flux takes as a whole is no Kubernetes object.
fn is_undecoded(problem: &Problem) -> bool {
    matches!(problem, Problem::Build { message, .. }
        if message.starts_with("failed to decode Kubernetes YAML from"))
}

/// One finding for all such files: they have one cause.
fn report_undecoded(linked: &Linked<'_>, at: usize, files: &[&Problem], sink: &mut Sink<'_>) {
    let mut files = files.iter().filter_map(|problem| match problem {
        Problem::Build { message, span } => Some((message, span)),
        _ => None,
    });
    let Some((message, span)) = files.next() else {
        return;
    };
    let name = linked.name(at);
    let mut report = sink.report([at], eco_format!("`{name}` cannot be built: {message}"));
    if let Some(span) = span {
        report = report.at(*span);
    }
    for (message, span) in files {
        report = match span {
            Some(span) => report.detail_at(message.clone(), *span),
            None => report.detail(message.clone()),
        };
    }
    report
        .help(
            "Flux takes every YAML file below a path that has no `kustomization.yaml`: add one that \
             lists the manifests, or leave the other files out in `.sourceignore`",
        )
        .done();
}

fn look(linked: &Linked<'_>, at: usize, problem: &Problem, sink: &mut Sink<'_>) {
    let name = linked.name(at);
    match problem {
        Problem::PathMissing {
            path,
            candidates,
            ignored,
            span,
        } => {
            let mut report = sink
                .report(
                    [at],
                    eco_format!("path `{path}` of `{name}` does not exist in its source"),
                )
                .at(*span);
            if path.contains("${") {
                report = report.detail(
                    "a Kustomization's own `postBuild` does not apply to its own `path`; only that \
                     of the Kustomization that applies it does",
                );
            }
            if let Some(rules) = ignored {
                let rules = *rules;
                report = report.detail_of(
                    "the repository has it, but the source's ignore rules leave it out",
                    rules,
                    at,
                );
            }
            let help: EcoString = match candidates.as_slice() {
                _ if ignored.is_some() => "take it back in, in the source's `spec.ignore`".into(),
                [] => "correct the path, or add the directory".into(),
                [one] => eco_format!("did you mean `./{one}`?"),
                several => eco_format!("directories of this name are {}", words::list(several)),
            };
            report.help(help).done();
        }
        Problem::Build { message, span } => {
            let object = linked.component(at).and_then(|c| c.object.as_ref());
            let place = span.or(object.map(|object| object.node.span));
            let mut report = sink.report([at], eco_format!("`{name}` cannot be built: {message}"));
            if let Some(place) = place {
                report = report.at(place);
            }
            report.done();
        }
        Problem::SubstitutedTextInvalid {
            message,
            object,
            span,
        } => {
            let mut report = sink
                .report(
                    [at],
                    eco_format!(
                        "{} of `{name}` is no valid YAML once its variables are filled in: {message}",
                        words::object(object)
                    ),
                )
                .object(object);
            if let Some(span) = span {
                report = report.at(*span);
            }
            report
                .detail(
                    "Flux fills variables into the text that kustomize prints, where quotes around a \
                     placeholder are gone",
                )
                .help(
                    "keep the value from being read as YAML: let a variable hold the quote, as in \
                     `${quote}${value}${quote}`",
                )
                .done();
        }
        _ => {}
    }
}
