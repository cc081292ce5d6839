//! Messages quote what they are about. Where that is part of a Secret, they
//! must not.

use std::collections::HashMap;

use ecow::EcoString;
use lint::Finding;
use yaml::{FileId, Sources, Span};

use crate::mask::{Mask, STARS};

/// A shorter text is no secret worth its name, and would be found everywhere.
const SHORT: usize = 4;

/// The findings, with what they quote out of Secrets masked. A variable's plain
/// name stays: without it nobody could find it.
pub fn concealed(mut findings: Vec<Finding>, texts: &Sources) -> Vec<Finding> {
    let mut masks = HashMap::new();
    for finding in &mut findings {
        let spans = finding.details.iter().filter_map(|detail| detail.span);
        let spans: Vec<Span> = spans.chain(finding.span).collect();
        for span in spans {
            let Some(masked) = masked(span, texts, &mut masks) else {
                continue;
            };
            for secret in secrets(finding, &masked) {
                hide(finding, &secret);
            }
        }
    }
    findings
}

/// What of a masked place a finding quotes, longest first: the text of the place
/// itself, and names in backquotes that are part of its line.
fn secrets(finding: &Finding, masked: &Masked) -> Vec<String> {
    let details = finding.details.iter().map(|detail| &detail.message);
    let told = details.chain([&finding.message]).chain(&finding.help);
    let quoted = told.flat_map(|text| text.split('`').skip(1).step_by(2));
    // A long quotation is cut.
    let quoted = quoted.map(|text| text.trim_end_matches('…'));
    let quoted = quoted.filter(|text| masked.line.contains(text));
    let whole = masked.text.trim();
    let own = [whole, whole.trim_matches(['"', '\''])];
    let own = own.into_iter().chain(masked.text.lines().map(str::trim));
    let mut secrets: Vec<String> = own
        .chain(quoted)
        .filter(|text| text.len() >= SHORT && !is_variable(text))
        .map(ToOwned::to_owned)
        .collect();
    secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
    secrets.dedup();
    secrets
}

fn hide(finding: &mut Finding, secret: &str) {
    let hide = |text: &mut EcoString| {
        if text.contains(secret) {
            *text = text.replace(secret, STARS);
        }
    };
    hide(&mut finding.message);
    finding.help.iter_mut().for_each(hide);
    for detail in &mut finding.details {
        hide(&mut detail.message);
    }
    // An edit that holds it cannot be told without it.
    finding.fix.retain(|fix| !fix.text.contains(secret));
}

/// A place within a Secret.
struct Masked {
    /// Its text.
    text: String,
    /// What is masked of its line.
    line: String,
}

fn masked(span: Span, texts: &Sources, masks: &mut HashMap<FileId, Mask>) -> Option<Masked> {
    let location = texts.location(span)?;
    let file = texts.get(location.span.file)?;
    let mask = masks
        .entry(location.span.file)
        .or_insert_with(|| Mask::of(&file.name, &file.text));
    let line = (location.line as usize).checked_sub(1)?;
    let raw = file.line(location.line)?;
    let (_, hidden) = mask.apply(line, raw);
    let (hidden, start) = (hidden?, *file.line_starts().get(line)?);
    if hidden > location.span.start.saturating_sub(start) as usize {
        return None;
    }
    let range = location.span.start as usize..location.span.end as usize;
    Some(Masked {
        text: file.text.get(range)?.into(),
        line: raw.get(hidden..)?.into(),
    })
}

/// `${name}`.
fn is_variable(text: &str) -> bool {
    let name = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}
