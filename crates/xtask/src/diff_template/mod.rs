//! `cargo xtask diff-template`: random templates on typed data, natively and
//! by Go's `text/template`; differences made small.

mod expression;
mod format;
mod library;
mod sound;
mod statement;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::args::Args;
use crate::diff_yaml::shrink::shrink;
use crate::engine::template::Case;
use crate::engine::{Native, Render, Upstream};
use crate::random::Random;
use crate::{parallel, paths};

/// Cases compared at once.
const BATCH: u64 = 500;
/// Differences of one kind that are made small.
const SHRUNK: usize = 40;

/// Compares `--cases N` templates of `--seed S` and writes what differs to
/// `diff-template.txt` in the build directory. Fails on a difference.
pub fn command(mut args: Args) -> Result<(), String> {
    let cases = args.number("--cases")?.unwrap_or(20_000);
    let seed = args.number("--seed")?.unwrap_or(1);
    args.done()?;
    let native = Native::default();
    let upstream = Upstream::new()?;
    let run = Run {
        native: &native,
        upstream: &upstream,
    };
    let batches: Vec<u64> = (0..cases.div_ceil(BATCH)).collect();
    let found = parallel::map(&batches, |batch| {
        // A batch repeats whatever the others are.
        let mut random = Random::new(seed.wrapping_mul(1 << 32).wrapping_add(*batch));
        let count = BATCH.min(cases - batch * BATCH);
        let all: Vec<Case> = (0..count).map(|_| case(&mut random)).collect();
        let kinds = run.kinds(&all);
        all.into_iter().zip(kinds).map(kept).collect::<Vec<_>>()
    });
    let mut kinds: BTreeMap<&str, (usize, Vec<Case>)> = BTreeMap::new();
    for (case, kind) in found.into_iter().flatten() {
        let (count, cases) = kinds.entry(kind).or_default();
        *count += 1;
        cases.extend(case);
    }
    let mut different = 0;
    let mut listing = String::new();
    for (kind, (count, found)) in kinds {
        println!("{kind}: {count} of {cases}");
        if !SAME.contains(&kind) {
            different += count;
            listing.push_str(&run.listing(kind, found.iter().collect()));
        }
    }
    let path = paths::target().join("diff-template.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    match different {
        0 => Ok(()),
        _ => Err(format!("{different} differ: {}", path.display())),
    }
}

/// What is no difference.
const SAME: &[&str] = &["same text", "same error", "upstream gives no answer"];

/// A case and its kind; cases without a difference are not kept.
fn kept((case, kind): (Case, &'static str)) -> (Option<Case>, &'static str) {
    ((!SAME.contains(&kind)).then_some(case), kind)
}

/// A random case.
pub fn case(random: &mut Random) -> Case {
    let text = match random.below(10) {
        0 | 1 => format::text(random),
        2 => library::text(random),
        _ => statement::text(random),
    };
    let text = match random.once_in(6) {
        true => mutate(random, &text),
        false => text,
    };
    let mut case = Case::new("main", &text, data());
    case.missing_key = random.pick(&["", "", "zero", "error"]);
    case.show = random.once_in(12);
    case
}

/// Damages a text at random places.
fn mutate(random: &mut Random, text: &str) -> String {
    const BITS: &[&str] = &[
        "{{",
        "}}",
        "{{-",
        " -}}",
        "-",
        "(",
        ")",
        "|",
        ".",
        "$",
        "$x",
        " ",
        "\n",
        "\"",
        "`",
        "'",
        ":=",
        "=",
        ",",
        "nil",
        "end",
        "else",
        "if",
        "range",
        "with",
        "/*",
        "*/",
        "\\",
        "0",
        "é",
        "define",
        "{{end}}",
        "{{else}}",
        "{{break}}",
        "{{else if 1}}",
        "{{else with 1}}",
        "#",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        match random.below(3) {
            0 => {
                let end = (at + 1 + random.below(4)).min(chars.len());
                chars.drain(at.min(end)..end);
            }
            1 => {
                let bit = random.pick(BITS);
                chars.splice(at..at, bit.chars());
            }
            _ => {
                if let Some(c) = chars.get_mut(at) {
                    *c = random.pick(&['a', '0', ' ', '.', '{', '}', '"', '(', '$', '|']);
                }
            }
        }
    }
    chars.into_iter().collect()
}

/// What the templates execute on.
fn data() -> Value {
    let v = |t: &str, v: Value| json!({"t": t, "v": v});
    json!({"t": "map", "v": {
        "s": v("string", json!("hello")),
        "e": v("string", json!("")),
        "u": v("string", json!("é日本")),
        "q": v("string", json!("a\"b\n<c>&'\\=")),
        "bad": v("base64", json!("YeKCYv8=")),
        "i": v("int", json!(3)),
        "z": v("int", json!(0)),
        "n": v("int", json!(-7)),
        "i64": v("int64", json!(5)),
        "u8": v("uint8", json!(9)),
        "u64": v("uint64", json!(4)),
        "f": v("float64", json!(1.5)),
        "fz": v("float64", json!(0.0)),
        "fb": v("float64", json!(1_000_000.0)),
        "f32": v("float32", json!(0.1)),
        "c": v("complex128", json!([1.5, -2.0])),
        "b": v("bool", json!(true)),
        "no": v("bool", json!(false)),
        "nil": v("nil", json!(null)),
        "by": v("[]byte", json!("AGH/")),
        "l": v("list", json!([
            v("int", json!(1)), v("string", json!("two")), v("nil", json!(null)),
            v("list", json!([v("bool", json!(true))])),
            v("map", json!({"k": v("float64", json!(2.5)), "x": v("string", json!("y"))})),
        ])),
        "le": v("list", json!([])),
        "ln": v("list", json!(null)),
        "li": v("[]int", json!([4, 5, 6])),
        "ls": v("[]string", json!(["x", "", "z\n"])),
        "m": v("map", json!({
            "a": v("int", json!(1)), "i": v("nil", json!(null)),
            "m": v("map", json!({"s": v("string", json!("deep")), "l": v("list", json!([v("int", json!(7))]))})),
        })),
        "me": v("map", json!({})),
        "mn": v("map", json!(null)),
        "mi": v("map[string]int", json!({"one": 1, "two": 2})),
        "ms": v("map[string]string", json!({"a": "b", "B": "é"})),
    }})
}

struct Run<'e> {
    native: &'e dyn Render,
    upstream: &'e dyn Render,
}

impl Run<'_> {
    fn kinds(&self, cases: &[Case]) -> Vec<&'static str> {
        let native = self.native.render(cases);
        let upstream = self.upstream.render(cases);
        native
            .iter()
            .zip(&upstream)
            .map(|(n, u)| kind(n, u))
            .collect()
    }

    fn listing(&self, kind: &str, mut found: Vec<&Case>) -> String {
        found.sort_by_key(|case| case.templates[0].1.len());
        found.truncate(SHRUNK);
        let small = parallel::map(&found, |case| {
            let with = |text: &String| {
                let mut case = (*case).clone();
                case.templates[0].1.clone_from(text);
                case
            };
            let text = shrink(&case.templates[0].1, |texts| {
                let cases: Vec<Case> = texts.iter().map(with).collect();
                self.kinds(&cases).iter().position(|found| *found == kind)
            });
            with(&text)
        });
        let mut small: Vec<Case> = small;
        small.sort_by_key(|case| case.templates[0].1.len());
        small.dedup_by(|a, b| a.templates == b.templates);
        let mut listing = format!("== {kind}\n\n");
        for case in small {
            let cases = std::slice::from_ref(&case);
            let _ = writeln!(
                listing,
                "{:?} {} {}\n native  {:?}\n upstream {:?}\n",
                case.templates[0].1,
                case.missing_key,
                case.show,
                self.native.render(cases),
                self.upstream.render(cases)
            );
        }
        listing
    }
}

fn kind(native: &Result<String, String>, upstream: &Result<String, String>) -> &'static str {
    match (native, upstream) {
        (Ok(a), Ok(b)) if a == b => "same text",
        (Err(a), Err(b)) if a == b => "same error",
        (_, Err(e)) if e.contains("no answer") || e.contains("output too long") => {
            "upstream gives no answer"
        }
        (Ok(_), Ok(_)) => "texts differ",
        (Err(_), Err(_)) => "errors differ",
        (Ok(_), Err(_)) => "only upstream fails",
        (Err(_), Ok(_)) => "only the native one fails",
    }
}
