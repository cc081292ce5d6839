//! FL-G006: a custom resource uses a version its CRD does not serve.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{CrdExport, Linked, handling};
use model::Object;
use yaml::Node;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G006",
    name: "unserved-version",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a custom resource uses an API version its rendered CRD does not serve",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let mut found: BTreeMap<(&str, &str, &str), Vec<&Object>> = BTreeMap::new();
        for object in component.objects() {
            let identity = &object.identity;
            let crds = linked
                .exports
                .crds(&component.cluster, &identity.group, &identity.kind);
            let is_served = crds.iter().any(|crd| crd.crd.serves(&identity.version));
            if !crds.is_empty() && !is_served && handling(object).applied {
                found
                    .entry((&identity.group, &identity.kind, &identity.version))
                    .or_default()
                    .push(object);
            }
        }
        for ((group, kind, version), objects) in found {
            let crds = linked.exports.crds(&component.cluster, group, kind);
            report(linked, at, crds, version, &objects, sink);
        }
    }
}

fn report(
    linked: &Linked<'_>,
    component: usize,
    crds: &[CrdExport],
    version: &str,
    objects: &[&Object],
    sink: &mut Sink<'_>,
) {
    let (Some(first), Some(crd)) = (objects.first(), crds.first()) else {
        return;
    };
    let group = &crd.crd.group;
    let more = match objects.len() - 1 {
        0 => EcoString::new(),
        more => eco_format!(" and {}", words::count(more, "other object")),
    };
    let message = eco_format!(
        "{}{more} of `{}` {} written as `{}`, which the CRD does not serve",
        words::object(&first.identity),
        linked.name(component),
        if objects.len() == 1 { "is" } else { "are" },
        words::api_version(group, version),
    );
    let written = first
        .node
        .get("apiVersion")
        .map_or(first.node.span, |node: &Node| node.span);
    let mut report = sink
        .report([component], message)
        .object(&first.identity)
        .at(written);
    let served: Vec<&EcoString> = crd.crd.served().collect();
    for known in crds {
        let versions: Vec<&EcoString> = known.crd.served().collect();
        report = report.detail_of(
            eco_format!(
                "the CRD that `{}` installs serves {}",
                linked.name(known.export.component),
                if versions.is_empty() {
                    "no version".into()
                } else {
                    words::list(&versions)
                }
            ),
            known.export.span,
            known.export.component,
        );
    }
    for object in objects.iter().skip(1).take(5) {
        report = report.detail_at(
            eco_format!("also {}", words::object(&object.identity)),
            object.node.span,
        );
    }
    match served.as_slice() {
        [one] => {
            let right = words::api_version(group, one);
            report
                .help(eco_format!("write `apiVersion: {right}`"))
                .fix(written, right)
        }
        [] => report.help("serve a version in the CRD"),
        _ => report.help(eco_format!("write one of {}", words::list(&served))),
    }
    .done();
}
