//! `cargo xtask corpus`: `fluxlint check --offline` of every corpus repository
//! and entrypoint, tallied, and every Kustomization held against upstream.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::args::Args;
use crate::bench;
use crate::corpus_compare::{self, Comparison};
use crate::corpus_list::{self, Repository};
use crate::oracle::Pool;

/// What the reports of one or all repositories add up to.
#[derive(Default)]
struct Tally {
    components: usize,
    rendered: usize,
    opaque: BTreeMap<String, usize>,
    findings: BTreeMap<(String, String), usize>,
}

/// Runs over all repositories, or those named. `--no-compare` leaves the
/// upstream libraries out; `--errors` prints every error with its message,
/// `--refusals` both causes of what both refuse.
pub fn command(mut args: Args) -> Result<(), String> {
    let compare = !args.flag("--no-compare");
    let errors = args.flag("--errors");
    let refusals = args.flag("--refusals");
    let names = args.rest()?;
    let program = bench::fluxlint()?;
    let pool = if compare { Pool::or_warn() } else { None };
    let mut total = Tally::default();
    let mut compared = Comparison::default();
    let mut failures = Vec::new();
    let mut repositories = corpus_list::repositories()?;
    repositories.retain(|r| names.is_empty() || names.contains(&r.name));
    // All checks first: a process's peak memory counts what its parent held
    // when it was started.
    for repository in &repositories {
        if let Err(message) = check(&program, repository, errors, &mut total) {
            failures.push(message);
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
    print_tally(&total);
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
    let tree = repository.unpack()?;
    let run = bench::check(program, &tree, repository)?;
    let report: Value =
        serde_json::from_slice(&run.stdout).map_err(|e| format!("{}: {e}", repository.name))?;
    let mut tally = Tally::default();
    tally.add(&report);
    println!(
        "{:<36} {:>3} entrypoints {:>4} components {:>4} rendered {:>6.1} ms {:>6.1} MB  {}",
        repository.name,
        repository.entrypoints.len(),
        tally.components,
        tally.rendered,
        run.wall.as_secs_f64() * 1e3,
        run.peak as f64 / 1e6,
        tally.severities(),
    );
    if errors {
        print_errors(&report);
    }
    total.add(&report);
    Ok(())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

impl Tally {
    fn add(&mut self, report: &Value) {
        for entrypoint in list(report, "entrypoints") {
            for component in list(entrypoint, "components") {
                self.components += 1;
                if component["rendered"].as_bool() == Some(true) {
                    self.rendered += 1;
                } else {
                    let reason = component["notRendered"]
                        .as_str()
                        .or_else(|| component["error"].as_str().map(|_| "failed"))
                        .unwrap_or("no reason given");
                    *self.opaque.entry(kind_of(reason)).or_default() += 1;
                }
            }
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

/// A reason without the names in it, so that equal ones add up.
fn kind_of(reason: &str) -> String {
    let mut kind = String::new();
    let mut quoted = false;
    for c in reason.chars() {
        match c {
            '`' | '"' => {
                quoted = !quoted;
                if quoted {
                    kind.push('…');
                }
            }
            c if !quoted => kind.push(c),
            _ => {}
        }
    }
    kind
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
    println!(
        "{} components, {} rendered, {}",
        tally.components,
        tally.rendered,
        tally.severities()
    );
    for (reason, count) in &tally.opaque {
        println!("  not rendered: {count:>5}  {reason}");
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
