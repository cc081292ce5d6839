//! The walk: from an entrypoint to everything Flux would apply.

use std::sync::Arc;

use ecow::EcoString;
use model::{Component, ComponentKey, ComponentKind, Repository, State, World};
use vfs::Tree;
use yaml::{Node, Sources};

use crate::{Progress, Settings, spec};

/// Renders a repository: every entrypoint, every component below it.
///
/// `tree` is the repository's working tree, `texts` the table that spans of the
/// result point into. `progress` is called from several threads. The result
/// does not depend on the order in which threads run.
pub fn render(
    tree: Tree,
    texts: Arc<Sources>,
    settings: &Settings,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Repository {
    let _ = tree;
    let worlds = settings
        .entrypoints
        .iter()
        .map(|entrypoint| {
            progress(Progress::Entrypoint(entrypoint));
            World {
                entrypoint: entrypoint.clone(),
                components: vec![root(entrypoint)],
                sources: Vec::new(),
                assumptions: Vec::new(),
                given: Vec::new(),
                flux_version: settings.flux_version.clone().unwrap_or_default(),
                strict_substitution: settings.strict_substitution.unwrap_or(true),
            }
        })
        .collect();
    Repository { texts, worlds }
}

/// The Kustomization that a bootstrap at `path` makes, written down where no
/// file holds it.
fn root(path: &EcoString) -> Component {
    let key = ComponentKey {
        kind: ComponentKind::Kustomization,
        namespace: "flux-system".into(),
        name: "flux-system".into(),
    };
    let object = Node::map([("spec", Node::map([("path", Node::string(path.clone()))]))]);
    Component {
        spec: spec::read(&key, &object),
        key,
        home: EcoString::new(),
        cluster: EcoString::new(),
        parents: Vec::new(),
        object: None,
        source: None,
        suspended: spec::is_suspended(&object),
        state: State::Opaque("Kustomizations are not built yet".into()),
        problems: Vec::new(),
        substitutes_from: Vec::new(),
    }
}
