//! A repository rendered, with its progress on display.

use std::sync::Arc;

use model::Repository;

use crate::cli::RepoArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::settings;

/// Renders the entrypoints that are asked for, of which there must be one. `engine`
/// stands beside the native renderers.
pub fn repository(
    input: &Input,
    args: &RepoArgs,
    entrypoints: &[String],
    engine: Option<Arc<dyn flux::Engine>>,
    quiet: bool,
) -> Result<Repository, Failure> {
    let progress = Progress::new(quiet);
    let mut settings = settings::settings(input, &args.network, entrypoints, &progress)?;
    settings.engine = engine;
    let repository = flux::render(
        input.tree.clone(),
        input.texts.clone(),
        &settings,
        &|event| progress.event(event),
    );
    drop(progress);
    input.require_entrypoints(&repository)?;
    Ok(repository)
}
