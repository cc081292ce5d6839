//! `cargo xtask bench`: how long things take, beside the programs and libraries
//! people use today, in the same run.

mod check;
mod flate;
mod helm;
mod kustomize;
mod peers;
mod repositories;
mod sources;

pub use check::{check, fluxlint};

use crate::args::Args;

/// Runs the benchmark that the first argument names, by default `check`.
pub fn command(mut args: Args) -> Result<(), String> {
    match args
        .word(&["check", "helm", "kustomize", "sources"])
        .as_deref()
    {
        Some("kustomize") => kustomize::command(args),
        Some("sources") => sources::command(args),
        Some("helm") => helm::command(args),
        _ => check::command(args),
    }
}
