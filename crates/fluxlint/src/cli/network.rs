//! Flags about what is fetched and kept, and `fluxlint cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// How the charts, artifacts and repositories that sources name are had.
///
/// What is not in the cache is fetched from where the sources point, with the
/// credentials that this machine has (.netrc, Docker's, Helm's). Nothing is
/// sent anywhere else.
#[derive(Args)]
#[command(next_help_heading = "Network and cache")]
pub struct NetworkArgs {
    /// Use no network: what is not in the cache or a mirror is not available.
    /// FLUXLINT_OFFLINE=1 does the same.
    #[arg(long)]
    pub offline: bool,

    /// Ask anew what branches, tags, version ranges and indexes stand for.
    /// What names its content for good is not fetched again.
    #[arg(long, conflicts_with = "offline")]
    pub refresh: bool,

    /// The directory of the cache. Default: `sources.cacheDir` of the
    /// configuration, FLUXLINT_CACHE_DIR, or fluxlint in the user's cache
    /// directory.
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,

    /// Ask no host of a private network or of this machine: for changes by
    /// people who are not trusted.
    #[arg(long)]
    pub no_private_network: bool,
}

#[derive(Args)]
pub struct CacheArgs {
    #[command(subcommand)]
    pub command: CacheCommand,

    /// The directory of the cache. Default: FLUXLINT_CACHE_DIR, or fluxlint in
    /// the user's cache directory.
    #[arg(long, global = true, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum CacheCommand {
    /// Print where the cache is.
    Dir,
    /// Say how much it holds.
    Size,
    /// Remove what nothing asked for since long, and what killed runs left.
    Gc {
        /// How long is long: a number of days, 0 for all.
        #[arg(long, default_value_t = 30, value_name = "DAYS")]
        older_than: u32,
    },
}
