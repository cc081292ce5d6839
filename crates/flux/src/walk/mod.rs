//! The walk: from an entrypoint to everything Flux would apply.

mod build;
mod component;
mod decision;
mod discover;
mod finish;
mod release;
mod root;
mod taken;
mod world;

use std::sync::Arc;

use model::{Repository, World};
use rayon::prelude::*;
use vfs::Tree;
use yaml::Sources;

use crate::entrypoint::entrypoints;
use crate::taken::Taken;
use crate::walk::world::Walk;
use crate::workspace::Workspace;
use crate::{Progress, Settings};
use crate::{helmfile, unreached};

/// Renders a repository: every entrypoint, every component below it.
///
/// `tree` is the repository's working tree, `texts` the table that spans of the
/// result point into. `progress` is called from several threads. The result
/// does not depend on the order in which threads run, except for the numbers of
/// files in `texts`.
pub fn render(
    tree: Tree,
    texts: Arc<Sources>,
    settings: &Settings,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Repository {
    let workspace = Workspace::new(tree, texts.clone(), settings);
    let (mut worlds, taken): (Vec<World>, Vec<Vec<Taken>>) = match workspace.repository() {
        Ok(documents) => entrypoints(&documents, &settings.entrypoints)
            .into_par_iter()
            .map(|entrypoint| {
                progress(Progress::Entrypoint(&entrypoint.path));
                Walk::new(&workspace, entrypoint).run(progress)
            })
            .unzip(),
        // A tree that cannot be listed has no entrypoint to be found in.
        Err(_) => Default::default(),
    };
    if let (Ok(documents), false) = (workspace.repository(), settings.partial) {
        let taken: Vec<Taken> = taken.into_iter().flatten().collect();
        unreached::tell(&documents, &taken, &mut worlds);
    }
    if let Ok(documents) = workspace.repository() {
        let releases = helmfile::releases(&documents);
        for world in &mut worlds {
            world.helmfiles.clone_from(&releases);
        }
    }
    workspace.give_back();
    Repository { texts, worlds }
}
