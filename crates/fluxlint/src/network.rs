//! How what lies elsewhere is had: as flags, configuration and environment say.

use std::path::PathBuf;
use std::sync::Arc;

use source::{Options, Sources};

use crate::cli::NetworkArgs;
use crate::input::Input;
use crate::interrupt;
use crate::progress::Progress;
use crate::settings;

/// The sources of a run; `None` when no place for their cache is known. Nothing
/// is asked or made until something is looked up.
pub fn sources(input: &Input, args: &NetworkArgs, progress: &Progress) -> Option<Arc<Sources>> {
    let configured = input.config.sources.cache_dir.as_ref();
    let configured = configured.map(|directory| input.root.join(&directory.value));
    let directory = args.cache_dir.clone().or(configured);
    let mut options = Options::new(directory.or_else(cache_directory)?);
    options.offline = args.offline || is_offline();
    options.refresh = args.refresh;
    options.instead = settings::instead(input);
    options.no_private_network = args.no_private_network;
    options.progress = Some(progress.watch_sources());
    interrupt::watch(options.stop.clone());
    Some(Arc::new(Sources::new(options)))
}

/// Where the cache is unless flags or the configuration say it.
pub fn cache_directory() -> Option<PathBuf> {
    source::cache::default_directory()
}

/// Whether the environment forbids the network.
fn is_offline() -> bool {
    let value = std::env::var("FLUXLINT_OFFLINE").unwrap_or_default();
    !matches!(value.as_str(), "" | "0" | "false")
}
