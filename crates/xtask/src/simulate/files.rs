//! Writes a plan out: the files of the repository, the contents of its charts
//! and the configuration.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::plan::{FLUX, Named, Plan, Read, Thing, Unit};

/// The directory of the root.
pub const ENTRYPOINT: &str = "clusters/main";

/// A plan as text.
pub struct Files {
    /// The repository.
    pub files: BTreeMap<String, String>,
    /// What the charts would render, by the release's `namespace/name`.
    pub charts: BTreeMap<String, Vec<Value>>,
    /// `.fluxlint.yaml`.
    pub config: String,
}

/// Writes a plan out.
pub fn files(plan: &Plan) -> Files {
    let mut documents: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut charts = BTreeMap::new();
    let root = format!("{ENTRYPOINT}/all.yaml");
    documents
        .entry(root.clone())
        .or_default()
        .extend(own(&plan.root));
    if plan.self_applied {
        let file = format!("{ENTRYPOINT}/flux-system/gotk-sync.yaml");
        documents.insert(file, vec![root_source(), kustomization(plan, &plan.root)]);
    }
    for unit in &plan.units {
        let flux = if unit.release {
            charts.insert(format!("{}/{}", unit.home(), unit.name), own(unit));
            release(unit)
        } else {
            let file = format!("apps/{}/all.yaml", unit.name);
            documents.entry(file).or_default().extend(own(unit));
            kustomization(plan, unit)
        };
        let mut parents: Vec<String> = unit
            .parents
            .iter()
            .map(|parent| format!("apps/{parent}/all.yaml"))
            .collect();
        if parents.is_empty() {
            parents.push(root.clone());
        }
        for parent in parents {
            documents.entry(parent).or_default().push(flux.clone());
        }
    }
    let files = documents
        .into_iter()
        .map(|(path, documents)| (path, text(&documents)))
        .collect();
    Files {
        files,
        charts,
        config: config(plan),
    }
}

fn text(documents: &[Value]) -> String {
    let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
    texts.join("\n---\n")
}

fn config(plan: &Plan) -> String {
    let sources: Vec<String> = plan
        .units
        .iter()
        .chain([&plan.root])
        .filter(|unit| !unit.release)
        .filter_map(|unit| unit.source.as_ref())
        .map(|source| source.name.clone())
        .collect();
    let runtime: Vec<Value> = plan
        .runtime
        .iter()
        .map(|(group, key)| json!({"group": group, "providedBy": key}))
        .collect();
    let mut config = json!({
        "externals": {
            "namespaces": plan.namespaces,
            "crdGroups": plan.groups,
            "runtimeCRDs": runtime,
        },
    });
    if !sources.is_empty() {
        config["repoSource"] = json!(sources);
    }
    let mut controllers = json!({});
    if let Some(seconds) = plan.requeue {
        controllers["requeueDependency"] = json!(format!("{seconds}s"));
    }
    if let Some((kustomize, helm)) = plan.concurrent {
        controllers["concurrent"] = json!({"kustomize": kustomize, "helm": helm});
    }
    config["controllers"] = controllers;
    config.to_string()
}

fn root_source() -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {"name": FLUX, "namespace": FLUX},
        "spec": {"interval": "1m", "url": "https://example.org/fleet", "ref": {"branch": "main"}},
    })
}

fn seconds(seconds: u64) -> Value {
    json!(format!("{seconds}s"))
}

/// The fields both kinds share.
fn common(unit: &Unit) -> Value {
    let mut spec = json!({"interval": seconds(unit.interval.unwrap_or(600))});
    if let Some(timeout) = unit.timeout {
        spec["timeout"] = seconds(timeout);
    }
    if unit.suspend {
        spec["suspend"] = json!(true);
    }
    if let Some(account) = &unit.account {
        spec["serviceAccountName"] = json!(account);
    }
    if !unit.depends.is_empty() {
        let depends = unit.depends.iter().map(|on| {
            let mut entry = json!({"name": on.name, "namespace": on.namespace});
            if on.expr {
                entry["readyExpr"] = json!("dep.metadata.name != ''");
            }
            entry
        });
        spec["dependsOn"] = depends.collect();
    }
    spec
}

fn kustomization(plan: &Plan, unit: &Unit) -> Value {
    let mut spec = common(unit);
    let root = unit.name == plan.root.name;
    spec["path"] = match root {
        true => json!(format!("./{ENTRYPOINT}")),
        false => json!(format!("./apps/{}", unit.name)),
    };
    spec["prune"] = json!(true);
    let source = unit.source.as_ref();
    spec["sourceRef"] = source.map_or_else(
        || json!({"kind": "GitRepository", "name": FLUX, "namespace": FLUX}),
        |named| json!({"kind": named.kind, "name": named.name, "namespace": named.namespace}),
    );
    if unit.wait {
        spec["wait"] = json!(true);
    }
    if let Some(retry) = unit.retry {
        spec["retryInterval"] = seconds(retry);
    }
    if !unit.checks.is_empty() {
        spec["healthChecks"] = unit.checks.iter().map(check).collect();
    }
    if !unit.reads.is_empty() || unit.broken {
        let from: Vec<Value> = unit.reads.iter().map(read).collect();
        spec["postBuild"] = json!({"substituteFrom": from, "substitute": {"here": "yes"}});
    }
    if let Some(name) = &unit.decryption {
        spec["decryption"] = json!({"provider": "sops", "secretRef": {"name": name}});
    }
    // Flux runs in the first cluster only: what it applies elsewhere is no Flux
    // object.
    if let Some(name) = unit.kubeconfig.as_ref().filter(|_| !plan.is_parent(unit)) {
        spec["kubeConfig"] = json!({"secretRef": {"name": name}});
    }
    flux_object("kustomize.toolkit.fluxcd.io/v1", unit, spec)
}

fn release(unit: &Unit) -> Value {
    let mut spec = common(unit);
    let source = unit.source.clone().unwrap_or_else(|| Named {
        kind: "GitRepository".into(),
        namespace: FLUX.into(),
        name: FLUX.into(),
    });
    spec["chart"] = json!({"spec": {
        "chart": unit.name,
        "sourceRef": {"kind": source.kind, "name": source.name, "namespace": source.namespace},
    }});
    // A release with a budget may spend it on what comes late: a race, not a
    // question of order. What is left to chance is no test.
    spec["install"] = json!({"strategy": {"name": "RetryOnFailure"}});
    if !unit.reads.is_empty() {
        spec["valuesFrom"] = unit.reads.iter().map(read).collect();
    }
    if let Some((namespace, create)) = &unit.target {
        spec["targetNamespace"] = json!(namespace);
        spec["install"]["createNamespace"] = json!(create);
    }
    if let Some(name) = &unit.kubeconfig {
        spec["kubeConfig"] = json!({"secretRef": {"name": name}});
    }
    if is_plain(unit) {
        spec["install"] = json!({"remediation": {"retries": 1}});
    }
    if !unit.wait {
        spec["install"]["disableWait"] = json!(true);
    }
    flux_object("helm.toolkit.fluxcd.io/v2", unit, spec)
}

/// Whether nothing of a release can fail once Helm has stored it.
fn is_plain(unit: &Unit) -> bool {
    let has = |thing: &Thing| match thing {
        Thing::Workload { needs, .. } => needs.is_empty(),
        Thing::Pod { .. } | Thing::Custom { .. } => false,
        // A release waits for its sources and claims, too.
        Thing::Source { .. } | Thing::Claim { .. } => false,
        Thing::Plain(named) => matches!(named.namespace.as_str(), "default" | FLUX),
        Thing::Namespace(_) | Thing::Crd(_) | Thing::Class { .. } => true,
    };
    unit.target.as_ref().is_none_or(|(_, create)| *create)
        && unit.kubeconfig.is_none()
        && unit.account.is_none()
        && unit.things.iter().all(has)
}

fn flux_object(api_version: &str, unit: &Unit, spec: Value) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": unit.kind(),
        "metadata": {"name": unit.name, "namespace": unit.home()},
        "spec": spec,
    })
}

/// A health check's target.
fn check(named: &Named) -> Value {
    let api_version = match named.kind.as_str() {
        "Kustomization" => "kustomize.toolkit.fluxcd.io/v1",
        "HelmRelease" => "helm.toolkit.fluxcd.io/v2",
        "Job" => "batch/v1",
        "GitRepository" | "OCIRepository" | "HelmRepository" => "source.toolkit.fluxcd.io/v1",
        "ConfigMap" | "Secret" | "PersistentVolumeClaim" => "v1",
        _ => "apps/v1",
    };
    json!({
        "apiVersion": api_version,
        "kind": named.kind,
        "name": named.name,
        "namespace": named.namespace,
    })
}

fn read(read: &Read) -> Value {
    let mut entry = json!({"kind": read.kind, "name": read.name});
    if read.optional {
        entry["optional"] = json!(true);
    }
    entry
}

/// What a unit applies besides other units.
fn own(unit: &Unit) -> Vec<Value> {
    let mut objects = vec![json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": format!("of-{}", unit.name), "namespace": "default"},
        "data": {"text": if unit.broken { "${nowhere}" } else { "here" }},
    })];
    objects.extend(
        unit.things
            .iter()
            .flat_map(|thing| thing_objects(unit, thing)),
    );
    objects
}

fn thing_objects(unit: &Unit, thing: &Thing) -> Vec<Value> {
    match thing {
        Thing::Namespace(name) => vec![json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
        })],
        Thing::Crd(group) => vec![crd(group)],
        Thing::Custom { group, namespace } => vec![json!({
            "apiVersion": format!("{group}/v1"),
            "kind": "Thing",
            "metadata": {"name": format!("of-{}", unit.name), "namespace": namespace},
        })],
        Thing::Plain(named) => plain(named),
        Thing::Source {
            named,
            secret,
            suspend,
        } => vec![source(named, secret.as_deref(), *suspend)],
        Thing::Workload { named, needs } => vec![workload(named, needs)],
        Thing::Pod { namespace, account } => vec![json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": format!("of-{}", unit.name), "namespace": namespace},
            "spec": {"serviceAccountName": account, "containers": [{"name": "main", "image": "example.org/a:1"}]},
        })],
        Thing::Class { kind, name } => vec![class(kind, name)],
        Thing::Claim { named, class } => {
            let mut objects = plain(named);
            for object in &mut objects {
                object["spec"]["storageClassName"] = json!(class);
            }
            objects
        }
    }
}

fn source(named: &Named, secret: Option<&str>, suspend: bool) -> Value {
    let url = match named.kind.as_str() {
        "OCIRepository" => "oci://example.org/fleet",
        _ => "https://example.org/other",
    };
    let mut spec = json!({"interval": "1h", "url": url});
    if let Some(secret) = secret {
        spec["secretRef"] = json!({"name": secret});
    }
    if suspend {
        spec["suspend"] = json!(true);
    }
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": named.kind,
        "metadata": {"name": named.name, "namespace": named.namespace},
        "spec": spec,
    })
}

fn class(kind: &str, name: &str) -> Value {
    let metadata = json!({"name": name});
    match kind {
        "PriorityClass" => json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": kind, "metadata": metadata, "value": 1,
        }),
        "StorageClass" => json!({
            "apiVersion": "storage.k8s.io/v1", "kind": kind, "metadata": metadata,
            "provisioner": "example.org/p",
        }),
        _ => json!({
            "apiVersion": "networking.k8s.io/v1", "kind": kind, "metadata": metadata,
            "spec": {"controller": "example.org/c"},
        }),
    }
}

fn crd(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    })
}

fn plain(named: &Named) -> Vec<Value> {
    let metadata = json!({"name": named.name, "namespace": named.namespace});
    let mut object = json!({"apiVersion": "v1", "kind": named.kind, "metadata": metadata});
    match named.kind.as_str() {
        "ServiceAccount" => {
            let binding = json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": format!("{}-{}", named.namespace, named.name)},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                "subjects": [{
                    "kind": "ServiceAccount", "name": named.name, "namespace": named.namespace,
                }],
            });
            return vec![object, binding];
        }
        "Secret" => object["stringData"] = json!({"value": "a"}),
        "PersistentVolumeClaim" => {
            object["spec"] = json!({
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            });
        }
        _ => object["data"] = json!({"value": "a"}),
    }
    vec![object]
}

fn workload(named: &Named, needs: &[Read]) -> Value {
    let mut container = json!({"name": "main", "image": "example.org/a:1"});
    let mut pod = json!({});
    let mut volumes = Vec::new();
    let mut env_from = Vec::new();
    for (at, need) in needs.iter().enumerate() {
        match need.kind.as_str() {
            "ServiceAccount" => pod["serviceAccountName"] = json!(need.name),
            "PriorityClass" => pod["priorityClassName"] = json!(need.name),
            "PersistentVolumeClaim" => volumes.push(json!({
                "name": format!("v{at}"),
                "persistentVolumeClaim": {"claimName": need.name},
            })),
            "Secret" if at % 2 == 0 => volumes.push(json!({
                "name": format!("v{at}"),
                "secret": {"secretName": need.name, "optional": need.optional},
            })),
            "Secret" => env_from.push(json!({
                "secretRef": {"name": need.name, "optional": need.optional},
            })),
            _ => env_from.push(json!({
                "configMapRef": {"name": need.name, "optional": need.optional},
            })),
        }
    }
    if !env_from.is_empty() {
        container["envFrom"] = json!(env_from);
    }
    if !volumes.is_empty() {
        pod["volumes"] = json!(volumes);
    }
    pod["containers"] = json!([container]);
    let labels = json!({"app": named.name});
    let mut spec = json!({"template": {"metadata": {"labels": labels}, "spec": pod}});
    let api_version = if named.kind == "Job" {
        spec["template"]["spec"]["restartPolicy"] = json!("Never");
        "batch/v1"
    } else {
        spec["selector"] = json!({"matchLabels": labels});
        "apps/v1"
    };
    json!({
        "apiVersion": api_version,
        "kind": named.kind,
        "metadata": {"name": named.name, "namespace": named.namespace},
        "spec": spec,
    })
}
