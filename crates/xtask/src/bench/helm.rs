//! `cargo xtask bench helm`: rendering charts in this process against Helm's
//! library in its own, both on one core; `fluxlint template` against `helm
//! template` from start to end; and `check` of whole repositories with their
//! charts against a `helm template` for each release.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helm::{Capabilities, Options, Package, Release, Request};
use serde_json::{Value, json};

use super::{check, fluxlint};
use crate::args::Args;
use crate::corpus_list::{self, Elsewhere, Repository};
use crate::diff_helm::{Source, Subject, archives};
use crate::diff_release;
use crate::oracle::Pool;
use crate::paths;
use crate::process::{self, Run, median};

/// The program that is compared with.
const HELM: &str = "helm.sh/helm/v4/cmd/helm@v4.2.1";
/// Charts rendered by whole programs: small ones and the largest.
const CHARTS: &[&str] = &[
    "podinfo",
    "app-template",
    "cert-manager-",
    "ingress-nginx-",
    "cilium-",
    "kube-prometheus-stack",
];
/// Repositories that are checked whole.
const REPOSITORIES: &[&str] = &[
    "bjw-s-labs/home-ops",
    "JJGadgets/Biohazard",
    "haraldkoch/kochhaus-home",
];

/// Measures and prints medians of `--rounds` (5), of every `--every`th (4) chart
/// of the mirror.
pub fn command(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds")?.unwrap_or(5).clamp(1, 1000);
    let rounds = usize::try_from(rounds).unwrap_or(5);
    let every = args.number("--every")?.unwrap_or(4).max(1);
    args.done()?;
    let all = archives()?;
    let some: Vec<&PathBuf> = all
        .iter()
        .step_by(usize::try_from(every).unwrap_or(1))
        .collect();
    in_process(&some, rounds)?;
    let programs = Programs {
        native: fluxlint()?,
        helm: helm_program()?,
    };
    programs.templates(&all, rounds)?;
    programs.repositories(rounds)
}

/// Sums over charts.
#[derive(Default)]
struct Sum {
    native: Duration,
    upstream: Duration,
    ratios: Vec<f64>,
}

impl Sum {
    fn add(&mut self, native: Duration, upstream: Duration) {
        self.native += native;
        self.upstream += upstream;
        let ratio = upstream.as_secs_f64() / native.as_secs_f64().max(f64::EPSILON);
        self.ratios.push(ratio);
    }

    fn print(mut self, what: &str) {
        self.ratios.sort_by(f64::total_cmp);
        let at = |part: usize| {
            let last = self.ratios.len().saturating_sub(1);
            self.ratios.get(last * part / 10).copied().unwrap_or(0.0)
        };
        println!(
            "{what:<42} {:>9.1} ms {:>10.1} ms {:>6.1}x  (of a chart: median {:.1}x, tenth {:.1}x to {:.1}x)",
            self.native.as_secs_f64() * 1e3,
            self.upstream.as_secs_f64() * 1e3,
            self.upstream.as_secs_f64() / self.native.as_secs_f64().max(f64::EPSILON),
            at(5),
            at(1),
            at(9),
        );
    }
}

fn in_process(archives: &[&PathBuf], rounds: usize) -> Result<(), String> {
    // One core for Go, its garbage collector included.
    let pool = Pool::helm()?.with_env("GOMAXPROCS", "1");
    let capabilities = capabilities(&pool)?;
    let (mut cold, mut warm) = (Sum::default(), Sum::default());
    let mut skipped = 0;
    for path in archives {
        let subject = Subject {
            name: String::new(),
            chart: Source::Archive((*path).clone()),
            values: None,
            is_upgrade: false,
        };
        let ask = |what: &str| {
            let mut request = subject.request();
            request["op"] = json!("time");
            request["what"] = json!(what);
            request["rounds"] = json!(rounds);
            request["timeoutMs"] = json!(300_000);
            request["capabilities"] = json!({
                "kubeVersion": capabilities.kube_version,
                "apiVersions": capabilities.api_versions,
            });
            upstream(&pool, &request)
        };
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let load = || helm::load::archive(&bytes).map(Package::new);
        let ours = load().and_then(|package| {
            let cold = time(rounds, || texts(&load()?, &capabilities))?;
            Ok((cold, time(rounds, || texts(&package, &capabilities))?))
        });
        // Charts that need values fail on both sides.
        match (ours, ask("cold"), ask("warm")) {
            (Ok(ours), Ok(theirs_cold), Ok(theirs_warm)) => {
                cold.add(ours.0, theirs_cold);
                warm.add(ours.1, theirs_warm);
            }
            _ => skipped += 1,
        }
    }
    println!(
        "{} charts with default values, one core, {rounds} rounds each; {skipped} need values",
        cold.ratios.len()
    );
    cold.print("  from the archive to the templates' texts");
    warm.print("  a loaded chart to the templates' texts");
    Ok(())
}

fn capabilities(pool: &Pool) -> Result<Capabilities, String> {
    let answer: Value = pool.ask_as(&json!({"op": "capabilities"}))?;
    let output = &answer["output"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let versions = output["APIVersions"].as_array();
    Ok(Capabilities {
        kube_version: text(&output["KubeVersion"]["Version"]),
        api_versions: versions.into_iter().flatten().map(text).collect(),
        helm_version: text(&output["HelmVersion"]["version"]),
    })
}

fn upstream(pool: &Pool, request: &Value) -> Result<Duration, String> {
    let answer = pool.ask(request);
    let rounds = answer.items()?.iter().filter_map(Value::as_u64);
    Ok(median(rounds.map(Duration::from_nanos).collect()))
}

fn texts(package: &Package, capabilities: &Capabilities) -> Result<(), String> {
    let request = Request {
        values: &helm::Data::map(),
        release: &Release {
            name: "rel".to_owned(),
            namespace: "ns".to_owned(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities,
        options: &Options::default(),
        skip_schema: false,
    };
    let texts = package.texts(&request).map_err(|e| e.to_string())?;
    std::hint::black_box(texts);
    Ok(())
}

/// The median time of some work; once more before, so that it is warm.
fn time(rounds: usize, work: impl Fn() -> Result<(), String>) -> Result<Duration, String> {
    let mut times = Vec::new();
    for _ in 0..=rounds {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    Ok(median(times.split_off(1)))
}

/// The helm program, built once.
fn helm_program() -> Result<PathBuf, String> {
    let dir = paths::target().join("peers");
    let program = dir.join("helm");
    if !program.is_file() {
        let status = Command::new("go")
            .args(["install", HELM])
            .env("GOBIN", &dir)
            .status()
            .map_err(|e| format!("the Go toolchain cannot be run: {e}"))?;
        if !status.success() {
            return Err(format!("`go install {HELM}` failed"));
        }
    }
    Ok(program)
}

struct Programs {
    native: PathBuf,
    helm: PathBuf,
}

impl Programs {
    /// `template` of some charts.
    fn templates(&self, archives: &[PathBuf], rounds: usize) -> Result<(), String> {
        println!(
            "whole programs, `fluxlint template` against `helm template`, {rounds} runs each in turn"
        );
        let mut total = Sum::default();
        for word in CHARTS {
            let name = |path: &&PathBuf| {
                let path = path.to_string_lossy();
                path.rsplit("mirror/")
                    .next()
                    .is_some_and(|p| p.contains(word))
            };
            let Some(chart) = archives.iter().rev().find(name) else {
                continue;
            };
            let stem = chart.file_stem().unwrap_or_default().to_string_lossy();
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..=rounds {
                ours.push(self.template(&self.native, chart)?);
                theirs.push(self.template(&self.helm, chart)?);
            }
            let same = matches!((ours.first(), theirs.first()), (Some(a), Some(b))
                if a.stdout == b.stdout && a.code == b.code);
            let code = ours.first().and_then(|run| run.code);
            let (a, b) = (wall(&ours[1..]), wall(&theirs[1..]));
            total.add(a, b);
            println!(
                "  {stem:<36} {:>9.1} ms {:>10.1} ms {:>6.1}x  peak {:.0} MB against {:.0} MB{}",
                a.as_secs_f64() * 1e3,
                b.as_secs_f64() * 1e3,
                b.as_secs_f64() / a.as_secs_f64().max(f64::EPSILON),
                peak(&ours) as f64 / 1e6,
                peak(&theirs) as f64 / 1e6,
                match (code, same) {
                    (Some(0), true) => "",
                    (Some(0), false) => "  (other text)",
                    _ => "  (fluxlint failed)",
                },
            );
        }
        total.print("  all");
        Ok(())
    }

    fn template(&self, program: &Path, chart: &Path) -> Result<Run, String> {
        process::run(
            Command::new(program)
                .args(["template", "rel"])
                .arg(chart)
                .args(["--namespace", "ns"]),
        )
    }

    /// `check --offline` of whole repositories.
    fn repositories(&self, rounds: usize) -> Result<(), String> {
        println!("whole repositories, `check --offline` against one `helm template` a release");
        let all = corpus_list::repositories()?;
        for repository in all
            .iter()
            .filter(|r| REPOSITORIES.contains(&r.name.as_str()))
        {
            let releases = self.releases(repository)?;
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                ours.push(check(&self.native, repository, Elsewhere::Mirror)?);
            }
            let mut peak_theirs = 0;
            for _ in 0..rounds.min(2) {
                let mut sum = Duration::ZERO;
                for release in &releases {
                    let run = process::run(&mut self.one(release))?;
                    sum += run.wall;
                    peak_theirs = peak_theirs.max(run.peak);
                }
                theirs.push(sum);
            }
            let (a, b) = (wall(&ours), median(theirs));
            let cpu = median(ours.iter().map(|run| run.cpu).collect());
            println!(
                "  {:<26} {:>4} releases {:>9.0} ms (cpu {:.0} ms, peak {:.0} MB) {:>9.0} ms (peak {:.0} MB) {:>6.1}x",
                repository.name,
                releases.len(),
                a.as_secs_f64() * 1e3,
                cpu.as_secs_f64() * 1e3,
                peak(&ours) as f64 / 1e6,
                b.as_secs_f64() * 1e3,
                peak_theirs as f64 / 1e6,
                b.as_secs_f64() / a.as_secs_f64().max(f64::EPSILON),
            );
        }
        Ok(())
    }

    /// The charts and values of a repository's releases, as directories.
    fn releases(&self, repository: &Repository) -> Result<Vec<PathBuf>, String> {
        let base = paths::target()
            .join("bench-helm")
            .join(repository.name.replace('/', "__"));
        let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut found = Vec::new();
        for (at, recorded) in diff_release::record(repository)?.iter().enumerate() {
            let files = &recorded.request["filesBase64"];
            let next = base.join(format!("chart{}", known.len()));
            let chart = known.entry(files.to_string()).or_insert(next).clone();
            for (name, content) in files.as_object().into_iter().flatten() {
                let data = STANDARD.decode(content.as_str().unwrap_or_default());
                put(&chart.join(name), &data.unwrap_or_default())?;
            }
            let values = &recorded.request["helmRelease"]["spec"]["values"];
            let dir = base.join(format!("release{at}"));
            let values = if values.is_object() {
                values.to_string()
            } else {
                "{}".to_owned()
            };
            put(&dir.join("values.yaml"), values.as_bytes())?;
            put(&dir.join("chart"), chart.to_string_lossy().as_bytes())?;
            found.push(dir);
        }
        Ok(found)
    }

    fn one(&self, release: &Path) -> Command {
        let chart = std::fs::read_to_string(release.join("chart")).unwrap_or_default();
        let mut command = Command::new(&self.helm);
        command
            .args(["template", "rel"])
            .arg(chart)
            .arg("--values")
            .arg(release.join("values.yaml"))
            .args(["--include-crds", "--skip-schema-validation"]);
        command
    }
}

fn put(path: &Path, data: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    std::fs::write(path, data).map_err(failed)
}

fn wall(runs: &[Run]) -> Duration {
    median(runs.iter().map(|run| run.wall).collect())
}

fn peak(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.peak).max().unwrap_or(0)
}
