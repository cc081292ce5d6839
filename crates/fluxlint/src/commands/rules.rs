//! `fluxlint rules` and `fluxlint explain RULE`.

use std::fmt::Write;

use lint::{Evidence, Rule, Severity, UnknownRule};
use serde_json::json;

use crate::Outcome;
use crate::cli::{ExplainArgs, Format, RulesArgs};
use crate::failure::Failure;
use crate::output;

/// Lists all rules.
pub fn list(args: &RulesArgs) -> Result<Outcome, Failure> {
    let text = match args.format {
        Format::Text => table(),
        Format::Json => {
            let rules: Vec<_> = lint::RULES.iter().map(entry).collect();
            format!("{:#}\n", json!(rules))
        }
    };
    output::write(&text, None).map(|()| Outcome::Clean)
}

/// Prints a rule's page.
pub fn explain(args: &ExplainArgs) -> Result<Outcome, Failure> {
    match lint::explain(&args.rule) {
        Some(page) => output::write(page, None).map(|()| Outcome::Clean),
        None => Err(unknown(&UnknownRule::new(&args.rule))),
    }
}

/// That a name is no rule's.
pub(super) fn unknown(rule: &UnknownRule) -> Failure {
    let failure = Failure::new(format!("no rule is called `{}`", rule.name));
    match rule.near {
        Some(name) => failure.help(format!(
            "did you mean `{name}`? `fluxlint rules` lists them all"
        )),
        None => failure.help("`fluxlint rules` lists them all"),
    }
}

fn table() -> String {
    let width = lint::RULES.iter().map(|rule| rule.name.len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for rule in lint::RULES {
        let severity = severity(rule.severity);
        let _ = writeln!(
            text,
            "{}  {:width$}  {severity:7}  {}",
            rule.id, rule.name, rule.summary
        );
    }
    text
}

fn entry(rule: &Rule) -> serde_json::Value {
    json!({
        "rule": rule.id,
        "name": rule.name,
        "severity": severity(rule.severity),
        "evidence": evidence(rule.evidence),
        "summary": rule.summary,
    })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Authoritative => "authoritative",
        Evidence::Heuristic => "heuristic",
        Evidence::Advice => "advice",
    }
}
