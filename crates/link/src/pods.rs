//! What pods need to start.

use ecow::EcoString;
use model::Object;
use yaml::{Node, Span};

/// An object that a pod cannot start without, in the pod's own namespace.
pub(crate) struct Needed {
    /// `Secret`, `ConfigMap`, `ServiceAccount` or `PersistentVolumeClaim`.
    pub kind: &'static str,
    /// Its name.
    pub name: EcoString,
    /// Where the pod says so.
    pub span: Span,
}

/// What the pods of a workload need; nothing for other objects.
pub(crate) fn needs(object: &Object) -> Vec<Needed> {
    let Some(spec) = pod_spec(object) else {
        return Vec::new();
    };
    let mut needs = Vec::new();
    if let Some((name, span)) = account(Some(spec)).filter(|(name, _)| name != "default") {
        needs.push(Needed {
            kind: "ServiceAccount",
            name,
            span,
        });
    }
    for volume in list(spec, "volumes") {
        volume_needs(volume, &mut needs);
    }
    for containers in ["initContainers", "containers"] {
        for container in list(spec, containers) {
            container_needs(container, &mut needs);
        }
    }
    needs
}

/// The account a pod runs as.
pub(crate) fn account(spec: Option<&Node>) -> Option<(EcoString, Span)> {
    let spec = spec?;
    named(spec, "serviceAccountName").or_else(|| named(spec, "serviceAccount"))
}

/// The pod a workload starts. A CronJob starts none until its time has come,
/// and is healthy without.
fn pod_spec(object: &Object) -> Option<&Node> {
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        ("", "Pod") => object.node.get("spec"),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") | ("batch", "Job") => {
            object.node.path(&["spec", "template", "spec"])
        }
        _ => None,
    }
}

fn volume_needs(volume: &Node, needs: &mut Vec<Needed>) {
    if let Some(secret) = volume.get("secret") {
        push(needs, secret, "Secret", "secretName");
    }
    if let Some(map) = volume.get("configMap") {
        push(needs, map, "ConfigMap", "name");
    }
    if let Some(claim) = volume.get("persistentVolumeClaim") {
        push(needs, claim, "PersistentVolumeClaim", "claimName");
    }
    for source in volume
        .path(&["projected", "sources"])
        .map_or(&[][..], Node::items)
    {
        if let Some(secret) = source.get("secret") {
            push(needs, secret, "Secret", "name");
        }
        if let Some(map) = source.get("configMap") {
            push(needs, map, "ConfigMap", "name");
        }
    }
}

fn container_needs(container: &Node, needs: &mut Vec<Needed>) {
    for variable in list(container, "env") {
        if let Some(secret) = variable.path(&["valueFrom", "secretKeyRef"]) {
            push(needs, secret, "Secret", "name");
        }
        if let Some(map) = variable.path(&["valueFrom", "configMapKeyRef"]) {
            push(needs, map, "ConfigMap", "name");
        }
    }
    for source in list(container, "envFrom") {
        if let Some(secret) = source.get("secretRef") {
            push(needs, secret, "Secret", "name");
        }
        if let Some(map) = source.get("configMapRef") {
            push(needs, map, "ConfigMap", "name");
        }
    }
}

fn push(needs: &mut Vec<Needed>, reference: &Node, kind: &'static str, field: &str) {
    if reference.get("optional").and_then(Node::as_bool) == Some(true) {
        return;
    }
    if let Some((name, span)) = named(reference, field) {
        needs.push(Needed { kind, name, span });
    }
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    node.get(key).map_or(&[], Node::items)
}

fn named(node: &Node, key: &str) -> Option<(EcoString, Span)> {
    let value = node.get(key).filter(|value| !value.is_null())?;
    let text = value.text().filter(|text| !text.is_empty())?;
    Some((text.clone(), value.span))
}
