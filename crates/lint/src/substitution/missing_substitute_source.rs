//! FL-S002: a substitution source nothing makes.

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Item, Linked, Place, Supply};
use yaml::Span;

use crate::suggest::nearest;
use crate::{Evidence, Question, Rule, Severity, Sink};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S002",
    name: "missing-substitute-source",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a substituteFrom object that is not optional and that nothing makes",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, import) in linked.imports.iter().enumerate() {
        if import.cause == Cause::Substitute
            && !import.optional
            && linked.is_known(&import.place.cluster)
            && matches!(linked.supply(import), Supply::Nothing)
        {
            report(linked, at, import, sink);
        }
    }
}

fn report(linked: &Linked<'_>, at: usize, import: &Import, sink: &mut Sink<'_>) {
    let Item::Object {
        kind,
        namespace,
        name,
        ..
    } = &import.place.item
    else {
        return;
    };
    let component = linked.name(import.component);
    let message = eco_format!("{}, which nothing makes", linked.demand(import));
    let mut report = sink
        .report([import.component], message)
        .at(import.span)
        .detail(eco_format!(
            "`{component}` is not built without it, and nothing of it is applied"
        ));
    let elsewhere = elsewhere(linked, import);
    for (other, span, maker) in &elsewhere {
        report = report.detail_of(
            eco_format!(
                "`{}` makes {kind} `{other}/{name}`, but `substituteFrom` reads the Kustomization's \
                 own namespace, `{namespace}`, and has no field for another",
                linked.name(*maker)
            ),
            *span,
            *maker,
        );
    }
    let names = linked.exports.names(&import.place.cluster, "", kind);
    let here = names.iter().filter(|(other, _)| other == namespace);
    let near = nearest(name, here.map(|(_, name)| name.as_str()));
    let help: EcoString = match (elsewhere.first(), near) {
        (Some((other, ..)), _) => eco_format!(
            "make {kind} `{name}` in namespace `{namespace}`, or move the Kustomization to `{other}`"
        ),
        (None, Some(near)) => eco_format!("did you mean {kind} `{near}`?"),
        (None, None) => eco_format!(
            "add it to a component that comes first, declare it under `externals.substitutions`, or \
             set `optional: true`"
        ),
    };
    report.help(help).unless_made(&[at]).done();
}

/// Namespaces in which an object of this kind and name is made.
fn elsewhere(linked: &Linked<'_>, import: &Import) -> Vec<(EcoString, Span, usize)> {
    let Item::Object {
        kind, name, group, ..
    } = &import.place.item
    else {
        return Vec::new();
    };
    let mut found: Vec<(EcoString, Span, usize)> = linked
        .exports
        .iter()
        .filter(|(place, _)| is_namesake(place, &import.place.cluster, group, kind, name))
        .filter_map(|(place, exports)| {
            let Item::Object { namespace, .. } = &place.item else {
                return None;
            };
            let export = exports.first()?;
            Some((namespace.clone(), export.span, export.component))
        })
        .collect();
    found.sort();
    found.truncate(3);
    found
}

fn is_namesake(place: &Place, cluster: &str, group: &str, kind: &str, name: &str) -> bool {
    place.cluster == cluster
        && matches!(&place.item, Item::Object { group: g, kind: k, name: n, .. }
            if g == group && k == kind && n == name)
}
