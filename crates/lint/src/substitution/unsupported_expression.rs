//! FL-S005: text that Flux's expander rejects.

use ecow::eco_format;
use link::Linked;
use model::Problem;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S005",
    name: "unsupported-expression",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "text in a substituted object that Flux's expander rejects",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            let Problem::UnsupportedExpression {
                expression,
                message,
                object,
                span,
            } = problem
            else {
                continue;
            };
            let mut report = sink
                .report(
                    [at],
                    eco_format!(
                        "`{expression}` in {} of `{}` is no expression Flux can expand",
                        words::object(object),
                        linked.name(at)
                    ),
                )
                .object(object)
                .at(*span)
                .detail(eco_format!(
                    "{message}: the whole component fails, strict or not"
                ));
            if let Some(name) = dashed_default(expression) {
                report = report.detail(eco_format!(
                    "`-` is no operator here and no part of a name; a default is written `${{{name}:-…}}`"
                ));
            }
            report
                .help(eco_format!(
                    "where the text is not meant for Flux, write `$${}`, or mark the object with the \
                     annotation `kustomize.toolkit.fluxcd.io/substitute: disabled`",
                    expression.strip_prefix('$').unwrap_or(expression)
                ))
                .done();
        }
    }
}

/// The name in an expression of the form `${name-…`.
fn dashed_default(expression: &str) -> Option<&str> {
    let inner = expression.strip_prefix("${")?;
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = inner.split_at(end);
    (rest.starts_with('-') && !name.is_empty()).then_some(name)
}
