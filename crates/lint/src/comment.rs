//! Comments that accept a finding of their line or the next:
//! `# fluxlint: ignore FL-G003 reason`.

use std::collections::BTreeSet;

use ecow::{EcoString, eco_format};
use memchr::memmem;
use yaml::{FileId, Sources, Span};

use crate::{Selection, UnknownRule};

/// What such a comment begins with.
const MARK: &str = "fluxlint: ignore";

/// One comment.
pub(crate) struct Comment<'a> {
    /// The rules, by id or name.
    rules: Vec<&'a str>,
    /// Why, for people.
    reason: &'a str,
}

impl Comment<'_> {
    /// Whether it accepts findings of a rule.
    pub fn names(&self, id: &str, name: &str) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| rule.eq_ignore_ascii_case(id) || *rule == name)
    }
}

/// The comment of a line, if it has one that accepts something.
pub(crate) fn read(line: &str) -> Option<Comment<'_>> {
    let (_, comment) = line.split_once('#')?;
    let (_, rest) = comment.split_once(MARK)?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim();
    let (rules, reason) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(Comment {
        rules: rules.split(',').filter(|rule| !rule.is_empty()).collect(),
        reason: reason.trim(),
    })
}

/// What is wrong with a comment, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What, and what to do.
    pub message: EcoString,
    /// The comment's line.
    pub span: Span,
}

/// Comments among the files that were read that name no rule or an unknown one,
/// give no reason or, among the rules of a run, accept nothing. `used` are those
/// that accepted something; `None` when only a part of the repository was judged.
pub fn doubts(
    texts: &Sources,
    selection: &Selection,
    used: Option<&BTreeSet<(EcoString, u32)>>,
) -> Vec<Doubt> {
    let mut found: Vec<((EcoString, u32), Doubt)> = Vec::new();
    let mut seen = BTreeSet::new();
    let files = (0..).map(FileId);
    let files = files.map_while(|id| Some((id, texts.get(id)?)));
    for (id, file) in files.filter(|(_, file)| file.origin.is_none()) {
        for at in memmem::find_iter(file.text.as_bytes(), MARK) {
            let (number, _) = file.line_column(u32::try_from(at).unwrap_or(u32::MAX));
            let place = (file.name.clone(), number);
            let comment = file.line(number).and_then(read);
            let Some(comment) = comment.filter(|_| seen.insert(place.clone())) else {
                continue;
            };
            let is_unused = used.is_some_and(|used| !used.contains(&place));
            let message = doubt(&comment, selection, is_unused);
            let span = Span::new(id, at, at + MARK.len());
            found.extend(message.map(|message| (place, Doubt { message, span })));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, doubt)| doubt).collect()
}

fn doubt(comment: &Comment<'_>, selection: &Selection, is_unused: bool) -> Option<EcoString> {
    let unknown = |rule: &&&str| crate::find(rule).is_none();
    if comment.rules.is_empty() {
        return Some("this comment ignores nothing: it names no rule".into());
    }
    if let Some(rule) = comment.rules.iter().find(unknown) {
        let meant = match UnknownRule::new(rule).near {
            Some(near) => eco_format!("; did you mean `{near}`?"),
            None => EcoString::new(),
        };
        return Some(eco_format!(
            "this comment ignores `{rule}`, which is no rule{meant}"
        ));
    }
    let rules = comment.rules.join(",");
    if is_unused && comment.rules.iter().all(|rule| selection.has(rule)) {
        return Some(eco_format!(
            "this comment ignores {rules}, and nothing of it is found here; remove it"
        ));
    }
    comment.reason.is_empty().then(|| {
        eco_format!("this comment ignores {rules} without saying why; add a reason behind the rule")
    })
}
