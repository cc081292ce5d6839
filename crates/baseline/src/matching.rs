//! Findings held against a baseline.

use std::collections::BTreeMap;

use lint::Finding;
use yaml::Sources;

use crate::fingerprint;
use crate::record::{Baseline, Entry, Level};

/// What of a baseline is still found.
pub struct Matching<'a> {
    entries: &'a [Entry],
    /// How many findings each entry still stands for.
    left: Vec<usize>,
    /// Entries by fingerprint.
    known: BTreeMap<&'a str, Vec<usize>>,
    left_out: usize,
}

impl<'a> Matching<'a> {
    /// Nothing is found yet.
    pub fn new(baseline: &'a Baseline) -> Self {
        let mut known: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, entry) in baseline.entries.iter().enumerate() {
            known.entry(&entry.fingerprint).or_default().push(at);
        }
        Matching {
            entries: &baseline.entries,
            left: baseline.entries.iter().map(|entry| entry.count).collect(),
            known,
            left_out: 0,
        }
    }

    /// Leaves out what was recorded: as often as it was recorded, and while it is
    /// no worse than it was.
    pub fn leave_out(&mut self, findings: &mut Vec<Finding>, texts: &Sources) {
        findings.retain(|finding| {
            let severity = Level::from(finding.severity);
            let known = self.known.get(fingerprint(finding, texts).as_str());
            let entry = known.into_iter().flatten().copied().find(|at| {
                let recorded = self.entries.get(*at).map(|entry| entry.severity);
                self.left.get(*at).is_some_and(|left| *left > 0) && recorded >= Some(severity)
            });
            match entry.and_then(|at| self.left.get_mut(at)) {
                Some(left) => {
                    *left -= 1;
                    self.left_out += 1;
                    false
                }
                None => true,
            }
        });
    }

    /// How many findings were left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// What was recorded and is not found any more, among what a run looked at:
    /// these entrypoints and rules.
    pub fn stale(&self, entrypoint: impl Fn(&str) -> bool, rule: impl Fn(&str) -> bool) -> Stale {
        let entries = self.entries.iter().zip(&self.left);
        let entries = entries.map(|(entry, left)| {
            let seen = entrypoint(&entry.entrypoint) && rule(&entry.rule);
            (entry, if seen { *left } else { 0 })
        });
        let mut stale = Stale::default();
        for (entry, gone) in entries {
            if gone > 0 {
                stale.gone += gone;
                stale.names.push(name(entry));
            }
            if gone < entry.count {
                let count = entry.count - gone;
                stale.rest.entries.push(Entry {
                    count,
                    ..entry.clone()
                });
            }
        }
        stale
    }
}

/// What a baseline no longer needs.
#[derive(Clone, Debug, Default)]
pub struct Stale {
    /// How many recorded findings are gone.
    pub gone: usize,
    /// The entries that are gone, or some of them: rule and component.
    pub names: Vec<String>,
    /// The baseline without them.
    pub rest: Baseline,
}

fn name(entry: &Entry) -> String {
    match entry.component.as_str() {
        "" => format!("{} in {}", entry.rule, entry.entrypoint),
        component => format!("{} {component}", entry.rule),
    }
}
