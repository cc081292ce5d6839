//! Renders, judges and declares until nothing new is missing.

use config::{Config, FILE_NAME};
use ecow::EcoString;
use flux::{Progress, Settings};
use link::Linked;
use vfs::Tree;
use yaml::Sources;

use crate::draft::Draft;
use crate::{gather, print};

/// How often what was declared brings to light what else is missing. A
/// namespace in a component that a Secret kept from being built is one round.
const ROUNDS: usize = 8;

/// A first configuration.
#[derive(Clone, Debug, Default)]
pub struct Proposal {
    /// The text of `.fluxlint.yaml`.
    pub text: String,
    /// The directories clusters start from; empty when none was found.
    pub entrypoints: Vec<EcoString>,
    /// How many entries `externals` has.
    pub externals: usize,
}

/// Writes a configuration for a repository.
///
/// `entrypoints` are the directories to start from; none means: find them. The
/// same tree gives the same text. `progress` is called from several threads.
pub fn propose(
    tree: &Tree,
    entrypoints: &[EcoString],
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Proposal {
    let mut draft = Draft {
        entrypoints: entrypoints.to_vec(),
        ..Draft::default()
    };
    for _ in 0..ROUNDS {
        let before = draft.weight();
        round(&mut draft, tree, progress);
        if draft.weight() == before || draft.entrypoints.is_empty() {
            break;
        }
    }
    Proposal {
        text: print::text(&draft),
        externals: draft.len(),
        entrypoints: draft.entrypoints,
    }
}

fn round(draft: &mut Draft, tree: &Tree, progress: &(dyn Fn(Progress<'_>) + Sync)) {
    let texts = Sources::new();
    // The text is printed from names that were read; one that does not read
    // back would be a defect, and then nothing more is learnt.
    let Ok(config) = Config::parse(FILE_NAME, &print::probe(draft), &texts) else {
        return;
    };
    let settings = Settings {
        entrypoints: draft.entrypoints.clone(),
        ..Settings::from_config(&config)
    };
    let repository = flux::render(tree.clone(), texts, &settings, progress);
    let worlds = repository.worlds.iter();
    draft.entrypoints = worlds.map(|world| world.entrypoint.clone()).collect();
    for world in &repository.worlds {
        let linked = Linked::new(world, &config);
        let judged = lint::judge_linked(&linked, &repository.texts, None);
        gather::findings(draft, &judged.findings, &repository.texts);
        gather::secrets(draft, &linked, &repository.texts);
    }
}
