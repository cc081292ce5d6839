//! Reads the imports of a component.

use ecow::EcoString;
use kubeapi::Scope;
use model::{
    Component, ComponentKey, ComponentKind, HelmReleaseSpec, Object, Reference, Spec,
    SubstituteSource,
};
use rustc_hash::FxHashMap;
use yaml::{Node, Span};

use crate::export::{by_identity, field_span};
use crate::item::SOURCE_GROUP;
use crate::{Cause, Exports, Import, Item, Phase, Place, chart, handling, pods, work};

/// All imports of a component, those of its Flux object first.
pub(crate) fn of(at: usize, component: &Component, exports: &Exports) -> Vec<Import> {
    let mut imports = Imports {
        at,
        component,
        exports,
        list: Vec::new(),
        seen: FxHashMap::default(),
    };
    imports.depends_on();
    imports.flux_object();
    for (position, object) in by_identity(component) {
        if handling(object).applied {
            imports.object(position, object);
            imports.work(position, object);
        }
    }
    imports.list
}

struct Imports<'a> {
    at: usize,
    component: &'a Component,
    exports: &'a Exports,
    list: Vec<Import>,
    /// Imports of objects, so that many objects give one import.
    seen: FxHashMap<(Cause, Phase, Item), usize>,
}

impl Imports<'_> {
    fn depends_on(&mut self) {
        for dependency in self.component.spec.depends_on() {
            let key = ComponentKey {
                kind: self.component.key.kind,
                namespace: dependency.namespace.clone(),
                name: dependency.name.clone(),
            };
            let cause = Cause::DependsOn {
                ready_expr: dependency.ready_expr,
            };
            self.own(cause, Item::component(&key), dependency.span);
        }
    }

    fn flux_object(&mut self) {
        if let Some(source) = self.component.spec.source() {
            self.reference(Cause::Source, SOURCE_GROUP, source);
        }
        if let Some(config) = self.component.spec.kube_config() {
            self.reference(Cause::KubeConfig, "", config);
        }
        match &self.component.spec {
            Spec::Kustomization(spec) => {
                for source in &spec.substitute_from {
                    self.optional(Cause::Substitute, source);
                }
                if let Some(secret) = &spec.decryption_secret {
                    self.reference(Cause::Decryption, "", secret);
                }
                if let Some(account) = &spec.service_account {
                    self.account(account);
                }
                // `wait` replaces the list.
                if !spec.wait {
                    for target in &spec.health_checks {
                        self.health_check(target);
                    }
                }
            }
            Spec::HelmRelease(spec) => {
                for source in &spec.values_from {
                    self.optional(Cause::Values, source);
                }
                if let Some(account) = &spec.service_account {
                    self.account(account);
                }
                self.release_namespaces(spec);
                self.chart_key();
            }
        }
    }

    /// The namespaces a release goes into and keeps its record in.
    fn release_namespaces(&mut self, spec: &HelmReleaseSpec) {
        if let Some(namespace) = &spec.target_namespace
            && !spec.create_namespace
        {
            let span = field_span(self.component, &["spec", "targetNamespace"]);
            self.release_namespace(namespace.clone(), span);
        }
        let written = self.component.object.as_ref();
        let storage = written
            .and_then(|object| object.node.get("spec"))
            .and_then(|spec| pods::named(spec, "storageNamespace"));
        if let Some((namespace, span)) = storage
            && spec.target_namespace.as_ref() != Some(&namespace)
            && self.component.key.namespace != namespace
        {
            self.release_namespace(namespace, span);
        }
    }

    fn release_namespace(&mut self, namespace: EcoString, span: Span) {
        let place = self.there(Item::Namespace(namespace));
        let import = self.import(Cause::TargetNamespace, place, Phase::Applied, span);
        self.push(import);
    }

    /// The keys a chart's signature is checked with, beside the chart's source.
    fn chart_key(&mut self) {
        let (Some(object), Some(source)) = (&self.component.object, self.component.spec.source())
        else {
            return;
        };
        let path = ["spec", "chart", "spec", "verify", "secretRef"];
        let reference = object.node.path(&path);
        if let Some((name, span)) = reference.and_then(|reference| pods::named(reference, "name")) {
            let item = core_object("Secret", &source.namespace, name);
            self.own(Cause::Credentials, item, span);
        }
    }

    /// The account a component is applied as: one of the cluster its objects go
    /// to.
    fn account(&mut self, account: &Reference) {
        self.reference(Cause::ServiceAccount, "", account);
        let cluster = self.component.cluster.clone();
        if let Some(import) = self.list.last_mut() {
            import.place.cluster = cluster;
        }
    }

    /// An import of the Flux object.
    fn import(&self, cause: Cause, place: Place, phase: Phase, span: Span) -> Import {
        Import {
            component: self.at,
            cause,
            place,
            phase,
            optional: false,
            span,
            objects: Vec::new(),
            acting: None,
            reference: None,
        }
    }

    /// Something beside the Flux object that it cannot start without.
    fn own(&mut self, cause: Cause, item: Item, span: Span) {
        let place = Place {
            cluster: self.component.home.clone(),
            item,
        };
        let import = self.import(cause, place, Phase::Start, span);
        self.push(import);
    }

    fn reference(&mut self, cause: Cause, group: &str, reference: &Reference) {
        self.own(cause, Item::referenced(group, reference), reference.span);
        if let Some(import) = self.list.last_mut() {
            import.reference = Some(reference.clone());
        }
    }

    fn optional(&mut self, cause: Cause, source: &SubstituteSource) {
        self.reference(cause, "", &source.reference);
        if let Some(import) = self.list.last_mut() {
            import.optional = source.optional;
        }
    }

    fn health_check(&mut self, target: &Reference) {
        let group = target
            .api_version
            .as_deref()
            .map_or("", |version| kubeapi::split_api_version(version).0);
        let place = self.there(health_item(group, target));
        let mut import = self.import(Cause::HealthCheck, place, Phase::Ready, target.span);
        import.reference = Some(target.clone());
        self.push(import);
    }

    fn object(&mut self, position: usize, object: &Object) {
        let identity = &object.identity;
        let applied = match chart::is_late(object) {
            true => Phase::Ready,
            false => Phase::Applied,
        };
        let scope = self
            .exports
            .scope(&self.component.cluster, &identity.group, &identity.kind);
        // A namespace on an object of the cluster is ignored, and the scope of a
        // kind nobody shows is not guessed.
        if !identity.namespace.is_empty() && scope == Some(Scope::Namespaced) {
            let item = Item::Namespace(identity.namespace.clone());
            let span = object_span(object, &["metadata", "namespace"]);
            self.demand(position, Cause::Namespace, applied, item, span);
        }
        if is_custom(&identity.group) {
            let item = Item::Crd {
                group: identity.group.clone(),
                kind: identity.kind.clone(),
            };
            let span = object_span(object, &["kind"]);
            self.demand(position, Cause::CustomResource, applied, item, span);
        }
        if let ("", "Pod", Some(spec)) = (
            identity.group.as_str(),
            identity.kind.as_str(),
            object.node.get("spec"),
        ) {
            for need in pods::admitted(spec) {
                let item = need.item(&identity.namespace);
                self.demand(position, Cause::Class, Phase::Applied, item, need.span);
            }
            let name = pods::account(Some(spec));
            if let Some((name, span)) = name.filter(|(name, _)| name != "default") {
                let item = core_object("ServiceAccount", &identity.namespace, name);
                self.demand(position, Cause::PodAccount, Phase::Applied, item, span);
            }
        }
        if waits_for(self.component, object) {
            if work::is_healthy_by_work(object) {
                for need in work::needs(object, &self.component.cluster, self.exports) {
                    self.demand(position, need.cause, Phase::Ready, need.item, need.span);
                }
            }
            for (cause, item, span) in self.pod_needs(object) {
                self.demand(position, cause, Phase::Ready, item, span);
            }
        }
    }

    fn pod_needs(&self, object: &Object) -> Vec<(Cause, Item, Span)> {
        let mut needs = Vec::new();
        for need in pods::needs(object) {
            let cause = match need.is_class() {
                // A volume made by hand carries the name of a class that need
                // not exist.
                true if need.kind == "StorageClass"
                    && self
                        .exports
                        .has_volume_of(&self.component.cluster, &need.name) =>
                {
                    continue;
                }
                true => Cause::Class,
                false => Cause::Pod,
            };
            needs.push((cause, need.item(&object.identity.namespace), need.span));
        }
        needs
    }

    /// What the object needs for its work.
    fn work(&mut self, position: usize, object: &Object) {
        for need in work::needs(object, &self.component.cluster, self.exports) {
            self.acting(position, need.cause, need.item, need.span);
        }
        let exports = self.exports;
        if exports.runs_controller(self.at, position) || exports.is_checked(self.at, position) {
            for (cause, item, span) in self.pod_needs(object) {
                self.acting(position, cause, item, span);
            }
        }
    }

    fn acting(&mut self, position: usize, cause: Cause, item: Item, span: Span) {
        let place = self.there(item);
        let mut import = self.import(cause, place, Phase::Applied, span);
        import.objects.push(position);
        import.acting = Some(position);
        self.push(import);
    }

    fn demand(&mut self, position: usize, cause: Cause, phase: Phase, item: Item, span: Span) {
        let key = (cause, phase, item);
        if let Some(known) = self.seen.get(&key) {
            if let Some(import) = self.list.get_mut(*known) {
                import.objects.push(position);
            }
            return;
        }
        let place = self.there(key.2.clone());
        self.seen.insert(key, self.list.len());
        let mut import = self.import(cause, place, phase, span);
        import.objects.push(position);
        self.push(import);
    }

    /// An item of the cluster the component's objects go to.
    fn there(&self, item: Item) -> Place {
        Place {
            cluster: self.component.cluster.clone(),
            item,
        }
    }

    fn push(&mut self, import: Import) {
        self.list.push(import);
    }
}

/// Whether the component is ready only when the object is healthy.
pub(crate) fn waits_for(component: &Component, object: &Object) -> bool {
    match &component.spec {
        Spec::Kustomization(spec) if spec.wait => handling(object).waited_for,
        Spec::Kustomization(spec) => spec.health_checks.iter().any(|target| {
            target.kind == object.identity.kind
                && target.name == object.identity.name
                && target.namespace == object.identity.namespace
        }),
        Spec::HelmRelease(spec) => {
            let job = object.identity.group == "batch" && object.identity.kind == "Job";
            !(spec.disable_wait || job && spec.disable_wait_for_jobs)
        }
    }
}

/// Whether objects of a group need a CRD that somebody installs.
pub(crate) fn is_custom(group: &str) -> bool {
    !kubeapi::is_builtin(group) && !kubeapi::is_flux(group) && !kubeapi::is_aggregated(group)
}

/// The objects whose health a component checks by name.
pub(crate) fn health_targets(component: &Component) -> impl Iterator<Item = Place> {
    let listed = match &component.spec {
        // `wait` replaces the list.
        Spec::Kustomization(spec) if !spec.wait => spec.health_checks.as_slice(),
        _ => &[],
    };
    listed.iter().map(|target| {
        let version = target.api_version.as_deref().unwrap_or_default();
        Place {
            cluster: component.cluster.clone(),
            item: health_item(kubeapi::split_api_version(version).0, target),
        }
    })
}

fn health_item(group: &str, target: &Reference) -> Item {
    if group.is_empty() && target.kind == "Namespace" {
        return Item::Namespace(target.name.clone());
    }
    Item::referenced(group, target)
}

/// The component a reference to a Flux object names, if it is one.
pub(crate) fn component_key(item: &Item) -> Option<ComponentKey> {
    let Item::Object {
        group,
        kind,
        namespace,
        name,
    } = item
    else {
        return None;
    };
    let kind = match (group.as_str(), kind.as_str()) {
        (crate::item::KUSTOMIZE_GROUP, "Kustomization") => ComponentKind::Kustomization,
        (crate::item::HELM_GROUP, "HelmRelease") => ComponentKind::HelmRelease,
        _ => return None,
    };
    Some(ComponentKey {
        kind,
        namespace: namespace.clone(),
        name: name.clone(),
    })
}

pub(crate) fn core_object(kind: &str, namespace: &EcoString, name: EcoString) -> Item {
    Item::Object {
        group: EcoString::new(),
        kind: kind.into(),
        namespace: namespace.clone(),
        name,
    }
}

fn object_span(object: &Object, path: &[&str]) -> Span {
    object
        .node
        .path(path)
        .map(|node: &Node| node.span)
        .filter(|span| !span.is_none())
        .unwrap_or(object.node.span)
}
