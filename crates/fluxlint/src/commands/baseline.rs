//! The baseline of `fluxlint check`: its file and its flags.

use std::io::ErrorKind;
use std::path::Path;

use baseline::{Baseline, Matching};
use lint::Selection;
use report::{Judged, Notice};
use yaml::Sources;

use crate::cli::BaselineArgs;
use crate::failure::Failure;
use crate::output;

/// How many entries a notice names.
const NAMED: usize = 3;

/// Records what was found. Entries of entrypoints that were not judged stay.
pub fn write(
    path: &Path,
    judged: &[Judged],
    names: &[String],
    texts: &Sources,
) -> Result<(), Failure> {
    let findings = judged.iter().flat_map(|judged| &judged.findings);
    let mut recorded = Baseline::record(findings, texts);
    if path.exists() {
        recorded.keep_unseen(&read(path)?, |name| names.iter().any(|n| n == name));
    }
    output::write(&recorded.text(), Some(path))?;
    let (number, path) = (recorded.len(), path.display());
    let plural = if number == 1 { "" } else { "s" };
    output::write(
        &format!("recorded {number} finding{plural} in {path}\n"),
        None,
    )
}

/// Leaves out what is recorded. What is recorded and gone becomes a notice or,
/// when asked for, is taken out of the file.
pub fn leave_out(
    args: &BaselineArgs,
    judged: &mut [Judged],
    (names, selection): (&[String], &Selection),
    texts: &Sources,
    notices: &mut Vec<Notice>,
) -> Result<(), Failure> {
    let Some(path) = &args.baseline else {
        return Ok(());
    };
    let baseline = read(path)?;
    let mut matching = Matching::new(&baseline);
    for judged in judged {
        let before = matching.left_out();
        matching.leave_out(&mut judged.findings, texts);
        judged.left_out = matching.left_out() - before;
    }
    let stale = matching.stale(
        |entrypoint| names.iter().any(|name| name == entrypoint),
        |rule| selection.has(rule),
    );
    if args.update_baseline {
        if stale.gone > 0 {
            output::write(&stale.rest.text(), Some(path))?;
        }
    } else if stale.gone > 0 {
        notices.push(Notice {
            message: gone(path, stale.gone, &stale.names).into(),
            span: None,
        });
    }
    Ok(())
}

fn gone(path: &Path, number: usize, names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (is, it) = match number {
        1 => ("1 finding is", "it"),
        _ => ("findings are", "them"),
    };
    let number = if number == 1 {
        String::new()
    } else {
        format!("{number} ")
    };
    format!(
        "{number}{is} recorded in {} and no longer found ({}{more}); \
         --update-baseline takes {it} out",
        path.display(),
        shown.join(", ")
    )
}

fn read(path: &Path) -> Result<Baseline, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let failure = Failure::new(format!("cannot read the baseline {shown}")).because(&error);
        match error.kind() {
            ErrorKind::NotFound => failure.help(format!(
                "record what is found now: fluxlint check --baseline {shown} --write-baseline"
            )),
            _ => failure,
        }
    })?;
    Baseline::parse(&text).map_err(|error| {
        Failure::new(format!("{shown} is no baseline"))
            .because(error)
            .help("fluxlint check --write-baseline writes one; move the file away first")
    })
}
