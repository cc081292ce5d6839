//! Compares random charts, and makes those that differ small.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::case::Case;
use super::chart::case;
use crate::diff_helm::outcome::{Outcome, Sides};
use crate::diff_helm::verdict::{Tally, Verdict, compare, plain};
use crate::diff_kustomize::shrink_calls;
use crate::random::Random;
use crate::{parallel, paths};

/// Differences of one kind that are made small.
const SHRUNK: usize = 3;
/// How often upstream is asked whether it always gives the same.
const AGAIN: usize = 4;

/// Compares `cases` random charts of a seed, or `only` one of them, and writes what differs, made small,
/// to `diff-helm-random.txt`, and as JSON lines with upstream's outcome to
/// `diff-helm-random.jsonl`, in the build directory.
pub fn run(cases: u64, seed: u64, only: Option<u64>) -> Result<(), String> {
    let sides = Sides::new()?;
    let mut random = Random::new(seed);
    let mut all: Vec<Case> = (0..cases).map(|_| case(&mut random)).collect();
    if let Some(only) = only.and_then(|at| usize::try_from(at).ok()) {
        all = all.into_iter().skip(only).take(1).collect();
    }
    let verdicts = parallel::map(&all, |case| {
        let (native, upstream) = sides.both(&case.subject());
        let verdict = compare(&native, &upstream);
        (verdict, upstream.error.map(|error| refusal(&error)))
    });
    let mut tally = Tally::default();
    let mut kinds: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for (case, (verdict, _)) in all.iter().zip(&verdicts) {
        tally.add(verdict);
        if verdict.differs() {
            kinds.entry(verdict.signature()).or_default().push(case);
        }
    }
    tally.print();
    refusals(
        verdicts
            .iter()
            .filter_map(|(_, refused)| refused.as_deref()),
    );
    let path = paths::target().join("diff-helm-random-raw.txt");
    std::fs::write(&path, raw(&all, &verdicts)).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut listing = String::new();
    let mut lines = String::new();
    let mut unstable = 0;
    for (kind, mut found) in kinds {
        let count = found.len();
        found.truncate(SHRUNK);
        let small = parallel::map(&found, |case| small(&sides, case, &kind));
        unstable += small.iter().filter(|small| small.is_none()).count();
        println!("{count} differ in {kind}");
        let mut small: Vec<Value> = small.into_iter().flatten().collect();
        small.sort_by_key(|case| case.to_string().len());
        small.dedup();
        for value in small {
            let case = read(&value);
            let (native, upstream) = sides.both(&case.subject());
            let detail = compare(&native, &upstream).detail;
            // Writing to a string cannot fail.
            let _ = writeln!(listing, "== {kind}\n{}{detail}", case.print());
            let _ = writeln!(lines, "{}", fixture(&case, &upstream));
        }
    }
    println!("of those made small, not the same in each run of upstream: {unstable}");
    for (name, text) in [("txt", listing), ("jsonl", lines)] {
        let path = paths::target().join(format!("diff-helm-random.{name}"));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// All differences as they were found: making them small takes long.
fn raw(all: &[Case], verdicts: &[(Verdict, Option<String>)]) -> String {
    let mut text = String::new();
    for (at, (case, (verdict, _))) in all.iter().zip(verdicts).enumerate() {
        if verdict.differs() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "== {at} {}\n{}{}",
                verdict.kind(),
                verdict.detail,
                case.print()
            );
        }
    }
    text
}

/// The kind of a refusal.
fn refusal(error: &str) -> String {
    plain(error.trim_end().rsplit(": ").next().unwrap_or_default())
}

/// Prints how many charts upstream refuses, and the most frequent reasons.
fn refusals<'r>(all: impl Iterator<Item = &'r str>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in all {
        *counts.entry(reason).or_default() += 1;
    }
    println!(
        "charts that upstream refuses: {}",
        counts.values().sum::<usize>()
    );
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in counts.iter().take(12) {
        println!("  {count} {}", reason.trim());
    }
}

/// The smallest chart that differs in this kind; none when upstream itself is
/// not the same in each run.
fn small(sides: &Sides, case: &Case, kind: &str) -> Option<Value> {
    let found = shrink_calls(&json!(case), |value| {
        let (native, upstream) = sides.both(&read(value).subject());
        compare(&native, &upstream).signature() == kind
    });
    let subject = read(&found).subject();
    let (_, first) = sides.both(&subject);
    let stable = (0..AGAIN).all(|_| sides.both(&subject).1 == first);
    stable.then_some(found)
}

fn read(value: &Value) -> Case {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

/// A chart with what upstream makes of it, for a test to hold on to.
fn fixture(case: &Case, upstream: &Outcome) -> Value {
    let mut request = case.subject().request();
    let mut row = json!({"files": request["files"].take()});
    if let Some(values) = case.subject().values {
        row["values"] = json!(values);
    }
    match &upstream.error {
        Some(error) => row["error"] = json!(error),
        None => {
            row["texts"] = json!(upstream.texts);
            row["manifest"] = json!(upstream.manifest);
        }
    }
    row
}
