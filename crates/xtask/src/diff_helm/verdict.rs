//! Compares what the two sides made of a chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::outcome::Outcome;
use crate::render_oracle::first_line;

/// How often each thing was the same or differed.
#[derive(Debug, Default)]
pub struct Tally {
    counts: BTreeMap<&'static str, [usize; 2]>,
    errors: BTreeMap<&'static str, usize>,
    masked: usize,
    schemaless: usize,
}

/// One chart, compared.
#[derive(Debug, Default)]
pub struct Verdict {
    parts: Vec<(&'static str, bool)>,
    error: Option<&'static str>,
    /// What differs; empty when nothing does.
    pub detail: String,
    masked: bool,
    schemaless: bool,
}

impl Tally {
    /// Counts one chart.
    pub fn add(&mut self, verdict: &Verdict) {
        for (part, same) in &verdict.parts {
            let counts = self.counts.entry(part).or_default();
            counts[0] += usize::from(*same);
            counts[1] += 1;
        }
        if let Some(error) = verdict.error {
            *self.errors.entry(error).or_default() += 1;
        }
        self.masked += usize::from(verdict.masked);
        self.schemaless += usize::from(verdict.schemaless);
    }

    /// Prints the counts.
    pub fn print(&self) {
        for (part, [same, all]) in &self.counts {
            println!("{part}: {same} of {all} equal");
        }
        for (error, count) in &self.errors {
            println!("{error}: {count}");
        }
        println!("with the same placeholders on both sides: {}", self.masked);
        println!(
            "compared without schemas of other servers: {}",
            self.schemaless
        );
    }
}

impl Verdict {
    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        !self.detail.is_empty()
    }

    /// The kinds of what differs.
    pub fn kind(&self) -> String {
        let mut kinds: Vec<&str> = self.error.into_iter().collect();
        let other = self.parts.iter().filter(|(_, same)| !same);
        kinds.extend(other.map(|(part, _)| *part));
        kinds.dedup();
        kinds.join(", ")
    }

    fn part(&mut self, part: &'static str, name: &str, native: &str, upstream: &str) {
        let same = native == upstream;
        self.parts.push((part, same));
        if !same {
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.detail,
                "{part} {name}\n  {}",
                first_line(native, upstream)
            );
        }
    }
}

/// The two outcomes, compared part by part.
pub fn compare(native: &Outcome, upstream: &Outcome) -> Verdict {
    let mut verdict = Verdict {
        masked: native.unstable,
        schemaless: native.schemaless,
        ..Verdict::default()
    };
    if native.error != upstream.error {
        let kind = error_kind(native.error.as_deref(), upstream.error.as_deref());
        verdict.error = Some(kind);
        let text = |outcome: &Outcome| outcome.error.clone().unwrap_or_default();
        let _ = writeln!(
            verdict.detail,
            "{kind}\n  native   {}\n  upstream {}",
            text(native).replace('\n', "\n           "),
            text(upstream).replace('\n', "\n           "),
        );
        if native.error.is_some() != upstream.error.is_some() {
            return verdict;
        }
    } else if native.error.is_some() {
        verdict.error = Some("same error");
    }
    let mut paths: Vec<&String> = native.texts.keys().chain(upstream.texts.keys()).collect();
    paths.sort();
    paths.dedup();
    let none = "(no such template)".to_owned();
    for path in paths {
        let native = native.texts.get(path).unwrap_or(&none);
        verdict.part(
            "template",
            path,
            native,
            upstream.texts.get(path).unwrap_or(&none),
        );
    }
    if native.error.is_some() {
        return verdict;
    }
    verdict.part("manifest", "", &native.manifest, &upstream.manifest);
    let hooks = |outcome: &Outcome| format!("{:#?}", outcome.hooks);
    verdict.part("hooks", "", &hooks(native), &hooks(upstream));
    let crds = |outcome: &Outcome| format!("{:#?}", outcome.crds);
    verdict.part("crds", "", &crds(native), &crds(upstream));
    verdict.part("notes", "", &native.notes, &upstream.notes);
    verdict
}

fn error_kind(native: Option<&str>, upstream: Option<&str>) -> &'static str {
    match (native, upstream) {
        (Some(native), None) if native.contains("not modelled") => "not modelled",
        (Some(_), None) => "only native fails",
        (None, Some(_)) => "only upstream fails",
        (Some(native), Some(upstream)) if cause(native) == cause(upstream) => {
            "fails for the same cause in other words"
        }
        _ => "fails for another cause",
    }
}

fn cause(message: &str) -> &str {
    message.rsplit(": ").next().unwrap_or_default().trim_end()
}
