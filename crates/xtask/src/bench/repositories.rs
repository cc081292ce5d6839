//! `check --offline` of whole repositories with their charts, against `flate`
//! and against the loops of `flux build` and `helm template` that people write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::ComponentKind;

use super::flate::Flate;
use super::{check, peers};
use crate::corpus_compare;
use crate::corpus_list::{self, Elsewhere, Repository};
use crate::diff_release;
use crate::paths;
use crate::process::{self, Run, median};

/// The version of the `flux` program.
const FLUX: &str = "2.9.5";
/// Repositories that are checked whole.
const REPOSITORIES: &[&str] = &[
    "bjw-s-labs/home-ops",
    "JJGadgets/Biohazard",
    "haraldkoch/kochhaus-home",
];

/// What some processes, one after the other, took together.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: Duration,
    cpu: Duration,
    /// Of the largest of them, in bytes.
    peak: u64,
    /// Those that failed.
    failed: usize,
}

impl Cost {
    fn of(runs: &[Run]) -> Cost {
        let mut cost = Cost::default();
        for run in runs {
            cost.wall += run.wall;
            cost.cpu += run.cpu;
            cost.peak = cost.peak.max(run.peak);
            cost.failed += usize::from(run.code != Some(0));
        }
        cost
    }

    /// Medians of times, and the largest peak.
    fn typical(costs: &[Cost]) -> Cost {
        Cost {
            wall: median(costs.iter().map(|cost| cost.wall).collect()),
            cpu: median(costs.iter().map(|cost| cost.cpu).collect()),
            peak: costs.iter().map(|cost| cost.peak).max().unwrap_or(0),
            failed: costs.iter().map(|cost| cost.failed).max().unwrap_or(0),
        }
    }

    fn print(&self, what: &str, native: &Cost, more: &str) {
        println!(
            "    {what:<38} {:>8.0} ms (cpu {:>6.0} ms, peak {:>4.0} MB) {:>6.1}x  {more}",
            self.wall.as_secs_f64() * 1e3,
            self.cpu.as_secs_f64() * 1e3,
            self.peak as f64 / 1e6,
            self.wall.as_secs_f64() / native.wall.as_secs_f64().max(f64::EPSILON),
        );
    }
}

/// Measures all of them.
pub fn compare(native: &Path, helm: &Path, rounds: usize) -> Result<(), String> {
    println!("whole repositories, nothing kept but the sources; the peak is of one process");
    let peers = Peers {
        helm: helm.to_owned(),
        flux: peers::flux(FLUX)?,
        flate: Flate::ready()?,
    };
    let all = corpus_list::repositories()?;
    for repository in all
        .iter()
        .filter(|r| REPOSITORIES.contains(&r.name.as_str()))
    {
        peers.measure(native, repository, rounds)?;
    }
    Ok(())
}

struct Peers {
    helm: PathBuf,
    flux: PathBuf,
    flate: Flate,
}

impl Peers {
    fn measure(&self, native: &Path, repository: &Repository, rounds: usize) -> Result<(), String> {
        println!("  {}", repository.name);
        let releases = releases(repository)?;
        let kustomizations = kustomizations(repository)?;
        // Brings what the program keeps of sources.
        self.flate.test(repository)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut tally = String::new();
        for _ in 0..rounds {
            ours.push(Cost::of(&[check(native, repository, Elsewhere::Mirror)?]));
            let (runs, told) = self.flate.test(repository)?;
            theirs.push(Cost::of(&runs));
            tally = told;
        }
        let ours = Cost::typical(&ours);
        ours.print("fluxlint check --offline", &ours, "");
        Cost::typical(&theirs).print("flate test all", &ours, &tally);
        let flux = self.loop_of(&kustomizations, |dir| self.build(dir))?;
        let helm = self.loop_of(&releases, |dir| self.template(dir))?;
        for (what, cost, count) in [
            ("flux build kustomization", flux, kustomizations.len()),
            ("helm template", helm, releases.len()),
        ] {
            let of = format!("{count} times, {} failed", cost.failed);
            cost.print(what, &ours, &of);
        }
        let both = Cost {
            wall: flux.wall + helm.wall,
            cpu: flux.cpu + helm.cpu,
            peak: flux.peak.max(helm.peak),
            failed: 0,
        };
        both.print("both loops", &ours, "");
        Ok(())
    }

    fn loop_of(
        &self,
        dirs: &[PathBuf],
        command: impl Fn(&Path) -> Command,
    ) -> Result<Cost, String> {
        let runs = dirs.iter().map(|dir| process::run(&mut command(dir)));
        Ok(Cost::of(&runs.collect::<Result<Vec<_>, _>>()?))
    }

    fn build(&self, kustomization: &Path) -> Command {
        let mut command = Command::new(&self.flux);
        command
            .args(["build", "kustomization"])
            .arg(said(kustomization, "name"))
            .arg("--namespace")
            .arg(said(kustomization, "namespace"))
            .arg("--path")
            .arg(said(kustomization, "path"))
            .arg("--kustomization-file")
            .arg(kustomization.join("kustomization.json"))
            .arg("--dry-run");
        command
    }

    fn template(&self, release: &Path) -> Command {
        let mut command = Command::new(&self.helm);
        command
            .args(["template", "rel"])
            .arg(said(release, "chart"))
            .arg("--values")
            .arg(release.join("values.yaml"))
            .args(["--include-crds", "--skip-schema-validation"]);
        command
    }
}

fn said(dir: &Path, file: &str) -> String {
    std::fs::read_to_string(dir.join(file)).unwrap_or_default()
}

fn place(repository: &Repository) -> PathBuf {
    let name = repository.name.replace('/', "__");
    paths::target().join("bench-helm").join(name)
}

/// The Kustomizations of a repository's own source, as directories.
fn kustomizations(repository: &Repository) -> Result<Vec<PathBuf>, String> {
    let base = place(repository);
    // The program writes into the directories that it builds.
    let tree = base.join("tree");
    peers::copy(&repository.unpack()?, &tree).map_err(|e| e.to_string())?;
    let rendered = corpus_compare::render(&tree, &repository.entrypoints)?;
    let mut found = Vec::new();
    for world in &rendered.worlds {
        for component in &world.components {
            let (Some(object), model::Spec::Kustomization(spec)) =
                (&component.object, &component.spec)
            else {
                continue;
            };
            if component.key.kind != ComponentKind::Kustomization
                || !corpus_compare::is_own(world, component)
            {
                continue;
            }
            let dir = base.join(format!("kustomization{}", found.len()));
            let path = tree.join(spec.path.trim_start_matches("./"));
            put(&dir, "name", component.key.name.as_bytes())?;
            put(&dir, "namespace", component.key.namespace.as_bytes())?;
            put(&dir, "path", path.to_string_lossy().as_bytes())?;
            let text = yaml::to_json(&object.node);
            put(&dir, "kustomization.json", text.as_bytes())?;
            found.push(dir);
        }
    }
    Ok(found)
}

/// The charts and values of a repository's releases, as directories.
fn releases(repository: &Repository) -> Result<Vec<PathBuf>, String> {
    let base = place(repository);
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, recorded) in diff_release::record(repository)?.iter().enumerate() {
        let files = &recorded.request["filesBase64"];
        let next = base.join(format!("chart{}", known.len()));
        let chart = known.entry(files.to_string()).or_insert(next).clone();
        for (name, content) in files.as_object().into_iter().flatten() {
            let data = STANDARD.decode(content.as_str().unwrap_or_default());
            put(&chart, name, &data.unwrap_or_default())?;
        }
        let values = &recorded.request["helmRelease"]["spec"]["values"];
        let dir = base.join(format!("release{at}"));
        let values = if values.is_object() {
            values.to_string()
        } else {
            "{}".to_owned()
        };
        put(&dir, "values.yaml", values.as_bytes())?;
        put(&dir, "chart", chart.to_string_lossy().as_bytes())?;
        found.push(dir);
    }
    Ok(found)
}

fn put(dir: &Path, name: &str, data: &[u8]) -> Result<(), String> {
    let path = dir.join(name);
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    std::fs::write(&path, data).map_err(failed)
}
