//! Where the walk starts: directories that a cluster's root Kustomization
//! points at, named or found.

mod home;
mod namespace;
pub(crate) mod overlays;
mod patched;
mod pushed;
pub(crate) mod roots;
pub(crate) mod survey;
mod twins;

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::{Object, SourceKey};
use yaml::Node;

use crate::entrypoint::survey::{Survey, Sync};
use crate::source::definition::Definition;
use crate::spec::{KUSTOMIZE_GROUP, flux_object, text};

/// A directory to start from with what applies it.
#[derive(Clone, Debug)]
pub(crate) struct Entrypoint {
    /// The directory; empty for the repository's root.
    pub path: EcoString,
    /// What applies it.
    pub bootstrap: Bootstrap,
}

impl Entrypoint {
    /// The directory as the root's source delivers it.
    pub fn path_in_source(&self) -> &str {
        let directory = self.bootstrap.source.directory.as_str();
        let rest = self.path.strip_prefix(directory);
        rest.map_or(self.path.as_str(), |rest| rest.trim_start_matches('/'))
    }
}

/// The root Kustomization and its source.
#[derive(Clone, Debug)]
pub(crate) struct Bootstrap {
    /// How it is known.
    pub how: How,
    /// The root Kustomization.
    pub kustomization: Arc<Object>,
    /// Its source.
    pub source: RootSource,
    /// The Flux release it installs, where it says one.
    pub version: Option<EcoString>,
    /// Patches that may change the root's objects and could not be applied.
    pub unpatched: Option<yaml::Span>,
}

/// The source that delivers this repository, as the bootstrap made it.
#[derive(Clone, Debug)]
pub(crate) struct RootSource {
    /// Its key.
    pub key: SourceKey,
    /// Its definition, when it is known.
    pub definition: Option<Definition>,
    /// The directory of this repository whose files it delivers; empty for all.
    pub directory: EcoString,
}

/// How a bootstrap is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `gotk-sync.yaml` holds it.
    GotkSync,
    /// A FluxInstance, or values of its chart, make it.
    Instance,
    /// A Kustomization of the repository applies the directory it lies in.
    SelfApplied,
    /// Nothing says it: `flux bootstrap` would make it so.
    Implied,
}

/// The entrypoints of a repository: the named ones, or the ones it tells of
/// itself.
pub(crate) fn entrypoints(documents: &Documents, named: &[EcoString]) -> Vec<Entrypoint> {
    let survey = Survey::of(documents);
    let roots = || roots::find(documents, &survey);
    let told = |root: &Entrypoint| root.bootstrap.how == How::SelfApplied;
    if !named.is_empty() {
        let paths = named.iter().map(|path| canonical(path));
        let mut named: Vec<_> = paths.map(|path| at(&survey, path)).collect();
        let implied = |entrypoint: &Entrypoint| entrypoint.bootstrap.how == How::Implied;
        // A directory means the same whether it is named or found.
        if named.iter().any(implied) {
            let mut roots = roots();
            roots.retain(told);
            for entrypoint in named.iter_mut().filter(|e| implied(e)) {
                if let Some(root) = roots.iter().find(|root| root.path == entrypoint.path) {
                    *entrypoint = root.clone();
                }
            }
        }
        return named;
    }
    let there = |path: &EcoString| documents.tree().probe(path) == Some(vfs::Kind::Directory);
    let mut found: Vec<Entrypoint> = survey
        .paths()
        .into_iter()
        .filter(there)
        .map(|path| at(&survey, path))
        .collect();
    let (told, mut implied): (Vec<_>, Vec<_>) = roots().into_iter().partition(told);
    for root in told {
        if found.iter().all(|known| known.path != root.path) {
            found.push(root);
        }
    }
    if !found.is_empty() {
        twins::keep(&mut implied, &found, &survey.kustomizations);
    }
    found.extend(implied);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The form paths are compared in; a path that leads outside stays as it is and
/// will not be found.
fn canonical(path: &str) -> EcoString {
    vfs::normalize(path).unwrap_or_else(|_| path.into())
}

fn at(survey: &Survey, path: EcoString) -> Entrypoint {
    // A file below the directory itself knows better than one elsewhere.
    let below = |sync: &&Sync| {
        path.is_empty()
            || sync
                .file
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let same = |sync: &&Sync| sync.place().is_some_and(|place| place == path);
    let found = survey
        .syncs
        .iter()
        .filter(same)
        .find(below)
        .or_else(|| survey.syncs.iter().find(same));
    let bootstrap = found.map_or_else(|| implied(&path), Sync::bootstrap);
    Entrypoint { path, bootstrap }
}

/// What `flux bootstrap --path` makes.
pub(crate) fn implied(path: &EcoString) -> Bootstrap {
    let usual = SourceKey {
        kind: "GitRepository".into(),
        namespace: "flux-system".into(),
        name: "flux-system".into(),
    };
    implied_from(path, usual)
}

/// The same with another source.
pub(crate) fn implied_from(path: &EcoString, source: SourceKey) -> Bootstrap {
    let reference = Node::map([
        ("kind", Node::string(source.kind.clone())),
        ("name", Node::string(source.name.clone())),
        ("namespace", Node::string(source.namespace.clone())),
    ]);
    let spec = Node::map([
        ("interval", Node::string("10m")),
        ("path", Node::string(eco_format!("./{path}"))),
        ("prune", Node::bool(true)),
        ("sourceRef", reference),
    ]);
    let identity = model::Identity {
        group: KUSTOMIZE_GROUP.into(),
        version: "v1".into(),
        kind: "Kustomization".into(),
        namespace: "flux-system".into(),
        name: "flux-system".into(),
    };
    Bootstrap {
        how: How::Implied,
        kustomization: Arc::new(flux_object(identity, spec)),
        source: RootSource {
            key: source,
            definition: None,
            directory: EcoString::new(),
        },
        version: None,
        unpatched: None,
    }
}

/// The bootstrap that a Kustomization is which applies the directory it lies in;
/// `sources` may hold its source.
pub(crate) fn self_applied(kustomization: &Arc<Object>, sources: &[Arc<Object>]) -> Bootstrap {
    pair(How::SelfApplied, kustomization, sources)
}

/// The source a Kustomization names.
pub(crate) fn source_of(kustomization: &Object) -> SourceKey {
    let reference = kustomization.node.path(&["spec", "sourceRef"]);
    let get = |field: &str| text(reference?.get(field));
    let namespace = get("namespace").unwrap_or_else(|| kustomization.identity.namespace.clone());
    SourceKey {
        kind: get("kind").unwrap_or_default(),
        namespace,
        name: get("name").unwrap_or_default(),
    }
}

/// The bootstrap of a source and Kustomization that lie side by side.
pub(crate) fn pair(how: How, kustomization: &Arc<Object>, sources: &[Arc<Object>]) -> Bootstrap {
    let key = source_of(kustomization);
    let definition = sources
        .iter()
        .filter_map(Definition::read)
        .find(|definition| definition.key == key);
    Bootstrap {
        how,
        kustomization: kustomization.clone(),
        source: RootSource {
            key,
            definition,
            directory: EcoString::new(),
        },
        version: None,
        unpatched: None,
    }
}
