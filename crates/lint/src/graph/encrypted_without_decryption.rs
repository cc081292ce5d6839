//! FL-G012: encrypted documents in a component that does not decrypt.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Identity, Problem};
use yaml::Span;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G012",
    name: "encrypted-without-decryption",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a SOPS-encrypted document in a component without spec.decryption",
    check,
};

/// How many objects are listed.
const LISTED: usize = 8;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let encrypted: Vec<(&Identity, Span)> = component
            .problems
            .iter()
            .filter_map(|problem| match problem {
                Problem::EncryptedWithoutDecryption { object, span } => Some((object, *span)),
                _ => None,
            })
            .collect();
        if let Some((first, rest)) = encrypted.split_first() {
            report(linked, at, *first, rest, sink);
        }
    }
}

fn report(
    linked: &Linked<'_>,
    at: usize,
    first: (&Identity, Span),
    rest: &[(&Identity, Span)],
    sink: &mut Sink<'_>,
) {
    let name = linked.name(at);
    let (identity, span) = first;
    let more = match rest.len() {
        0 => EcoString::new(),
        more => eco_format!(" and {}", words::count(more, "other object")),
    };
    let effect = match identity.kind.as_str() {
        "Secret" => "the controller refuses to apply anything of the component",
        _ => {
            "the cluster gets the encrypted text, and the API server a field `sops` it does not know"
        }
    };
    let mut report = sink
        .report(
            [at],
            eco_format!(
                "{}{more} of `{name}` {} encrypted, and `{name}` has no `spec.decryption`",
                words::object(identity),
                if rest.is_empty() { "is" } else { "are" },
            ),
        )
        .object(identity)
        .at(span)
        .detail(effect);
    for (object, span) in rest.iter().take(LISTED) {
        report = report.detail_at(eco_format!("also {}", words::object(object)), *span);
    }
    let decrypting = linked.component(at).and_then(|component| {
        component.parents.iter().find(|parent| {
            linked.component(**parent).is_some_and(|parent| {
                matches!(&parent.spec, model::Spec::Kustomization(spec) if spec.decryption)
            })
        })
    });
    if let Some(parent) = decrypting {
        report = report.detail_of(
            eco_format!(
                "`{}`, which applies it, decrypts; children do not inherit that",
                linked.name(*parent)
            ),
            linked
                .component(*parent)
                .map_or(Span::NONE, model::Component::span),
            *parent,
        );
    }
    report
        .help(eco_format!(
            "add `decryption: {{provider: sops, secretRef: {{name: sops-age}}}}` to the spec of `{name}`"
        ))
        .done();
}
