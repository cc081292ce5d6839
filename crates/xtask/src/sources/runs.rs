//! Cold, warm and offline runs of the corpus repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use loopback::Exchange;
use serde_json::{Value, json};

use super::stage::{Outcome, Stage};
use crate::args::Args;
use crate::corpus_list::{self, Repository};
use crate::process;

/// How a request counts: the artifact it brought, if it brought one.
pub fn artifact(exchange: &Exchange) -> Option<String> {
    let request = &exchange.request;
    if exchange.status != 200 {
        return None;
    }
    if request.path().ends_with("/git-upload-pack") {
        // The list of names comes by the same address.
        let wants: Vec<String> = String::from_utf8_lossy(&request.body)
            .lines()
            .filter_map(|line| Some(line.split_once("want ")?.1.to_owned()))
            .collect();
        return (!wants.is_empty()).then(|| format!("{} {wants:?}", request.path()));
    }
    (!request.path().ends_with("/info/refs")).then(|| request.target.clone())
}

/// Artifacts that were brought more than once.
pub fn twice(exchanges: &[Exchange]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for artifact in exchanges.iter().filter_map(artifact) {
        *counts.entry(artifact).or_default() += 1;
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 1);
    counts
        .map(|(artifact, count)| format!("{count} times {artifact}"))
        .collect()
}

/// What was asked in vain more than once.
fn asked_again(exchanges: &[Exchange]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for exchange in exchanges.iter().filter(|exchange| exchange.status == 404) {
        *counts.entry(&exchange.request.target).or_default() += 1;
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 1);
    counts
        .map(|(target, count)| format!("{count} times in vain: {target}"))
        .collect()
}

/// One repository, run in every way.
struct Runs {
    /// With an empty cache for what is its own.
    cold: Outcome,
    asked_cold: Vec<Exchange>,
    /// The other ways, which should find the same.
    others: Vec<(&'static str, Outcome)>,
    /// Requests of the run with a full cache, and of the one that refreshes it.
    asked_warm: Vec<Exchange>,
    asked_anew: Vec<Exchange>,
    /// Rules that were broken.
    faults: Vec<String>,
}

impl Runs {
    fn of(stage: &Stage, repository: &Repository) -> Result<Runs, String> {
        let cache = stage.at("cache");
        let server = &stage.origin.server;
        let none = stage.at("none");
        let _ = server.take();
        let check = |config: &str, cache: &Path, flags: &[&str]| {
            let outcome = stage.check(repository, config, cache, flags)?;
            Ok::<_, String>((outcome, server.take()))
        };
        let (cold, asked_cold) = check("servers.yaml", &cache, &[])?;
        let (warm, asked_warm) = check("servers.yaml", &cache, &[])?;
        let (offline, asked_offline) = check("servers.yaml", &cache, &["--offline"])?;
        let moved = stage.at("moved");
        copy(&cache, &moved)?;
        let (moved, asked_moved) = check("servers.yaml", &moved, &["--offline"])?;
        let vendored = vendor(stage, repository, &cache)?;
        let asked_vendor = server.take();
        stage.configure("vendored.yaml", &[&vendored])?;
        let (copied, asked_copied) = check("vendored.yaml", &none, &["--offline"])?;
        let (anew, asked_anew) = check("servers.yaml", &cache, &["--refresh"])?;
        let absent = only_absent(stage, &vendored)?;
        stage.configure("directory.yaml", &[&stage.at("whole"), &absent])?;
        let (directory, asked_directory) = check("directory.yaml", &none, &["--offline"])?;
        let mut faults = Vec::new();
        let offline_runs = [asked_offline, asked_moved, asked_copied, asked_directory];
        if offline_runs.iter().any(|asked| !asked.is_empty()) {
            faults.push("a run without network used it".to_owned());
        }
        for asked in [&asked_cold, &asked_warm, &asked_anew] {
            faults.extend(asked_again(asked));
        }
        for artifact in asked_warm.iter().chain(&asked_vendor).filter_map(artifact) {
            faults.push(format!("kept, and asked for again: {artifact}"));
        }
        Ok(Runs {
            cold,
            asked_cold,
            others: vec![
                ("warm", warm),
                ("offline", offline),
                ("moved", moved),
                ("vendored", copied),
                ("refreshed", anew),
                ("directory", directory),
            ],
            asked_warm,
            asked_anew,
            faults,
        })
    }

    fn print(&self, name: &str) {
        let mut line = format!("{name:<42} {:>6}", self.cold.wall.as_millis());
        for (_, other) in &self.others {
            line += &format!(" {:>6}", other.wall.as_millis());
        }
        let missing = self.asked_cold.iter().filter(|e| e.status == 404).count();
        let same = self.asked_anew.iter().filter(|e| e.status == 304).count();
        println!(
            "{line} | {:>5} {missing:>5} {:>5} {:>5} {same:>5} | {:>8} {:>6}",
            self.asked_cold.len(),
            self.asked_warm.len(),
            self.asked_anew.len(),
            self.cold.findings.len(),
            self.cold.opaque,
        );
    }
}

/// Runs every repository in every way.
pub fn command(mut args: Args) -> Result<(), String> {
    let show = args.flag("--show");
    let stage = Stage::new("corpus", &mut args)?;
    let asked = args.rest()?;
    println!(
        "{:<42} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} | {:>5} {:>5} {:>5} {:>5} {:>5} | {:>8} {:>6}",
        "repository (ms; requests)",
        "cold",
        "warm",
        "offl",
        "moved",
        "vend",
        "anew",
        "dir",
        "cold",
        "404",
        "warm",
        "anew",
        "304",
        "findings",
        "opaque"
    );
    let mut all = Vec::new();
    let mut faults = BTreeSet::new();
    let mut repositories = 0;
    for repository in corpus_list::repositories()? {
        if !asked.is_empty() && !asked.contains(&repository.name) {
            continue;
        }
        let runs = Runs::of(&stage, &repository)?;
        runs.print(&repository.name);
        let name = &repository.name;
        faults.extend(runs.faults.iter().map(|fault| format!("{name}: {fault}")));
        for (way, other) in &runs.others {
            let found = differences(&runs.cold, other);
            if !found.is_empty() {
                faults.insert(format!("{name}: {way} finds {} others", found.len()));
            }
            for line in found.iter().filter(|_| show) {
                println!("  {way}: {line}");
            }
        }
        all.extend(runs.asked_cold);
        repositories += 1;
    }
    println!(
        "{repositories} repositories, cold: {} requests, {} artifacts and lists brought",
        all.len(),
        all.iter().filter_map(artifact).count()
    );
    let twice = twice(&all).into_iter();
    faults.extend(twice.map(|line| format!("brought more than once: {line}")));
    for fault in &faults {
        println!("{fault}");
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err("runs that should be the same are not".into()),
    }
}

/// Copies what a repository pins into a directory.
fn vendor(
    stage: &Stage,
    repository: &Repository,
    cache: &Path,
) -> Result<std::path::PathBuf, String> {
    let name = repository.name.replace('/', "-");
    let directory = stage.at(&format!("vendored-{name}"));
    let tree = repository.unpack()?;
    let mut command = stage.command(&["vendor", "--partial"], "servers.yaml", cache);
    command.arg("--repo").arg(&tree).arg(&directory);
    command.args(&repository.entrypoints);
    let run = process::run(&mut command)?;
    match run.code {
        Some(0 | 1) => Ok(directory),
        code => Err(format!("{name}: vendor ended with {code:?}")),
    }
}

/// A directory that knows what a vendored one knows not to be there, and holds
/// nothing.
fn only_absent(stage: &Stage, vendored: &Path) -> Result<std::path::PathBuf, String> {
    let bytes = fs::read(vendored.join("index.json")).map_err(|e| e.to_string())?;
    let index: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    let directory = stage.at("absent");
    fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let text = json!({"absent": index["absent"]}).to_string();
    fs::write(directory.join("index.json"), text).map_err(|e| e.to_string())?;
    Ok(directory)
}

/// Copies a directory to where nothing of its kind was.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(to);
    let mut open = vec![(from.to_path_buf(), to.to_path_buf())];
    let failed = |error: std::io::Error| error.to_string();
    while let Some((from, to)) = open.pop() {
        fs::create_dir_all(&to).map_err(failed)?;
        for entry in fs::read_dir(&from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let to = to.join(entry.file_name());
            match entry.path().is_dir() {
                true => open.push((entry.path(), to)),
                false => drop(fs::copy(entry.path(), to).map_err(failed)?),
            }
        }
    }
    Ok(())
}

/// Findings of one outcome that the other has not.
pub fn differences(one: &Outcome, other: &Outcome) -> Vec<String> {
    let texts = |outcome: &Outcome| -> BTreeSet<String> {
        outcome.findings.iter().map(Value::to_string).collect()
    };
    let (a, b) = (texts(one), texts(other));
    let only = |sign: &str, found: Vec<&String>| -> Vec<String> {
        found.iter().map(|text| format!("{sign} {text}")).collect()
    };
    let mut lines = only("-", a.difference(&b).collect());
    lines.extend(only("+", b.difference(&a).collect()));
    lines
}
