//! FL-V011: a release sets a value that its chart does not read.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::Problem;
use yaml::Span;

use crate::suggest::nearest;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-V011",
    name: "unread-value",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a HelmRelease sets a chart value that no template, subchart or schema reads",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            if let Problem::UnreadValues { keys, read } = problem {
                look(linked, at, keys, read, sink);
            }
        }
    }
}

fn look(
    linked: &Linked<'_>,
    at: usize,
    keys: &[(EcoString, Span)],
    read: &[EcoString],
    sink: &mut Sink<'_>,
) {
    let Some((_, span)) = keys.first() else {
        return;
    };
    let names: Vec<&EcoString> = keys.iter().map(|(key, _)| key).collect();
    let mut report = sink
        .report(
            [at],
            eco_format!(
                "`{}` sets {}, which its chart does not read",
                linked.name(at),
                words::list(&names)
            ),
        )
        .at(*span);
    for (key, span) in keys.iter().skip(1) {
        report = report.detail_at(eco_format!("`{key}`"), *span);
    }
    let known = read.iter().map(EcoString::as_str);
    let near = names.iter().find_map(|key| nearest(key, known.clone()));
    let help: EcoString = match near {
        Some(near) => eco_format!("did you mean `{near}`?"),
        None => "remove it, or look up where the chart wants it: it has no effect".into(),
    };
    report.help(help).done();
}
