//! What the repository's files say about how Flux is bootstrapped, looked up
//! without rendering.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use memchr::memmem;
use model::Object;
use rayon::prelude::*;
use vfs::Kind;
use yaml::Node;

use crate::entrypoint::{Bootstrap, How, RootSource, namespace, pair, pushed};
use crate::instance::Instance;
use crate::source::definition::Definition;
use crate::spec::{KUSTOMIZE_GROUP, text};

/// What was found, in the order of file names.
#[derive(Default)]
pub(crate) struct Survey {
    /// Bootstraps that files hold.
    pub syncs: Vec<Sync>,
    /// Directories in which a `gotk-sync.yaml` keeps the place of one that
    /// `flux bootstrap` will write.
    pub placeholders: Vec<EcoString>,
    /// Flux Kustomizations.
    pub kustomizations: Vec<Held>,
    /// What may hold a FluxInstance, and the file it is in.
    instances: Vec<(EcoString, Made)>,
}

/// What makes a bootstrap with the Flux Operator.
enum Made {
    /// A FluxInstance, or a release of its chart with values written in it.
    Object(Arc<Object>),
    /// A values file of the chart.
    Values(Node),
}

/// A bootstrap and where it is held.
pub(crate) struct Sync {
    /// The file.
    pub file: EcoString,
    /// The root's path as written.
    pub path: EcoString,
    /// The directory of this repository that its source delivers; empty for all.
    pub directory: EcoString,
    how: How,
    kustomization: Arc<Object>,
    source: Vec<Arc<Object>>,
    version: Option<EcoString>,
    unpatched: Option<yaml::Span>,
}

/// A Flux Kustomization and the file that holds it.
#[derive(Clone)]
pub(crate) struct Held {
    /// The file.
    pub file: EcoString,
    /// The object.
    pub object: Arc<Object>,
    /// The sources beside it in the file.
    pub sources: Vec<Arc<Object>>,
}

/// The namespace of Flux where nothing tells another.
const DEFAULT_NAMESPACE: &str = "flux-system";

/// Files that a thread looks through at a time.
const FEW: usize = 16;

/// Larger files hold no bootstrap.
const MAX_FILE: usize = 1 << 20;

impl Survey {
    /// Looks through the YAML files of a tree. Files that do not parse are
    /// passed over: whoever builds them reports that.
    pub fn of(documents: &Documents) -> Survey {
        let found: Vec<Survey> = yaml_files(documents)
            .par_iter()
            .with_max_len(FEW)
            .map(|file| look(documents, file))
            .collect();
        let mut survey = Survey::default();
        for mut part in found {
            survey.syncs.append(&mut part.syncs);
            survey.placeholders.append(&mut part.placeholders);
            survey.kustomizations.append(&mut part.kustomizations);
            survey.instances.append(&mut part.instances);
        }
        survey.add_instances(documents);
        survey.add_overlays(documents);
        for sync in &mut survey.syncs {
            if sync.is_pushed() {
                sync.directory = pushed::directory(documents, &sync.file, &sync.path);
            }
        }
        survey
    }

    fn add_instances(&mut self, documents: &Documents) {
        for (file, made) in std::mem::take(&mut self.instances) {
            let sync = match &made {
                Made::Object(object) => {
                    let namespace = match object.identity.namespace.as_str() {
                        "" => namespace::of_file(documents, &file, &self.kustomizations),
                        namespace => Some(namespace.into()),
                    };
                    of_object(&file, object, namespace)
                }
                Made::Values(values) => of_values(&file, values),
            };
            self.syncs.extend(sync);
        }
        self.syncs.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// Puts what the overlays of a bootstrap without a path make in its place,
    /// if there are any.
    fn add_overlays(&mut self, documents: &Documents) {
        let syncs = std::mem::take(&mut self.syncs);
        for sync in syncs {
            let overlays = match (sync.how, sync.path.as_str()) {
                (How::GotkSync, "") => super::overlays::find(documents, &sync),
                _ => Vec::new(),
            };
            if overlays.is_empty() {
                self.syncs.push(sync);
            } else {
                self.syncs.extend(overlays);
            }
        }
    }

    /// The directories the bootstraps point at, each once, in order.
    pub fn paths(&self) -> Vec<EcoString> {
        let told = self.syncs.iter().filter_map(Sync::place);
        let mut paths: Vec<_> = told.chain(self.placeholders.iter().cloned()).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

/// All YAML files, sorted.
fn yaml_files(documents: &Documents) -> Vec<EcoString> {
    let mut files = Vec::new();
    // What cannot be listed holds no entrypoint.
    let _ = documents.tree().walk("", &mut |path, kind| {
        if kind == Kind::File && (path.ends_with(".yaml") || path.ends_with(".yml")) {
            files.push(EcoString::from(path));
        }
        true
    });
    files.sort();
    files
}

fn look(documents: &Documents, file: &EcoString) -> Survey {
    let mut survey = Survey::default();
    let Ok(bytes) = documents.bytes(file) else {
        return survey;
    };
    if bytes.len() > MAX_FILE {
        return survey;
    }
    let has = |text: &str| memmem::find(&bytes, text.as_bytes()).is_some();
    let gotk = file.rsplit('/').next() == Some("gotk-sync.yaml");
    let instance = has("FluxInstance") || (has("instance:") && has("sync:"));
    let applies = has(KUSTOMIZE_GROUP);
    if !(gotk || instance || applies) {
        return survey;
    }
    let objects: Vec<Arc<Object>> = match documents.objects(file) {
        Ok(nodes) => nodes
            .iter()
            .cloned()
            .filter_map(Object::new)
            .map(Arc::new)
            .collect(),
        Err(_) => Vec::new(),
    };
    if gotk {
        match gotk_sync(file, &objects) {
            Some(sync) => survey.syncs.push(sync),
            None => survey.placeholders.extend(bootstrapped_by(file)),
        }
    }
    if instance {
        let mut made: Vec<Made> = objects.iter().cloned().map(Made::Object).collect();
        if made.is_empty() {
            made.extend(values(documents, file).map(Made::Values));
        }
        let instances = made.into_iter().map(|made| (file.clone(), made));
        survey.instances.extend(instances);
    }
    let sources = sources_among(&objects);
    let held = objects.into_iter().filter(|o| is_kustomization(o));
    survey.kustomizations.extend(held.map(|object| Held {
        file: file.clone(),
        object,
        sources: sources.clone(),
    }));
    survey
}

pub(super) fn is_kustomization(object: &Object) -> bool {
    object.identity.group == KUSTOMIZE_GROUP && object.identity.kind == "Kustomization"
}

/// The bootstrap that the objects of a `gotk-sync.yaml` are.
pub(crate) fn gotk_sync(file: &EcoString, objects: &[Arc<Object>]) -> Option<Sync> {
    let kustomization = objects.iter().find(|object| is_kustomization(object))?;
    Some(Sync {
        file: file.clone(),
        path: text(kustomization.node.path(&["spec", "path"])).unwrap_or_default(),
        directory: EcoString::new(),
        how: How::GotkSync,
        kustomization: kustomization.clone(),
        source: sources_among(objects),
        version: None,
        unpatched: None,
    })
}

pub(super) fn sources_among(objects: &[Arc<Object>]) -> Vec<Arc<Object>> {
    let sources = objects.iter().filter(|o| Definition::read(o).is_some());
    sources.cloned().collect()
}

/// The directory that `flux bootstrap` writes its files below:
/// `PATH/flux-system/gotk-sync.yaml`.
fn bootstrapped_by(file: &str) -> Option<EcoString> {
    let (dir, _) = file.rsplit_once('/')?;
    Some(dir.rsplit_once('/').map_or("", |(path, _)| path).into())
}

fn of_object(file: &EcoString, object: &Object, namespace: Option<EcoString>) -> Option<Sync> {
    let namespace = namespace.unwrap_or_else(|| DEFAULT_NAMESPACE.into());
    if let Some(instance) = Instance::of_object(object, &namespace) {
        return of_instance(file, instance);
    }
    let values = object.node.path(&["spec", "values"])?;
    let spec = &object.node;
    // A release may put its objects elsewhere.
    let target = text(spec.path(&["spec", "targetNamespace"])).unwrap_or(namespace);
    of_instance(file, Instance::of_values(values, &target)?)
}

/// A values file of the chart.
fn values(documents: &Documents, file: &str) -> Option<Node> {
    let (id, text) = documents.text(file).ok()?;
    let values = yaml::sigs_to_json(&text, id, false).ok()?;
    values.get("instance")?.get("distribution")?;
    Some(values)
}

fn of_values(file: &EcoString, values: &Node) -> Option<Sync> {
    of_instance(
        file,
        Instance::of_values(values, &DEFAULT_NAMESPACE.into())?,
    )
}

fn of_instance(file: &EcoString, instance: Instance) -> Option<Sync> {
    let sync = instance.sync?;
    Some(Sync {
        file: file.clone(),
        path: sync.path,
        directory: EcoString::new(),
        how: How::Instance,
        kustomization: Arc::new(sync.kustomization),
        source: vec![Arc::new(sync.source)],
        version: instance.version,
        unpatched: sync.unpatched,
    })
}

impl Sync {
    /// The root Kustomization's key.
    pub fn key(&self) -> Option<model::ComponentKey> {
        crate::spec::component_key(&self.kustomization)
    }

    /// The directory of this repository that its root applies; `None` for a path
    /// that leads outside.
    pub fn place(&self) -> Option<EcoString> {
        vfs::join(&self.directory, &self.path).ok()
    }

    /// The sources that lie beside it, or that it makes.
    pub fn sources(&self) -> &[Arc<Object>] {
        &self.source
    }

    /// Whether its source delivers what somebody pushed there.
    fn is_pushed(&self) -> bool {
        let kind = self
            .kustomization
            .node
            .str_at(&["spec", "sourceRef", "kind"]);
        matches!(kind, Some("OCIRepository" | "Bucket"))
    }

    /// The bootstrap it is.
    pub fn bootstrap(&self) -> Bootstrap {
        let bootstrap = pair(self.how, &self.kustomization, &self.source);
        Bootstrap {
            version: self.version.clone(),
            unpatched: self.unpatched,
            source: RootSource {
                directory: self.directory.clone(),
                ..bootstrap.source
            },
            ..bootstrap
        }
    }
}
