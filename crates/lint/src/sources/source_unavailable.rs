//! FL-X001: the content of a source could not be had.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Artifact, ComponentKind};

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

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (key, artifact, _, span) in &linked.world.sources {
        let (reason, certain) = match artifact {
            Artifact::Unavailable(reason) => (reason, false),
            Artifact::Absent(reason) => (reason, true),
            _ => continue,
        };
        let components = linked.world.components.iter().enumerate();
        let users: Vec<usize> = components
            .filter(|(_, component)| {
                // Releases say themselves why they are not rendered.
                component.key.kind == ComponentKind::Kustomization
                    && component.source.as_ref() == Some(key)
                    && !component.is_rendered()
            })
            .map(|(at, _)| at)
            .collect();
        if users.is_empty() {
            continue;
        }
        let names: Vec<EcoString> = users.iter().map(|at| linked.name(*at)).collect();
        let source = eco_format!("{} `{}/{}`", key.kind, key.namespace, key.name);
        let names = words::list(&names);
        let report = match certain {
            true => sink
                .report(
                    users.iter().copied(),
                    eco_format!(
                        "what {source} asks for does not exist, so {names} will not be applied"
                    ),
                )
                .severity(Severity::Error)
                .help("write a reference that exists, or publish this one"),
            false => sink
                .report(
                    users.iter().copied(),
                    eco_format!(
                        "the content of {source} is not here, so {names} could not be rendered"
                    ),
                )
                .help(
                    "if it cannot be fetched, give its content with `sources.overrides` or \
                     `sources.mirrors`; until then nothing below it is judged, and what it may \
                     bring is not reported as missing",
                ),
        };
        report.at(*span).detail(reason.clone()).done();
    }
}
