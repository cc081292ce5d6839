//! Random plans. Most of them are tame: every need is met by a unit that comes
//! before. In the others needs point anywhere, or nowhere.

use super::plan::{Depends, FLUX, Named, Plan, Read, Thing, Unit};
use crate::random::Random;

/// A need a unit may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    DependsOn,
    ReadyExpr,
    CheckUnit,
    CheckObject,
    Namespace,
    SharedNamespace,
    Crd,
    RuntimeCrd,
    Source,
    Read,
    Account,
    Decryption,
    KubeConfig,
    Workload,
    PodAccount,
    Target,
}

const NEEDS: &[Need] = &[
    Need::DependsOn,
    Need::DependsOn,
    Need::ReadyExpr,
    Need::CheckUnit,
    Need::CheckUnit,
    Need::CheckObject,
    Need::CheckObject,
    Need::Namespace,
    Need::SharedNamespace,
    Need::Crd,
    Need::RuntimeCrd,
    Need::Source,
    Need::Source,
    Need::Read,
    Need::Read,
    Need::Account,
    Need::Decryption,
    Need::KubeConfig,
    Need::Workload,
    Need::Workload,
    Need::Workload,
    Need::PodAccount,
    Need::Target,
];

const TIMEOUTS: &[u64] = &[30, 60, 120, 300];
const RETRIES: &[u64] = &[30, 60, 120];

/// The plan of a seed.
pub fn plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let mut maker = Maker {
        wild: random.once_in(3),
        plan: Plan::default(),
        random,
    };
    maker.make();
    maker.plan
}

struct Maker {
    random: Random,
    wild: bool,
    plan: Plan,
}

impl Maker {
    fn make(&mut self) {
        self.plan.root = Unit {
            name: FLUX.into(),
            ..Unit::default()
        };
        self.plan.self_applied = self.random.once_in(3);
        if self.plan.self_applied {
            self.times(0);
        }
        if self.random.once_in(3) {
            self.plan.requeue = Some(self.random.pick(&[5, 10, 60]));
        }
        if self.random.once_in(2) {
            let most = |random: &mut Random| random.pick(&[1, 2, 4, 10]);
            self.plan.concurrent = Some((most(&mut self.random), most(&mut self.random)));
        }
        let count = 2 + self.random.below(9);
        for at in 0..count {
            let unit = self.unit(at);
            self.plan.units.push(unit);
        }
        for at in 1..=count {
            if self.random.once_in(8) {
                let on = self.producer(at);
                let name = format!("ns-{on}");
                self.give(on, Thing::Namespace(name.clone()));
                self.at(at).namespace = name;
            }
        }
        let first = usize::from(!self.plan.self_applied);
        for at in first..=count {
            self.times(at);
            let most = if at == 0 { 2 } else { 4 };
            for _ in 0..self.random.below(most) {
                self.need(at);
            }
        }
    }

    /// A unit without needs. Units are counted from 0 here, in all that follows
    /// from 1: 0 is the root.
    fn unit(&mut self, at: usize) -> Unit {
        let mut unit = Unit {
            name: format!("u{}", at + 1),
            release: self.random.once_in(4),
            wait: self.random.once_in(2),
            suspend: self.wild && self.random.once_in(12),
            broken: self.wild && self.random.once_in(30),
            ..Unit::default()
        };
        unit.broken &= !unit.release;
        let parents: Vec<String> = self
            .plan
            .units
            .iter()
            .filter(|unit| !unit.release)
            .map(|unit| unit.name.clone())
            .collect();
        let adopted = if parents.is_empty() {
            0
        } else {
            self.random.below(5) / 2
        };
        for _ in 0..adopted {
            let parent = parents[self.random.below(parents.len())].clone();
            if !unit.parents.contains(&parent) {
                unit.parents.push(parent);
            }
        }
        if self.random.once_in(8) {
            unit.things.push(Thing::Class {
                kind: "IngressClass".into(),
                name: format!("class-{}", unit.name),
            });
        }
        if self.random.once_in(3) {
            let workload = Thing::Workload {
                named: self.named("Deployment", "default", &format!("web-{}", unit.name)),
                needs: Vec::new(),
            };
            unit.things.push(workload);
        }
        unit
    }

    fn times(&mut self, at: usize) {
        let timeout = self.random.once_in(2).then(|| self.random.pick(TIMEOUTS));
        let retry = self.random.once_in(2).then(|| self.random.pick(RETRIES));
        let interval = self.random.pick(&[60, 300, 600, 1800]);
        let unit = self.at(at);
        unit.timeout = timeout;
        unit.retry = retry;
        unit.interval = Some(interval);
        if at == 0 {
            unit.wait = true;
        }
    }

    fn at(&mut self, at: usize) -> &mut Unit {
        match at {
            0 => &mut self.plan.root,
            at => &mut self.plan.units[at - 1],
        }
    }

    fn named(&self, kind: &str, namespace: &str, name: &str) -> Named {
        Named {
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The unit that meets a need: one before, in wild plans any, 0 for none.
    fn producer(&mut self, at: usize) -> usize {
        let count = self.plan.units.len();
        if self.wild && self.random.once_in(4) {
            return self.random.below(count + 1);
        }
        match at {
            0 | 1 => 1 + self.random.below(count),
            at => 1 + self.random.below(at - 1),
        }
    }

    /// A producer of one kind of component, if the drawn one is.
    fn like(&mut self, at: usize, release: bool) -> Option<Unit> {
        for _ in 0..4 {
            let on = self.producer(at);
            let unit = self.at(on).clone();
            if unit.release == release && (on != 0 || self.plan.self_applied) {
                return Some(unit);
            }
        }
        None
    }

    /// Lets a producer have an object. Producer 0 has none: it is missing.
    fn give(&mut self, on: usize, thing: Thing) {
        if on != 0 {
            self.own(on, thing);
        }
    }

    fn own(&mut self, at: usize, thing: Thing) {
        let things = &mut self.at(at).things;
        if !things.iter().any(|known| known.is_same(&thing)) {
            things.push(thing);
        }
    }

    fn need(&mut self, at: usize) {
        // Nothing comes before the first.
        if at <= 1 && !self.wild {
            return;
        }
        let unit = self.at(at).clone();
        let on = self.producer(at);
        match self.random.pick(NEEDS) {
            Need::DependsOn => self.depends(at, false),
            Need::ReadyExpr if self.random.once_in(2) => self.depends(at, true),
            Need::ReadyExpr => {}
            Need::CheckUnit => {
                let release = self.random.once_in(3);
                if let Some(target) = self.like(at, release) {
                    let check = self.named(target.kind(), target.home(), &target.name);
                    self.check(at, check);
                }
            }
            Need::CheckObject => {
                let named = self.named("Deployment", "default", &format!("web-{on}"));
                let other = self.random.once_in(2).then(|| self.producer(at));
                let needs = other
                    .map(|other| self.pod_need(other))
                    .into_iter()
                    .collect();
                let thing = Thing::Workload {
                    named: named.clone(),
                    needs,
                };
                self.give(on, thing);
                self.check(at, named);
            }
            Need::Namespace => {
                let name = format!("ns-{on}");
                self.give(on, Thing::Namespace(name.clone()));
                self.use_namespace(at, &name);
            }
            Need::SharedNamespace => {
                let other = self.producer(at);
                let name = format!("ns-{on}-{other}");
                self.give(on, Thing::Namespace(name.clone()));
                self.give(other, Thing::Namespace(name.clone()));
                self.use_namespace(at, &name);
            }
            Need::Crd if on != 0 => {
                let group = format!("g{on}.example.org");
                self.give(on, Thing::Crd(group.clone()));
                self.own(
                    at,
                    Thing::Custom {
                        group,
                        namespace: "default".into(),
                    },
                );
            }
            Need::RuntimeCrd if on != 0 => {
                let group = format!("r{on}.example.org");
                let entry = (group.clone(), self.at(on).key());
                if !self.plan.runtime.contains(&entry) {
                    self.plan.runtime.push(entry);
                }
                self.own(
                    at,
                    Thing::Custom {
                        group,
                        namespace: "default".into(),
                    },
                );
            }
            Need::Crd | Need::RuntimeCrd => {
                let group = "outside.example.org".to_owned();
                self.plan.groups = vec![group.clone()];
                self.own(
                    at,
                    Thing::Custom {
                        group,
                        namespace: "default".into(),
                    },
                );
            }
            Need::Source if at != 0 => self.source(at, on),
            Need::Read => self.read(at),
            Need::Account => {
                let name = format!("runner-{on}");
                let account = self.named("ServiceAccount", unit.home(), &name);
                self.give(on, Thing::Plain(account));
                self.at(at).account = Some(name);
            }
            Need::Decryption if !unit.release => {
                let name = format!("age-{on}");
                let secret = self.named("Secret", unit.home(), &name);
                self.give(on, Thing::Plain(secret));
                self.at(at).decryption = Some(name);
            }
            Need::KubeConfig if at != 0 && self.random.once_in(2) => {
                let name = format!("remote-{on}");
                let secret = self.named("Secret", unit.home(), &name);
                self.give(on, Thing::Plain(secret));
                self.at(at).kubeconfig = Some(name);
            }
            Need::Workload => {
                let need = self.pod_need(on);
                let kind = self
                    .random
                    .pick(&["Deployment", "StatefulSet", "DaemonSet", "Job"]);
                let named = self.named(kind, "default", &format!("app-{at}-{on}"));
                let thing = Thing::Workload {
                    named,
                    needs: vec![need],
                };
                self.own(at, thing);
            }
            Need::PodAccount => {
                let name = format!("pod-{on}");
                let account = self.named("ServiceAccount", "default", &name);
                self.give(on, Thing::Plain(account));
                self.own(
                    at,
                    Thing::Pod {
                        namespace: "default".into(),
                        account: name,
                    },
                );
            }
            Need::Target if unit.release => {
                let name = format!("ns-{on}");
                let create = self.random.once_in(3);
                if !create {
                    self.give(on, Thing::Namespace(name.clone()));
                }
                self.at(at).target = Some((name, create));
            }
            Need::Source | Need::Decryption | Need::KubeConfig | Need::Target => {}
        }
    }

    fn depends(&mut self, at: usize, expr: bool) {
        let release = self.at(at).release;
        let mut entry = self.like(at, release).map(|on| Depends {
            namespace: on.home().into(),
            name: on.name,
            expr,
        });
        if self.wild && self.random.once_in(20) {
            entry = Some(Depends {
                namespace: FLUX.into(),
                name: "nobody".into(),
                expr,
            });
        }
        if let Some(entry) = entry {
            let depends = &mut self.at(at).depends;
            if depends.iter().all(|known| known.name != entry.name) {
                depends.push(entry);
            }
        }
    }

    /// A health check is only read without `wait`.
    fn check(&mut self, at: usize, named: Named) {
        let unit = self.at(at);
        if at != 0 && !unit.release {
            unit.wait = false;
            unit.checks.push(named);
        }
    }

    /// Puts something of a unit, or its Flux object, into a namespace.
    fn use_namespace(&mut self, at: usize, name: &str) {
        let named = self.named("ConfigMap", name, &format!("in-{name}"));
        self.own(at, Thing::Plain(named));
    }

    fn source(&mut self, at: usize, on: usize) {
        let kind = match self.at(at).release {
            true => "HelmRepository",
            false => self.random.pick(&["GitRepository", "OCIRepository"]),
        };
        let source = self.named(kind, FLUX, &format!("src-{on}"));
        let secret = self.random.once_in(2).then(|| {
            let on = self.producer(at);
            let name = format!("login-{on}");
            let secret = self.named("Secret", FLUX, &name);
            self.give(on, Thing::Plain(secret));
            name
        });
        let thing = Thing::Source {
            named: source.clone(),
            secret,
            suspend: self.wild && self.random.once_in(10),
        };
        self.give(on, thing);
        self.at(at).source = Some(source);
    }

    /// Charts are no part of what the walk substitutes from, so a Kustomization
    /// makes it.
    fn read(&mut self, at: usize) {
        let Some(maker) = self.like(at, false) else {
            return;
        };
        let kind = self.random.pick(&["ConfigMap", "Secret"]);
        let name = format!("vars-{}", maker.name);
        let home = self.at(at).home().to_owned();
        let named = self.named(kind, &home, &name);
        if let Some(on) = self
            .plan
            .units
            .iter()
            .position(|unit| unit.name == maker.name)
        {
            self.give(on + 1, Thing::Plain(named));
        }
        let read = Read {
            kind: kind.into(),
            name,
            optional: self.random.once_in(5),
        };
        self.at(at).reads.push(read);
    }

    fn pod_need(&mut self, on: usize) -> Read {
        let kind = self.random.pick(&[
            "Secret",
            "ConfigMap",
            "ServiceAccount",
            "PersistentVolumeClaim",
            "PriorityClass",
        ]);
        let name = format!("pods-{on}");
        let named = self.named(kind, "default", &name);
        let class = |kind: &str| Thing::Class {
            kind: kind.into(),
            name: name.clone(),
        };
        match kind {
            "PriorityClass" => self.give(on, class(kind)),
            "PersistentVolumeClaim" if self.random.once_in(2) => {
                let other = self.producer(on);
                self.give(other, class("StorageClass"));
                let class = name.clone();
                self.give(on, Thing::Claim { named, class });
            }
            _ => self.give(on, Thing::Plain(named)),
        }
        Read {
            kind: kind.into(),
            name,
            optional: kind == "Secret" && self.random.once_in(6),
        }
    }
}
