//! Findings that the user accepts: `ignore` in the configuration, and comments
//! in the files.

use config::{Config, Date};
use ecow::EcoString;
use yaml::{Location, Sources};

use crate::Finding;
use crate::comment::{self, Comment};

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

/// Leaves out what a comment on or above the line accepts; `used` gets the file
/// and line of the comments that did.
pub(crate) fn by_comment(
    findings: &mut Vec<Finding>,
    texts: &Sources,
    used: &mut Vec<(EcoString, u32)>,
) {
    findings.retain(|finding| {
        let place = finding.span.and_then(|span| texts.location(span));
        let line = place
            .as_ref()
            .and_then(|place| accepted_on(finding, place, texts));
        match place.zip(line) {
            Some((place, line)) => {
                used.push((place.file, line));
                false
            }
            None => true,
        }
    });
}

/// The line of the comment that accepts a finding.
fn accepted_on(finding: &Finding, place: &Location, texts: &Sources) -> Option<u32> {
    let file = texts.get(place.span.file)?;
    let names = |line: &str| {
        let comment = comment::read(line);
        comment.is_some_and(|comment: Comment<'_>| comment.names(finding.rule, finding.name))
    };
    if file.line(place.line).is_some_and(names) {
        return Some(place.line);
    }
    let above = place.line.checked_sub(1)?;
    let line = file.line(above)?;
    (line.trim_start().starts_with('#') && names(line)).then_some(above)
}
