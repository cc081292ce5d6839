//! What stays of a finding when the files around it change.

use std::fmt::Write;

use lint::Finding;
use sha2::{Digest, Sha256};
use yaml::Sources;

/// Bytes of the digest that are kept: enough to tell the findings of one
/// component and rule apart.
const BYTES: usize = 8;

/// Longer texts are not what a finding points at, but what holds it.
const MAX_SUBJECT: usize = 200;

/// 16 hexadecimal digits from the rule, the entrypoint, the component, the object
/// and the text that the finding points at; of one that points at nothing, or at
/// many lines, the names that its message quotes.
///
/// Lines, columns, file names and the message's wording and numbers are left
/// out, so it outlives edits above the finding, moved files and releases of
/// fluxlint.
pub fn fingerprint(finding: &Finding, texts: &Sources) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    };
    add(finding.rule);
    add(&finding.entrypoint);
    let component = finding.components.first().map(ToString::to_string);
    add(&component.unwrap_or_default());
    let object = finding.object.as_ref().map(ToString::to_string);
    add(&object.unwrap_or_default());
    match subject(finding, texts) {
        Some(subject) => add(&subject),
        None => finding
            .message
            .split('`')
            .skip(1)
            .step_by(2)
            .for_each(&mut add),
    }
    let mut text = String::with_capacity(2 * BYTES);
    for byte in digest.finalize().iter().take(BYTES) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The text a finding points at, if it is short.
fn subject(finding: &Finding, texts: &Sources) -> Option<String> {
    let span = texts.location(finding.span?)?.span;
    let file = texts.get(span.file)?;
    let text = file
        .text
        .get(span.start as usize..span.end as usize)?
        .trim();
    let is_short = !text.is_empty() && text.len() <= MAX_SUBJECT && !text.contains('\n');
    is_short.then(|| text.to_owned())
}
