//! Cold, warm and offline runs of the corpus repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use loopback::Exchange;
use serde_json::Value;

use super::places::Places;
use super::repositories::Repositories;
use super::server::Origin;
use crate::args::Args;
use crate::corpus_list::{self, Repository};
use crate::{bench, process};

/// The program, the servers it asks, and a place for everything.
pub struct Stage {
    /// The servers.
    pub origin: Origin,
    /// The program.
    pub program: PathBuf,
    place: PathBuf,
}

/// What a run gave.
pub struct Outcome {
    /// Findings of all entrypoints, as JSON.
    pub findings: Vec<Value>,
    /// What it took.
    pub wall: Duration,
    /// Components that are not rendered.
    pub opaque: usize,
}

impl Stage {
    /// Starts the servers. The program is a release build of this tree, unless
    /// `--program` names one.
    pub fn new(name: &str, args: &mut Args) -> Result<Stage, String> {
        let program = match args.value("--program")? {
            Some(program) => program.into(),
            None => bench::fluxlint()?,
        };
        Ok(Stage {
            program,
            ..Stage::servers(name)?
        })
    }

    /// Starts the servers, for runs in process.
    pub fn servers(name: &str) -> Result<Stage, String> {
        let place = crate::paths::target().join("sources").join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("home")).map_err(|e| e.to_string())?;
        let places = Places::read()?;
        let repositories = Repositories::make(&places, &place.join("git"))?;
        let by_commit = directory(&places, &repositories, &place.join("by-commit"))?;
        let mut config = "sources:\n  mirrors:\n".to_owned();
        if by_commit {
            config += &format!("  - path: {}\n", place.join("by-commit").display());
        }
        let root = places.root.join("mirror");
        let origin = Origin::start(places, repositories)?;
        for (from, to) in &origin.replaced {
            config += &format!("  - url: {from}\n    path: {to}\n");
        }
        let write = |name: &str, text: &str| {
            fs::write(place.join(name), text).map_err(|e| format!("{name}: {e}"))
        };
        write("servers.yaml", &config)?;
        let directory = format!("sources:\n  mirrors:\n  - path: {}\n", root.display());
        write("directory.yaml", &directory)?;
        Ok(Stage {
            origin,
            program: PathBuf::new(),
            place,
        })
    }

    /// A path below the place.
    pub fn at(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// The program with arguments, nothing of this machine's own, a cache, and a
    /// configuration.
    pub fn command(&self, arguments: &[&str], config: &str, cache: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .arg("--config")
            .arg(self.at(config))
            .arg("--cache-dir")
            .arg(cache)
            .env("HOME", self.at("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1")
            .env_remove("FLUXLINT_OFFLINE")
            .env_remove("FLUXLINT_CACHE_DIR");
        command
    }

    /// A `check` of a repository that ends by itself.
    pub fn check(
        &self,
        repository: &Repository,
        config: &str,
        cache: &Path,
        flags: &[&str],
    ) -> Result<Outcome, String> {
        let tree = repository.unpack()?;
        let mut command = self.command(&["check", "--format", "json"], config, cache);
        command.args(flags).arg("--repo").arg(&tree);
        command.args(&repository.entrypoints);
        let run = process::run(&mut command)?;
        match run.code {
            Some(0 | 1) => read(&run.stdout, run.wall),
            code => Err(format!("{}: it ended with {code:?}", repository.name)),
        }
    }
}

/// A directory mirror of the trees that are named by a commit. Whether there
/// are any.
fn directory(places: &Places, made: &Repositories, place: &Path) -> Result<bool, String> {
    let mut git: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
    fs::create_dir_all(place).map_err(|e| e.to_string())?;
    for (url, commit, file) in &made.by_commit {
        let name = format!("{commit}.tar.gz");
        fs::copy(places.root.join(file), place.join(&name)).map_err(|e| e.to_string())?;
        let entry = serde_json::json!({"file": name, "commit": commit});
        git.entry(url).or_default().insert(commit, entry);
    }
    let index = serde_json::json!({"git": git}).to_string();
    fs::write(place.join("index.json"), index).map_err(|e| e.to_string())?;
    Ok(!made.by_commit.is_empty())
}

pub fn read(report: &[u8], wall: Duration) -> Result<Outcome, String> {
    let report: Value = serde_json::from_slice(report).map_err(|e| e.to_string())?;
    let mut outcome = Outcome {
        findings: Vec::new(),
        wall,
        opaque: 0,
    };
    for entrypoint in report["entrypoints"].as_array().into_iter().flatten() {
        let findings = entrypoint["findings"].as_array().into_iter().flatten();
        outcome.findings.extend(findings.cloned());
        let components = entrypoint["components"].as_array().into_iter().flatten();
        let opaque = components.filter(|c| c["rendered"] == false);
        outcome.opaque += opaque.count();
    }
    Ok(outcome)
}

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

/// Runs every repository cold, warm and offline, and from a copy.
pub fn command(mut args: Args) -> Result<(), String> {
    let show = args.flag("--show");
    let stage = Stage::new("corpus", &mut args)?;
    let asked = args.rest()?;
    let cache = stage.at("cache");
    println!(
        "{:<42} {:>8} {:>8} {:>8} {:>8} | {:>5} {:>5} {:>5} {:>5} | {:>8} {:>6}",
        "repository",
        "cold",
        "warm",
        "offline",
        "copy",
        "cold",
        "warm",
        "anew",
        "304",
        "findings",
        "opaque"
    );
    let mut all = Vec::new();
    let mut differing = BTreeSet::new();
    let mut sums = (0, 0);
    for repository in corpus_list::repositories()? {
        if !asked.is_empty() && !asked.contains(&repository.name) {
            continue;
        }
        let _ = stage.origin.server.take();
        let cold = stage.check(&repository, "servers.yaml", &cache, &[])?;
        let asked_cold = stage.origin.server.take();
        let warm = stage.check(&repository, "servers.yaml", &cache, &[])?;
        let asked_warm = stage.origin.server.take();
        let offline = stage.check(&repository, "servers.yaml", &cache, &["--offline"])?;
        let asked_offline = stage.origin.server.take();
        let copy = copied(&stage, &repository, &cache)?;
        let asked_copy = stage.origin.server.take();
        let anew = stage.check(&repository, "servers.yaml", &cache, &["--refresh"])?;
        let asked_anew = stage.origin.server.take();
        let plain = stage.check(
            &repository,
            "directory.yaml",
            &stage.at("none"),
            &["--offline"],
        )?;
        for (name, other) in [
            ("warm", &warm),
            ("offline", &offline),
            ("copy", &copy),
            ("refreshed", &anew),
            ("directory", &plain),
        ] {
            let found = differences(&cold, other);
            if !found.is_empty() {
                differing.insert(format!("{}: {name}", repository.name));
            }
            if show {
                for line in found {
                    println!("  {name}: {line}");
                }
            }
        }
        let brought = |exchanges: &[Exchange]| exchanges.iter().filter_map(artifact).count();
        if !asked_offline.is_empty() || brought(&asked_warm) + brought(&asked_copy) > 0 {
            return Err(format!("{}: what was kept was asked for", repository.name));
        }
        let same = asked_anew.iter().filter(|e| e.status == 304).count();
        println!(
            "{:<42} {:>6}ms {:>6}ms {:>6}ms {:>6}ms | {:>5} {:>5} {:>5} {:>5} | {:>8} {:>6}",
            repository.name,
            cold.wall.as_millis(),
            warm.wall.as_millis(),
            offline.wall.as_millis(),
            copy.wall.as_millis(),
            asked_cold.len(),
            asked_warm.len(),
            asked_anew.len(),
            same,
            cold.findings.len(),
            cold.opaque,
        );
        sums.0 += asked_cold.len();
        sums.1 += brought(&asked_cold);
        all.extend(asked_cold);
    }
    println!(
        "cold runs: {} requests, {} artifacts brought; offline runs: none",
        sums.0, sums.1
    );
    let twice = twice(&all);
    for line in &twice {
        println!("brought more than once: {line}");
    }
    for line in &differing {
        println!("other findings than the cold run: {line}");
    }
    match twice.is_empty() && differing.is_empty() {
        true => Ok(()),
        false => Err("runs that should be the same are not".into()),
    }
}

/// Copies what a repository pins into a directory, and runs on it alone.
fn copied(stage: &Stage, repository: &Repository, cache: &Path) -> Result<Outcome, String> {
    let name = format!("copy-{}", repository.name.replace('/', "-"));
    let directory = stage.at(&name);
    let tree = repository.unpack()?;
    let mut command = stage.command(&["vendor", "--partial"], "servers.yaml", cache);
    command.arg("--repo").arg(&tree).arg(&directory);
    command.args(&repository.entrypoints);
    let run = process::run(&mut command)?;
    if !matches!(run.code, Some(0 | 1)) {
        return Err(format!(
            "{}: vendor ended with {:?}",
            repository.name, run.code
        ));
    }
    let config = format!("sources:\n  mirrors:\n  - path: {}\n", directory.display());
    let file = format!("{name}.yaml");
    fs::write(stage.at(&file), config).map_err(|e| e.to_string())?;
    stage.check(repository, &file, &stage.at("none"), &["--offline"])
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
