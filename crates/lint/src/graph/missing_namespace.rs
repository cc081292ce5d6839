//! FL-G004: objects go into a namespace nothing creates.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Item, Linked, Place, Supply};
use model::{Component, Spec};

use crate::suggest::nearest;
use crate::{Evidence, External, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G004",
    name: "missing-namespace",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "an object is applied into a namespace nothing creates",
    check,
};

/// How many components are listed with their objects.
const LISTED: usize = 6;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let mut missing: BTreeMap<&Place, Vec<(usize, &Import)>> = BTreeMap::new();
    for (at, import) in linked.imports.iter().enumerate() {
        if matches!(import.cause, Cause::Namespace | Cause::TargetNamespace)
            && linked.is_known(&import.place.cluster)
            && matches!(linked.supply(import), Supply::Nothing)
        {
            missing.entry(&import.place).or_default().push((at, import));
        }
    }
    for (place, imports) in missing {
        let (at, imports): (Vec<usize>, Vec<&Import>) = imports.into_iter().unzip();
        if let Item::Namespace(name) = &place.item {
            report(linked, place, name, (&at, &imports), sink);
        }
    }
}

fn report(
    linked: &Linked<'_>,
    place: &Place,
    name: &str,
    (at, imports): (&[usize], &[&Import]),
    sink: &mut Sink<'_>,
) {
    let Some(first) = imports.first() else { return };
    let mut users: Vec<EcoString> = imports
        .iter()
        .map(|import| linked.name(import.component))
        .collect();
    // What a release and its hooks apply are two imports of one component.
    users.dedup();
    let verb = if users.len() == 1 { "needs" } else { "need" };
    let message = eco_format!(
        "nothing creates namespace `{name}`, which {} {verb}",
        words::list(&users)
    );
    let mut report = sink
        .report(imports.iter().map(|import| import.component), message)
        .at(first.span);
    if let Some(object) = linked.objects(first).next() {
        report = report.object(&object.identity);
    }
    for import in imports.iter().take(LISTED) {
        report = report.detail_of(demand(linked, import), import.span, import.component);
    }
    for reason in why_not(linked, name, imports) {
        report = report.detail(reason);
    }
    let known: Vec<&str> = linked
        .exports
        .namespaces(&place.cluster)
        .into_iter()
        .map(EcoString::as_str)
        .collect();
    let near = nearest(name, known);
    let external = match near {
        Some(_) => None,
        None => Some(External::Namespace(name.into())),
    };
    let help = match near {
        Some(near) => eco_format!("did you mean namespace `{near}`? Otherwise "),
        None => EcoString::new(),
    };
    let add = match imports.first().map(|import| linked.name(import.component)) {
        Some(user) => eco_format!(
            "add a Namespace `{name}` to `{user}` or to what comes before it, or list it under `externals.namespaces`"
        ),
        None => EcoString::new(),
    };
    report
        .help(eco_format!("{help}{add}"))
        .external(external)
        .unless_made(at)
        .done();
}

/// What of a component goes there.
fn demand(linked: &Linked<'_>, import: &Import) -> EcoString {
    let mut objects = linked.objects(import);
    match objects.next() {
        None => linked.demand(import),
        Some(first) => {
            let more = match objects.count() {
                0 => EcoString::new(),
                more => eco_format!(" and {}", words::count(more, "other object")),
            };
            eco_format!(
                "`{}` applies {}{more}",
                linked.name(import.component),
                words::object(&first.identity)
            )
        }
    }
}

/// Things that look as if they created it and do not.
fn why_not(linked: &Linked<'_>, name: &str, imports: &[&Import]) -> Vec<EcoString> {
    let mut reasons = Vec::new();
    let release = linked.world.components.iter().find(|component| {
        matches!(&component.spec, Spec::HelmRelease(spec) if spec.create_namespace && spec.target_namespace.is_none())
            && component.key.namespace == name
    });
    if let Some(release) = release {
        reasons.push(eco_format!(
            "`install.createNamespace` of `{}` does not help: the release object itself lives there and is refused first",
            release.key
        ));
    }
    let cluster = imports.first().map(|import| &import.place.cluster);
    let namesake = linked
        .world
        .components
        .iter()
        .filter(|component| Some(&component.cluster) == cluster)
        .flat_map(Component::objects)
        .map(|object| &object.identity)
        .find(|identity| {
            identity.kind == "Namespace" && !identity.group.is_empty() && identity.name == name
        });
    if let Some(namesake) = namesake {
        reasons.push(eco_format!(
            "Namespace `{name}` of `{}` is a custom resource, not a namespace of the cluster",
            namesake.group
        ));
    }
    reasons
}
