//! The program, the servers it asks, and the directories it finds things in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::digested;
use super::places::Places;
use super::repositories::Repositories;
use super::server::Origin;
use crate::args::Args;
use crate::corpus_list::Repository;
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
        let whole = place.join("whole");
        digested::write(&places, &whole)?;
        let origin = Origin::start(places, repositories)?;
        for (from, to) in &origin.replaced {
            config += &format!("  - url: {from}\n    path: {to}\n");
        }
        let write = |name: &str, text: &str| {
            fs::write(place.join(name), text).map_err(|e| format!("{name}: {e}"))
        };
        write("servers.yaml", &config)?;
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

    /// Writes a configuration with directories for mirrors.
    pub fn configure(&self, name: &str, directories: &[&Path]) -> Result<(), String> {
        let lines = directories.iter();
        let lines = lines.map(|directory| format!("  - path: {}\n", directory.display()));
        let text = format!("sources:\n  mirrors:\n{}", lines.collect::<String>());
        fs::write(self.at(name), text).map_err(|e| format!("{name}: {e}"))
    }

    /// The program with arguments, nothing of this machine's own, a cache, and a
    /// configuration.
    pub fn command(&self, arguments: &[&str], config: &str, cache: &Path) -> Command {
        let mut command = alone(&self.program, &self.at("home"), cache);
        command.args(arguments).arg("--config").arg(self.at(config));
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

/// The program with a cache, and nothing of this machine's own.
pub fn alone(program: &Path, home: &Path, cache: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("FLUXLINT_CACHE_DIR", cache)
        .env("HOME", home)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        .env_remove("FLUXLINT_OFFLINE");
    command
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
