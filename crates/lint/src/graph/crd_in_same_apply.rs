//! FL-G007: a component applies a CRD together with objects of it.

use ecow::{EcoString, eco_format};
use link::{Cause, Linked};
use model::Spec;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G007",
    name: "crd-in-same-apply",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a component applies a CRD and custom resources of it together",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        // What Helm does with a chart's own CRDs is another case.
        if !matches!(component.spec, Spec::Kustomization(_)) {
            continue;
        }
        let own: Vec<_> = linked
            .imports
            .iter()
            .filter(|import| import.component == at && import.cause == Cause::CustomResource)
            .filter_map(|import| {
                let exports = linked.exports.producers(&import.place);
                let export = exports.into_iter().find(|export| export.component == at)?;
                Some((import, export))
            })
            .collect();
        let Some((first, crd)) = own.first() else {
            continue;
        };
        let kinds: Vec<EcoString> = own
            .iter()
            .filter_map(|(import, _)| linked.objects(import).next())
            .map(|object| object.identity.kind.clone())
            .collect();
        let mut report = sink
            .report(
                [at],
                eco_format!(
                    "`{}` applies the CRD of {} together with objects of it",
                    linked.name(at),
                    words::list(&kinds)
                ),
            )
            .at(first.span)
            .detail_of("the CRD", crd.span, at);
        if let Some(object) = linked.objects(first).next() {
            report = report.object(&object.identity);
        }
        report
            .detail(
                "Flux applies CRDs first and waits for them, so this works; a tool that applies all \
                 at once fails on the first try",
            )
            .help("nothing to do for Flux; for other tools, put the CRD into a component of its own")
            .done();
    }
}
