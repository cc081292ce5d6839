//! `cargo xtask diff-helm`: charts rendered by the native crate and by Helm's
//! library, of the mirror or at random.

mod corpus;
mod outcome;
mod placeholders;
mod random;
mod subject;
mod verdict;

pub use corpus::archives;
pub use placeholders::Placeholders;
pub(crate) use subject::{Source, Subject};

use crate::args::Args;

/// With `--random N` (and `--seed S`) random charts, else the archives of the
/// mirror whose paths contain one of the words, or all.
pub fn command(mut args: Args) -> Result<(), String> {
    let cases = args.number("--random")?;
    let seed = args.number("--seed")?.unwrap_or(1);
    let only = args.number("--case")?;
    match cases {
        Some(cases) => {
            args.done()?;
            random::run(cases, seed, only)
        }
        None => corpus::run(&args.rest()?),
    }
}
