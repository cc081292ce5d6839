//! `cargo xtask render-oracle`: every folder that a Flux Kustomization of a
//! corpus repository names, against what `kubectl kustomize` made of it.

use std::path::PathBuf;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::args::Args;
use crate::engine::{self, Build, Engine, Upstream};
use crate::ratchet::Outcome;
use crate::report::{Mode, Report};
use crate::{corpus, lines, parallel, paths};

/// One folder's result.
#[derive(Deserialize)]
struct Row {
    repo: String,
    commit: String,
    path: String,
    /// Exit code.
    rc: i32,
    bytes: Option<usize>,
    sha256: Option<String>,
    error: Option<String>,
}

/// Runs the packed rows, or those of the commits that git directories below
/// `--git DIR` hold.
pub fn command(mut args: Args) -> Result<(), String> {
    let mode = Mode::take(&mut args);
    let git = args.value("--git")?.map(PathBuf::from);
    args.done()?;
    let engine = engine::choose(mode.upstream)?;
    let upstream = if mode.upstream {
        None
    } else {
        Upstream::or_warn()
    };
    let upstream = upstream.as_ref().map(|upstream| upstream as &dyn Engine);
    let mut report = Report::start(mode)?;
    match git {
        None => {
            let outcomes = run("render-oracle-packed.jsonl", &*engine, upstream, |row| {
                corpus::packed(&row.repo, &row.commit).map(Some)
            });
            report.suite("render-oracle-packed", outcomes?);
        }
        Some(dir) => {
            let outcomes = run("render-oracle.jsonl", &*engine, upstream, |row| {
                corpus::from_git(&dir, &row.repo, &row.commit)
            });
            report.suite("render-oracle", outcomes?);
        }
    }
    report.finish()
}

fn run(
    file: &str,
    engine: &dyn Engine,
    upstream: Option<&dyn Engine>,
    tree: impl Fn(&Row) -> Result<Option<PathBuf>, String>,
) -> Result<Vec<Outcome>, String> {
    let rows: Vec<Row> = lines::read(&paths::need_shared()?.join("corpus").join(file))?;
    let mut builds = Vec::new();
    let mut absent = 0;
    for row in rows {
        match tree(&row)? {
            Some(root) => builds.push((Build::on_disk(root, &row.path), row)),
            None => absent += 1,
        }
    }
    if absent > 0 {
        return Err(format!(
            "{file}: no git directory holds the trees of {absent} rows"
        ));
    }
    Ok(parallel::map(&builds, |(build, row)| {
        let result = engine.kustomize(build);
        let outcome = row.check(&result);
        let explained = outcome.map_err(|difference| match upstream {
            Some(upstream) => row.explain(&difference, &result, &upstream.kustomize(build)),
            None => difference,
        });
        Outcome::new(
            format!("{}@{} {}", row.repo, row.commit, row.path),
            explained,
        )
    }))
}

impl Row {
    fn check(&self, result: &Result<String, String>) -> Result<(), String> {
        match result {
            Err(message) if self.rc == 0 => Err(format!("fails: {message}")),
            Err(_) => Ok(()),
            Ok(_) if self.rc != 0 => Err(format!(
                "builds, but upstream said: {}",
                self.error.as_deref().unwrap_or("?")
            )),
            Ok(text) if Some(digest(text)) == self.sha256 => Ok(()),
            Ok(text) => Err(format!(
                "{} bytes, expected {}",
                text.len(),
                self.bytes.unwrap_or(0)
            )),
        }
    }

    /// Says more about a difference: where the text differs from the pinned
    /// libraries, or that those differ from the row as well.
    fn explain(
        &self,
        difference: &str,
        result: &Result<String, String>,
        upstream: &Result<String, String>,
    ) -> String {
        if let Err(also) = self.check(upstream) {
            let same = if result == upstream {
                "the same"
            } else {
                "other"
            };
            return format!("{difference} (the pinned version gives {same} output: {also})");
        }
        match (result, upstream) {
            (Ok(got), Ok(expected)) => format!("{difference}; {}", first_line(got, expected)),
            _ => difference.to_owned(),
        }
    }
}

fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    let mut hex = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// The first line in which two texts differ.
pub fn first_line(got: &str, expected: &str) -> String {
    let mut lines = got.lines().zip(expected.lines()).enumerate();
    match lines.find(|(_, (got, expected))| got != expected) {
        Some((at, (got, expected))) => {
            format!("line {}: {got:?}, expected {expected:?}", at + 1)
        }
        None => format!(
            "{} lines, expected {}",
            got.lines().count(),
            expected.lines().count()
        ),
    }
}
