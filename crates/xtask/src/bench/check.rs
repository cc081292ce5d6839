//! `cargo xtask bench check`: `fluxlint check --offline` against `kubectl kustomize`
//! once a directory, alternately, in the same run.
//!
//! Nothing is cached between runs by either side but what the operating system
//! keeps. The native side also substitutes, follows every Kustomization, links
//! and judges; the other side only builds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::args::Args;
use crate::corpus_list::{self, Elsewhere, Repository};
use crate::paths;
use crate::process::{self, Run, median};

/// How many alternating rounds are run; the medians count.
const ROUNDS: usize = 5;

/// What one repository took.
struct Row {
    name: String,
    directories: usize,
    native: Duration,
    native_cpu: Duration,
    peak: u64,
    upstream: Duration,
    upstream_cpu: Duration,
}

/// Measures the `--count` (6) largest corpus repositories and prints a table.
pub fn command(mut args: Args) -> Result<(), String> {
    let count = args.number("--count")?.unwrap_or(6);
    args.done()?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let program = fluxlint()?;
    let mut repositories = corpus_list::repositories()?;
    repositories.sort_by_key(|r| std::cmp::Reverse(r.kustomizations));
    println!(
        "{:<34} {:>5} {:>11} {:>11} {:>9} {:>12} {:>12} {:>7} {:>7}",
        "repository", "dirs", "check", "(cpu)", "peak", "kubectl", "(cpu)", "ratio", "(cpu)"
    );
    let mut total = (Duration::ZERO, Duration::ZERO);
    let mut left = count;
    for repository in &repositories {
        if left == 0 {
            break;
        }
        let row = measure(&program, repository)?;
        // Nothing to compare where a remote base at the root hides the rest.
        if row.directories == 0 {
            continue;
        }
        left -= 1;
        total = (total.0 + row.native, total.1 + row.upstream);
        print(&row);
    }
    println!(
        "all: {:.1} times",
        total.1.as_secs_f64() / total.0.as_secs_f64().max(f64::EPSILON)
    );
    Ok(())
}

/// The release build of the program, made if it is not there.
pub fn fluxlint() -> Result<PathBuf, String> {
    let root = paths::root();
    let status = Command::new(env!("CARGO"))
        .current_dir(&root)
        .args(["build", "--quiet", "--release", "--package", "fluxlint"])
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("building fluxlint failed".to_owned());
    }
    Ok(paths::target().join("release/fluxlint"))
}

fn measure(program: &Path, repository: &Repository) -> Result<Row, String> {
    let tree = repository.unpack()?;
    let first = check(program, repository, Elsewhere::Nothing)?;
    let directories = directories(&first.stdout, &tree)?;
    let mut native = Vec::new();
    let mut upstream = Vec::new();
    for _ in 0..ROUNDS {
        native.push(check(program, repository, Elsewhere::Nothing)?);
        upstream.push(kubectl(&tree, &directories)?);
    }
    Ok(Row {
        name: repository.name.clone(),
        directories: directories.len(),
        native: median(native.iter().map(|r| r.wall).collect()),
        native_cpu: median(native.iter().map(|r| r.cpu).collect()),
        peak: native.iter().map(|r| r.peak).max().unwrap_or(0),
        upstream: median(upstream.iter().map(|r| r.0).collect()),
        upstream_cpu: median(upstream.iter().map(|r| r.1).collect()),
    })
}

/// One `fluxlint check` of a corpus repository with all its entrypoints.
pub fn check(program: &Path, repository: &Repository, elsewhere: Elsewhere) -> Result<Run, String> {
    let run = process::run(&mut repository.check(program, elsewhere)?)?;
    match run.code {
        Some(0 | 1) => Ok(run),
        code => Err(format!("{}: fluxlint ended with {code:?}", repository.name)),
    }
}

/// The directories that the components rendered from this repository name.
fn directories(report: &[u8], tree: &Path) -> Result<Vec<String>, String> {
    let report: Value = serde_json::from_slice(report).map_err(|e| e.to_string())?;
    let empty = Vec::new();
    let list = |value: &Value, key: &str| value[key].as_array().unwrap_or(&empty).clone();
    let mut found = BTreeSet::new();
    for entrypoint in list(&report, "entrypoints") {
        for component in list(&entrypoint, "components") {
            let rendered = component["rendered"].as_bool().unwrap_or(false);
            if let (true, Some(path)) = (rendered, component["path"].as_str()) {
                let path = path.trim_start_matches("./").trim_matches('/');
                let has_file = ["kustomization.yaml", "kustomization.yml", "Kustomization"]
                    .iter()
                    .any(|name| tree.join(path).join(name).is_file());
                if has_file {
                    found.insert(path.to_owned());
                }
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Wall and processor time of `kubectl kustomize` once for each directory.
fn kubectl(tree: &Path, directories: &[String]) -> Result<(Duration, Duration), String> {
    let mut sum = (Duration::ZERO, Duration::ZERO);
    for directory in directories {
        let run = process::run(
            Command::new("kubectl")
                .args(["kustomize", "--load-restrictor", "LoadRestrictionsNone"])
                .arg(tree.join(directory)),
        )?;
        sum = (sum.0 + run.wall, sum.1 + run.cpu);
    }
    Ok(sum)
}

fn print(row: &Row) {
    let ratio = |a: Duration, b: Duration| b.as_secs_f64() / a.as_secs_f64().max(f64::EPSILON);
    println!(
        "{:<34} {:>5} {:>8.1} ms {:>8.1} ms {:>6.1} MB {:>9.0} ms {:>9.0} ms {:>6.1}x {:>6.1}x",
        row.name,
        row.directories,
        row.native.as_secs_f64() * 1e3,
        row.native_cpu.as_secs_f64() * 1e3,
        row.peak as f64 / 1e6,
        row.upstream.as_secs_f64() * 1e3,
        row.upstream_cpu.as_secs_f64() * 1e3,
        ratio(row.native, row.upstream),
        ratio(row.native_cpu, row.upstream_cpu),
    );
}
