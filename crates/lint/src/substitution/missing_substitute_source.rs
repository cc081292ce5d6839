//! FL-S002: a substitution source nothing makes.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Item, Linked, Place, Supply};
use yaml::Span;

use crate::suggest::nearest;
use crate::{Evidence, External, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S002",
    name: "missing-substitute-source",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a substituteFrom object that is not optional and that nothing makes",
    check,
};

/// How many users of one object are listed.
const LISTED: usize = 6;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let mut missing: BTreeMap<&Place, Vec<(usize, &Import)>> = BTreeMap::new();
    for (at, import) in linked.imports.iter().enumerate() {
        if import.cause == Cause::Substitute
            && !import.optional
            && linked.is_known(&import.place.cluster)
            && matches!(linked.supply(import), Supply::Nothing)
        {
            missing.entry(&import.place).or_default().push((at, import));
        }
    }
    for imports in missing.into_values() {
        let (at, imports): (Vec<usize>, Vec<&Import>) = imports.into_iter().unzip();
        report(linked, &at, &imports, sink);
    }
}

fn report(linked: &Linked<'_>, at: &[usize], imports: &[&Import], sink: &mut Sink<'_>) {
    let Some(import) = imports.first() else {
        return;
    };
    let Item::Object {
        kind,
        namespace,
        name,
        ..
    } = &import.place.item
    else {
        return;
    };
    let users: Vec<EcoString> = imports
        .iter()
        .map(|import| linked.name(import.component))
        .collect();
    let mut report = sink
        .report(
            imports.iter().map(|import| import.component),
            eco_format!(
                "nothing makes {}, from which {} {} variables",
                import.place.item,
                words::list(&users),
                if users.len() == 1 { "reads" } else { "read" }
            ),
        )
        .at(import.span)
        .detail(match users.len() {
            1 => "without it the Kustomization is not built, and nothing of it is applied",
            _ => "without it none of them is built, and nothing of them is applied",
        });
    for import in imports.iter().skip(1).take(LISTED) {
        report = report.detail_of(
            eco_format!("also `{}`", linked.name(import.component)),
            import.span,
            import.component,
        );
    }
    for (reason, span, maker) in not_made(linked, import) {
        report = report.detail_of(reason, span, maker);
    }
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
        (None, None) => "add it to a component that comes first; if it is made by hand or by a \
                         bootstrap script, declare it under `externals.substitutions`"
            .into(),
    };
    let is_outside = elsewhere.is_empty() && near.is_none();
    let external = is_outside.then(|| External::Substitution {
        kind: kind.clone(),
        namespace: namespace.clone(),
        name: name.clone(),
        variable: None,
    });
    report.help(help).external(external).unless_made(at).done();
}

/// ExternalSecrets that add to the object and do not make it.
fn not_made(linked: &Linked<'_>, import: &Import) -> Vec<(EcoString, Span, usize)> {
    let Item::Object {
        namespace, name, ..
    } = &import.place.item
    else {
        return Vec::new();
    };
    let components = linked.world.components.iter().enumerate();
    let mut found = Vec::new();
    for (at, component) in components.filter(|(_, c)| c.cluster == import.place.cluster) {
        for object in component.objects() {
            let identity = &object.identity;
            let Some(target) = object.node.path(&["spec", "target"]) else {
                continue;
            };
            let policy = target.str_at(&["creationPolicy"]);
            let target_name = target.str_at(&["name"]).unwrap_or(&identity.name);
            if identity.kind == "ExternalSecret"
                && identity.namespace == *namespace
                && target_name == name
                && let Some(policy @ ("Merge" | "None")) = policy
            {
                let reason = eco_format!(
                    "{} of `{}` does not make it: `creationPolicy: {policy}`",
                    words::object(identity),
                    linked.name(at)
                );
                found.push((reason, object.node.span, at));
            }
        }
    }
    found
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
