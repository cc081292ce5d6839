//! `cargo xtask diff-helm`: charts rendered by the native crate and by Helm's
//! library, of the mirror or at random.

mod corpus;
mod outcome;
mod placeholders;
mod subject;
mod verdict;

pub use corpus::archives;

use crate::args::Args;

/// The archives of the mirror whose paths contain one of the words, or all.
pub fn command(args: Args) -> Result<(), String> {
    corpus::run(&args.rest()?)
}
