//! What tells that one component may have to do with another, without being
//! needed: it can justify an order, and never demands one.

use ecow::EcoString;
use model::{Component, Object, Spec};
use yaml::{Node, Span};

use crate::pods::named;
use crate::{Cause, Item, Linked, Place, Supply, handling};

/// What a hint is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hinted {
    /// An account of the component may use this API group.
    Group(EcoString),
    /// A field names this object.
    Item(Item),
}

/// A sign that a component has to do with others.
#[derive(Clone, Debug)]
pub struct Hint {
    /// The component.
    pub component: usize,
    /// What it is about.
    pub what: Hinted,
    /// Where that is written.
    pub span: Span,
    /// The components that make it, or by their names are likely to, sorted.
    /// Never empty.
    pub makers: Vec<usize>,
}

/// How deep fields are looked through.
const DEPTH: usize = 32;

impl Linked<'_> {
    /// What tells that a component has to do with others. What it needs (see
    /// [`Linked::imports`]) is not repeated, unless only a name tells who
    /// brings it.
    pub fn hints(&self, component: usize) -> impl Iterator<Item = &Hint> {
        let hints = self.hints.get_or_init(|| self.find_hints());
        // They are sorted by component.
        let from = hints.partition_point(|hint| hint.component < component);
        let own = hints.iter().skip(from);
        own.take_while(move |hint| hint.component == component)
    }

    fn find_hints(&self) -> Vec<Hint> {
        let mut found = Vec::new();
        for (at, component) in self.world.components.iter().enumerate() {
            let mut reader = Reader {
                linked: self,
                at,
                component,
                namespace: EcoString::new(),
                found: Vec::new(),
            };
            reader.read();
            found.append(&mut reader.found);
        }
        for import in &self.imports {
            let by_name = matches!(import.cause, Cause::CustomResource | Cause::Controller);
            if by_name && matches!(self.supply(import), Supply::Nothing) {
                let makers = self.likely_installers(import);
                if !makers.is_empty() {
                    found.push(Hint {
                        component: import.component,
                        what: Hinted::Item(import.place.item.clone()),
                        span: import.span,
                        makers,
                    });
                }
            }
        }
        found.sort_by_key(|hint| hint.component);
        found
    }
}

/// The values that a release's own object holds.
pub(crate) fn values(component: &Component) -> Option<&Node> {
    let object = component.object.as_ref()?;
    object.node.path(&["spec", "values"])
}

/// Where a release puts its objects.
pub(crate) fn release_namespace(component: &Component) -> Option<EcoString> {
    match &component.spec {
        Spec::HelmRelease(spec) => Some(
            spec.target_namespace
                .clone()
                .unwrap_or_else(|| component.key.namespace.clone()),
        ),
        Spec::Kustomization(_) => None,
    }
}

struct Reader<'a, 'b> {
    linked: &'b Linked<'a>,
    at: usize,
    component: &'b Component,
    /// Where names without a namespace are looked up.
    namespace: EcoString,
    found: Vec<Hint>,
}

impl Reader<'_, '_> {
    fn read(&mut self) {
        let grants: Vec<(EcoString, Span)> = self
            .linked
            .exports
            .access
            .grants(self.component, self.at)
            .filter(|grant| !kubeapi::is_builtin(&grant.group))
            .map(|grant| (grant.group.clone(), grant.span))
            .collect();
        for (group, span) in grants {
            let cluster = &self.component.cluster;
            let makers = self.linked.exports.makers_of_group(cluster, &group);
            self.push(Hinted::Group(group), span, makers);
        }
        for object in self.component.objects() {
            if handling(object).applied {
                self.object(object);
            }
        }
        if let (Some(values), Some(namespace)) =
            (values(self.component), release_namespace(self.component))
        {
            self.namespace = namespace;
            self.fields(values, DEPTH);
        }
    }

    fn object(&mut self, object: &Object) {
        self.namespace = object.identity.namespace.clone();
        for entry in object.node.entries() {
            if entry.key.as_str() != Some("status") {
                self.field(entry.key.as_str().unwrap_or_default(), &entry.value, DEPTH);
            }
        }
    }

    fn fields(&mut self, node: &Node, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for item in node.items() {
            self.fields(item, depth);
        }
        for entry in node.entries() {
            self.field(entry.key.as_str().unwrap_or_default(), &entry.value, depth);
        }
        if let Some(text) = node.as_str() {
            self.address(text, node.span);
        }
    }

    fn field(&mut self, key: &str, value: &Node, depth: usize) {
        match value.text() {
            Some(text) if !text.is_empty() && !value.is_null() => {
                if let Some((group, kind)) = named_by(key) {
                    self.name(group, kind, text.clone(), None, value.span);
                }
            }
            _ if value.is_map() => self.reference(key, value),
            _ => self.list(key, value),
        }
        self.fields(value, depth);
    }

    /// A mapping that names an object.
    fn reference(&mut self, key: &str, value: &Node) {
        let Some((name, span)) = named(value, "name") else {
            return;
        };
        let namespace = named(value, "namespace").map(|(namespace, _)| namespace);
        let version = value.str_at(&["apiVersion"]).unwrap_or_default();
        let group = value
            .str_at(&["apiGroup"])
            .or_else(|| value.str_at(&["group"]))
            .unwrap_or(kubeapi::split_api_version(version).0);
        let lower = key.to_ascii_lowercase();
        let by_key = || {
            [
                ("secret", ("", "Secret")),
                ("configmap", ("", "ConfigMap")),
                ("issuerref", ("cert-manager.io", "Issuer")),
                ("storeref", ("external-secrets.io", "SecretStore")),
                ("service", ("", "Service")),
            ]
            .into_iter()
            .find(|(part, _)| lower.contains(part))
            .map(|(_, kind)| kind)
        };
        match (value.str_at(&["kind"]), by_key()) {
            (Some(kind), Some((known, _))) if group.is_empty() => {
                self.name(known, kind, name, namespace, span);
            }
            (Some(kind), _) => self.name(group, kind, name, namespace, span),
            (None, Some((group, kind))) => self.name(group, kind, name, namespace, span),
            (None, None) => {}
        }
    }

    /// Lists whose items name objects of one kind unless they say otherwise.
    fn list(&mut self, key: &str, value: &Node) {
        let (group, kind) = match key {
            "imagePullSecrets" | "pullSecrets" => ("", "Secret"),
            "parentRefs" => ("gateway.networking.k8s.io", "Gateway"),
            "backendRefs" => ("", "Service"),
            "certificateRefs" => ("", "Secret"),
            "subjects" => ("", "ServiceAccount"),
            _ => return,
        };
        for item in value.items() {
            let found = match item.text() {
                Some(text) => Some((text.clone(), item.span)),
                None => named(item, "name"),
            };
            let Some((name, span)) = found else { continue };
            let namespace = named(item, "namespace").map(|(namespace, _)| namespace);
            let group = item.str_at(&["group"]).unwrap_or(group);
            let kind = item.str_at(&["kind"]).unwrap_or(kind);
            self.name(group, kind, name, namespace, span);
        }
    }

    /// An in-cluster address, `name.namespace.svc`, anywhere in a text.
    fn address(&mut self, text: &str, span: Span) {
        for (at, _) in text.match_indices(".svc") {
            let is_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let before = text.get(..at).unwrap_or_default();
            let start = before
                .rfind(|c| !is_label(c) && c != '.')
                .map_or(0, |at| at + 1);
            let mut labels = before.get(start..).unwrap_or_default().rsplit('.');
            let (Some(namespace), Some(name)) = (labels.next(), labels.next()) else {
                continue;
            };
            if !name.is_empty() && !namespace.is_empty() {
                self.name("", "Service", name.into(), Some(namespace.into()), span);
            }
        }
    }

    fn name(
        &mut self,
        group: &str,
        kind: &str,
        name: EcoString,
        namespace: Option<EcoString>,
        span: Span,
    ) {
        let cluster = &self.component.cluster;
        let cluster_wide = match self.linked.exports.scope(cluster, group, kind) {
            Some(scope) => scope == kubeapi::Scope::Cluster,
            None => kind.starts_with("Cluster") || kind.ends_with("Class"),
        };
        let namespace = match cluster_wide {
            true => EcoString::new(),
            false => namespace.unwrap_or_else(|| self.namespace.clone()),
        };
        let item = match (group, kind) {
            ("", "Namespace") => Item::Namespace(name),
            _ => Item::Object {
                group: group.into(),
                kind: kind.into(),
                namespace,
                name,
            },
        };
        let place = Place {
            cluster: cluster.clone(),
            item,
        };
        let exports = self.linked.exports.producers(&place).into_iter();
        let mut makers: Vec<usize> = exports.map(|export| export.component).collect();
        if makers.is_empty() {
            makers = self.linked.likely_service(&place);
        }
        self.push(Hinted::Item(place.item), span, makers);
    }

    fn push(&mut self, what: Hinted, span: Span, mut makers: Vec<usize>) {
        makers.sort_unstable();
        makers.dedup();
        makers.retain(|maker| *maker != self.at);
        let is_known = || self.found.iter().any(|hint| hint.what == what);
        if !makers.is_empty() && !is_known() {
            self.found.push(Hint {
                component: self.at,
                what,
                span,
                makers,
            });
        }
    }
}

impl Linked<'_> {
    /// The releases that, by name and namespace, a Service is likely to come
    /// from.
    fn likely_service(&self, place: &Place) -> Vec<usize> {
        let Item::Object {
            kind,
            namespace,
            name,
            ..
        } = &place.item
        else {
            return Vec::new();
        };
        if kind != "Service" {
            return Vec::new();
        }
        let components = self.world.components.iter().enumerate();
        components
            .filter(|(at, component)| {
                let release = component.key.name.as_str();
                component.cluster == place.cluster
                    && self.hides.get(*at) == Some(&true)
                    && release_namespace(component).as_ref() == Some(namespace)
                    && (name.strip_prefix(release))
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            })
            .map(|(at, _)| at)
            .collect()
    }
}

/// The kind of object that a field of this name holds the name of.
fn named_by(key: &str) -> Option<(&'static str, &'static str)> {
    Some(match key {
        "secretName" | "existingSecret" | "existingSecretName" => ("", "Secret"),
        "configMapName" | "existingConfigMap" | "existingConfigmap" => ("", "ConfigMap"),
        "claimName" | "existingClaim" => ("", "PersistentVolumeClaim"),
        "serviceAccountName" => ("", "ServiceAccount"),
        "serviceName" => ("", "Service"),
        "storageClass" | "storageClassName" => ("storage.k8s.io", "StorageClass"),
        "ingressClassName" | "ingressClass" => ("networking.k8s.io", "IngressClass"),
        "gatewayClassName" => ("gateway.networking.k8s.io", "GatewayClass"),
        "volumeSnapshotClassName" => ("snapshot.storage.k8s.io", "VolumeSnapshotClass"),
        "priorityClassName" => ("scheduling.k8s.io", "PriorityClass"),
        "runtimeClassName" => ("node.k8s.io", "RuntimeClass"),
        "cert-manager.io/cluster-issuer" => ("cert-manager.io", "ClusterIssuer"),
        "cert-manager.io/issuer" => ("cert-manager.io", "Issuer"),
        _ => return None,
    })
}
