//! FL-G013: namespaced objects without a namespace.

use ecow::{EcoString, eco_format};
use kubeapi::Scope;
use link::{Linked, handling};
use model::{Component, Object, Spec};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G013",
    name: "namespace-unset",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a namespaced object without namespace in a component without targetNamespace",
    check,
};

/// How many objects are listed.
const LISTED: usize = 8;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        // Helm puts objects into the release's namespace.
        if !matches!(component.spec, Spec::Kustomization(_)) {
            continue;
        }
        let mut without: Vec<&Object> = component
            .objects()
            .iter()
            .map(AsRef::as_ref)
            .filter(|object| is_unset(linked, component, object))
            .collect();
        without.sort_by(|a, b| a.identity.cmp(&b.identity));
        if let Some((first, rest)) = without.split_first() {
            report(linked, at, first, rest, sink);
        }
    }
}

fn is_unset(linked: &Linked<'_>, component: &Component, object: &Object) -> bool {
    let identity = &object.identity;
    if !identity.namespace.is_empty() || !handling(object).applied {
        return false;
    }
    let scope = linked
        .exports
        .scope(&component.cluster, &identity.group, &identity.kind);
    // The scope of a kind nobody shows is not guessed.
    scope == Some(Scope::Namespaced)
}

fn report(linked: &Linked<'_>, at: usize, first: &Object, rest: &[&Object], sink: &mut Sink<'_>) {
    let name = linked.name(at);
    let more = match rest.len() {
        0 => EcoString::new(),
        more => eco_format!(" and {}", words::count(more, "other object")),
    };
    let mut report = sink
        .report(
            [at],
            eco_format!(
                "{}{more} of `{name}` {} no namespace",
                words::object(&first.identity),
                if rest.is_empty() { "has" } else { "have" },
            ),
        )
        .object(&first.identity)
        .at(first.node.span)
        .detail(
            "kubectl would use the namespace it is set to; the controller refuses the object, and \
             with it all that is applied together",
        );
    for object in rest.iter().take(LISTED) {
        report = report.detail_at(
            eco_format!("also {}", words::object(&object.identity)),
            object.node.span,
        );
    }
    report
        .help(eco_format!(
            "set `metadata.namespace`, or `targetNamespace` on `{name}`"
        ))
        .done();
}
