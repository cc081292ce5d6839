//! The command line of fluxlint: flags, wiring, exit codes. No logic.

mod cli;
mod commands;
mod failure;
mod input;
mod interrupt;
mod network;
mod observe;
mod output;
mod progress;
mod rendered;
mod revision;
mod settings;
mod threads;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::Failure;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command ends with, unless it could not run.
pub(crate) enum Outcome {
    /// All is well.
    Clean,
    /// It ran and found something.
    Findings,
}

fn main() -> ExitCode {
    failure::report_panics();
    let cli = Cli::parse();
    cli.color.apply();
    match threads::deep(move || run(&cli)) {
        Ok(Some(Ok(Outcome::Clean))) => ExitCode::SUCCESS,
        Ok(Some(Ok(Outcome::Findings))) => ExitCode::from(1),
        Ok(Some(Err(failure))) | Err(failure) => failure.print(),
        // A panic is a defect. The hook has told about it; what is left is to
        // end with "could not run" and not with "findings".
        Ok(None) => ExitCode::from(2),
    }
}

fn run(cli: &Cli) -> Result<Outcome, Failure> {
    let quiet = cli.quiet;
    match &cli.command {
        Command::Check(args) => commands::check::run(args, quiet),
        Command::Timing(args) => commands::timing::run(args, quiet),
        Command::Render(args) => commands::render::run(args, quiet),
        Command::Verify(args) => commands::verify::run(args, quiet),
        Command::Graph(args) => commands::graph::run(args, quiet),
        Command::Kustomize(args) => commands::kustomize::run(args),
        Command::Template(args) => commands::template::run(args),
        Command::Init(args) => commands::init::run(args, quiet),
        Command::Explain(args) => commands::rules::explain(args),
        Command::Rules(args) => commands::rules::list(args),
        Command::Version => commands::about::version(),
        Command::Vendor(args) => commands::vendor::run(args, quiet),
        Command::Cache(args) => commands::cache::run(args),
        Command::Config(args) => commands::about::config(args),
        Command::Completions(args) => commands::about::completions(args),
        Command::Man(args) => commands::about::man(args),
    }
}
