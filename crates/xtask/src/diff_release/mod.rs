//! `cargo xtask diff-release`: every HelmRelease of the corpus repositories whose
//! chart is in the mirror, composed natively and by helm-controller's own code.

mod chart;
mod compare;
mod record;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use ecow::EcoString;

use crate::args::Args;
use crate::corpus_list::{self, Repository};
use crate::diff_helm::Placeholders;
use crate::oracle::Pool;
use crate::{parallel, paths};
use compare::{Same, judge};
use record::{Recorded, Recorder};

/// Compares the repositories whose names contain one of the words, or all, and
/// writes what differs to `diff-release.txt` in the build directory.
pub fn command(args: Args) -> Result<(), String> {
    let words = args.rest()?;
    let pool = Pool::helm()?;
    let placeholders = Placeholders::native();
    let path = paths::target().join("diff-release.txt");
    let mut listing = String::new();
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for repository in corpus_list::repositories()? {
        if !words.is_empty() && !words.iter().any(|word| repository.name.contains(word)) {
            continue;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let recorded = record(&repository)?;
        let judged = parallel::map(&recorded, |release| judge(&pool, &placeholders, release));
        for (release, (same, detail)) in recorded.iter().zip(&judged) {
            *counts.entry(same.name()).or_default() += 1;
            if !detail.is_empty() {
                // Writing to a string cannot fail.
                let _ = writeln!(
                    listing,
                    "== {} {} ({})\n{detail}",
                    repository.name,
                    release.key,
                    same.name()
                );
            }
        }
        let shown: Vec<String> = counts
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        println!("{}: {}", repository.name, shown.join(", "));
        std::fs::write(&path, &listing).map_err(|e| format!("{}: {e}", path.display()))?;
        for (name, count) in counts {
            *sums.entry(name).or_default() += count;
        }
    }
    println!("all releases: {}", sums.values().sum::<usize>());
    for (name, count) in &sums {
        println!("  {name}: {count}");
    }
    println!("{}", path.display());
    match sums.keys().any(|name| Same::is_difference(name)) {
        true => Err("releases differ".to_owned()),
        false => Ok(()),
    }
}

/// Walks a repository and keeps what its releases are composed of.
pub(crate) fn record(repository: &Repository) -> Result<Vec<Recorded>, String> {
    let tree = repository.unpack()?;
    let corpus = paths::need_shared()?.join("corpus");
    let mirror = vfs::Disk::new(&corpus.join("mirror")).map_err(|e| e.to_string())?;
    let mirror = flux::IndexMirror::open(vfs::Tree::new(mirror))?;
    let recorder = Arc::new(Recorder::default());
    let settings = flux::Settings {
        entrypoints: repository.entrypoints.iter().map(EcoString::from).collect(),
        mirrors: vec![Arc::new(mirror)],
        engine: Some(recorder.clone()),
        ..flux::Settings::default()
    };
    let disk = vfs::Tree::new(vfs::WorkTree::new(&tree).map_err(|e| e.to_string())?);
    flux::render(disk, yaml::Sources::new(), &settings, &|_| {});
    Ok(recorder.take())
}
