//! `fluxlint vendor`: a copy of everything a repository pins.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use flux::{IndexMirror, Mirror, Settings};
use model::{Artifact, Problem, Repository, State, World};
use supply::vendor::{Copy, Directory, Written};
use supply::{Book, Entries, Noted};
use vfs::{Disk, Tree};
use yaml::Span;

use crate::cli::VendorArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::{Outcome, output, rendered};

/// Renders a repository, and writes all that was asked for on the way.
pub fn run(args: &VendorArgs, quiet: bool) -> Result<Outcome, Failure> {
    let cannot = |error: &dyn std::fmt::Display| {
        let directory = args.directory.display();
        Failure::new(format!("cannot write the mirror {directory}")).because(error)
    };
    let directory = Directory::open(&args.directory)
        .map_err(|error| cannot(&error).help("name a directory that is empty or not there"))?;
    let mut input = Input::open(&args.repo)?;
    leave_out(&mut input, &args.directory);
    let book = Arc::new(Book::default());
    let known = match args.repo.network.refresh {
        true => None,
        false => mirror(&args.directory),
    };
    let note = |settings: &mut Settings| {
        let mirrors = std::mem::take(&mut settings.mirrors);
        let mirrors = known.into_iter().chain(mirrors);
        let noted =
            mirrors.map(|mirror| -> Arc<dyn Mirror> { Arc::new(Noted::new(mirror, book.clone())) });
        settings.mirrors = noted.collect();
    };
    let repository = rendered::adapted(&input, &args.repo, &args.entrypoints, quiet, note)?;
    let entries = book.entries();
    let missing = missing(&repository, &entries);
    if !missing.is_empty() {
        report(&missing, &input);
        if !args.partial {
            anstream::eprintln!(
                "{}: nothing was written; --partial writes what there is",
                of_all(missing.len())
            );
            return Ok(Outcome::Findings);
        }
    }
    let copy = Copy::of(&entries, &|path, bytes| directory.is_taken(path, bytes));
    let written = copy
        .map_err(|error| cannot(&error))
        .and_then(|copy| directory.write(&copy).map_err(|error| cannot(&error)))?;
    if !quiet {
        output::write(&told(&entries, &written, &args.directory), None)?;
    }
    match missing.is_empty() {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Findings),
    }
}

/// The configuration may name the directory already: it is asked once, and not
/// at all with --refresh.
fn leave_out(input: &mut Input, directory: &Path) {
    let Ok(directory) = directory.canonicalize() else {
        return;
    };
    let root = input.root.clone();
    let is_other = |path: &str| {
        let path = root.join(path).canonicalize();
        path.map_or(true, |path| path != directory)
    };
    let mirrors = &mut input.config.sources.mirrors;
    mirrors.retain(|mirror| mirror.url.is_some() || is_other(&mirror.path));
}

/// What the directory holds already.
fn mirror(directory: &Path) -> Option<Arc<dyn Mirror>> {
    let tree = Tree::new(Disk::new(directory).ok()?);
    let mirror = IndexMirror::open(tree).ok()?;
    Some(Arc::new(mirror))
}

/// Reasons for which something could not be had, with who asked and where.
type Missing = BTreeMap<String, Vec<(String, Span)>>;

fn missing(repository: &Repository, entries: &Entries) -> Missing {
    let mut missing: Missing = entries
        .absent
        .values()
        .map(|absence| (absence.reason.to_string(), Vec::new()))
        .collect();
    for world in &repository.worlds {
        for (who, span, text) in troubles(world) {
            let reasons = missing.iter_mut();
            for (reason, users) in reasons.filter(|(reason, _)| text.contains(reason.as_str())) {
                let _ = reason;
                users.push((who.clone(), span));
            }
        }
        for (url, who, span) in remote_bases(world) {
            let reason = format!("{url} could not be had");
            missing.entry(reason).or_default().push((who, span));
        }
    }
    for users in missing.values_mut() {
        users.sort();
        users.dedup();
    }
    missing
}

/// What could not be rendered: who, where it is written, and why.
fn troubles(world: &World) -> Vec<(String, Span, String)> {
    let sources = world
        .sources
        .iter()
        .filter_map(|(key, artifact, _, span)| match artifact {
            Artifact::Unavailable(reason) | Artifact::Absent(reason) => {
                Some((key.to_string(), *span, reason.to_string()))
            }
            _ => None,
        });
    let components = world.components.iter().flat_map(|component| {
        let span = component
            .object
            .as_ref()
            .map_or(Span::NONE, |o| o.node.span);
        let who = component.key.to_string();
        let state = match &component.state {
            State::Partial(_, reason) | State::Opaque(reason) => Some(reason.to_string()),
            State::Rendered(_) | State::Failed(_) => None,
        };
        let failed = component
            .problems
            .iter()
            .filter_map(|problem| match problem {
                Problem::Build { message, .. } => Some(message.to_string()),
                _ => None,
            });
        let texts = state.into_iter().chain(failed);
        texts
            .map(|text| (who.clone(), span, text))
            .collect::<Vec<_>>()
    });
    sources.chain(components).collect()
}

/// Remote bases and files that nothing has.
fn remote_bases(world: &World) -> Vec<(String, String, Span)> {
    let components = world.components.iter();
    let found = components.flat_map(|component| {
        component
            .problems
            .iter()
            .filter_map(|problem| match problem {
                Problem::RemoteBase {
                    url,
                    available: false,
                    span,
                    ..
                } => Some((url.to_string(), component.key.to_string(), *span)),
                _ => None,
            })
    });
    found.collect()
}

fn report(missing: &Missing, input: &Input) {
    for (reason, users) in missing {
        anstream::eprintln!("missing: {reason}");
        for (who, span) in users {
            match input.place(*span) {
                place if place.is_empty() => anstream::eprintln!("  for {who}"),
                place => anstream::eprintln!("  for {who} [{place}]"),
            }
        }
    }
}

fn of_all(missing: usize) -> String {
    match missing {
        1 => "one thing is missing".into(),
        many => format!("{many} things are missing"),
    }
}

fn told(entries: &Entries, written: &Written, directory: &Path) -> String {
    let kinds = [
        (entries.helm.len(), "charts of Helm repositories"),
        (entries.oci.len(), "charts and artifacts of registries"),
        (entries.git.len(), "Git trees"),
        (entries.http.len(), "files"),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<String> = kinds
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let what = match kinds.is_empty() {
        true => "nothing is pinned".to_owned(),
        false => kinds.join(", "),
    };
    format!(
        "{}: {what} ({:.1} MiB)\n{} files are new, {} were there, {} were removed\n",
        directory.display(),
        written.bytes as f64 / f64::from(1 << 20),
        written.new,
        written.kept,
        written.removed
    )
}
