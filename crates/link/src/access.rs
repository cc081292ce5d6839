//! What workloads may do, read from RBAC: it tells whose controller they run.

use ecow::EcoString;
use model::{Component, Object, World};
use rustc_hash::FxHashMap;
use yaml::{Node, Span};

use crate::export::by_identity;
use crate::{handling, pods};

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// One API group that a role lets its bearers use.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// The group; never `*`, which tells nothing.
    pub group: EcoString,
    /// Resources, with `/status` where that is meant.
    resources: Vec<EcoString>,
    /// The only objects it is about; none for all.
    names: Vec<EcoString>,
    /// Whether they may change what is there.
    writes: bool,
    /// Whether they may make what is not there.
    makes: bool,
    /// Where the rule is written.
    pub span: Span,
}

impl Grant {
    /// Whether it lets its bearers report on objects of a kind, as its
    /// controller does.
    fn reports_on(&self, group: &str, plural: &str) -> bool {
        // Who may do everything to a group need not be its controller.
        let is_status = |resource: &EcoString| {
            resource
                .strip_suffix("/status")
                .is_some_and(|of| of == plural || of == "*")
        };
        self.writes && self.group == group && self.resources.iter().any(is_status)
    }
}

/// A workload and what its account may do.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    /// The component.
    pub component: usize,
    /// The workload, by position in [`Component::objects`].
    pub object: usize,
    /// Where it names its account.
    pub span: Span,
    grants: Vec<Grant>,
}

impl Bearer {
    /// What it may do to definitions of custom resources.
    fn definitions(&self) -> impl Iterator<Item = &Grant> {
        let of_definitions = |grant: &&Grant| {
            let mut resources = grant.resources.iter();
            grant.group == "apiextensions.k8s.io"
                && resources.any(|of| of == "customresourcedefinitions" || of == "*")
        };
        self.grants.iter().filter(of_definitions)
    }
}

/// The workloads of a world whose accounts are bound to roles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    by_cluster: FxHashMap<EcoString, Vec<Bearer>>,
}

/// Kind, namespace and name.
type Name = (EcoString, EcoString, EcoString);

#[derive(Default)]
struct Rbac {
    roles: FxHashMap<Name, Vec<Grant>>,
    /// Account by namespace and name, and the role it is bound to.
    bindings: Vec<((EcoString, EcoString), Name)>,
}

impl Access {
    pub(crate) fn of(world: &World, ranked: &[usize]) -> Access {
        let mut rbac: FxHashMap<EcoString, Rbac> = FxHashMap::default();
        for (component, object) in applied(world) {
            if object.identity.group == RBAC_GROUP {
                let cluster = rbac.entry(component.cluster.clone()).or_default();
                cluster.read(object);
            }
        }
        let mut by_account: FxHashMap<(EcoString, EcoString, EcoString), Vec<Grant>> =
            FxHashMap::default();
        for (cluster, rbac) in &rbac {
            for ((namespace, name), role) in &rbac.bindings {
                let grants = rbac.roles.get(role).into_iter().flatten().cloned();
                let account = (cluster.clone(), namespace.clone(), name.clone());
                by_account.entry(account).or_default().extend(grants);
            }
        }
        let mut access = Access::default();
        for at in ranked {
            if let Some(component) = world.components.get(*at) {
                access.add(*at, component, &by_account);
            }
        }
        access
    }

    fn add(
        &mut self,
        at: usize,
        component: &Component,
        by_account: &FxHashMap<(EcoString, EcoString, EcoString), Vec<Grant>>,
    ) {
        for (position, object) in by_identity(component) {
            if !handling(object).applied {
                continue;
            }
            let Some((name, span)) =
                pods::pods(object).and_then(|pods| pods::account(Some(pods.spec)))
            else {
                continue;
            };
            let cluster = component.cluster.clone();
            let account = (cluster.clone(), object.identity.namespace.clone(), name);
            if let Some(grants) = by_account.get(&account) {
                self.by_cluster.entry(cluster).or_default().push(Bearer {
                    component: at,
                    object: position,
                    span,
                    grants: grants.clone(),
                });
            }
        }
    }

    /// The workloads of a cluster that report on objects of a kind: those that
    /// run its controller.
    pub(crate) fn controllers(&self, cluster: &str, group: &str, plural: &str) -> Vec<&Bearer> {
        let bearers = self.by_cluster.get(cluster).into_iter().flatten();
        bearers
            .filter(|bearer| bearer.grants.iter().any(|g| g.reports_on(group, plural)))
            .collect()
    }

    /// The components with workloads that may make a definition of this name. A
    /// role that names definitions says which ones its bearers mean.
    pub(crate) fn may_define(&self, cluster: &str, name: &str) -> Vec<usize> {
        let bearers = self.by_cluster.get(cluster).into_iter().flatten();
        let mut found: Vec<usize> = bearers
            .filter(|bearer| {
                let grants: Vec<&Grant> = bearer.definitions().collect();
                let mut names = grants.iter().flat_map(|grant| &grant.names).peekable();
                grants.iter().any(|grant| grant.makes)
                    && (names.peek().is_none() || names.any(|known| known == name))
            })
            .map(|bearer| bearer.component)
            .collect();
        found.dedup();
        found
    }

    /// What the workloads of a component may use.
    pub(crate) fn grants(&self, component: &Component, at: usize) -> impl Iterator<Item = &Grant> {
        let bearers = self
            .by_cluster
            .get(&component.cluster)
            .into_iter()
            .flatten();
        bearers
            .filter(move |bearer| bearer.component == at)
            .flat_map(|bearer| &bearer.grants)
    }
}

fn applied(world: &World) -> impl Iterator<Item = (&Component, &Object)> {
    let components = world.components.iter();
    let objects = components.flat_map(|component| {
        let objects = component.objects().iter();
        objects.map(move |object| (component, object.as_ref()))
    });
    objects.filter(|(_, object)| handling(object).applied)
}

impl Rbac {
    fn read(&mut self, object: &Object) {
        let identity = &object.identity;
        match identity.kind.as_str() {
            "Role" | "ClusterRole" => {
                let namespace = match identity.kind.as_str() {
                    "Role" => identity.namespace.clone(),
                    _ => EcoString::new(),
                };
                let name = (identity.kind.clone(), namespace, identity.name.clone());
                let rules = list(&object.node, "rules").iter().flat_map(grants);
                self.roles.entry(name).or_default().extend(rules);
            }
            "RoleBinding" | "ClusterRoleBinding" => self.binding(object),
            _ => {}
        }
    }

    fn binding(&mut self, object: &Object) {
        let node = &object.node;
        let (Some(kind), Some(name)) = (
            node.str_at(&["roleRef", "kind"]),
            node.str_at(&["roleRef", "name"]),
        ) else {
            return;
        };
        let own = &object.identity.namespace;
        let namespace = match kind {
            "Role" => own.clone(),
            _ => EcoString::new(),
        };
        let role: Name = (kind.into(), namespace, name.into());
        for subject in list(node, "subjects") {
            if subject.str_at(&["kind"]) != Some("ServiceAccount") {
                continue;
            }
            if let Some(name) = subject.str_at(&["name"]) {
                let namespace = subject.str_at(&["namespace"]).map(EcoString::from);
                let account = (namespace.unwrap_or_else(|| own.clone()), name.into());
                self.bindings.push((account, role.clone()));
            }
        }
    }
}

fn grants(rule: &Node) -> Vec<Grant> {
    let resources = texts(rule, "resources");
    let verbs = texts(rule, "verbs");
    let may = |wanted: &[&str]| verbs.iter().any(|verb| wanted.contains(&verb.as_str()));
    let (writes, makes) = (may(&["update", "patch", "*"]), may(&["create", "*"]));
    let names = texts(rule, "resourceNames");
    texts(rule, "apiGroups")
        .into_iter()
        .filter(|group| group != "*")
        .map(|group| Grant {
            group,
            resources: resources.clone(),
            names: names.clone(),
            writes,
            makes,
            span: rule.span,
        })
        .collect()
}

fn texts(node: &Node, key: &str) -> Vec<EcoString> {
    let listed = list(node, key).iter();
    listed.filter_map(|item| item.text().cloned()).collect()
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    node.get(key).map_or(&[], Node::items)
}
