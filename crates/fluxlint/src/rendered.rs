//! A repository rendered, with its progress on display.

use std::sync::Arc;

use flux::Settings;
use model::Repository;
use source::Statistics;

use crate::cli::RepoArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::{network, settings, threads};

/// Renders the entrypoints that are asked for, of which there must be one. `engine`
/// stands beside the native renderers.
pub fn repository(
    input: &Input,
    args: &RepoArgs,
    entrypoints: &[String],
    engine: Option<Arc<dyn flux::Engine>>,
    quiet: bool,
) -> Result<Repository, Failure> {
    adapted(input, args, entrypoints, quiet, |settings| {
        settings.engine = engine;
    })
}

/// As [`repository`], with settings that are changed before.
pub fn adapted(
    input: &Input,
    args: &RepoArgs,
    entrypoints: &[String],
    quiet: bool,
    adapt: impl FnOnce(&mut Settings),
) -> Result<Repository, Failure> {
    threads::start();
    let progress = Progress::new(quiet);
    let sources = network::sources(input, &args.network, &progress);
    let mut settings = settings::settings(input, sources.clone(), entrypoints)?;
    adapt(&mut settings);
    let repository = flux::render(
        input.tree.clone(),
        input.texts.clone(),
        &settings,
        &|event| progress.event(event),
    );
    drop(progress);
    if let (Some(sources), false) = (sources, quiet) {
        tell(&sources.statistics());
    }
    input.require_entrypoints(&repository)?;
    Ok(repository)
}

/// Says in a line what was fetched, if anything was.
fn tell(had: &Statistics) {
    if had.traffic.requests == 0 {
        return;
    }
    let size = had.fetched_bytes as f64 / f64::from(1 << 20);
    let mut parts = vec![format!("fetched {} sources ({size:.1} MiB)", had.fetched)];
    for (number, what) in [
        (had.unchanged, "unchanged"),
        (had.cached, "from the cache"),
        (had.failed, "not to be had"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    anstream::eprintln!("{}", parts.join(", "));
}
