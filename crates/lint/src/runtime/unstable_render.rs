//! FL-R010: a chart makes an object differently each time.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Identity, Problem};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-R010",
    name: "unstable-render",
    severity: Severity::Info,
    evidence: Evidence::Heuristic,
    question: Question::Render,
    summary: "a chart renders an object differently each time, so every upgrade changes it",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            let Problem::UnstableRender {
                objects,
                calls,
                span,
            } = problem
            else {
                continue;
            };
            let names: Vec<EcoString> = objects.iter().map(words::object).collect();
            let severity = match objects.iter().any(is_worse) {
                true => Severity::Warning,
                false => Severity::Info,
            };
            let mut report = sink
                .report(
                    [at],
                    eco_format!(
                        "each render of the chart of `{}` gives another {}",
                        linked.name(at),
                        words::join(&names)
                    ),
                )
                .severity(severity)
                .at(*span);
            if let Some(object) = objects.iter().find(|o| is_worse(o)).or(objects.first()) {
                report = report.object(object);
            }
            for (function, template) in calls {
                report = report.detail(eco_format!("`{function}` in template `{template}`"));
            }
            report
                .detail(
                    "Flux upgrades the release whenever its chart or values change, and each upgrade \
                     replaces what was made before",
                )
                .help(
                    "give the chart the value itself, most often an existing Secret, so that it need \
                     not make one up",
                )
                .done();
        }
    }
}

/// What others hold on to: a Secret that clients know, the certificate by which the
/// API server trusts a webhook.
fn is_worse(object: &Identity) -> bool {
    match object.group.as_str() {
        "" => object.kind == "Secret",
        "admissionregistration.k8s.io" => object.kind.ends_with("WebhookConfiguration"),
        _ => false,
    }
}
