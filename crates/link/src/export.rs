//! What components make.

use ecow::EcoString;
use kubeapi::{Crd, Scope};
use model::{Component, Object, Spec, World};
use rustc_hash::{FxHashMap, FxHashSet};
use yaml::Span;

use crate::access::Access;
use crate::imports::health_targets;
use crate::producers::{self, Made, Spread};
use crate::{Item, Phase, Place, chart, handling};

/// How an item comes to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// A manifest of the component.
    Manifest,
    /// A controller makes it for an object of this kind.
    Derived(EcoString),
    /// The release creates its target namespace.
    CreateNamespace,
}

/// Something a component makes.
#[derive(Clone, Debug)]
pub struct Export {
    /// The component, by index in [`World::components`].
    pub component: usize,
    /// The phase of the component from which on it is there.
    pub phase: Phase,
    /// How it comes to be.
    pub how: How,
    /// The object that makes it, by position in [`Component::objects`].
    pub object: Option<usize>,
    /// Where the value is written that says so.
    pub span: Span,
}

/// A CRD of a component.
#[derive(Clone, Debug)]
pub struct CrdExport {
    /// What it defines.
    pub crd: Crd,
    /// Who installs it.
    pub export: Export,
}

/// A copy in every namespace that a pattern allows.
#[derive(Clone, Debug)]
struct Copies {
    spread: Spread,
    export: Export,
}

/// Everything the components of a world make, by what it is.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    by_place: FxHashMap<Place, Vec<Export>>,
    crds: FxHashMap<(EcoString, EcoString, EcoString), Vec<CrdExport>>,
    /// By cluster, kind and name.
    copies: FxHashMap<(EcoString, EcoString, EcoString), Vec<Copies>>,
    /// Names of every rendered object, by cluster, group and kind.
    names: FxHashMap<(EcoString, EcoString, EcoString), Vec<(EcoString, EcoString)>>,
    /// The namespaces of Secrets, by cluster and name.
    secrets: FxHashMap<(EcoString, EcoString), Vec<EcoString>>,
    /// The classes of the volumes that are made by hand, by cluster.
    volumes: FxHashSet<(EcoString, EcoString)>,
    /// The workloads that run a kind's controller, by cluster, group and kind.
    controllers: FxHashMap<(EcoString, EcoString, EcoString), Vec<Export>>,
    /// All those workloads, by component and position.
    controlling: FxHashSet<(usize, usize)>,
    /// The objects whose health another component checks, likewise.
    checked: FxHashSet<(usize, usize)>,
    pub(crate) access: Access,
}

impl Exports {
    /// The exports of a world, in this order of its components.
    pub(crate) fn of(world: &World, ranked: &[usize]) -> Exports {
        let mut exports = Exports::default();
        let namespaces = producers::Namespaces::of(world);
        for at in ranked {
            if let Some(component) = world.components.get(*at) {
                exports.add_component(*at, component, &namespaces);
            }
        }
        exports.access = Access::of(world, ranked);
        exports.find_controllers(world);
        exports.find_checked(world);
        exports
    }

    /// The objects that `healthChecks` of other components name.
    fn find_checked(&mut self, world: &World) {
        for (at, component) in world.components.iter().enumerate() {
            for place in health_targets(component) {
                let found = self.producers(&place).into_iter();
                let others = found.filter(|export| export.component != at);
                let objects: Vec<_> = others
                    .filter_map(|export| Some((export.component, export.object?)))
                    .collect();
                self.checked.extend(objects);
            }
        }
    }

    /// Who runs the controllers of the kinds for whose objects something is
    /// made.
    fn find_controllers(&mut self, world: &World) {
        for component in &world.components {
            for object in component.objects() {
                let identity = &object.identity;
                let key = (
                    component.cluster.clone(),
                    identity.group.clone(),
                    identity.kind.clone(),
                );
                if !self.controllers.contains_key(&key) && producers::makes(object) {
                    let found = self.controllers_of(&key);
                    let at = found.iter().filter_map(|e| Some((e.component, e.object?)));
                    self.controlling.extend(at);
                    self.controllers.insert(key, found);
                }
            }
        }
    }

    fn controllers_of(
        &self,
        (cluster, group, kind): &(EcoString, EcoString, EcoString),
    ) -> Vec<Export> {
        let crds = self.crds(cluster, group, kind);
        let plural = match crds.first() {
            Some(crd) => crd.crd.plural.clone(),
            // The rule for names; a CRD that is not rendered does not tell.
            None => ecow::eco_format!("{}s", kind.to_lowercase()),
        };
        let bearers = self.access.controllers(cluster, group, &plural);
        let exports = bearers.into_iter().map(|bearer| Export {
            component: bearer.component,
            phase: Phase::Applied,
            how: How::Manifest,
            object: Some(bearer.object),
            span: bearer.span,
        });
        exports.collect()
    }

    /// The workloads that run the controller of a kind, as far as RBAC tells.
    pub(crate) fn controllers(&self, cluster: &str, group: &str, kind: &str) -> &[Export] {
        let key = (cluster.into(), group.into(), kind.into());
        self.controllers.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Whether the object is a workload that runs a controller.
    pub(crate) fn runs_controller(&self, component: usize, object: usize) -> bool {
        self.controlling.contains(&(component, object))
    }

    /// Whether another component than the object's own checks its health.
    pub(crate) fn is_checked(&self, component: usize, object: usize) -> bool {
        self.checked.contains(&(component, object))
    }

    /// Whether a volume that is made by hand carries the name of a class.
    pub(crate) fn has_volume_of(&self, cluster: &str, class: &str) -> bool {
        self.volumes.contains(&(cluster.into(), class.into()))
    }

    /// The only namespace of a cluster in which a Secret of the name is made.
    pub(crate) fn only_secret(&self, cluster: &str, name: &str) -> Option<EcoString> {
        let mut found = self.secrets.get(&(cluster.into(), name.into()))?.iter();
        let first = found.next()?;
        found.all(|other| other == first).then(|| first.clone())
    }

    fn add_component(
        &mut self,
        at: usize,
        component: &Component,
        namespaces: &producers::Namespaces,
    ) {
        for (position, object) in by_identity(component) {
            if handling(object).applied {
                self.add_object(at, component, position, object, namespaces);
            }
        }
        if let Spec::HelmRelease(spec) = &component.spec
            && let (true, Some(namespace)) = (spec.create_namespace, &spec.target_namespace)
        {
            let span = field_span(component, &["spec", "install", "createNamespace"]);
            let export = Export {
                component: at,
                phase: Phase::Start,
                how: How::CreateNamespace,
                object: None,
                span,
            };
            self.add(
                &component.cluster,
                Item::Namespace(namespace.clone()),
                export,
            );
        }
    }

    fn add_object(
        &mut self,
        at: usize,
        component: &Component,
        position: usize,
        object: &Object,
        namespaces: &producers::Namespaces,
    ) {
        let cluster = &component.cluster;
        let identity = &object.identity;
        let item = Item::of(identity);
        let crd = Crd::read(&object.node);
        // kustomize-controller applies definitions, then classes, in stages of
        // their own; Helm applies a chart's templates as one, behind what lies in
        // `crds/` and what hooks bring beforehand.
        let is_class = identity.kind.ends_with("Class") && kubeapi::is_builtin(&identity.group);
        let staged = match component.spec {
            Spec::Kustomization(_) => {
                crd.is_some() || is_class || matches!(item, Item::Namespace(_))
            }
            Spec::HelmRelease(_) => chart::is_early(object),
        };
        let export = |how, phase, span| Export {
            component: at,
            phase,
            how,
            object: Some(position),
            span,
        };
        let phase = if staged { Phase::Start } else { Phase::Applied };
        let own = export(How::Manifest, phase, name_span(object));
        if identity.kind == "PersistentVolume"
            && let Some(class) = object.node.str_at(&["spec", "storageClassName"])
        {
            self.volumes.insert((cluster.clone(), class.into()));
        }
        if let Some(crd) = crd {
            let key = (cluster.clone(), crd.group.clone(), crd.kind.clone());
            self.crds.entry(key).or_default().push(CrdExport {
                crd,
                export: own.clone(),
            });
        }
        for made in producers::made_by(object) {
            self.add_made(cluster, made, namespaces, |kind, span| {
                export(How::Derived(kind), Phase::Applied, span)
            });
        }
        let key = (
            cluster.clone(),
            identity.group.clone(),
            identity.kind.clone(),
        );
        let name = (identity.namespace.clone(), identity.name.clone());
        self.names.entry(key).or_default().push(name);
        self.add(cluster, item, own);
    }

    fn add_made(
        &mut self,
        cluster: &EcoString,
        made: Made,
        namespaces: &producers::Namespaces,
        export: impl Fn(EcoString, Span) -> Export,
    ) {
        let export = export(made.by.clone(), made.span);
        let item = |namespace: &EcoString| Item::Object {
            group: made.group.clone(),
            kind: made.kind.clone(),
            namespace: namespace.clone(),
            name: made.name.clone(),
        };
        match &made.spread {
            Spread::One(namespace) => self.add(cluster, item(namespace), export),
            Spread::Selected(selected) => {
                for namespace in namespaces.selected(cluster, selected) {
                    self.add(cluster, item(&namespace), export.clone());
                }
            }
            Spread::Matching(_) => {
                let key = (cluster.clone(), made.kind.clone(), made.name.clone());
                let copies = Copies {
                    spread: made.spread.clone(),
                    export,
                };
                self.copies.entry(key).or_default().push(copies);
            }
        }
    }

    fn add(&mut self, cluster: &EcoString, item: Item, export: Export) {
        if let Item::Object {
            group,
            kind,
            namespace,
            name,
        } = &item
            && group.is_empty()
            && kind == "Secret"
        {
            let key = (cluster.clone(), name.clone());
            self.secrets.entry(key).or_default().push(namespace.clone());
        }
        let place = Place {
            cluster: cluster.clone(),
            item,
        };
        self.by_place.entry(place).or_default().push(export);
    }

    /// All producers of an item.
    pub fn producers(&self, place: &Place) -> Vec<&Export> {
        match &place.item {
            Item::Crd { group, kind } => self
                .crds(&place.cluster, group, kind)
                .iter()
                .map(|crd| &crd.export)
                .collect(),
            Item::Object {
                group,
                kind,
                namespace,
                name,
            } if group.is_empty() && (kind == "Secret" || kind == "ConfigMap") => {
                let key = (place.cluster.clone(), kind.clone(), name.clone());
                let copies = self.copies.get(&key).into_iter().flatten();
                let copies = copies
                    .filter(|copies| copies.spread.reaches(namespace))
                    .map(|copies| &copies.export);
                self.direct(place).iter().chain(copies).collect()
            }
            _ => self.direct(place).iter().collect(),
        }
    }

    /// Producers of an object of a kind that may belong to the cluster: those of
    /// its name, where it or they have a namespace that means nothing. Empty for
    /// kinds that are known to live in namespaces.
    pub(crate) fn whatever_namespace(&self, place: &Place) -> Vec<&Export> {
        let Item::Object {
            group,
            kind,
            namespace,
            name,
        } = &place.item
        else {
            return Vec::new();
        };
        if self.scope(&place.cluster, group, kind) == Some(Scope::Namespaced) {
            return Vec::new();
        }
        self.names(&place.cluster, group, kind)
            .iter()
            .filter(|(other, known)| known == name && (other.is_empty() || namespace.is_empty()))
            .flat_map(|(other, _)| {
                let item = Item::Object {
                    group: group.clone(),
                    kind: kind.clone(),
                    namespace: other.clone(),
                    name: name.clone(),
                };
                self.direct(&Place {
                    cluster: place.cluster.clone(),
                    item,
                })
            })
            .collect()
    }

    /// The scope of a kind: Kubernetes' own, or as a rendered CRD says. `None`
    /// where neither tells.
    pub fn scope(&self, cluster: &str, group: &str, kind: &str) -> Option<Scope> {
        kubeapi::scope(group, kind)
            .or_else(|| self.crds(cluster, group, kind).first().map(|c| c.crd.scope))
    }

    fn direct(&self, place: &Place) -> &[Export] {
        self.by_place.get(place).map_or(&[], Vec::as_slice)
    }

    /// The CRDs of a kind that are rendered for a cluster.
    pub fn crds(&self, cluster: &str, group: &str, kind: &str) -> &[CrdExport] {
        let key = (cluster.into(), group.into(), kind.into());
        self.crds.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The kinds of a group whose CRDs are rendered for a cluster.
    pub fn kinds_of_group(&self, cluster: &str, group: &str) -> Vec<&EcoString> {
        let mut kinds: Vec<&EcoString> = self
            .crds
            .keys()
            .filter(|(c, g, _)| c == cluster && g == group)
            .map(|(_, _, kind)| kind)
            .collect();
        kinds.sort();
        kinds
    }

    /// The components that install CRDs of a group in a cluster.
    pub(crate) fn makers_of_group(&self, cluster: &str, group: &str) -> Vec<usize> {
        let mut makers: Vec<usize> = self
            .crds
            .iter()
            .filter(|((c, g, _), _)| c == cluster && g == group)
            .flat_map(|(_, crds)| crds.iter().map(|crd| crd.export.component))
            .collect();
        makers.sort_unstable();
        makers.dedup();
        makers
    }

    /// Every item that is made, with those who make it, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Place, &[Export])> {
        self.by_place
            .iter()
            .map(|(place, exports)| (place, exports.as_slice()))
    }

    /// Namespace and name of every rendered object of a kind in a cluster.
    pub fn names(&self, cluster: &str, group: &str, kind: &str) -> &[(EcoString, EcoString)] {
        let key = (cluster.into(), group.into(), kind.into());
        self.names.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The namespaces that are made in a cluster, sorted.
    pub fn namespaces(&self, cluster: &str) -> Vec<&EcoString> {
        let mut names: Vec<&EcoString> = self
            .by_place
            .keys()
            .filter(|place| place.cluster == cluster)
            .filter_map(|place| match &place.item {
                Item::Namespace(name) => Some(name),
                _ => None,
            })
            .collect();
        names.sort();
        names
    }
}

/// The objects of a component with their positions, in an order that only their
/// identities decide.
pub(crate) fn by_identity(component: &Component) -> Vec<(usize, &Object)> {
    let objects = component.objects().iter().map(AsRef::as_ref);
    let mut objects: Vec<(usize, &Object)> = objects.enumerate().collect();
    objects.sort_by(|(_, a), (_, b)| a.identity.cmp(&b.identity));
    objects
}

/// Where an object says its name, else where it stands.
pub(crate) fn name_span(object: &Object) -> Span {
    object
        .node
        .path(&["metadata", "name"])
        .map(|name| name.span)
        .filter(|span| !span.is_none())
        .unwrap_or(object.node.span)
}

/// Where a field of a component's Flux object is written, else where the object
/// stands.
pub fn field_span(component: &Component, path: &[&str]) -> Span {
    component
        .object
        .as_ref()
        .and_then(|object| object.node.path(path))
        .map(|node| node.span)
        .filter(|span| !span.is_none())
        .unwrap_or_else(|| component.span())
}
