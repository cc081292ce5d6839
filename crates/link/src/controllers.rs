//! How Flux's controllers are run, as far as the repository says.

use config::Config;
use ecow::EcoString;
use model::{ComponentKind, World};
use yaml::Node;

/// How many objects a controller works on at once when nothing is set.
const WORKERS: usize = 4;
/// `--requeue-dependency` of both controllers, in nanoseconds.
const REQUEUE: u64 = 30_000_000_000;

/// The flags of Flux's controllers that time depends on: the configuration's,
/// else those of the controllers' own manifests or of a patch in a FluxInstance,
/// else the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controllers {
    /// `--concurrent` of kustomize-controller.
    pub kustomize: usize,
    /// `--concurrent` of helm-controller.
    pub helm: usize,
    /// `--requeue-dependency`, in nanoseconds.
    pub requeue: u64,
}

impl Controllers {
    pub(crate) fn of(world: &World, config: &Config) -> Self {
        let flags = Flags::of(world);
        let set = config.controllers.concurrent.as_ref();
        let workers = |set: Option<u32>, written: Option<usize>| {
            let set = set.map(|set| set as usize);
            set.or(written).filter(|n| *n > 0).unwrap_or(WORKERS)
        };
        let requeue = config.controllers.requeue_dependency.as_ref();
        let requeue = requeue.or(config.timing.dependency_requeue.as_ref());
        Controllers {
            kustomize: workers(
                set.and_then(|set| Some(set.kustomize.as_ref()?.value)),
                flags.kustomize,
            ),
            helm: workers(
                set.and_then(|set| Some(set.helm.as_ref()?.value)),
                flags.helm,
            ),
            requeue: requeue
                .map(|duration| duration.nanos)
                .or(flags.requeue)
                .unwrap_or(REQUEUE),
        }
    }

    /// `--concurrent` of the controller of a kind of component.
    pub fn workers(&self, kind: ComponentKind) -> usize {
        match kind {
            ComponentKind::Kustomization => self.kustomize,
            ComponentKind::HelmRelease => self.helm,
        }
    }
}

/// The name of the controller of a kind of component.
pub(crate) fn controller(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Kustomization => "kustomize-controller",
        ComponentKind::HelmRelease => "helm-controller",
    }
}

/// What manifests say.
#[derive(Default)]
struct Flags {
    kustomize: Option<usize>,
    helm: Option<usize>,
    requeue: Option<u64>,
}

impl Flags {
    fn of(world: &World) -> Flags {
        let mut flags = Flags::default();
        let objects = world.components.iter().flat_map(|c| c.objects());
        for object in objects {
            let identity = &object.identity;
            match identity.kind.as_str() {
                "Deployment" => flags.text(&object.node, &identity.name),
                "FluxInstance" => flags.patches(&object.node),
                // One whose values make a FluxInstance.
                "HelmRelease" => {
                    if let Some(values) = object.node.path(&["spec", "values", "instance"]) {
                        flags.patches(values);
                    }
                }
                _ => {}
            }
        }
        flags
    }

    /// Patches of controllers, wherever they stand below a node.
    fn patches(&mut self, node: &Node) {
        if let Some(patch) = node.get("patch").and_then(Node::text)
            && let Some(target) = node.str_at(&["target", "name"])
        {
            for kind in [ComponentKind::Kustomization, ComponentKind::HelmRelease] {
                if target.contains(controller(kind)) {
                    self.flag(patch, kind);
                }
            }
        }
        for entry in node.entries() {
            self.patches(&entry.value);
        }
        for item in node.items() {
            self.patches(item);
        }
    }

    /// The arguments of a controller, wherever they stand below a node.
    fn text(&mut self, node: &Node, name: &EcoString) {
        let kinds = [ComponentKind::Kustomization, ComponentKind::HelmRelease];
        let Some(kind) = kinds.into_iter().find(|kind| controller(*kind) == name) else {
            return;
        };
        if let Some(text) = node.text() {
            self.flag(text, kind);
        }
        for entry in node.entries() {
            self.text(&entry.value, name);
        }
        for item in node.items() {
            self.text(item, name);
        }
    }

    fn flag(&mut self, text: &str, kind: ComponentKind) {
        let value = |flag: &str| {
            let (_, rest) = text.split_once(flag)?;
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
            rest.get(..end.unwrap_or(rest.len()))
        };
        if let Some(workers) = value("--concurrent=").and_then(|text| text.parse().ok()) {
            match kind {
                ComponentKind::Kustomization => self.kustomize = Some(workers),
                ComponentKind::HelmRelease => self.helm = Some(workers),
            }
        }
        let requeue = value("--requeue-dependency=");
        if let Some(requeue) = requeue.and_then(|text| text.parse::<config::Duration>().ok()) {
            self.requeue = Some(self.requeue.map_or(requeue.nanos, |r| r.max(requeue.nanos)));
        }
    }
}
