//! `cargo xtask bench sources`: how much of a run goes to having what lies
//! elsewhere: cold from servers on this machine, warm from the cache, when those
//! servers are asked again for what they did not have, and offline, when nobody is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flux::{Mirror, Settings};
use link::{Linked, Options as LinkOptions};
use rayon::prelude::*;
use source::{Instead, Options, Sources, Spent, Statistics};
use supply::{Network, Replaced};
use vfs::{Disk, Tree};

use crate::args::Args;
use crate::corpus_list::{self, Repository};
use crate::process::median;
use crate::sources::Stage;

/// What is measured when nothing is named: those with the most releases.
const REPOSITORIES: [&str; 4] = [
    "bjw-s-labs/home-ops",
    "onedr0p/home-ops",
    "haraldkoch/kochhaus-home",
    "tholinka/home-ops",
];

/// One run.
struct Row {
    wall: Duration,
    had: Statistics,
}

/// Runs repositories with `--rounds` (5) warm runs each; the medians count.
pub fn command(mut args: Args) -> Result<(), String> {
    let rounds = args.number("--rounds")?.unwrap_or(5).max(1);
    let stage = Stage::servers("bench")?;
    let asked = args.rest()?;
    let is_asked = |name: &String| match asked.is_empty() {
        true => REPOSITORIES.contains(&name.as_str()),
        false => asked.contains(name),
    };
    println!(
        "{:<26} {:>4} {:<7} {:>8} {:>6} {:>8} | {:>7} {:>7} {:>7} {:>7} {:>7} | {:>6}",
        "repository",
        "apps",
        "",
        "wall",
        "asked",
        "MiB",
        "look",
        "fetch",
        "read",
        "index",
        "unpack",
        "share"
    );
    for repository in corpus_list::repositories()? {
        if !is_asked(&repository.name) {
            continue;
        }
        let name = format!("cache-{}", repository.name.replace('/', "-"));
        let cache = stage.at(&name);
        let run = |offline| measure(&stage, &repository, &cache, offline);
        let runs = |offline| (0..rounds).map(|_| run(offline)).collect();
        print(&repository, "cold", &[run(false)?]);
        let warm: Result<Vec<Row>, String> = runs(false);
        print(&repository, "warm", &warm?);
        let offline: Result<Vec<Row>, String> = runs(true);
        print(&repository, "offline", &offline?);
    }
    println!(
        "times of the room are of all threads together; share is their part of the threads' time"
    );
    Ok(())
}

/// Renders, links and judges, as `check` does.
fn measure(
    stage: &Stage,
    repository: &Repository,
    cache: &std::path::Path,
    offline: bool,
) -> Result<Row, String> {
    let tree = repository.unpack()?;
    let tree = Tree::new(Disk::new(&tree).map_err(|error| error.to_string())?);
    let begun = Instant::now();
    let mut options = Options::new(cache.to_path_buf());
    options.offline = offline;
    let sources = Arc::new(Sources::new(options));
    let network = Network::new(Some(sources.clone()));
    let network = Replaced::new(network, Instead::new(stage.origin.replaced.clone()));
    let mirror: Arc<dyn Mirror> = Arc::new(network);
    let config = config::Config::default();
    let settings = Settings {
        entrypoints: repository.entrypoints.iter().map(Into::into).collect(),
        mirrors: vec![mirror],
        ..Settings::from_config(&config)
    };
    let texts = yaml::Sources::new();
    let rendered = flux::render(tree, texts.clone(), &settings, &|_| {});
    let judged = rendered.worlds.par_iter().map(|world| {
        let linked = Linked::with(world, &config, LinkOptions::default());
        lint::judge_against(&linked, None, &texts, None)
            .findings
            .len()
    });
    let _: usize = judged.sum();
    Ok(Row {
        wall: begun.elapsed(),
        had: sources.statistics(),
    })
}

fn print(repository: &Repository, what: &str, rows: &[Row]) {
    let wall = median(rows.iter().map(|row| row.wall).collect());
    let of = |pick: fn(&Spent) -> Duration| {
        median(rows.iter().map(|row| pick(&row.had.spent)).collect())
    };
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    let threads = rayon::current_num_threads() as f64;
    let share = of(Spent::total).as_secs_f64() / (wall.as_secs_f64() * threads);
    let first = rows.first().map(|row| row.had).unwrap_or_default();
    println!(
        "{:<26} {:>4} {:<7} {:>6}ms {:>6} {:>8.1} | {:>7} {:>7} {:>7} {:>7} {:>7} | {:>5.1}%",
        repository.name,
        repository.kustomizations + repository.releases,
        what,
        ms(wall),
        first.traffic.requests,
        first.fetched_bytes as f64 / f64::from(1 << 20),
        ms(of(|spent| spent.look)),
        ms(of(|spent| spent.fetch)),
        ms(of(|spent| spent.read)),
        ms(of(|spent| spent.index)),
        ms(of(|spent| spent.unpack)),
        share * 100.0,
    );
}
