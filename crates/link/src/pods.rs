//! What pods need to start.

use ecow::EcoString;
use model::Object;
use yaml::{Node, Span};

use crate::Item;

/// An object that a pod cannot start without.
pub(crate) struct Needed {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// `Secret`, `ConfigMap`, `ServiceAccount`, `PersistentVolumeClaim` or a
    /// class.
    pub kind: &'static str,
    /// Its name.
    pub name: EcoString,
    /// Where the pod says so.
    pub span: Span,
}

impl Needed {
    /// The item, for a pod of this namespace.
    pub(crate) fn item(&self, namespace: &EcoString) -> Item {
        let namespace = match self.is_class() {
            true => EcoString::new(),
            false => namespace.clone(),
        };
        Item::Object {
            group: self.group.into(),
            kind: self.kind.into(),
            namespace,
            name: self.name.clone(),
        }
    }

    /// Whether it is a class, an object of the whole cluster.
    pub(crate) fn is_class(&self) -> bool {
        self.kind.ends_with("Class")
    }
}

/// Pods that a workload runs with.
pub(crate) struct Pods<'a> {
    /// The pod's `spec`.
    pub spec: &'a Node,
    /// Claims that are made for each pod.
    claims: &'a [Node],
}

/// What the pods of a workload need; nothing for other objects and for
/// workloads that start no pod.
pub(crate) fn needs(object: &Object) -> Vec<Needed> {
    let Some(pods) = pods(object) else {
        return Vec::new();
    };
    let mut needs = Vec::new();
    if let Some((name, span)) = account(Some(pods.spec)).filter(|(name, _)| name != "default") {
        add(&mut needs, "", "ServiceAccount", name, span);
    }
    needs.extend(admitted(pods.spec));
    for claim in pods.claims {
        class_of(claim, &mut needs);
    }
    for volume in list(pods.spec, "volumes") {
        volume_needs(volume, &mut needs);
    }
    for containers in ["initContainers", "containers"] {
        for container in list(pods.spec, containers) {
            container_needs(container, &mut needs);
        }
    }
    needs
}

/// The classes that the API server looks up when a pod is made. Kubernetes
/// brings those that begin with `system-`.
pub(crate) fn admitted(spec: &Node) -> Vec<Needed> {
    let mut needs = Vec::new();
    if let Some((name, span)) = named(spec, "priorityClassName")
        && !name.starts_with("system-")
    {
        add(&mut needs, "scheduling.k8s.io", "PriorityClass", name, span);
    }
    if let Some((name, span)) = named(spec, "runtimeClassName") {
        add(&mut needs, "node.k8s.io", "RuntimeClass", name, span);
    }
    needs
}

/// The account a pod runs as.
pub(crate) fn account(spec: Option<&Node>) -> Option<(EcoString, Span)> {
    let spec = spec?;
    named(spec, "serviceAccountName").or_else(|| named(spec, "serviceAccount"))
}

/// The pods a workload starts. A CronJob starts none until its time has come,
/// and is healthy without; so is what is scaled to nothing.
pub(crate) fn pods(object: &Object) -> Option<Pods<'_>> {
    let identity = &object.identity;
    let spec = object.node.get("spec")?;
    let is = |field: &str, value: i64| spec.get(field).and_then(Node::as_i64) == Some(value);
    let suspended = || spec.get("suspend").and_then(Node::as_bool) == Some(true);
    let pod = match (identity.group.as_str(), identity.kind.as_str()) {
        ("", "Pod") => spec,
        ("apps", "Deployment" | "StatefulSet" | "ReplicaSet") if !is("replicas", 0) => {
            spec.path(&["template", "spec"])?
        }
        ("apps", "DaemonSet") => spec.path(&["template", "spec"])?,
        ("batch", "Job") if !suspended() => spec.path(&["template", "spec"])?,
        _ => return None,
    };
    Some(Pods {
        spec: pod,
        claims: list(spec, "volumeClaimTemplates"),
    })
}

/// The class of a claim: only what has none, or an empty one, needs none. A
/// claim that names its volume takes it as it is.
pub(crate) fn class_of(claim: &Node, needs: &mut Vec<Needed>) {
    let Some(spec) = claim.get("spec") else {
        return;
    };
    if let Some((name, span)) = named(spec, "storageClassName")
        && named(spec, "volumeName").is_none()
    {
        add(needs, "storage.k8s.io", "StorageClass", name, span);
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
    if let Some(secret) = volume.path(&["csi", "nodePublishSecretRef"]) {
        push(needs, secret, "Secret", "name");
    }
    if let Some(claim) = volume.path(&["ephemeral", "volumeClaimTemplate"]) {
        class_of(claim, needs);
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
        variable_needs(variable, needs);
    }
    for source in list(container, "envFrom") {
        source_needs(source, needs);
    }
}

/// What one entry of `env` needs.
pub(crate) fn variable_needs(variable: &Node, needs: &mut Vec<Needed>) {
    if let Some(secret) = variable.path(&["valueFrom", "secretKeyRef"]) {
        push(needs, secret, "Secret", "name");
    }
    if let Some(map) = variable.path(&["valueFrom", "configMapKeyRef"]) {
        push(needs, map, "ConfigMap", "name");
    }
}

/// What one entry of `envFrom` needs.
pub(crate) fn source_needs(source: &Node, needs: &mut Vec<Needed>) {
    if let Some(secret) = source.get("secretRef") {
        push(needs, secret, "Secret", "name");
    }
    if let Some(map) = source.get("configMapRef") {
        push(needs, map, "ConfigMap", "name");
    }
}

fn push(needs: &mut Vec<Needed>, reference: &Node, kind: &'static str, field: &str) {
    if reference.get("optional").and_then(Node::as_bool) == Some(true) {
        return;
    }
    if let Some((name, span)) = named(reference, field) {
        add(needs, "", kind, name, span);
    }
}

fn add(
    needs: &mut Vec<Needed>,
    group: &'static str,
    kind: &'static str,
    name: EcoString,
    span: Span,
) {
    needs.push(Needed {
        group,
        kind,
        name,
        span,
    });
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    node.get(key).map_or(&[], Node::items)
}

/// A text below a node with its place; `None` for none and for an empty one.
pub(crate) fn named(node: &Node, key: &str) -> Option<(EcoString, Span)> {
    let value = node.get(key).filter(|value| !value.is_null())?;
    let text = value.text().filter(|text| !text.is_empty())?;
    Some((text.clone(), value.span))
}
