//! `cargo xtask bench helm`: rendering charts in this process against Helm's
//! library in its own, both on one core; `fluxlint template` against `helm
//! template` from start to end; and whole repositories.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use helm::{Capabilities, Options, Package, Release, Request};
use serde_json::{Value, json};

use super::{fluxlint, peers, repositories};
use crate::args::Args;
use crate::diff_helm::{Source, Subject, archives};
use crate::oracle::Pool;
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

/// Measures and prints medians of `--rounds` (5), of every `--every`th (4) chart
/// of the mirror. `--repositories` leaves out all but these. The program is a
/// release build of this tree, unless `--program` names one.
pub fn command(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds")?.unwrap_or(5).clamp(1, 1000);
    let rounds = usize::try_from(rounds).unwrap_or(5);
    let every = args.number("--every")?.unwrap_or(4).max(1);
    let only_repositories = args.flag("--repositories");
    let named = args.value("--program")?;
    args.done()?;
    let programs = Programs {
        native: named.map_or_else(fluxlint, |file| Ok(file.into()))?,
        helm: peers::installed("helm", HELM)?,
    };
    if !only_repositories {
        let all = archives()?;
        let every = usize::try_from(every).unwrap_or(1);
        let some: Vec<&PathBuf> = all.iter().step_by(every).collect();
        in_process(&some, rounds)?;
        programs.templates(&all, rounds)?;
    }
    repositories::compare(&programs.native, &programs.helm, rounds)
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
}

fn wall(runs: &[Run]) -> Duration {
    median(runs.iter().map(|run| run.wall).collect())
}

fn peak(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.peak).max().unwrap_or(0)
}
