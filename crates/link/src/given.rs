//! What is there before Flux applies anything.

use config::Config;
use ecow::EcoString;
use model::{Artifact, Component, World};
use rustc_hash::FxHashSet;

use crate::imports::{core_object, is_custom};
use crate::item::SOURCE_GROUP;
use crate::{Item, Place};

/// The controllers a bootstrap installs, each with a ServiceAccount of its name.
const CONTROLLERS: [&str; 7] = [
    "source-controller",
    "kustomize-controller",
    "helm-controller",
    "notification-controller",
    "image-reflector-controller",
    "image-automation-controller",
    "source-watcher",
];

/// The initial state: what every cluster has, what the bootstrap installs, and
/// what the configuration declares.
pub struct Given<'a> {
    config: &'a Config,
    /// In the cluster that is bootstrapped.
    bootstrap: FxHashSet<Item>,
}

impl<'a> Given<'a> {
    pub(crate) fn of(world: &World, config: &'a Config) -> Self {
        let mut bootstrap: FxHashSet<Item> = world.given.iter().map(Item::of).collect();
        // A source that delivers something here and that no object defines comes
        // with the bootstrap.
        for (key, artifact, identity, _) in &world.sources {
            if identity.is_none() && *artifact == Artifact::Repository {
                bootstrap.insert(Item::Object {
                    group: SOURCE_GROUP.into(),
                    kind: key.kind.clone(),
                    namespace: key.namespace.clone(),
                    name: key.name.clone(),
                });
            }
        }
        // The bootstrap applies the first root and its source itself, whether
        // or not a file of the repository holds them as well.
        if let Some(root) = world.components.first() {
            bootstrap.insert(Item::Namespace(root.key.namespace.clone()));
            bootstrap.insert(Item::component(&root.key));
            bootstrap.extend(CONTROLLERS.map(|name| Item::Object {
                group: EcoString::new(),
                kind: "ServiceAccount".into(),
                namespace: root.key.namespace.clone(),
                name: name.into(),
            }));
            if let Some(source) = root.spec.source() {
                let source = Item::referenced(SOURCE_GROUP, source);
                bootstrap.extend(opening(world, &source));
                bootstrap.insert(source);
            }
        }
        Given { config, bootstrap }
    }

    /// Whether it is there from the start.
    pub fn has(&self, place: &Place) -> bool {
        self.has_bootstrap(place) || self.is_declared(place)
    }

    /// Whether the bootstrap installs it, or every cluster has it.
    pub fn has_bootstrap(&self, place: &Place) -> bool {
        match &place.item {
            Item::Namespace(name) if kubeapi::BUILTIN_NAMESPACES.contains(&name.as_str()) => true,
            Item::Crd { group, .. } if !is_custom(group) => true,
            // Kubernetes makes it in every namespace.
            Item::Object {
                group, kind, name, ..
            } if group.is_empty() && kind == "ServiceAccount" && name == "default" => true,
            item => place.cluster.is_empty() && self.bootstrap.contains(item),
        }
    }

    /// Whether `externals` declares it.
    pub fn is_declared(&self, place: &Place) -> bool {
        let externals = &self.config.externals;
        if let Some(group) = place.item.defined_group() {
            return externals.crd_groups.iter().any(|p| p.matches(group));
        }
        match &place.item {
            Item::Namespace(name) => externals.namespaces.iter().any(|p| p.matches(name)),
            Item::Crd { .. } => false,
            Item::Object {
                group,
                kind,
                namespace,
                name,
            } => {
                group.is_empty()
                    && (externals.substitutions.iter().any(|entry| {
                        entry.kind.as_str() == kind
                            && entry.name == *name
                            && entry.namespace == *namespace
                    }) || (kind == "Secret"
                        && externals
                            .secrets
                            .iter()
                            .any(|entry| entry.name == *name && entry.namespace == *namespace)))
            }
        }
    }

    /// The components, by key, that create CRDs of a group while they run.
    pub fn runtime_crds(&self, group: &str) -> impl Iterator<Item = EcoString> {
        self.config
            .externals
            .runtime_crds
            .iter()
            .filter(move |entry| entry.group == group)
            .map(|entry| entry.provided_by.as_str().into())
    }
}

/// The Secrets that the first source is fetched with: it was before anything
/// that is in it could make them.
fn opening(world: &World, source: &Item) -> Vec<Item> {
    let components = world.components.iter().filter(|c| c.cluster.is_empty());
    let objects = components.flat_map(Component::objects);
    let mut secrets = Vec::new();
    for object in objects {
        let identity = &object.identity;
        let fields: &[&[&str]] = match identity.kind.as_str() {
            "FluxInstance" => &[&["spec", "sync", "pullSecret"]],
            _ if Item::of(identity) == *source => &[
                &["spec", "secretRef", "name"],
                &["spec", "certSecretRef", "name"],
                &["spec", "proxySecretRef", "name"],
                &["spec", "verify", "secretRef", "name"],
            ],
            _ => continue,
        };
        let names = fields.iter().filter_map(|field| object.node.str_at(field));
        secrets.extend(names.map(|name| core_object("Secret", &identity.namespace, name.into())));
    }
    secrets
}
