//! `fluxlint init`: a first configuration.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::Outcome;
use crate::cli::InitArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::{output, settings, threads};

/// Writes or prints a configuration for the repository.
pub fn run(args: &InitArgs, quiet: bool) -> Result<Outcome, Failure> {
    let input = Input::bare(args.repo.as_deref())?;
    let path = input.root.join(config::FILE_NAME);
    if !args.stdout && !args.force && path.exists() {
        return Err(exists(&path));
    }
    let asked = settings::asked_entrypoints(&input, &args.entrypoints)?;
    threads::start();
    let progress = Progress::new(quiet);
    let proposal = init::propose(&input.tree, &asked, &|event| progress.event(event));
    drop(progress);
    if proposal.entrypoints.is_empty() {
        return Err(input.no_entrypoint("init"));
    }
    if args.stdout {
        return output::write(&proposal.text, None).map(|()| Outcome::Clean);
    }
    write(&path, &proposal.text, args.force)?;
    if !quiet {
        output::write(&told(&path, &proposal), None)?;
    }
    Ok(Outcome::Clean)
}

/// What was written, and what to do next.
fn told(path: &Path, proposal: &init::Proposal) -> String {
    let plural = |number: usize, one: &str, several: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    };
    let entrypoints = plural(proposal.entrypoints.len(), "entrypoint", "entrypoints");
    let externals = plural(proposal.externals, "entry", "entries");
    let next = match proposal.externals {
        0 => "next: fluxlint check",
        _ => "next: look through `externals`, which is taken on trust; then fluxlint check",
    };
    format!(
        "wrote {}: {entrypoints}, {externals} of externals\n{next}\n",
        path.display()
    )
}

/// Writes the file; one that is there is replaced only when `force` is given.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::new(format!("cannot write {}", path.display())).because(error),
    })
}

fn exists(path: &Path) -> Failure {
    Failure::new(format!("{} is there already", path.display())).help(
        "print what init would write with `fluxlint init --stdout`, or replace the file with --force",
    )
}
