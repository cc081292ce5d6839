//! Findings as GitHub workflow commands: annotations on the lines of a pull
//! request.

use std::fmt::Write;

use lint::Severity;
use yaml::Sources;

use crate::Run;
use crate::entry::{Entry, entries, number};
use crate::escape::{github_log, github_message, github_property};
use crate::text::{place, reason, severity_name};
use crate::wording::{clean, count};

/// How many annotations of one level GitHub takes from a step; it drops the
/// rest without a word.
const LIMIT: usize = 10;

/// The run as workflow commands, errors first. What is beyond GitHub's limit
/// goes to the log, in a group. Notes are left out unless `verbose`.
pub fn github(run: &Run<'_>, verbose: bool) -> String {
    let texts = &run.repository.texts;
    let entries = entries(run);
    let mut out = String::new();
    let mut beyond: Vec<&Entry<'_>> = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        if severity == Severity::Info && !verbose {
            continue;
        }
        let of = entries.iter();
        let of = of.filter(|entry| entry.finding().severity == severity);
        for (at, entry) in of.enumerate() {
            match at < LIMIT {
                true => annotation(&mut out, entry, texts),
                false => beyond.push(entry),
            }
        }
    }
    for notice in &run.notices {
        let _ = writeln!(out, "note: {}", github_log(&notice.message));
    }
    if !beyond.is_empty() {
        let more = count(beyond.len(), "more finding");
        let _ = writeln!(out, "::group::{more} without an annotation");
        for entry in beyond {
            log(&mut out, entry, texts);
        }
        out.push_str("::endgroup::\n");
    }
    let (errors, warnings) = (
        count(number(&entries, Severity::Error), "error"),
        count(number(&entries, Severity::Warning), "warning"),
    );
    let _ = writeln!(out, "fluxlint: {errors}, {warnings}");
    out
}

fn annotation(out: &mut String, entry: &Entry<'_>, texts: &Sources) {
    let finding = entry.finding();
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let title = format!("{} {}", finding.rule, finding.name);
    let _ = write!(out, "::{command} ");
    if let Some(location) = &entry.location {
        let _ = write!(
            out,
            "file={},line={},col={},",
            github_property(&location.file),
            location.line,
            location.column
        );
    }
    let mut message = clean(&finding.message).into_owned();
    for detail in &finding.details {
        let _ = write!(message, "\n- {}", reason(detail, texts));
    }
    if let Some(help) = &finding.help {
        let _ = write!(message, "\nWhat to do: {}", clean(help));
    }
    let _ = writeln!(
        out,
        "title={}::{}",
        github_property(&title),
        github_message(&message)
    );
}

fn log(out: &mut String, entry: &Entry<'_>, texts: &Sources) {
    let finding = entry.finding();
    let severity = severity_name(finding.severity);
    let line = format!(
        "{severity}[{}] {}: {}",
        finding.rule, finding.name, finding.message
    );
    let _ = writeln!(out, "{}", github_log(&line));
    if let Some(location) = &entry.location {
        let _ = writeln!(out, "  --> {}", github_log(&place(location)));
    }
    for detail in &finding.details {
        let _ = writeln!(out, "  - {}", github_log(&reason(detail, texts)));
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "  help: {}", github_log(help));
    }
}
