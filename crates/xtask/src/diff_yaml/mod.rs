//! `cargo xtask diff-yaml`: random scalars and documents through the native
//! reader and writers and through upstream's, differences made small.

mod compare;
mod document;
mod json;
pub(crate) mod scalar;
pub(crate) mod shrink;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::de::IgnoredAny;

use compare::{Difference, compare};

use crate::args::Args;
use crate::engine::{Native, Upstream, Yaml};
use crate::random::Random;
use crate::{parallel, paths};

/// Ways that take a YAML text.
const TEXT_WAYS: &[&str] = &[
    "v3-tree",
    "kyaml-json",
    "kyaml-emit",
    "sigs-to-json",
    "sigs-strict",
    "sigs-roundtrip",
];
/// The way that takes a JSON text.
const JSON_WAY: &str = "json-to-yaml";
/// Texts compared at once.
const BATCH: usize = 500;
/// How often upstream is asked again about a difference.
const AGAIN: usize = 24;
/// Differences of one way that are made small.
const SHRUNK: usize = 60;

/// Compares `--cases N` texts of `--seed S`, by all ways or those named, and
/// writes what differs to `diff-yaml.txt` in the build directory.
pub fn command(mut args: Args) -> Result<(), String> {
    let cases = args.number("--cases")?.unwrap_or(20_000);
    let seed = args.number("--seed")?.unwrap_or(1);
    let messages = args.flag("--messages");
    let named = args.rest()?;
    let upstream = Upstream::new()?;
    let mut listing = String::new();
    for way in ways() {
        if !named.is_empty() && !named.iter().any(|name| name == way) {
            continue;
        }
        let run = Run {
            native: &Native::default(),
            upstream: &upstream,
            way,
            messages,
        };
        let found = run.search(cases, seed);
        println!("{way}: {} of {cases} differ", found.len());
        listing.push_str(&run.listing(&found));
    }
    let path = paths::target().join("diff-yaml.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// All ways that are compared.
pub fn ways() -> impl Iterator<Item = &'static str> {
    TEXT_WAYS.iter().copied().chain([JSON_WAY])
}

/// Random texts for a way.
pub fn texts(way: &str, count: u64, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    (0..count).map(|_| text(way, &mut random)).collect()
}

fn text(way: &str, random: &mut Random) -> String {
    if way == JSON_WAY {
        // As Go writes JSON: a raw separator never stands in one.
        let text = json::value(random, 3).to_string();
        let text = text.replace('\u{2028}', "\\u2028");
        return text.replace('\u{2029}', "\\u2029");
    }
    let text = if random.once_in(3) {
        format!("k: {}\n", scalar::value(random))
    } else {
        document::text(random)
    };
    if random.once_in(3) {
        document::mutate(random, &text)
    } else {
        text
    }
}

/// One way, compared.
struct Run<'e> {
    native: &'e dyn Yaml,
    upstream: &'e dyn Yaml,
    way: &'e str,
    /// Messages of errors count, too.
    messages: bool,
}

impl Run<'_> {
    /// Texts that differ, each with its difference.
    fn search(&self, cases: u64, seed: u64) -> Vec<(String, Difference)> {
        let texts = texts(self.way, cases, seed);
        let batches: Vec<&[String]> = texts.chunks(BATCH).collect();
        let found = parallel::map(&batches, |batch| self.differences(batch));
        found.into_iter().flatten().collect()
    }

    fn differences(&self, texts: &[String]) -> Vec<(String, Difference)> {
        let native = self.native.yaml(self.way, texts);
        let upstream = self.upstream.yaml(self.way, texts);
        texts
            .iter()
            .zip(native.iter().zip(&upstream))
            .filter_map(|(text, (native, upstream))| {
                let difference = compare(native, upstream, self.messages)?;
                (!self.by_chance(text, native)).then(|| (text.clone(), difference))
            })
            .collect()
    }

    /// Whether upstream gives the native answer, too, when it is asked again:
    /// some keys have no order of their own and come out at random.
    fn by_chance(&self, text: &str, native: &Result<String, String>) -> bool {
        let again = vec![text.to_owned(); AGAIN];
        native.is_ok() && self.upstream.yaml(self.way, &again).contains(native)
    }

    /// The differences made small, each small text once, the smallest first.
    fn listing(&self, found: &[(String, Difference)]) -> String {
        let mut by_kind: BTreeMap<&str, Vec<&(String, Difference)>> = BTreeMap::new();
        for pair in found {
            by_kind.entry(pair.1.kind).or_default().push(pair);
        }
        let mut listing = String::new();
        for (kind, mut pairs) in by_kind {
            let all = pairs.len();
            pairs.sort_by_key(|(text, _)| text.len());
            pairs.truncate(SHRUNK);
            let small = parallel::map(&pairs, |(text, _)| {
                shrink::shrink(text, |candidates| self.first_of_kind(candidates, kind))
            });
            let mut small: Vec<String> = small;
            small.sort_by_key(|text| (text.len(), text.clone()));
            small.dedup();
            // Writing to a string cannot fail.
            let _ = writeln!(listing, "== {} · {kind} · {all} found\n", self.way);
            for text in small {
                for (text, difference) in self.differences(&[text]) {
                    let _ = writeln!(listing, "{text:?}\n{difference}\n");
                }
            }
        }
        listing
    }

    /// The first candidate that still differs in this kind.
    fn first_of_kind(&self, candidates: &[String], kind: &str) -> Option<usize> {
        let no_json = |text: &String| serde_json::from_str::<IgnoredAny>(text).is_err();
        if self.way == JSON_WAY && candidates.iter().any(no_json) {
            return (0..candidates.len()).find(|at| {
                let one = candidates.get(*at..=*at).unwrap_or_default();
                !one.iter().any(no_json) && self.first_of_kind(one, kind).is_some()
            });
        }
        let native = self.native.yaml(self.way, candidates);
        let upstream = self.upstream.yaml(self.way, candidates);
        native.iter().zip(&upstream).position(|(native, upstream)| {
            compare(native, upstream, self.messages).is_some_and(|d| d.kind == kind)
        })
    }
}
