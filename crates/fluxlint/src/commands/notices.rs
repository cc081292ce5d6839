//! What `fluxlint check` says about the configuration and about comments.

use std::collections::BTreeSet;

use config::{Config, Date};
use ecow::EcoString;
use lint::Selection;
use report::Notice;
use yaml::Sources;

/// What of a world's findings the user accepts.
pub struct Accepted {
    /// Which entries of `ignore` were of use.
    pub ignores: Vec<bool>,
    /// Comments that were, by file and line.
    pub comments: Vec<(EcoString, u32)>,
}

/// What a run knows about itself.
pub struct Told<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The rules that count.
    pub selection: &'a Selection,
    /// What was accepted, by entrypoint.
    pub accepted: &'a [Accepted],
    /// Whether all entrypoints were judged.
    pub is_whole: bool,
    /// Today.
    pub today: Date,
}

/// Keys without effect, `ignore` entries that are over or of no use, comments
/// that are of no use or say no reason.
pub fn of(told: &Told<'_>, texts: &Sources) -> Vec<Notice> {
    let inert = told.config.inert().into_iter().map(|inert| Notice {
        message: format!("`{}` has no effect: {}", inert.key, inert.why).into(),
        span: Some(inert.span),
    });
    let used = told.accepted.iter().flat_map(|accepted| &accepted.comments);
    let used: BTreeSet<_> = used.cloned().collect();
    let used = told.is_whole.then_some(&used);
    let comments = lint::doubts(texts, told.selection, used);
    let comments = comments.into_iter().map(|doubt| Notice {
        message: doubt.message,
        span: Some(doubt.span),
    });
    inert.chain(ignores(told)).chain(comments).collect()
}

fn ignores(told: &Told<'_>) -> Vec<Notice> {
    let entries = told.config.ignore.iter().enumerate();
    let notice = |(at, entry): (usize, &config::Spanned<config::Ignore>)| {
        let mut accepted = told.accepted.iter();
        let is_used = accepted.any(|accepted| accepted.ignores.get(at) == Some(&true));
        let rule = &entry.rule.value;
        let message = match entry.until {
            Some(until) if until < told.today => {
                format!("this `ignore` entry for {rule} ended on {until}; remove it")
            }
            _ if !is_used && told.is_whole && told.selection.has(rule) => {
                format!("this `ignore` entry for {rule} matches nothing; remove it")
            }
            _ => return None,
        };
        Some(Notice {
            message: message.into(),
            span: Some(entry.span),
        })
    };
    entries.filter_map(notice).collect()
}
