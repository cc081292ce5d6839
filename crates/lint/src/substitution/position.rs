//! Where Kubernetes takes only a text.

use ecow::EcoString;
use model::Identity;

/// What a position takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A text: anything else is refused.
    Text,
    /// The value of one of an object's own labels. Flux reads labels of any
    /// other type as if there were none, adds its own, and applies those.
    Label,
    /// Something that is no text, or either.
    Other,
    /// Probably a text: what charts and operators pass on to such a field of
    /// Kubernetes as it is.
    Passed,
    /// Nothing here says.
    Unknown,
}

/// Fields of Kubernetes' own kinds that map names to texts, at any depth.
const MAPS: &[&str] = &[
    "annotations",
    "labels",
    "matchLabels",
    "nodeSelector",
    "volumeAttributes",
];

/// Fields of Kubernetes' own kinds that hold a text wherever they appear.
const FIELDS: &[&str] = &[
    "claimName",
    "clusterIP",
    "externalName",
    "host",
    "hostname",
    "image",
    "ingressClassName",
    "key",
    "loadBalancerIP",
    "mountPath",
    "name",
    "namespace",
    "nodeName",
    "operator",
    "path",
    "priorityClassName",
    "schedule",
    "secretName",
    "server",
    "serviceAccountName",
    "storageClassName",
    "subPath",
    "timeZone",
    "type",
    "volumeName",
];

/// Fields of Kubernetes' pods and workloads that are never a text. Charts and
/// operators name theirs alike.
const NUMBERS: &[&str] = &[
    "containerPort",
    "fsGroup",
    "replicaCount",
    "replicas",
    "runAsGroup",
    "runAsUser",
];

/// Fields of Flux's kinds that hold a text, outside of chart values.
const FLUX_FIELDS: &[&str] = &[
    "branch",
    "chart",
    "commit",
    "digest",
    "interval",
    "kind",
    "name",
    "namespace",
    "newName",
    "newTag",
    "path",
    "releaseName",
    "retryInterval",
    "semver",
    "serviceAccountName",
    "storageNamespace",
    "tag",
    "targetNamespace",
    "timeout",
    "url",
    "version",
];

/// What an object takes in a field.
pub(crate) fn needs(object: &Identity, field: &[EcoString]) -> Needs {
    let steps: Vec<&str> = field.iter().map(EcoString::as_str).collect();
    match steps.as_slice() {
        ["apiVersion" | "kind"]
        | ["metadata", "name" | "namespace" | "generateName"]
        | ["metadata", "annotations", _] => return Needs::Text,
        ["metadata", "labels", _] => return Needs::Label,
        _ => {}
    }
    match object.group.as_str() {
        "apiextensions.k8s.io" => Needs::Other,
        group if group.ends_with(".toolkit.fluxcd.io") => of_flux(object, &steps),
        group if kubeapi::scope(group, &object.kind).is_some() => of_kubernetes(object, &steps),
        _ => of_others(&steps),
    }
}

/// What a chart's value, or a field of a kind nobody here knows, is likely to
/// take.
fn of_others(steps: &[&str]) -> Needs {
    match steps {
        [.., map, _] if MAPS.contains(map) => Needs::Passed,
        [.., "env" | "extraEnv", item, "value"] if item.starts_with('[') => Needs::Passed,
        [.., last] if NUMBERS.contains(last) => Needs::Other,
        _ => Needs::Unknown,
    }
}

fn of_flux(object: &Identity, steps: &[&str]) -> Needs {
    match (object.kind.as_str(), steps) {
        ("HelmRelease", ["spec", "values", ..]) => of_others(steps),
        ("Kustomization", ["spec", "postBuild", "substitute", _])
        | (_, ["spec", "commonMetadata", "labels" | "annotations", _]) => Needs::Text,
        (_, [.., last]) if FLUX_FIELDS.contains(last) => Needs::Text,
        _ => Needs::Other,
    }
}

fn of_kubernetes(object: &Identity, steps: &[&str]) -> Needs {
    let is_item = |step: &str| step.starts_with('[');
    let text = match steps {
        [field, _] => matches!(
            (object.kind.as_str(), *field),
            ("ConfigMap" | "Secret", "data" | "binaryData") | ("Secret", "stringData")
        ),
        ["spec", "selector", _] => object.kind == "Service",
        [.., "args" | "command", item] => is_item(item),
        [.., "env", item, "value"] => is_item(item),
        _ => false,
    };
    let known = match steps {
        [.., map, _] if MAPS.contains(map) => true,
        [.., last] => FIELDS.contains(last),
        [] => false,
    };
    match text || known {
        true => Needs::Text,
        false => Needs::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(group: &str, kind: &str, field: &str) -> Needs {
        let object = Identity {
            group: group.into(),
            version: "v1".into(),
            kind: kind.into(),
            namespace: "".into(),
            name: "x".into(),
        };
        let field: Vec<EcoString> = field.split('.').map(EcoString::from).collect();
        needs(&object, &field)
    }

    #[test]
    fn what_is_certain_is_known() {
        let env = "spec.template.spec.containers.[0].env.[1].value";
        assert_eq!(at("apps", "Deployment", env), Needs::Text);
        assert_eq!(at("apps", "Deployment", "spec.replicas"), Needs::Other);
        assert_eq!(at("", "ConfigMap", "data.port"), Needs::Text);
        assert_eq!(at("", "Service", "spec.ports.[0].port"), Needs::Other);
        assert_eq!(
            at("example.org", "Widget", "metadata.annotations.a"),
            Needs::Text
        );
        assert_eq!(
            at("example.org", "Widget", "metadata.labels.a"),
            Needs::Label
        );
        assert_eq!(at("example.org", "Widget", "spec.name"), Needs::Unknown);
        let helm = "helm.toolkit.fluxcd.io";
        assert_eq!(
            at(helm, "HelmRelease", "spec.values.image.tag"),
            Needs::Unknown
        );
        assert_eq!(
            at(helm, "HelmRelease", "spec.chart.spec.version"),
            Needs::Text
        );
        assert_eq!(
            at(helm, "HelmRelease", "spec.install.remediation.retries"),
            Needs::Other
        );
    }
}
