//! Reads rendered components into what their controllers will do with them.
//!
//! Only what `flux::render` hands on is read: objects and the typed specs of
//! Flux objects. Who makes what for whom is not worked out here; objects are
//! compared by identity when the time comes.

use config::Config;
use ecow::EcoString;
use kubeapi::{Crd, Scope};
use model::{Component, ComponentKind, Object, Reference, Spec, World};
use rustc_hash::FxHashMap;
use yaml::Node;

use super::cluster::{Fact, FactId, Facts};

/// Seconds in the simulator's unit.
pub const SECOND: u64 = 1_000_000_000;

/// A controller's work on one component.
pub struct Job {
    /// Which controller.
    pub kind: ComponentKind,
    /// It exists from the start.
    pub root: bool,
    /// `spec.suspend`.
    pub suspended: bool,
    /// Building or rendering it fails.
    pub broken: bool,
    /// Its own Flux object.
    pub object: FactId,
    /// That the source object exists, and that it has an artifact.
    pub source: Option<(FactId, FactId)>,
    /// Each dependency: that it exists, and, without a `readyExpr`, is ready.
    pub depends: Vec<(FactId, Option<FactId>)>,
    /// What must be read before objects are known: values, keys, kubeconfigs.
    pub reads: Vec<FactId>,
    /// The decryption key among them.
    pub key: Option<FactId>,
    /// The account it acts as.
    pub account: Option<FactId>,
    /// What it applies: definitions, classes, the rest. A release has one stage.
    pub stages: [Vec<Item>; 3],
    /// What must be healthy.
    pub targets: Vec<FactId>,
    /// How long its health may take.
    pub timeout: u64,
    /// The pause after a failure.
    pub retry: u64,
    /// The namespace a release goes to, and whether it makes it.
    pub target: Option<(FactId, bool)>,
    /// What becomes true once it is ready, besides that.
    pub later: Vec<FactId>,
}

/// One object that is applied.
pub struct Item {
    /// That it exists.
    pub object: FactId,
    /// The namespace it goes to.
    pub namespace: Option<FactId>,
    /// That its kind is served.
    pub kind: Option<FactId>,
    /// The account a bare Pod runs as.
    pub account: Option<FactId>,
    /// The kind it defines.
    pub defines: Option<FactId>,
    /// The account it gives rights to.
    pub allows: Vec<FactId>,
    /// What it does once it exists.
    pub work: Option<Work>,
    /// The component it is.
    pub component: Option<usize>,
    /// It is a namespace.
    pub is_namespace: bool,
}

/// What a controller does because of an object.
#[derive(Clone)]
pub struct Work {
    /// What kind of work.
    pub kind: WorkKind,
    /// What is needed beside the object.
    pub needs: Vec<FactId>,
    /// That it is done.
    pub done: FactId,
}

/// Kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Pods start.
    Pods,
    /// A source is fetched.
    Fetch,
    /// A claim is bound.
    Bind,
}

/// A world ready to run.
pub struct Script {
    /// One job a component, in the world's order.
    pub jobs: Vec<Job>,
    /// Every fact there is.
    pub facts: Facts,
    /// Facts that hold from the start.
    pub start: Vec<FactId>,
    /// Time between two looks at dependencies.
    pub requeue: u64,
    /// The shortest patience with each workload: of all that apply it or wait
    /// for it.
    pub patience: FxHashMap<FactId, u64>,
}

/// Reads a world.
pub fn prepare(world: &World, config: &Config) -> Script {
    let mut reader = Reader {
        world,
        config,
        facts: Facts::default(),
        components: FxHashMap::default(),
        scopes: FxHashMap::default(),
        outside: Vec::new(),
    };
    for (at, component) in world.components.iter().enumerate() {
        let fact = reader.flux_object(component);
        reader.components.insert(fact, at);
        for object in component.objects() {
            if let Some(crd) = Crd::read(&object.node) {
                let key = (component.cluster.clone(), crd.group, crd.kind);
                reader.scopes.insert(key, crd.scope);
            }
        }
    }
    let mut jobs: Vec<Job> = world
        .components
        .iter()
        .enumerate()
        .map(|(at, component)| reader.job(at, component))
        .collect();
    for job in &mut jobs {
        // Whether an object does some work is known once all were read.
        for target in &mut job.targets {
            *target = reader.health(*target);
        }
        let items = job.stages.iter_mut().flatten();
        let works = items.filter_map(|item| item.work.as_mut());
        for need in works.flat_map(|work| &mut work.needs) {
            *need = reader.health(*need);
        }
    }
    let requeue = config
        .controllers
        .requeue_dependency
        .as_ref()
        .map_or(30 * SECOND, |duration| duration.value.nanos);
    let start = reader.initial(&jobs);
    let patience = patience(&jobs);
    Script {
        jobs,
        facts: reader.facts,
        start,
        requeue,
        patience,
    }
}

fn patience(jobs: &[Job]) -> FxHashMap<FactId, u64> {
    let mut patience: FxHashMap<FactId, u64> = FxHashMap::default();
    for job in jobs {
        let items = job.stages.iter().flatten();
        let own = items.filter_map(|item| item.work.as_ref());
        let own = own.map(|work| &work.done);
        for target in job.targets.iter().chain(own) {
            let known = patience.entry(*target).or_insert(job.timeout);
            *known = (*known).min(job.timeout);
        }
    }
    patience
}

struct Reader<'a> {
    world: &'a World,
    config: &'a Config,
    facts: Facts,
    /// Components by their Flux object.
    components: FxHashMap<FactId, usize>,
    scopes: FxHashMap<(EcoString, EcoString, EcoString), Scope>,
    /// What is asked for and, if nothing in Git is it, comes from elsewhere: no
    /// controller would be blamed for its absence.
    outside: Vec<FactId>,
}

impl Reader<'_> {
    fn exists(&mut self, cluster: &str, group: &str, kind: &str, ns: &str, name: &str) -> FactId {
        self.facts.number(Fact::Exists {
            cluster: cluster.into(),
            group: group.into(),
            kind: kind.into(),
            namespace: ns.into(),
            name: name.into(),
        })
    }

    fn namespace(&mut self, cluster: &str, name: &str) -> FactId {
        self.exists(cluster, "", "Namespace", "", name)
    }

    fn flux_object(&mut self, component: &Component) -> FactId {
        let (group, kind) = flux_kind(component.key.kind);
        let key = &component.key;
        self.exists(&component.home, group, kind, &key.namespace, &key.name)
    }

    fn core(&mut self, cluster: &str, reference: &Reference) -> FactId {
        let fact = self.exists(
            cluster,
            "",
            &reference.kind,
            &reference.namespace,
            &reference.name,
        );
        self.outside.push(fact);
        fact
    }

    fn job(&mut self, at: usize, component: &Component) -> Job {
        let home = component.home.clone();
        let object = self.flux_object(component);
        let (group, kind) = flux_kind(component.key.kind);
        let mut depends = Vec::new();
        for on in component.spec.depends_on() {
            let exists = self.exists(&home, group, kind, &on.namespace, &on.name);
            let ready = match self.components.get(&exists) {
                _ if on.ready_expr => None,
                Some(at) => Some(self.facts.number(Fact::Ready(*at))),
                None => Some(self.facts.number(Fact::Never)),
            };
            depends.push((exists, ready));
        }
        let source = component.spec.source().map(|source| {
            let (ns, name) = (&source.namespace, &source.name);
            let exists = self.exists(&home, SOURCES, &source.kind, ns, name);
            (exists, self.facts.number(Fact::Healthy(exists)))
        });
        let mut reads = Vec::new();
        if let Some(secret) = component.spec.kube_config() {
            reads.push(self.core(&home, secret));
        }
        let mut job = Job {
            kind: component.key.kind,
            root: component.parents.is_empty(),
            suspended: component.suspended,
            broken: !component.is_rendered(),
            object,
            source,
            depends,
            reads,
            key: None,
            account: None,
            stages: Default::default(),
            targets: Vec::new(),
            timeout: 0,
            retry: 0,
            target: None,
            later: Vec::new(),
        };
        match &component.spec {
            Spec::Kustomization(spec) => {
                job.key = spec
                    .decryption_secret
                    .as_ref()
                    .map(|secret| self.core(&home, secret));
                job.reads.extend(job.key);
                for from in spec.substitute_from.iter().filter(|from| !from.optional) {
                    let of = &from.reference;
                    job.reads
                        .push(self.exists(&home, "", &of.kind, &of.namespace, &of.name));
                }
                job.account = spec
                    .service_account
                    .as_ref()
                    .map(|of| self.allowed(&component.cluster, of));
                job.timeout = timeout(spec.timeout, spec.interval);
                job.retry = spec.retry_interval.or(spec.interval).unwrap_or(0);
            }
            Spec::HelmRelease(spec) => {
                for from in spec.values_from.iter().filter(|from| !from.optional) {
                    job.reads.push(self.core(&home, &from.reference));
                }
                job.account = spec
                    .service_account
                    .as_ref()
                    .map(|of| self.allowed(&component.cluster, of));
                job.timeout = spec.timeout.unwrap_or(300 * SECOND);
                job.retry = 300 * SECOND;
                if let Some(name) = &spec.target_namespace {
                    let namespace = self.namespace(&component.cluster, name);
                    job.target = Some((namespace, spec.create_namespace));
                }
            }
        }
        for object in component.objects() {
            let stage = match component.key.kind {
                ComponentKind::Kustomization => stage(object),
                ComponentKind::HelmRelease => 2,
            };
            let item = self.item(component, object);
            if let Some(stage) = job.stages.get_mut(stage) {
                stage.push(item);
            }
        }
        job.targets = self.targets(at, component, &job);
        job.later = self.runtime(component);
        job
    }

    /// What an account may do hangs on a binding that names it.
    fn allowed(&mut self, cluster: &str, account: &Reference) -> FactId {
        let fact = self.facts.number(Fact::Allowed {
            cluster: cluster.into(),
            namespace: account.namespace.clone(),
            name: account.name.clone(),
        });
        self.outside.push(fact);
        fact
    }

    fn item(&mut self, component: &Component, object: &Object) -> Item {
        let cluster = component.cluster.clone();
        let identity = &object.identity;
        let (group, kind) = (identity.group.as_str(), identity.kind.as_str());
        let scope = kubeapi::scope(group, kind).or_else(|| {
            let key = (cluster.clone(), group.into(), kind.into());
            self.scopes.get(&key).copied()
        });
        let in_namespace = scope == Some(Scope::Namespaced) && !identity.namespace.is_empty();
        let ns = if in_namespace {
            identity.namespace.as_str()
        } else {
            ""
        };
        let fact = self.exists(&cluster, group, kind, &identity.namespace, &identity.name);
        let builtin = kubeapi::is_builtin(group) || kubeapi::is_flux(group);
        let served = (!builtin).then(|| {
            let served = self.facts.number(Fact::Served {
                cluster: cluster.clone(),
                group: group.into(),
                kind: kind.into(),
            });
            self.outside.push(served);
            served
        });
        let crd = Crd::read(&object.node);
        let account = object.node.str_at(&["spec", "serviceAccountName"]);
        let account =
            account.filter(|name| kind == "Pod" && group.is_empty() && *name != "default");
        Item {
            object: fact,
            namespace: (!ns.is_empty()).then(|| self.namespace(&cluster, ns)),
            kind: served,
            account: account.map(|name| self.asked(&cluster, "ServiceAccount", ns, name)),
            defines: crd.map(|crd| {
                self.facts.number(Fact::Served {
                    cluster: cluster.clone(),
                    group: crd.group.clone(),
                    kind: crd.kind.clone(),
                })
            }),
            allows: self.allows(&cluster, object),
            work: self.work(&cluster, object, fact),
            component: self.components.get(&fact).copied(),
            is_namespace: group.is_empty() && kind == "Namespace",
        }
    }

    fn asked(&mut self, cluster: &str, kind: &str, ns: &str, name: &str) -> FactId {
        let fact = self.exists(cluster, "", kind, ns, name);
        self.outside.push(fact);
        fact
    }

    fn allows(&mut self, cluster: &EcoString, object: &Object) -> Vec<FactId> {
        let kind = object.identity.kind.as_str();
        if kind != "ClusterRoleBinding" && kind != "RoleBinding" {
            return Vec::new();
        }
        let subjects = object.node.get("subjects").map_or(&[][..], Node::items);
        let subjects = subjects.iter().filter_map(|subject| {
            Some(Fact::Allowed {
                cluster: cluster.clone(),
                namespace: subject.str_at(&["namespace"])?.into(),
                name: subject.str_at(&["name"])?.into(),
            })
        });
        subjects.map(|fact| self.facts.number(fact)).collect()
    }

    /// What some controller does because of an object.
    fn work(&mut self, cluster: &str, object: &Object, fact: FactId) -> Option<Work> {
        let identity = &object.identity;
        let spec = object.node.get("spec");
        let text = |path: &[&str]| spec.and_then(|spec| spec.str_at(path));
        let mut needs = Vec::new();
        let kind = if identity.group == SOURCES {
            if let Some(name) = text(&["secretRef", "name"]) {
                needs.push(self.asked(cluster, "Secret", &identity.namespace, name));
            }
            let suspend = spec.and_then(|spec| spec.get("suspend")?.as_bool());
            if suspend == Some(true) {
                needs.push(self.facts.number(Fact::Never));
            }
            WorkKind::Fetch
        } else if identity.group.is_empty() && identity.kind == "PersistentVolumeClaim" {
            if let Some(name) = text(&["storageClassName"]) {
                needs.push(self.class(cluster, "storage.k8s.io", "StorageClass", name));
            }
            WorkKind::Bind
        } else {
            needs = self.pods(cluster, object)?;
            WorkKind::Pods
        };
        let done = self.facts.number(Fact::Healthy(fact));
        Some(Work { kind, needs, done })
    }

    fn class(&mut self, cluster: &str, group: &str, kind: &str, name: &str) -> FactId {
        let class = self.exists(cluster, group, kind, "", name);
        self.outside.push(class);
        class
    }

    /// What the kubelet looks for before it starts a workload's containers, and
    /// the API server before it makes the pods.
    fn pods(&mut self, cluster: &str, object: &Object) -> Option<Vec<FactId>> {
        let spec = match object.identity.kind.as_str() {
            "Pod" => object.node.get("spec")?,
            "Deployment" | "StatefulSet" | "DaemonSet" | "Job" => {
                object.node.path(&["spec", "template", "spec"])?
            }
            _ => return None,
        };
        let mut wanted: Vec<(&str, &str)> = Vec::new();
        if let Some(name) = spec.str_at(&["serviceAccountName"]) {
            wanted.push(("ServiceAccount", name));
        }
        let optional = |node: &Node| node.get("optional").and_then(Node::as_bool) == Some(true);
        let list = |node: &'_ Node, key: &str| -> Vec<Node> {
            node.get(key).map_or(&[][..], Node::items).to_vec()
        };
        let volumes = list(spec, "volumes");
        let containers = list(spec, "containers");
        let sources: Vec<Node> = containers.iter().flat_map(|c| list(c, "envFrom")).collect();
        for volume in &volumes {
            if let Some(claim) = volume.str_at(&["persistentVolumeClaim", "claimName"]) {
                wanted.push(("PersistentVolumeClaim", claim));
            }
            if let Some(secret) = volume.get("secret").filter(|node| !optional(node)) {
                wanted.extend(secret.str_at(&["secretName"]).map(|name| ("Secret", name)));
            }
        }
        for source in &sources {
            for (key, kind) in [("secretRef", "Secret"), ("configMapRef", "ConfigMap")] {
                if let Some(from) = source.get(key).filter(|node| !optional(node)) {
                    wanted.extend(from.str_at(&["name"]).map(|name| (kind, name)));
                }
            }
        }
        let ns = &object.identity.namespace;
        let wanted = wanted.into_iter().filter(|(_, name)| *name != "default");
        let mut needs: Vec<FactId> = wanted
            .map(|(kind, name)| self.asked(cluster, kind, ns, name))
            .collect();
        if let Some(name) = spec.str_at(&["priorityClassName"]) {
            needs.push(self.class(cluster, "scheduling.k8s.io", "PriorityClass", name));
        }
        Some(needs)
    }

    /// What a component waits for: everything it applied, or the listed objects.
    fn targets(&mut self, at: usize, component: &Component, job: &Job) -> Vec<FactId> {
        let listed = match &component.spec {
            Spec::Kustomization(spec) if !spec.wait => &spec.health_checks[..],
            Spec::HelmRelease(spec) if spec.disable_wait => return Vec::new(),
            _ => {
                let items = job.stages.iter().flatten();
                return items
                    .filter(|item| item.component != Some(at))
                    .map(|item| item.object)
                    .collect();
            }
        };
        let mut targets = Vec::new();
        for target in listed {
            let version = target.api_version.as_deref().unwrap_or_default();
            let (group, _) = kubeapi::split_api_version(version);
            let own = target.kind == "Kustomization"
                && target.name == component.key.name
                && target.namespace == component.key.namespace;
            if !own {
                let cluster = component.cluster.clone();
                let (kind, ns, name) = (&target.kind, &target.namespace, &target.name);
                let object = self.exists(&cluster, group, kind, ns, name);
                if !cluster.is_empty() {
                    self.outside.push(object);
                }
                targets.push(object);
            }
        }
        targets
    }

    /// The fact that says an object is healthy.
    fn health(&mut self, object: FactId) -> FactId {
        if let Some(at) = self.components.get(&object) {
            return self.facts.number(Fact::Ready(*at));
        }
        self.facts.find(&Fact::Healthy(object)).unwrap_or(object)
    }

    /// CRDs that a component makes once it runs.
    fn runtime(&mut self, component: &Component) -> Vec<FactId> {
        let name = component.key.to_string();
        let declared = &self.config.externals.runtime_crds;
        let groups: Vec<&str> = declared
            .iter()
            .filter(|entry| entry.provided_by == name)
            .map(|entry| entry.group.as_str())
            .collect();
        if groups.is_empty() {
            return Vec::new();
        }
        let kinds: Vec<(EcoString, EcoString)> = self
            .world
            .components
            .iter()
            .flat_map(Component::objects)
            .filter(|object| groups.contains(&object.identity.group.as_str()))
            .map(|object| (object.identity.group.clone(), object.identity.kind.clone()))
            .collect();
        let facts = kinds.into_iter().map(|(group, kind)| Fact::Served {
            cluster: component.cluster.clone(),
            group,
            kind,
        });
        facts.map(|fact| self.facts.number(fact)).collect()
    }

    /// The Secret that the first source is fetched with: without it nothing would
    /// have begun.
    fn first_login(&mut self) -> Option<FactId> {
        let source = self.world.components.first()?.spec.source()?;
        let objects = self.world.components.iter().flat_map(Component::objects);
        let name = objects
            .filter(|object| {
                let of = &object.identity;
                of.group == SOURCES
                    && of.kind == source.kind
                    && of.namespace == source.namespace
                    && of.name == source.name
            })
            .find_map(|object| object.node.str_at(&["spec", "secretRef", "name"]))?;
        Some(self.exists("", "", "Secret", &source.namespace, name))
    }

    /// What holds before Flux applies anything.
    fn initial(&mut self, jobs: &[Job]) -> Vec<FactId> {
        let mut start: Vec<FactId> = self
            .world
            .given
            .iter()
            .map(|of| {
                (
                    of.group.clone(),
                    of.kind.clone(),
                    of.namespace.clone(),
                    of.name.clone(),
                )
            })
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(group, kind, ns, name)| self.exists("", &group, &kind, &ns, &name))
            .collect();
        // What a bootstrap installs works.
        let works: Vec<FactId> = start
            .iter()
            .map(|object| self.facts.number(Fact::Healthy(*object)))
            .collect();
        start.extend(works);
        if let Some(root) = self.world.components.first() {
            start.push(self.flux_object(root));
            start.push(self.namespace("", &root.key.namespace));
        }
        if let Some((exists, fetched)) = jobs.first().and_then(|root| root.source) {
            start.extend([exists, fetched]);
        }
        start.extend(self.first_login());
        // What Git makes is not taken to be there already.
        let made: rustc_hash::FxHashSet<FactId> = jobs
            .iter()
            .flat_map(|job| {
                let items = job.stages.iter().flatten();
                items
                    .flat_map(|item| {
                        let own = [Some(item.object), item.defines];
                        own.into_iter().flatten().chain(item.allows.iter().copied())
                    })
                    .chain(job.later.iter().copied())
                    .chain(job.target.filter(|(_, create)| *create).map(|(ns, _)| ns))
            })
            .collect();
        // A key in what it decrypts cannot be the first one: that is put there by
        // hand, as the documentation says.
        for job in jobs {
            let mut own = job.stages.iter().flatten().map(|item| item.object);
            start.extend(job.key.filter(|key| own.any(|object| object == *key)));
        }
        let outside = std::mem::take(&mut self.outside);
        start.extend(outside.into_iter().filter(|fact| !made.contains(fact)));
        for (number, fact) in self.facts.all().iter().enumerate() {
            let Fact::Exists {
                cluster,
                group,
                kind,
                name,
                ..
            } = fact
            else {
                continue;
            };
            let is_namespace = group.is_empty() && kind == "Namespace";
            let declared = || {
                let known = &self.config.externals.namespaces;
                known.iter().any(|pattern| pattern.value.matches(name))
            };
            let built_in = ["default", "kube-system", "kube-public", "kube-node-lease"];
            let elsewhere = !cluster.is_empty() && !made.contains(&number);
            if is_namespace && (built_in.contains(&name.as_str()) || declared() || elsewhere) {
                start.push(number);
            }
        }
        start
    }
}

/// The API group of sources.
const SOURCES: &str = "source.toolkit.fluxcd.io";

fn flux_kind(kind: ComponentKind) -> (&'static str, &'static str) {
    match kind {
        ComponentKind::Kustomization => ("kustomize.toolkit.fluxcd.io", "Kustomization"),
        ComponentKind::HelmRelease => ("helm.toolkit.fluxcd.io", "HelmRelease"),
    }
}

/// The timeout of a Kustomization's health check.
fn timeout(set: Option<u64>, interval: Option<u64>) -> u64 {
    let usual = interval.unwrap_or(0).saturating_sub(30 * SECOND);
    set.unwrap_or(usual).max(30 * SECOND)
}

/// Which stage of the apply an object belongs to.
fn stage(object: &Object) -> usize {
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition")
        | ("", "Namespace")
        | ("rbac.authorization.k8s.io", "ClusterRole") => 0,
        (_, kind) if kind.ends_with("Class") => 1,
        _ => 2,
    }
}
