//! `cargo xtask corpus`: `fluxlint check --offline` of every corpus repository
//! and entrypoint, with the mirror's charts and without, tallied, and every
//! Kustomization held against upstream.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::args::Args;
use crate::bench;
use crate::corpus_compare::{self, Comparison};
use crate::corpus_list::{self, Elsewhere, Repository};
use crate::oracle::Pool;
use crate::process::Run;

/// What the reports of one or all repositories add up to.
#[derive(Default)]
struct Tally {
    components: usize,
    rendered: usize,
    releases: usize,
    rendered_releases: usize,
    /// Rendered where nothing but the repository itself is at hand.
    rendered_alone: usize,
    opaque: BTreeMap<String, usize>,
    findings: BTreeMap<(String, String), usize>,
}

/// Runs over all repositories, or those named. `--no-compare` leaves the
/// upstream libraries out, `--no-check` the program; `--errors` prints every error with its message,
/// `--refusals` both causes of what both refuse.
pub fn command(mut args: Args) -> Result<(), String> {
    let compare = !args.flag("--no-compare");
    let checks = !args.flag("--no-check");
    let errors = args.flag("--errors");
    let refusals = args.flag("--refusals");
    let names = args.rest()?;
    let pool = if compare { Pool::or_warn() } else { None };
    let mut total = Tally::default();
    let mut compared = Comparison::default();
    let mut failures = Vec::new();
    let mut repositories = corpus_list::repositories()?;
    repositories.retain(|r| names.is_empty() || names.contains(&r.name));
    // All checks first: a process's peak memory counts what its parent held
    // when it was started.
    if checks {
        let program = bench::fluxlint()?;
        for repository in &repositories {
            if let Err(message) = check(&program, repository, errors, &mut total) {
                failures.push(message);
            }
        }
    }
    for repository in &repositories {
        let Some(pool) = &pool else { break };
        match corpus_compare::compare(pool, repository) {
            Ok(one) => add(&mut compared, one, &repository.name),
            Err(message) => failures.push(format!("{}: {message}", repository.name)),
        }
    }
    println!("\nall repositories");
    if checks {
        print_tally(&total);
    }
    if pool.is_some() {
        print_comparison(&compared, refusals);
    }
    if failures.is_empty() && compared.differences.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{}\n{} differences",
            failures.join("\n"),
            compared.differences.len()
        ))
    }
}

fn check(
    program: &std::path::Path,
    repository: &Repository,
    errors: bool,
    total: &mut Tally,
) -> Result<(), String> {
    let read = |run: &Run| -> Result<Value, String> {
        serde_json::from_slice(&run.stdout).map_err(|e| format!("{}: {e}", repository.name))
    };
    let alone = read(&bench::check(program, repository, Elsewhere::Nothing)?)?;
    let run = bench::check(program, repository, Elsewhere::Mirror)?;
    let report = read(&run)?;
    let mut tally = Tally::default();
    tally.add(&report, &alone);
    println!(
        "{:<36} {:>3} entrypoints {:>4} components {:>4} rendered ({:>3} without charts) \
         {:>6.1} ms {:>6.1} MB  {}",
        repository.name,
        repository.entrypoints.len(),
        tally.components,
        tally.rendered,
        tally.rendered_alone,
        run.wall.as_secs_f64() * 1e3,
        run.peak as f64 / 1e6,
        tally.severities(),
    );
    if errors {
        print_errors(&report);
    }
    total.add(&report, &alone);
    Ok(())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

impl Tally {
    fn add(&mut self, report: &Value, alone: &Value) {
        self.rendered_alone += components(alone).filter(|c| is_rendered(c)).count();
        for component in components(report) {
            let rendered = usize::from(is_rendered(component));
            self.components += 1;
            self.rendered += rendered;
            let name = component["component"].as_str().unwrap_or_default();
            if name.starts_with("HelmRelease/") {
                self.releases += 1;
                self.rendered_releases += rendered;
            }
            if rendered == 0 {
                let cause = ["notRendered", "error"].map(|key| component[key].as_str());
                let cause = cause.into_iter().flatten().next();
                let cause = kind_of(cause.unwrap_or("no reason given"));
                *self.opaque.entry(cause).or_default() += 1;
            }
        }
        for entrypoint in list(report, "entrypoints") {
            for finding in list(entrypoint, "findings") {
                let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
                *self
                    .findings
                    .entry((text("rule"), text("severity")))
                    .or_default() += 1;
            }
        }
    }

    fn severities(&self) -> String {
        let count = |wanted: &str| {
            self.findings
                .iter()
                .filter(|((_, severity), _)| severity == wanted)
                .map(|(_, count)| count)
                .sum::<usize>()
        };
        format!(
            "{} errors, {} warnings, {} infos",
            count("error"),
            count("warning"),
            count("info")
        )
    }
}

fn components(report: &Value) -> impl Iterator<Item = &Value> {
    let entrypoints = list(report, "entrypoints").iter();
    entrypoints.flat_map(|entrypoint| list(entrypoint, "components"))
}

fn is_rendered(component: &Value) -> bool {
    component["rendered"].as_bool() == Some(true)
}

/// A reason without the names and addresses in it, so that equal ones add up.
fn kind_of(reason: &str) -> String {
    let is_place = |word: &str| word.contains(['/', '`', '"']);
    let words = reason.lines().next().unwrap_or_default().split_whitespace();
    let words = words.map(|word| if is_place(word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn print_errors(report: &Value) {
    for entrypoint in list(report, "entrypoints") {
        for finding in list(entrypoint, "findings") {
            if finding["severity"] == "error" {
                let text = |key: &str| finding[key].as_str().unwrap_or_default();
                println!(
                    "    {} {} {} {}:{} {}",
                    text("rule"),
                    text("entrypoint"),
                    text("component"),
                    text("file"),
                    finding["line"],
                    text("message")
                );
            }
        }
    }
}

fn print_tally(tally: &Tally) {
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    println!(
        "{} components, {} rendered ({:.1} %), without charts {} ({:.1} %); {} of {} releases; {}",
        tally.components,
        tally.rendered,
        share(tally.rendered, tally.components),
        tally.rendered_alone,
        share(tally.rendered_alone, tally.components),
        tally.rendered_releases,
        tally.releases,
        tally.severities()
    );
    let mut causes: Vec<_> = tally.opaque.iter().collect();
    causes.sort_by_key(|(cause, count)| (std::cmp::Reverse(**count), *cause));
    for (cause, count) in causes {
        println!("  not rendered: {count:>5}  {cause}");
    }
    for ((rule, severity), count) in &tally.findings {
        println!("  {rule} {severity:<8} {count:>5}");
    }
}

fn add(all: &mut Comparison, one: Comparison, name: &str) {
    let named = |lines: Vec<String>| lines.into_iter().map(|l| format!("{name}: {l}"));
    all.equal += one.equal;
    all.remote += one.remote;
    all.both_refuse.extend(named(one.both_refuse));
    all.left_out.extend(named(one.left_out));
    all.differences.extend(named(one.differences));
}

fn print_comparison(comparison: &Comparison, refusals: bool) {
    println!(
        "against upstream: {} equal, {} refused by both, {} with remote bases that neither has, \
         {} of other sources, {} differ",
        comparison.equal,
        comparison.both_refuse.len(),
        comparison.remote,
        comparison.left_out.len(),
        comparison.differences.len()
    );
    if refusals {
        for line in &comparison.both_refuse {
            println!("  refused: {line}");
        }
    }
    for line in &comparison.differences {
        println!("  {line}");
    }
}
