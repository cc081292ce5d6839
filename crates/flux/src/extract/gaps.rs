//! Objects that make other objects in a way that is not modelled. What they make
//! is unknown, and a run must say so.

use ecow::{EcoString, eco_format};
use model::{Object, Problem};
use yaml::Node;

use crate::spec::SOURCE_GROUP;

/// Group, kind and what it makes.
const MAKERS: [(&str, &str, &str); 16] = [
    (
        "fluxcd.controlplane.io",
        "ResourceSet",
        "the objects of its templates",
    ),
    (
        "fluxcd.controlplane.io",
        "ResourceSetInputProvider",
        "inputs of ResourceSets",
    ),
    (
        "templates.weave.works",
        "GitOpsSet",
        "the objects of its templates",
    ),
    (
        "infra.contrib.fluxcd.io",
        "Terraform",
        "a Secret with its outputs",
    ),
    ("argoproj.io", "Application", "the objects of its source"),
    ("argoproj.io", "ApplicationSet", "Applications"),
    ("helm.cattle.io", "HelmChart", "the objects of a chart"),
    ("fleet.cattle.io", "GitRepo", "the objects of its source"),
    ("fleet.cattle.io", "Bundle", "the objects it holds"),
    ("kappctrl.k14s.io", "App", "the objects of its source"),
    (
        "addons.cluster.x-k8s.io",
        "ClusterResourceSet",
        "objects in other clusters",
    ),
    (
        "addons.cluster.x-k8s.io",
        "HelmChartProxy",
        "releases in other clusters",
    ),
    (
        "kro.run",
        "ResourceGraphDefinition",
        "a CRD and the objects of its instances",
    ),
    (
        "apiextensions.crossplane.io",
        "Composition",
        "the objects of its composites",
    ),
    (
        "apps.open-cluster-management.io",
        "Subscription",
        "the objects of its channel",
    ),
    (
        "work.open-cluster-management.io",
        "ManifestWork",
        "objects in other clusters",
    ),
];

/// Groups of policies that may generate objects.
const POLICIES: [&str; 2] = ["kyverno.io", "policies.kyverno.io"];

/// The gap an object leaves, if it is one of those.
pub(crate) fn gap(object: &Object) -> Option<Problem> {
    let identity = &object.identity;
    let maker = MAKERS
        .iter()
        .find(|(group, kind, _)| identity.group == *group && identity.kind == *kind);
    if let Some((_, kind, what)) = maker {
        return Some(Problem::RenderGap {
            what: eco_format!("{kind} makes {what}"),
            span: object.node.span,
        });
    }
    if identity.group == SOURCE_GROUP {
        return verification(&object.node, &["spec", "verify"]);
    }
    if identity.group == "helm.toolkit.fluxcd.io" {
        return verification(&object.node, &["spec", "chart", "spec", "verify"]);
    }
    if POLICIES.contains(&identity.group.as_str()) {
        return generating_policy(object);
    }
    None
}

/// Nothing is verified: whether Flux takes the content, no file tells.
fn verification(object: &Node, path: &[&str]) -> Option<Problem> {
    let field = object.path(path).filter(|field| !field.is_null())?;
    Some(Problem::RenderGap {
        what: "the signature that `verify` asks for".into(),
        span: field.span,
    })
}

fn generating_policy(object: &Object) -> Option<Problem> {
    let rules = object
        .node
        .path(&["spec", "rules"])
        .map(Node::items)
        .unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.get("generate").is_some());
    let what = match rule {
        Some(rule) => {
            let target = rule.path(&["generate", "kind"]).and_then(Node::as_str);
            eco_format!(
                "{} generates {}",
                object.identity.kind,
                target.unwrap_or("objects")
            )
        }
        None if object.identity.kind.contains("GeneratingPolicy") => {
            EcoString::from("GeneratingPolicy generates objects")
        }
        None => return None,
    };
    Some(Problem::RenderGap {
        what,
        span: rule.map_or(object.node.span, |rule| rule.span),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap_of(text: &str) -> Option<String> {
        let node = yaml::sigs_to_json(text, yaml::FileId::NONE, false).ok()?;
        match gap(&Object::new(node)?)? {
            Problem::RenderGap { what, .. } => Some(what.into()),
            _ => None,
        }
    }

    #[test]
    fn only_policies_that_generate_leave_a_gap() {
        let policy = |rule: &str| {
            format!(
                "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec: {{rules: [{rule}]}}\n"
            )
        };
        assert_eq!(gap_of(&policy("{validate: {}}")), None);
        assert_eq!(
            gap_of(&policy("{validate: {}}, {generate: {kind: NetworkPolicy}}")).as_deref(),
            Some("ClusterPolicy generates NetworkPolicy")
        );
    }

    #[test]
    fn signatures_leave_one() {
        let source = |kind: &str, spec: &str| {
            format!(
                "apiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec: {spec}\n"
            )
        };
        assert_eq!(gap_of(&source("OCIRepository", "{url: x}")), None);
        for kind in ["OCIRepository", "GitRepository", "HelmChart"] {
            let text = source(kind, "{verify: {provider: cosign}}");
            assert!(gap_of(&text).is_some(), "{kind}");
        }
        let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: p}\n\
                       spec: {chart: {spec: {verify: {provider: cosign}}}}\n";
        assert!(gap_of(release).is_some());
    }
}
