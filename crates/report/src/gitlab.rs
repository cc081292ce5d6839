//! Findings as a GitLab Code Quality report.

use lint::Severity;
use serde_json::{Value, json};

use crate::Run;
use crate::entry::{Entry, entries};
use crate::wording::clean;

/// The run as a Code Quality report, ending in a line break. Fingerprints do
/// not depend on line numbers, so that a merge request shows what it adds and
/// not what it moves.
pub fn gitlab(run: &Run<'_>) -> String {
    let issues: Vec<Value> = entries(run).iter().map(issue).collect();
    // A value of strings and numbers always serialises.
    let mut text = serde_json::to_string_pretty(&issues).unwrap_or_default();
    text.push('\n');
    text
}

fn issue(entry: &Entry<'_>) -> Value {
    let finding = entry.finding();
    // The widget shows the description and nothing else.
    let mut description = format!("{}: {}", finding.name, clean(&finding.message));
    if let Some(help) = &finding.help {
        description.push_str(". What to do: ");
        description.push_str(&clean(help));
    }
    let line = entry.location.as_ref().map_or(1, |at| at.line);
    json!({
        "description": description,
        "check_name": finding.rule,
        "fingerprint": entry.fingerprint,
        "severity": match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Info => "info",
        },
        "location": {
            "path": entry.file(),
            "lines": { "begin": line },
        },
    })
}
