//! `cargo xtask diff-kustomize`: builds by the native crates and by the pinned
//! libraries, of every directory of the corpus or of random trees.

mod corpus;
mod definitions;
pub(crate) mod fields;
pub(crate) mod objects;
pub(crate) mod patches;
mod plugins;
mod random;
pub(crate) mod replacements;
mod shrink;
pub(crate) mod style;
mod tree;
mod verdict;

use std::path::Path;

use crate::args::Args;
use crate::engine::Build;
use crate::random::Random;

pub(crate) use corpus::directories;
pub(crate) use shrink::{shrink, shrink_calls};
pub(crate) use tree::{DIRECTORIES, Tree, build, texts, tree};
pub(crate) use verdict::same_cause;

/// With `--cases N` (and `--seed S`) random trees, with `--trees DIR` what lies in
/// each directory of it, else the corpus, with `--git` also the trees that
/// `render-oracle --git` unpacked. What differs is written to the build directory.
pub fn command(mut args: Args) -> Result<(), String> {
    let cases = args.number("--cases")?;
    let seed = args.number("--seed")?.unwrap_or(1);
    let git = args.flag("--git");
    let trees = args.value("--trees")?;
    args.done()?;
    match (cases, trees) {
        (Some(cases), _) => random::run(cases, seed),
        (None, Some(dir)) => corpus::run_trees(Path::new(&dir)),
        (None, None) => corpus::run(git),
    }
}

/// Builds of random trees.
pub fn builds(count: u64, seed: u64) -> Vec<Build> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| tree::build(&tree(&mut random)))
        .collect()
}
