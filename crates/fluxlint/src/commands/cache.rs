//! `fluxlint cache`: what was fetched.

use std::time::Duration;

use source::Cache;
use source::cache::Usage;

use crate::Outcome;
use crate::cli::{CacheArgs, CacheCommand};
use crate::failure::Failure;
use crate::{network, output};

/// Runs a command about the cache.
pub fn run(args: &CacheArgs) -> Result<Outcome, Failure> {
    let directory = args.cache_dir.clone().or_else(network::cache_directory);
    let directory = directory.ok_or_else(|| {
        Failure::new("no directory for the cache is known")
            .help("name one with --cache-dir or FLUXLINT_CACHE_DIR")
    })?;
    let cache = Cache::new(&directory);
    let text = match args.command {
        CacheCommand::Dir => format!("{}\n", directory.display()),
        CacheCommand::Size => format!("{}\n", told(cache.usage())),
        CacheCommand::Gc { older_than } => {
            let age = Duration::from_secs(u64::from(older_than) * 24 * 3600);
            collect(&cache, age)?
        }
    };
    output::write(&text, None).map(|()| Outcome::Clean)
}

fn collect(cache: &Cache, age: Duration) -> Result<String, Failure> {
    if !cache.directory().exists() {
        return Ok("nothing was ever fetched\n".into());
    }
    let cleaned = cache
        .collect(age)
        .map_err(|error| Failure::new("cannot clean the cache").because(error))?;
    let Some(cleaned) = cleaned else {
        return Err(Failure::new("cannot clean the cache")
            .because("another run of fluxlint uses it")
            .help("try again when it has ended"));
    };
    let (removed, left) = (told(cleaned.removed), told(cleaned.left));
    Ok(format!("removed {removed}\nleft {left}\n"))
}

fn told(usage: Usage) -> String {
    let bytes = usage.bytes as f64 / f64::from(1 << 20);
    format!(
        "{} answers, {} contents, {bytes:.1} MiB",
        usage.keys, usage.blobs
    )
}
