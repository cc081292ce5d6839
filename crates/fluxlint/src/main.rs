//! The command line of fluxlint: flags, wiring, exit codes. No logic.

mod cli;
mod commands;
mod failure;
mod output;

use std::panic::catch_unwind;
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
}

fn main() -> ExitCode {
    failure::report_panics();
    let cli = Cli::parse();
    cli.color.apply();
    // A panic is a defect. The hook has told about it; what is left is to end
    // with "could not run" and not with "findings".
    match catch_unwind(|| run(cli.command)) {
        Ok(Ok(Outcome::Clean)) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.print(),
        Err(_) => ExitCode::from(2),
    }
}

fn run(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Kustomize(args) => commands::kustomize::run(&args),
        Command::Version => commands::about::version(),
        Command::Config(args) => commands::about::config(&args),
        Command::Completions(args) => commands::about::completions(&args),
        Command::Man => commands::about::man(),
    }
}
