//! Compares what the two sides made of a chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::outcome::Outcome;

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
    /// Causes on both sides, without what only names a place.
    causes: String,
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

    /// [`Verdict::kind`] with the causes of errors, to know a difference again.
    pub fn signature(&self) -> String {
        match self.causes.is_empty() {
            true => self.kind(),
            false => format!("{} ({})", self.kind(), self.causes),
        }
    }

    fn part(&mut self, part: &'static str, name: &str, native: &str, upstream: &str) {
        // An address is another in each run.
        let (native, upstream) = (&addresses(native), &addresses(upstream));
        let same = native == upstream;
        self.parts.push((part, same));
        if !same {
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.detail,
                "{part} {name}\n{}",
                first_difference(native, upstream)
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
    let settled = |outcome: &Outcome| outcome.error.as_deref().map(settled);
    let upstream_gave_up = upstream.error.as_ref().is_some_and(|error| {
        error.starts_with("no answer within") || error.contains("no placeholder of length")
    });
    if upstream_gave_up {
        verdict.error = Some("upstream gives no answer");
        return verdict;
    }
    if settled(native) != settled(upstream) {
        let kind = error_kind(native.error.as_deref(), upstream.error.as_deref());
        verdict.error = Some(kind);
        let text = |outcome: &Outcome| outcome.error.clone().unwrap_or_default();
        let _ = writeln!(
            verdict.detail,
            "{kind}\n  native   {}\n  upstream {}",
            text(native).replace('\n', "\n           "),
            text(upstream).replace('\n', "\n           "),
        );
        let cause_of =
            |outcome: &Outcome| plain(cause(outcome.error.as_deref().unwrap_or_default()));
        verdict.causes = format!("{} / {}", cause_of(native), cause_of(upstream));
        if native.error.is_some() != upstream.error.is_some() {
            return verdict;
        }
    } else if native.error.is_some() {
        verdict.error = Some("same error");
    }
    let mut paths: Vec<&String> = native.texts.keys().chain(upstream.texts.keys()).collect();
    paths.sort();
    paths.dedup();
    if native.error.is_some() {
        // Where a release is refused, one side may not have come so far.
        paths.retain(|path| native.texts.contains_key(*path) && upstream.texts.contains_key(*path));
    }
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

/// A message without quoted text and numbers.
pub fn plain(message: &str) -> String {
    let mut text = String::new();
    let mut quote = None;
    for c in message.chars().take(200) {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => quote = Some(c),
            None if c.is_ascii_digit() => {}
            None => text.push(c),
        }
    }
    text
}

/// What stands around the first place where two texts differ.
fn first_difference(native: &str, upstream: &str) -> String {
    let same = native.chars().zip(upstream.chars());
    let same = same.take_while(|(a, b)| a == b).count();
    let around = |text: &str| -> String {
        let part: String = text
            .chars()
            .skip(same.saturating_sub(60))
            .take(160)
            .collect();
        format!("{part:?}")
    };
    format!(
        "  at {same}: native   {}\n  at {same}: upstream {}",
        around(native),
        around(upstream)
    )
}

/// A text with one number for all addresses.
fn addresses(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let (before, after) = rest.split_at(at + 2);
        masked.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (number, behind) = after.split_at(digits);
        masked.push_str(if digits > 8 { "ADDRESS" } else { number });
        rest = behind;
    }
    masked.push_str(rest);
    masked
}

/// A message in one order: a schema's faults, and the properties that one of
/// them names, stand in Go's order of maps.
fn settled(message: &str) -> String {
    let line = |line: &str| match line.split_once("additional properties ") {
        Some((before, names)) => {
            let (names, after) = names.split_once(" not allowed").unwrap_or((names, ""));
            let mut names: Vec<&str> = names.split(", ").collect();
            names.sort_unstable();
            format!("{before}additional properties {}{after}", names.join(", "))
        }
        None => line.to_owned(),
    };
    let mut lines: Vec<String> = message.lines().map(line).collect();
    let mut from = 0;
    while from < lines.len() {
        let is_fault = |line: &String| line.trim_start().starts_with("- ");
        let faults = lines[from..]
            .iter()
            .take_while(|line| is_fault(line))
            .count();
        lines[from..from + faults].sort();
        from += faults.max(1);
    }
    lines.join("\n")
}
