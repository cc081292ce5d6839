//! Findings as SARIF 2.1.0, for code scanning.

use annotate_snippets::Renderer;
use lint::{Detail, Finding, Severity};
use serde_json::{Map, Value, json};
use yaml::{Location, Sources};

use crate::Run;
use crate::entry::{Entry, entries};
use crate::escape::uri;
use crate::excerpt::Excerpts;
use crate::text::reason;
use crate::wording::clean;

/// What paths are relative to: the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// How many related places of a finding are given.
const RELATED: usize = 50;

/// The run as a SARIF log, ending in a line break. Findings of several
/// entrypoints that are the same are one result.
pub fn sarif(run: &Run<'_>) -> String {
    let texts = &run.repository.texts;
    let entries = entries(run);
    let mut rules: Vec<&'static str> = entries.iter().map(|entry| entry.finding().rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let mut excerpts = Excerpts::new(texts, Renderer::plain());
    let results: Vec<Value> = entries
        .iter()
        .map(|entry| result(entry, &rules, texts, &mut excerpts))
        .collect();
    let notices: Vec<Value> = run
        .notices
        .iter()
        .map(|notice| {
            let location = notice.span.and_then(|span| texts.location(span));
            let mut notification = json!({
                "level": "warning",
                "message": { "text": plain(&notice.message) },
            });
            if let Some(location) = location {
                notification["locations"] = json!([place(&location, texts)]);
            }
            notification
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fluxlint",
                "version": run.version,
                "semanticVersion": run.version,
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(|id| rule(id)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the repository" } } },
            "invocations": [{
                "executionSuccessful": true,
                "toolConfigurationNotifications": notices,
            }],
            "results": results,
        }],
    });
    // A value of strings and numbers always serialises.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(id: &str) -> Value {
    let Some(rule) = lint::find(id) else {
        return json!({ "id": id });
    };
    let mut descriptor = json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": ["flux", "kubernetes"] },
    });
    if let Some(page) = lint::explain(rule.id) {
        // The examples are long; `fluxlint explain` has them.
        let page = page
            .split("\n## ")
            .take(3)
            .collect::<Vec<_>>()
            .join("\n## ");
        let text = format!(
            "{}. `fluxlint explain {}` says more.",
            rule.summary, rule.id
        );
        descriptor["help"] = json!({ "text": text, "markdown": page });
    }
    descriptor
}

fn result(
    entry: &Entry<'_>,
    rules: &[&str],
    texts: &Sources,
    excerpts: &mut Excerpts<'_>,
) -> Value {
    let finding = entry.finding();
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rules.binary_search(&finding.rule).unwrap_or_default(),
        "level": level(finding.severity),
        "message": { "text": message(finding, texts) },
        "locations": [location(entry, texts, excerpts)],
        "partialFingerprints": { "fluxlint/v1": entry.fingerprint },
        "properties": {
            "entrypoints": entry.entrypoints(),
            "components": entry.components(),
        },
    });
    let placed: Vec<(&Detail, Location)> = finding
        .details
        .iter()
        .filter_map(|detail| Some((detail, texts.location(detail.span?)?)))
        .take(RELATED)
        .collect();
    if !placed.is_empty() {
        let related = placed.iter().enumerate().map(|(at, (detail, location))| {
            let mut related = place(location, texts);
            related["id"] = json!(at + 1);
            related["message"] = json!({ "text": plain(&detail.message) });
            related
        });
        result["relatedLocations"] = related.collect();
    }
    // A chain of reasons, each with its place, is read as a path.
    if placed.len() > 1 {
        let steps = placed.iter().map(|(detail, location)| {
            let mut step = place(location, texts);
            step["message"] = json!({ "text": plain(&detail.message) });
            json!({ "location": step })
        });
        let steps: Vec<Value> = steps.collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    let changes = changes(finding, texts);
    if !changes.is_empty() {
        let text = finding.help.as_ref().map_or("the edit", |help| help);
        result["fixes"] = json!([{
            "description": { "text": plain(text) },
            "artifactChanges": changes,
        }]);
    }
    result
}

/// Message, reasons without a place, and what to do.
fn message(finding: &Finding, texts: &Sources) -> String {
    let mut text = plain(&finding.message);
    for detail in finding.details.iter().take(RELATED) {
        text.push_str("\n- ");
        text.push_str(&plain(&reason(detail, texts)));
    }
    if let Some(help) = &finding.help {
        text.push_str("\nWhat to do: ");
        text.push_str(&plain(help));
    }
    text
}

fn location(entry: &Entry<'_>, texts: &Sources, excerpts: &mut Excerpts<'_>) -> Value {
    let mut location = match &entry.location {
        Some(location) => {
            let mut value = place(location, texts);
            if let Some((line, hidden)) = excerpts.line(location) {
                let region = &mut value["physicalLocation"]["region"];
                region["snippet"] = json!({ "text": clean(&line) });
                // The masked line is shorter than the real one.
                if hidden && let Some(region) = region.as_object_mut() {
                    region.remove("endColumn");
                }
            }
            value
        }
        None => json!({ "physicalLocation": { "artifactLocation": artifact(&entry.file()) } }),
    };
    let names = entry.components().into_iter();
    let mut logical: Vec<Value> = names
        .map(|name| json!({ "fullyQualifiedName": clean(&name), "kind": "resource" }))
        .collect();
    if let Some(object) = &entry.finding().object {
        let name = object.to_string();
        logical.push(json!({ "fullyQualifiedName": clean(&name), "kind": "object" }));
    }
    if !logical.is_empty() {
        location["logicalLocations"] = json!(logical);
    }
    location
}

fn place(location: &Location, texts: &Sources) -> Value {
    let mut region = Map::new();
    region.insert("startLine".into(), json!(location.line));
    region.insert("startColumn".into(), json!(location.column));
    // What spans several lines is marked to the end of its first.
    let file = texts.get(location.span.file);
    let end = file.map(|file| file.line_column(location.span.end));
    if let Some((line, column)) = end
        && line == location.line
        && column > location.column
    {
        region.insert("endColumn".into(), json!(column));
    }
    json!({ "physicalLocation": {
        "artifactLocation": artifact(&location.file),
        "region": region,
    }})
}

fn artifact(path: &str) -> Value {
    let uri = uri(path);
    match path.starts_with('/') {
        true => json!({ "uri": format!("file://{uri}") }),
        false => json!({ "uri": uri, "uriBaseId": ROOT }),
    }
}

fn changes(finding: &Finding, texts: &Sources) -> Vec<Value> {
    let fixes = finding.fix.iter();
    fixes
        .filter_map(|fix| {
            let location = texts.location(fix.span)?;
            let span = location.span;
            Some(json!({
                "artifactLocation": artifact(&location.file),
                "replacements": [{
                    "deletedRegion": {
                        "byteOffset": span.start,
                        "byteLength": span.end.saturating_sub(span.start),
                    },
                    "insertedContent": { "text": fix.text.as_str() },
                }],
            }))
        })
        .collect()
}

/// Text of a message: what looks like one of SARIF's embedded links is not.
fn plain(text: &str) -> String {
    let text = clean(text);
    match text.contains("](") {
        true => text
            .replace('\\', "\\\\")
            .replace('[', "\\[")
            .replace(']', "\\]"),
        false => text.into_owned(),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
