//! `cargo xtask bench kustomize`: reading YAML and building directories in this
//! process against the Go libraries in theirs, both on one core and warm; and
//! the two programs from start to end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kustomize::{Documents, Options};
use serde_json::{Value, json};
use vfs::{Disk, Tree};
use yaml::{FileId, Limits, Sources};

use crate::args::Args;
use crate::corpus;
use crate::diff_kustomize::directories;
use crate::oracle::Pool;
use crate::parallel;
use crate::paths;
use crate::process::{self, median};

/// The kustomize program that is compared with.
const KUSTOMIZE: &str = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1";

/// The size of the YAML text in bytes, at least.
const BUNDLE: usize = 4 << 20;

/// Measures and prints medians of `--rounds` (7).
pub fn command(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds")?.unwrap_or(7).clamp(1, 1000);
    let rounds = usize::try_from(rounds).unwrap_or(7);
    args.done()?;
    // One core for Go, its garbage collector included.
    let pool = Pool::new()?.with_env("GOMAXPROCS", "1");
    yaml(&pool, rounds)?;
    builds(&pool, rounds)?;
    programs(rounds)
}

/// A bundle of CRDs from the corpus, read to a tree.
fn yaml(pool: &Pool, rounds: usize) -> Result<(), String> {
    let bundle = bundle()?;
    println!(
        "YAML, {:.1} MB of CRDs, one core",
        bundle.len() as f64 / 1e6
    );
    let limits = Limits::default();
    let upstream = |how: &str| {
        time_upstream(
            pool,
            &json!({"op": "time", "how": how, "text": bundle, "rounds": rounds, "timeoutMs": 600_000}),
        )
    };
    let native = time(rounds, || {
        std::hint::black_box(yaml::parse_raw(&bundle, FileId(0), &limits).map_err(drop)).is_ok()
    })?;
    // go-yaml reads one document, so each is read on its own there.
    row(
        "  to a tree of nodes (go-yaml v3)",
        native,
        upstream("yaml-v3")?,
    );
    let native = time(rounds, || {
        std::hint::black_box(yaml::parse(&bundle, FileId(0), &limits).map_err(drop)).is_ok()
    })?;
    row("  to resources (kyaml)", native, upstream("kyaml")?);
    let native = time(rounds, || {
        let node = yaml::sigs_to_json(&bundle, FileId(0), false);
        std::hint::black_box(node.map(|node| yaml::to_json(&node)).map_err(drop)).is_ok()
    })?;
    row(
        "  to JSON (sigs.k8s.io/yaml)",
        native,
        upstream("yaml-sigs")?,
    );
    Ok(())
}

/// The CRDs of the corpus as one list, which every reader takes as one document.
fn bundle() -> Result<String, String> {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for (repo, commit) in corpus::repositories()? {
        for path in crds(&corpus::packed(&repo, &commit)?) {
            let Ok(crd) = std::fs::read_to_string(&path) else {
                continue;
            };
            let documents = yaml::parse(&crd, FileId(0), &Limits::default()).unwrap_or_default();
            for document in &documents {
                let written = yaml::emit_v2(document);
                let mut lines = written.lines();
                if let Some(first) = lines.next() {
                    text.push_str("- ");
                    text.push_str(first);
                    text.push('\n');
                }
                for line in lines {
                    if !line.is_empty() {
                        text.push_str("  ");
                    }
                    text.push_str(line);
                    text.push('\n');
                }
            }
            if text.len() >= BUNDLE {
                return Ok(text);
            }
        }
    }
    Ok(text)
}

/// Files of definitions, by their names.
fn crds(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut queue = vec![root.to_path_buf()];
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                queue.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml")
                && path.to_string_lossy().contains("crd")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every directory of the corpus with a kustomization file, read from disk and
/// built to its text.
fn builds(pool: &Pool, rounds: usize) -> Result<(), String> {
    let mut targets: Vec<(PathBuf, String)> = Vec::new();
    for (repo, commit) in corpus::repositories()? {
        let root = corpus::packed(&repo, &commit)?;
        let dirs = directories(&root);
        targets.extend(dirs.into_iter().map(|dir| (root.clone(), dir)));
    }
    println!("building {} directories of the corpus", targets.len());
    let one = time(rounds, || {
        targets.iter().all(|(root, dir)| build(root, dir))
    })?;
    let all = || parallel::map(&targets, |(root, dir)| build(root, dir));
    let two = time(rounds, || !all().is_empty())?;
    let listed: Vec<Value> = targets
        .iter()
        .map(|(root, dir)| json!({"root": root, "path": dir}))
        .collect();
    let upstream = time_upstream(
        pool,
        &json!({"op": "time", "how": "kustomize", "targets": listed, "rounds": rounds, "timeoutMs": 1_800_000}),
    )?;
    row("  one core", one, upstream);
    row(
        "  all cores, upstream on one: it cannot build in parallel",
        two,
        upstream,
    );
    Ok(())
}

/// Builds one directory from disk to its text. Failures count like successes.
fn build(root: &Path, dir: &str) -> bool {
    let Ok(disk) = Disk::new(root) else {
        return false;
    };
    let documents = Documents::new(Tree::new(disk), Sources::new());
    if let Ok(output) = kustomize::build(&documents, dir, &Options::default()) {
        std::hint::black_box(output.to_yaml());
    }
    true
}

/// A small overlay by the two programs.
fn programs(rounds: usize) -> Result<(), String> {
    let native = super::fluxlint()?;
    let upstream = super::peers::installed("kustomize", KUSTOMIZE)?;
    let dir = paths::target().join("bench-overlay");
    overlay(&dir)?;
    let runs = rounds * 3;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let overlay = dir.join("overlay");
        ours.push(process::run(
            Command::new(&native).arg("kustomize").arg(&overlay),
        )?);
        theirs.push(process::run(
            Command::new(&upstream).arg("build").arg(&overlay),
        )?);
    }
    match (ours.first(), theirs.first()) {
        (Some(a), Some(b)) if a.stdout == b.stdout && a.code == Some(0) => {}
        _ => return Err("the two programs print different things".to_owned()),
    }
    println!("whole programs, a small overlay, {runs} runs each in turn");
    let wall = |runs: &[process::Run]| median(runs.iter().map(|run| run.wall).collect());
    row(
        "  fluxlint kustomize against kustomize build",
        wall(&ours),
        wall(&theirs),
    );
    Ok(())
}

fn overlay(dir: &Path) -> Result<(), String> {
    let files = [
        (
            "base/kustomization.yaml",
            "resources: [deployment.yaml]\nconfigMapGenerator: [{name: settings, literals: [LEVEL=info]}]\n",
        ),
        (
            "base/deployment.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: web\n        image: web:1\n        envFrom: [{configMapRef: {name: settings}}]\n",
        ),
        (
            "overlay/kustomization.yaml",
            "namespace: shop\nresources: [../base]\nimages: [{name: web, newTag: '2'}]\npatches:\n- target: {kind: Deployment}\n  patch: |\n    - op: add\n      path: /spec/replicas\n      value: 3\n",
        ),
    ];
    for (path, text) in files {
        let path = dir.join(path);
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// The median time of some work; once more before, so that it is warm.
fn time(rounds: usize, work: impl Fn() -> bool) -> Result<Duration, String> {
    let mut times = Vec::new();
    for _ in 0..=rounds {
        let start = Instant::now();
        if !work() {
            return Err("the native side failed".to_owned());
        }
        times.push(start.elapsed());
    }
    Ok(median(times.split_off(1)))
}

fn time_upstream(pool: &Pool, request: &Value) -> Result<Duration, String> {
    let answer = pool.ask(request);
    let rounds = answer.items().map_err(|e| format!("upstream: {e}"))?;
    let rounds = rounds.iter().filter_map(Value::as_u64);
    Ok(median(rounds.map(Duration::from_nanos).collect()))
}

fn row(what: &str, native: Duration, upstream: Duration) {
    println!(
        "{what:<58} {:>9.2} ms {:>10.2} ms {:>6.1}x",
        native.as_secs_f64() * 1e3,
        upstream.as_secs_f64() * 1e3,
        upstream.as_secs_f64() / native.as_secs_f64().max(f64::EPSILON)
    );
}
