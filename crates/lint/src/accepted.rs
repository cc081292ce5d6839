//! Findings that the user accepts: `ignore` in the configuration, and comments
//! in the files.

use config::{Config, Date};
use yaml::{Location, Sources};

use crate::Finding;

/// What a comment begins with that accepts a finding of its line or the next.
const MARK: &str = "fluxlint: ignore ";

/// Leaves out what the configuration accepts; `used` gets the entries that
/// matched.
pub(crate) fn by_config(
    findings: &mut Vec<Finding>,
    config: &Config,
    today: Option<Date>,
    used: &mut [bool],
) {
    if config.ignore.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let components: Vec<String> = finding.components.iter().map(|c| c.to_string()).collect();
        let object = finding.object.as_ref().map(ToString::to_string);
        let mut kept = true;
        for (entry, used) in config.ignore.iter().zip(used.iter_mut()) {
            let is_over = today.is_some_and(|today| entry.is_over(today));
            if !is_over && entry.matches(finding.rule, finding.name, &components, object.as_deref())
            {
                *used = true;
                kept = false;
            }
        }
        kept
    });
}

/// Leaves out what a comment on or above the line accepts.
pub(crate) fn by_comment(findings: &mut Vec<Finding>, texts: &Sources) {
    findings.retain(|finding| {
        let place = finding.span.and_then(|span| texts.location(span));
        !place.is_some_and(|place| is_accepted(finding, &place, texts))
    });
}

fn is_accepted(finding: &Finding, place: &Location, texts: &Sources) -> bool {
    let Some(file) = texts.get(place.span.file) else {
        return false;
    };
    let on = file.line(place.line);
    let above = place
        .line
        .checked_sub(1)
        .and_then(|line| file.line(line))
        .filter(|line| line.trim_start().starts_with('#'));
    on.into_iter().chain(above).any(|line| names(line, finding))
}

/// Whether a line's comment accepts the finding's rule.
fn names(line: &str, finding: &Finding) -> bool {
    let Some((_, comment)) = line.split_once('#') else {
        return false;
    };
    let Some((_, rest)) = comment.split_once(MARK) else {
        return false;
    };
    rest.split_whitespace()
        .next()
        .into_iter()
        .flat_map(|rules| rules.split(','))
        .any(|rule| rule.eq_ignore_ascii_case(finding.rule) || rule == finding.name)
}
