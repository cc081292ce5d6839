//! FL-X005: a kustomization fetches something on every reconcile.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::Problem;
use yaml::Span;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-X005",
    name: "remote-base",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a kustomization pulls a remote base on every reconcile",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // A line that several components reach is one finding about all of them.
    let mut found: BTreeMap<(Span, &EcoString), (Vec<usize>, bool, bool)> = BTreeMap::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            if let Problem::RemoteBase {
                url,
                pinned,
                available,
                span,
            } = problem
            {
                let entry = found
                    .entry((*span, url))
                    .or_insert_with(|| (Vec::new(), *pinned, *available));
                entry.0.push(at);
            }
        }
    }
    for ((span, url), (users, pinned, available)) in found {
        let names: Vec<EcoString> = users.iter().map(|at| linked.name(*at)).collect();
        let mut report = sink
            .report(
                users,
                eco_format!("{} fetches `{url}` at every reconcile", words::list(&names)),
            )
            .at(span);
        if !pinned {
            report = report.severity(Severity::Warning).detail(
                "it is not pinned: what is applied can change, or break, without a commit here",
            );
        }
        if !available {
            report = report.detail("its content is not here, so what it brings is not judged");
        }
        report
            .help(match pinned {
                true => "keep a copy in the repository, or make it a source of its own, which Flux fetches once",
                false => "pin it with `?ref=` and a tag or commit, or keep a copy in the repository",
            })
            .done();
    }
}
