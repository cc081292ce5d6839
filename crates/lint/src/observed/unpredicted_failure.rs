//! FL-O001: a failure in the cluster that nothing here explains.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::SourceKey;

use super::Observed;
use super::echo::Echoes;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-O001",
    name: "unpredicted-failure",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a component that is not ready in the cluster and that no finding names",
    check,
};

/// Characters of the cluster's message that are shown.
const SHOWN: usize = 400;

/// Reasons of both controllers for a source that gives nothing.
const SOURCE: [&str; 2] = ["ArtifactFailed", "SourceNotReady"];

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(observed) = sink.observed() else {
        return;
    };
    let echoes = Echoes::of(linked, &observed);
    let mut by_source: BTreeMap<(SourceKey, &str, &str), Vec<usize>> = BTreeMap::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        let Some((reason, message)) = observed.failure(linked, at) else {
            continue;
        };
        if observed.is_named(&component.key) || echoes.is_echo(at) {
            continue;
        }
        match component.spec.source().filter(|_| SOURCE.contains(&reason)) {
            Some(source) => {
                let key = (SourceKey::from(source), reason, message);
                by_source.entry(key).or_default().push(at);
            }
            None => report(linked, &observed, &echoes, &[at], (reason, message), sink),
        }
    }
    for ((_, reason, message), components) in by_source {
        let failure = (reason, message);
        report(linked, &observed, &echoes, &components, failure, sink);
    }
}

fn report(
    linked: &Linked<'_>,
    observed: &Observed<'_>,
    echoes: &Echoes,
    components: &[usize],
    (reason, message): (&str, &str),
    sink: &mut Sink<'_>,
) {
    let Some(component) = components.first().and_then(|at| linked.component(*at)) else {
        return;
    };
    let names = words::components(linked, components);
    let is = if components.len() == 1 { "is" } else { "are" };
    let mut report = sink
        .report(
            components.iter().copied(),
            eco_format!(
                "{names} {is} not ready in the cluster ({reason}), and nothing here names a cause"
            ),
        )
        .at(component.span());
    let mut said: Option<EcoString> = None;
    for at in components {
        if let Some(state) = observed.of(linked, *at) {
            let tried = match &state.revision {
                Some(revision) => eco_format!(" of {revision}"),
                None => EcoString::new(),
            };
            let says = eco_format!("the cluster says{tried}: {}", shortened(message));
            // What many say is told once.
            if said.as_ref() != Some(&says) {
                report = report.detail_of(says.clone(), state.span, *at);
                said = Some(says);
            }
        }
        let behind = echoes.behind(*at);
        if !behind.is_empty() {
            let waits = if behind.len() == 1 { "waits" } else { "wait" };
            let names = words::components(linked, &behind);
            report = report.detail(eco_format!("{names} {waits} for it, and {waits} in vain"));
        }
    }
    report
        .help(
            "see whether the cluster tried the commit that is judged here; a cause that Git does \
             not hold (an image, a network, a quota, a credential) is for the cluster to solve, \
             one that Git holds is a gap of fluxlint and worth a report",
        )
        .done();
}

/// The beginning of a message, on one line.
fn shortened(message: &str) -> EcoString {
    let words: Vec<&str> = message.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => eco_format!("{} …", line.get(..end).unwrap_or_default()),
        None => line.into(),
    }
}
