//! FL-G005: custom resources of a group nothing installs.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Item, Linked, Supply};

use super::bootstrap_deadlock::is_told_elsewhere;
use crate::suggest::nearest;
use crate::{Evidence, External, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G005",
    name: "unknown-crd",
    severity: Severity::Warning,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "custom resources of a group whose CRDs nothing installs",
    check,
};

/// How many components are listed with an object.
const LISTED: usize = 4;

/// A group of one cluster, and whether any CRD of it is rendered.
type Group<'a> = (&'a EcoString, &'a EcoString, bool);

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // What a deadlock keeps from being met is told there.
    let told: Vec<usize> = linked
        .deadlocks
        .iter()
        .filter(|deadlock| !is_told_elsewhere(linked, deadlock))
        .flat_map(|deadlock| deadlock.imports.iter().copied())
        .collect();
    let mut groups: BTreeMap<Group<'_>, Vec<(usize, &Import)>> = BTreeMap::new();
    for (at, import) in linked.imports.iter().enumerate() {
        let Item::Crd { group, .. } = &import.place.item else {
            continue;
        };
        if import.cause == Cause::CustomResource
            && !told.contains(&at)
            && linked.is_known(&import.place.cluster)
            && matches!(linked.supply(import), Supply::Nothing)
        {
            let cluster = &import.place.cluster;
            let partly = !linked.exports.kinds_of_group(cluster, group).is_empty();
            groups
                .entry((cluster, group, partly))
                .or_default()
                .push((at, import));
        }
    }
    for ((cluster, group, partly), imports) in groups {
        let (at, imports): (Vec<usize>, Vec<&Import>) = imports.into_iter().unzip();
        report(linked, (cluster, group, partly), (&at, &imports), sink);
    }
}

fn report(
    linked: &Linked<'_>,
    (cluster, group, partly): Group<'_>,
    (at, imports): (&[usize], &[&Import]),
    sink: &mut Sink<'_>,
) {
    let Some(first) = imports.first() else { return };
    let mut kinds: Vec<&EcoString> = imports.iter().filter_map(|import| kind(import)).collect();
    kinds.sort();
    kinds.dedup();
    let mut users: Vec<EcoString> = imports
        .iter()
        .map(|import| linked.name(import.component))
        .collect();
    users.dedup();
    let message = eco_format!(
        "nothing here installs {} {} of `{group}`, which {} {}",
        if kinds.len() == 1 {
            "the CRD"
        } else {
            "the CRDs"
        },
        words::list(&kinds),
        words::list(&users),
        if users.len() == 1 { "uses" } else { "use" },
    );
    let suspects = linked.suspects_of(first);
    // What an operator's chart most likely brings is not worth a warning.
    let severity = match suspects.is_empty() {
        true => Severity::Warning,
        false => Severity::Info,
    };
    let mut report = sink
        .report(imports.iter().map(|import| import.component), message)
        .severity(severity)
        .at(first.span);
    if let Some(object) = linked.objects(first).next() {
        report = report.object(&object.identity);
    }
    for import in imports.iter().take(LISTED) {
        if let Some(object) = linked.objects(import).next() {
            report = report.detail_of(
                eco_format!(
                    "`{}` has {}",
                    linked.name(import.component),
                    words::object(&object.identity)
                ),
                import.span,
                import.component,
            );
        }
    }
    let installed = linked.exports.kinds_of_group(cluster, group);
    if partly {
        let names = words::list(&installed);
        report = report.detail(eco_format!("of this group, CRDs of {names} are installed"));
    }
    let near = kinds
        .first()
        .and_then(|kind| nearest(kind, installed.iter().map(|kind| kind.as_str())));
    let help = match near {
        Some(near) => eco_format!("did you mean `{near}`?"),
        None => eco_format!(
            "add what installs it to the repository, or list `{group}` under `externals.crdGroups`"
        ),
    };
    let is_outside = near.is_none() && !partly && suspects.is_empty();
    report
        .help(help)
        .external(is_outside.then(|| External::CrdGroup(group.clone())))
        .unless_made(at)
        .done();
}

fn kind(import: &Import) -> Option<&EcoString> {
    match &import.place.item {
        Item::Crd { kind, .. } => Some(kind),
        _ => None,
    }
}
