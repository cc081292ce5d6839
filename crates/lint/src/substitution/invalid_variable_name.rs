//! FL-S006: a key of a substitution source is no identifier.

use ecow::eco_format;
use link::Linked;
use model::Problem;

use crate::{Evidence, Question, Rule, Severity, Sink};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S006",
    name: "invalid-variable-name",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a key of a substitution source is no identifier",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        for problem in &component.problems {
            let Problem::InvalidVariableName {
                name,
                provider,
                span,
            } = problem
            else {
                continue;
            };
            let component = linked.name(at);
            sink.report(
                [at],
                eco_format!(
                    "`{name}` in `{provider}` is no variable name: `{component}` cannot be built"
                ),
            )
            .at(*span)
            .detail(
                "every key counts, used or not: letters, digits and `_`, not beginning with a digit",
            )
            .help("rename the key, or move it into an object that is not substituted from")
            .done();
        }
    }
}
