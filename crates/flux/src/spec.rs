//! Flux objects read into [`model::Spec`], every API version.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use model::{
    ComponentKey, ComponentKind, Dependency, Duration, HealthExpression, HelmReleaseSpec,
    KustomizationSpec, Object, Reference, Spec, SubstituteSource, duration,
};
use yaml::{Node, Span};

/// The API group of Flux Kustomizations.
pub(crate) const KUSTOMIZE_GROUP: &str = "kustomize.toolkit.fluxcd.io";
/// The API group of HelmReleases.
pub(crate) const HELM_GROUP: &str = "helm.toolkit.fluxcd.io";
/// The API group of sources.
pub(crate) const SOURCE_GROUP: &str = "source.toolkit.fluxcd.io";

/// The key of the component an object defines, if it defines one.
pub(crate) fn component_key(object: &Object) -> Option<ComponentKey> {
    let identity = &object.identity;
    let kind = match (identity.group.as_str(), identity.kind.as_str()) {
        (KUSTOMIZE_GROUP, "Kustomization") => ComponentKind::Kustomization,
        (HELM_GROUP, "HelmRelease") => ComponentKind::HelmRelease,
        _ => return None,
    };
    Some(ComponentKey {
        kind,
        namespace: identity.namespace.clone(),
        name: identity.name.clone(),
    })
}

/// What the Flux object of a component asks for.
pub(crate) fn read(key: &ComponentKey, object: &Node) -> Spec {
    let spec = Reader {
        spec: object.get("spec").unwrap_or(object),
        namespace: &key.namespace,
    };
    match key.kind {
        ComponentKind::Kustomization => Spec::Kustomization(Box::new(spec.kustomization())),
        ComponentKind::HelmRelease => Spec::HelmRelease(Box::new(spec.helm_release())),
    }
}

/// Whether `spec.suspend` is set.
pub(crate) fn is_suspended(object: &Node) -> bool {
    flag(object.path(&["spec", "suspend"]))
}

/// The text of a scalar that is not null and not empty.
pub(crate) fn text(node: Option<&Node>) -> Option<EcoString> {
    let node = node.filter(|node| !node.is_null())?;
    node.text().filter(|text| !text.is_empty()).cloned()
}

fn flag(node: Option<&Node>) -> bool {
    node.and_then(Node::as_bool).unwrap_or(false)
}

/// The items of a list field; nothing for an absent one.
pub(crate) fn items(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    node.map(Node::items).unwrap_or_default().iter()
}

/// Reads the spec of a Flux object of a namespace.
struct Reader<'a> {
    spec: &'a Node,
    namespace: &'a EcoString,
}

impl Reader<'_> {
    fn kustomization(&self) -> KustomizationSpec {
        let spec = self.spec;
        let path = spec.get("path");
        KustomizationSpec {
            depends_on: self.depends_on(),
            source: spec.get("sourceRef").map(|node| self.reference(node, "")),
            path: text(path).unwrap_or_default(),
            path_span: path.unwrap_or(spec).span,
            interval: duration_of(spec.get("interval")),
            retry_interval: duration_of(spec.get("retryInterval")),
            timeout: duration_of(spec.get("timeout")),
            wait: flag(spec.get("wait")),
            prune: flag(spec.get("prune")),
            force: flag(spec.get("force")),
            health_checks: items(spec.get("healthChecks")).map(health_check).collect(),
            health_expressions: items(spec.get("healthCheckExprs"))
                .map(health_expression)
                .collect(),
            deletion_policy: text(spec.get("deletionPolicy")),
            target_namespace: text(spec.get("targetNamespace")),
            post_build: spec.get("postBuild").is_some_and(|node| !node.is_null()),
            substitute_from: items(spec.path(&["postBuild", "substituteFrom"]))
                .map(|node| self.optional_reference(node))
                .collect(),
            decryption: spec.get("decryption").is_some_and(|node| !node.is_null()),
            decryption_secret: spec
                .path(&["decryption", "secretRef"])
                .map(|node| self.local(node, "Secret")),
            service_account: self.service_account(),
            kube_config: self.kube_config(),
        }
    }

    fn helm_release(&self) -> HelmReleaseSpec {
        let spec = self.spec;
        let chart = spec.path(&["chart", "spec"]);
        let version = chart.and_then(|chart| chart.get("version"));
        HelmReleaseSpec {
            depends_on: self.depends_on(),
            source: match chart.and_then(|chart| chart.get("sourceRef")) {
                Some(node) => Some(self.reference(node, "HelmRepository")),
                None => spec
                    .get("chartRef")
                    .map(|node| self.reference(node, "HelmChart")),
            },
            chart: text(chart.and_then(|chart| chart.get("chart"))),
            version: text(version),
            version_span: version.or(chart).unwrap_or(spec).span,
            interval: duration_of(spec.get("interval")),
            timeout: duration_of(spec.get("timeout")),
            release_name: text(spec.get("releaseName")),
            install_timeout: duration_of(spec.path(&["install", "timeout"])),
            install_retries: spec
                .path(&["install", "remediation", "retries"])
                .and_then(Node::as_i64),
            retry_on_failure: spec.str_at(&["install", "strategy", "name"])
                == Some("RetryOnFailure"),
            retry_interval: duration_of(spec.path(&["install", "strategy", "retryInterval"])),
            disable_wait: flag(spec.path(&["install", "disableWait"])),
            disable_wait_for_jobs: flag(spec.path(&["install", "disableWaitForJobs"])),
            disable_hooks: flag(spec.path(&["install", "disableHooks"])),
            tests: flag(spec.path(&["test", "enable"])),
            create_namespace: flag(spec.path(&["install", "createNamespace"])),
            target_namespace: text(spec.get("targetNamespace")),
            values_from: items(spec.get("valuesFrom"))
                .map(|node| self.optional_reference(node))
                .collect(),
            service_account: self.service_account(),
            kube_config: self.kube_config(),
        }
    }

    fn depends_on(&self) -> Vec<Dependency> {
        items(self.spec.get("dependsOn"))
            .map(|node| Dependency {
                namespace: text(node.get("namespace")).unwrap_or_else(|| self.namespace.clone()),
                name: text(node.get("name")).unwrap_or_default(),
                ready_expr: text(node.get("readyExpr")).is_some(),
                span: name_span(node),
            })
            .collect()
    }

    /// A reference whose namespace is the object's own by default.
    fn reference(&self, node: &Node, default_kind: &str) -> Reference {
        Reference {
            api_version: text(node.get("apiVersion")),
            kind: text(node.get("kind")).unwrap_or_else(|| default_kind.into()),
            namespace: text(node.get("namespace")).unwrap_or_else(|| self.namespace.clone()),
            name: text(node.get("name")).unwrap_or_default(),
            span: name_span(node),
        }
    }

    /// A reference that has no namespace field: always the object's own.
    fn local(&self, node: &Node, kind: &str) -> Reference {
        Reference {
            api_version: None,
            kind: kind.into(),
            namespace: self.namespace.clone(),
            name: text(node.get("name")).unwrap_or_default(),
            span: name_span(node),
        }
    }

    /// An entry of `substituteFrom` or `valuesFrom`.
    fn optional_reference(&self, node: &Node) -> SubstituteSource {
        let kind = text(node.get("kind")).unwrap_or_default();
        SubstituteSource {
            reference: self.local(node, &kind),
            optional: flag(node.get("optional")),
        }
    }

    fn service_account(&self) -> Option<Reference> {
        let node = self.spec.get("serviceAccountName")?;
        Some(Reference {
            api_version: None,
            kind: "ServiceAccount".into(),
            namespace: self.namespace.clone(),
            name: text(Some(node))?,
            span: node.span,
        })
    }

    fn kube_config(&self) -> Option<Reference> {
        let config = self.spec.get("kubeConfig")?;
        if let Some(secret) = config.get("secretRef") {
            return Some(self.local(secret, "Secret"));
        }
        config
            .get("configMapRef")
            .map(|node| self.local(node, "ConfigMap"))
    }
}

/// A target of `healthChecks`. The controller looks it up as written: without
/// a namespace it is a cluster-scoped object.
fn health_check(node: &Node) -> Reference {
    Reference {
        api_version: text(node.get("apiVersion")),
        kind: text(node.get("kind")).unwrap_or_default(),
        namespace: text(node.get("namespace")).unwrap_or_default(),
        name: text(node.get("name")).unwrap_or_default(),
        span: name_span(node),
    }
}

fn health_expression(node: &Node) -> HealthExpression {
    HealthExpression {
        api_version: text(node.get("apiVersion")).unwrap_or_default(),
        kind: text(node.get("kind")).unwrap_or_default(),
        span: node.span,
    }
}

/// Where a reference says its name, or where it stands.
fn name_span(node: &Node) -> Span {
    match node.get("name") {
        Some(name) if !name.span.is_none() => name.span,
        _ => node.span,
    }
}

fn duration_of(node: Option<&Node>) -> Option<Duration> {
    duration(&text(node)?)
}

/// An object that no file holds.
pub(crate) fn flux_object(identity: model::Identity, spec: Node) -> Object {
    let span = spec.span;
    let metadata = Node::map([
        ("name", Node::string(identity.name.clone())),
        ("namespace", Node::string(identity.namespace.clone())),
    ]);
    let api_version = eco_format!("{}/{}", identity.group, identity.version);
    let node = Node::map([
        ("apiVersion", Node::string(api_version)),
        ("kind", Node::string(identity.kind.clone())),
        ("metadata", metadata),
        ("spec", spec),
    ]);
    Object {
        identity,
        node: Arc::new(node.at(span)),
        template: None,
    }
}
