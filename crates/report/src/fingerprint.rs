//! A name for a finding that outlives edits around it.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::group::Group;

/// The fingerprint of a finding: a digest of its rule, its file and what it is
/// about. Neither lines nor columns nor the wording of the message are part of
/// it, only the names the message quotes, so that it stays the same when lines
/// move and when the program learns to say it better. `again` tells apart what
/// is otherwise the same.
pub(crate) fn fingerprint(group: &Group<'_>, file: Option<&str>, again: usize) -> String {
    let finding = group.first.finding;
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    };
    add(finding.rule);
    match file {
        Some(file) => add(file),
        None => add(&finding
            .components
            .first()
            .map(ToString::to_string)
            .unwrap_or_default()),
    }
    if let Some(object) = &finding.object {
        add(&object.to_string());
    }
    let quoted: Vec<&str> = finding.message.split('`').skip(1).step_by(2).collect();
    match quoted.is_empty() {
        true => add(&without_numbers(&finding.message)),
        false => quoted.into_iter().for_each(&mut add),
    }
    if again > 0 {
        add(&again.to_string());
    }
    let mut text = String::with_capacity(64);
    for byte in digest.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Durations and counts change with things far away.
fn without_numbers(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}
