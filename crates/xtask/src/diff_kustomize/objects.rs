//! Random objects that refer to each other by a few names.

use serde_json::{Map, Value, json};

use crate::random::Random;

/// Names of objects; few, so that references meet.
pub const NAMES: &[&str] = &["a", "b", "web", "db"];
/// Namespaces; the first is none.
pub const NAMESPACES: &[&str] = &["", "", "", "default", "team", "other"];
/// Names of images.
pub const IMAGES: &[&str] = &[
    "nginx",
    "nginx:1.2",
    "ghcr.io/own/app:v1",
    "registry.example:5000/db@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "redis",
];
/// Kinds: apiVersion, kind, whether it has a namespace.
pub const KINDS: &[(&str, &str, bool)] = &[
    ("apps/v1", "Deployment", true),
    ("apps/v1", "Deployment", true),
    ("apps/v1", "StatefulSet", true),
    ("apps/v1", "DaemonSet", true),
    ("batch/v1", "Job", true),
    ("batch/v1", "CronJob", true),
    ("v1", "Pod", true),
    ("v1", "Service", true),
    ("v1", "ConfigMap", true),
    ("v1", "Secret", true),
    ("v1", "ServiceAccount", true),
    ("v1", "PersistentVolumeClaim", true),
    ("v1", "Namespace", false),
    ("networking.k8s.io/v1", "Ingress", true),
    ("networking.k8s.io/v1", "NetworkPolicy", true),
    ("rbac.authorization.k8s.io/v1", "Role", true),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", false),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", true),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", false),
    ("autoscaling/v2", "HorizontalPodAutoscaler", true),
    ("policy/v1", "PodDisruptionBudget", true),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", false),
    ("apiregistration.k8s.io/v1", "APIService", false),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        false,
    ),
    ("example.org/v1", "Widget", true),
    ("example.org/v1", "Widget", true),
    ("apps/v1", "ReplicaSet", true),
    ("v1", "ReplicationController", true),
    ("extensions/v1beta1", "Deployment", true),
    ("v1", "PersistentVolume", false),
    ("storage.k8s.io/v1", "StorageClass", false),
    ("scheduling.k8s.io/v1", "PriorityClass", false),
    ("networking.k8s.io/v1", "IngressClass", false),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        false,
    ),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        false,
    ),
    ("helm.toolkit.fluxcd.io/v2", "HelmRelease", true),
];

/// A random object.
pub fn object(random: &mut Random) -> Value {
    let (api_version, kind, namespaced) = random.pick(KINDS);
    let mut object = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata(random, namespaced),
    });
    if let (Some(fields), Value::Object(more)) = (object.as_object_mut(), content(random, kind)) {
        fields.extend(more);
    }
    object
}

fn metadata(random: &mut Random, namespaced: bool) -> Value {
    let mut metadata = json!({"name": random.pick(NAMES)});
    let namespace = random.pick(NAMESPACES);
    if namespaced && !namespace.is_empty() {
        metadata["namespace"] = json!(namespace);
    }
    if random.once_in(3) {
        metadata["labels"] = pairs(random);
    }
    if random.once_in(4) {
        metadata["annotations"] = pairs(random);
    }
    metadata
}

/// A few labels.
pub fn pairs(random: &mut Random) -> Value {
    const KEYS: &[&str] = &["app", "tier", "example.org/x", "team"];
    const VALUES: &[&str] = &["one", "two", "true", "1", "", "a b", "0x1"];
    let count = 1 + random.below(2);
    let pairs = (0..count).map(|_| (random.pick(KEYS).to_owned(), json!(random.pick(VALUES))));
    Value::Object(pairs.collect())
}

fn content(random: &mut Random, kind: &str) -> Value {
    match kind {
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => workload(random, kind),
        "Job" => json!({"spec": {"template": pod(random)}}),
        "CronJob" => json!({"spec": {
            "schedule": "0 0 * * *",
            "jobTemplate": {"spec": {"template": pod(random)}},
        }}),
        "Pod" => {
            let pod = pod(random);
            json!({"spec": pod["spec"]})
        }
        "Service" => json!({"spec": {
            "selector": pairs(random),
            "ports": [{"port": 80, "name": "http"}, {"port": 53, "protocol": random.pick(&["TCP", "UDP"])}],
        }}),
        "ConfigMap" => json!({"data": data(random)}),
        "Secret" => json!({"type": "Opaque", "stringData": data(random)}),
        "Ingress" => json!({"spec": {
            "rules": [{"host": "x.example", "http": {"paths": [{
                "path": "/", "pathType": "Prefix",
                "backend": {"service": {"name": random.pick(NAMES), "port": {"number": 80}}},
            }]}}],
            "tls": [{"secretName": random.pick(NAMES)}], "ingressClassName": random.pick(NAMES),
        }}),
        "NetworkPolicy" => json!({"spec": {
            "podSelector": {"matchLabels": pairs(random)},
            "ingress": [{"from": [{"podSelector": {"matchLabels": pairs(random)}}]}],
        }}),
        "Role" | "ClusterRole" => json!({"rules": [{
            "apiGroups": [""], "resources": ["secrets"], "resourceNames": [random.pick(NAMES)], "verbs": ["get"],
        }]}),
        "RoleBinding" | "ClusterRoleBinding" => binding(random),
        "HorizontalPodAutoscaler" => json!({"spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": random.pick(NAMES)},
            "maxReplicas": 3,
        }}),
        "PodDisruptionBudget" => {
            json!({"spec": {"minAvailable": 1, "selector": {"matchLabels": pairs(random)}}})
        }
        "CustomResourceDefinition" => json!({"spec": {
            "group": "example.org", "names": {"kind": "Widget", "plural": "widgets"}, "scope": "Namespaced",
            "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {
                "name": random.pick(NAMES), "namespace": "default", "path": "/c",
            }}}},
        }}),
        "APIService" => {
            json!({"spec": {"service": {"name": random.pick(NAMES), "namespace": "default"}}})
        }
        "ValidatingWebhookConfiguration" => json!({"webhooks": [{
            "name": "x.example.org",
            "clientConfig": {"service": {"name": random.pick(NAMES), "namespace": random.pick(&["default", "team"])}},
        }]}),
        "PersistentVolumeClaim" => json!({"spec": {"resources": {"requests": {"storage": "1Gi"}}}}),
        "Widget" => json!({"spec": {
            "size": random.below(9), "image": random.pick(IMAGES), "list": [{"name": "x", "v": 1}, {"name": "y"}],
            "configMapRef": {"name": random.pick(NAMES)}, "text": "a: 1\nb:\n- c\n",
            "ref": random.pick(NAMES),
        }}),
        "PersistentVolume" => json!({"spec": {
            "storageClassName": random.pick(NAMES), "claimRef": {"name": random.pick(NAMES)},
        }}),
        "ValidatingAdmissionPolicyBinding" => json!({"spec": {"policyName": random.pick(NAMES)}}),
        "HelmRelease" => json!({"spec": {
            "chart": {"spec": {"chart": "x", "version": "1.x"}},
            "values": {"a": {"b": random.below(5)}, "list": [1, 2], "on": true, "n": null},
        }}),
        _ => json!({}),
    }
}

fn workload(random: &mut Random, kind: &str) -> Value {
    let labels = pairs(random);
    let mut template = pod(random);
    template["metadata"] = json!({"labels": labels});
    let mut spec = json!({"selector": {"matchLabels": labels}, "template": template});
    if kind != "DaemonSet" && random.once_in(2) {
        spec["replicas"] = json!(random.below(4));
    }
    if kind == "StatefulSet" {
        spec["serviceName"] = json!(random.pick(NAMES));
        spec["volumeClaimTemplates"] =
            json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]);
    }
    json!({"spec": spec})
}

fn pod(random: &mut Random) -> Value {
    let containers: Vec<Value> = (0..1 + random.below(2))
        .map(|_| container(random))
        .collect();
    let mut spec = json!({"containers": containers});
    if random.once_in(3) {
        spec["initContainers"] = json!([container(random)]);
    }
    if random.once_in(3) {
        spec["serviceAccountName"] = json!(random.pick(NAMES));
    }
    if random.once_in(3) {
        spec["volumes"] = json!([
            {"name": "c", "configMap": {"name": random.pick(NAMES)}},
            {"name": "s", "secret": {"secretName": random.pick(NAMES)}},
            {"name": "p", "persistentVolumeClaim": {"claimName": random.pick(NAMES)}},
            {"name": "j", "projected": {"sources": [{"configMap": {"name": random.pick(NAMES)}}, {"secret": {"name": random.pick(NAMES)}}]}},
        ]);
    }
    if random.once_in(6) {
        spec["priorityClassName"] = json!(random.pick(NAMES));
    }
    if random.once_in(4) {
        spec["imagePullSecrets"] = json!([{"name": random.pick(NAMES)}]);
    }
    json!({"spec": spec})
}

fn container(random: &mut Random) -> Value {
    let mut container = json!({
        "name": random.pick(&["main", "side"]),
        "image": random.pick(IMAGES),
    });
    if random.once_in(2) {
        container["env"] = json!([
            {"name": "A", "value": random.pick(&["1", "$(WEB)", "x", "yes"])},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": random.pick(NAMES), "key": "k"}}},
        ]);
    }
    if random.once_in(3) {
        container["envFrom"] = json!([{"configMapRef": {"name": random.pick(NAMES)}}]);
    }
    if random.once_in(3) {
        container["ports"] = json!([{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "UDP"}]);
    }
    if random.once_in(4) {
        container["args"] = json!(["--a", "$(WEB)", "b"]);
    }
    container
}

fn binding(random: &mut Random) -> Value {
    let kind = random.pick(&["Role", "ClusterRole"]);
    let mut subject =
        json!({"kind": "ServiceAccount", "name": random.pick(&["a", "web", "default"])});
    if random.once_in(2) {
        subject["namespace"] = json!(random.pick(&["default", "team"]));
    }
    json!({
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": random.pick(NAMES)},
        "subjects": [subject],
    })
}

/// The data of a config map.
pub fn data(random: &mut Random) -> Value {
    const KEYS: &[&str] = &["k", "a.txt", "b", "url"];
    const VALUES: &[&str] = &[
        "v",
        "",
        "1",
        "true",
        "a\nb\n",
        "x: 1\ny: [2]\n",
        "{\"a\": {\"b\": 1}}",
        "{\n  \"a\": {\n    \"b\": \"t\",\n    \"c\": [1.0, 1e2, null]\n  }\n}\n",
        "[{\"name\": \"x\", \"v\": 1}, {\"name\": \"y\"}]",
        "a:\n    b: 'on'\n    c: |\n      t\nlist:\n- name: x\n  v: 0x1\n",
        "a: {b: 1}\n---\nc: 2\n",
        "$(WEB)-$(DB)",
        "http://a.b:80/c?d",
        " lead",
        "long long long long long long long long long long long long long long long long long long",
    ];
    let mut map = Map::new();
    for _ in 0..1 + random.below(3) {
        map.insert(random.pick(KEYS).to_owned(), json!(random.pick(VALUES)));
    }
    Value::Object(map)
}
