//! Flags about what is fetched and kept, and `fluxlint cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::RepoArgs;

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

/// The directory becomes what `sources.mirrors: [{path: DIR}]` expects: charts,
/// artifacts, Git trees and files, and an index.json. It changes as a whole or
/// not at all, and holds nothing that is not pinned any more.
///
/// Exit status: 0 all is there, 1 something could not be had, 2 could not run.
#[derive(Args)]
pub struct VendorArgs {
    /// The directory: empty, not there, or written by this command before. What
    /// it holds is not fetched again, unless --refresh asks for it.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The directories clusters start from. Default: those of the
    /// configuration, else those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// Write what could be had even when something could not.
    #[arg(long)]
    pub partial: bool,
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
