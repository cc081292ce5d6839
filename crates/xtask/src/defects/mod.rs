//! `cargo xtask defects`: defects of real histories. At the commit that has one
//! it is named, at the commit that mends it, it is not.

mod analysis;
mod proof;
mod row;
mod tally;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use vfs::GitRepository;

use crate::args::Args;
use crate::{corpus, parallel, paths};
use analysis::Analysis;
use row::Row;
use tally::Tally;

/// Of the rows that can run, in percent, those that must go well.
const NEEDED: f64 = 98.0;

/// Runs all rows, or those of the repositories named, or those of a kind. `--git
/// DIR` holds their git directories.
pub fn command(mut args: Args) -> Result<(), String> {
    let git = args.value("--git")?.map(PathBuf::from);
    let jobs = args.number("--jobs")?;
    let kind = args.value("--kind")?;
    let names = args.rest()?;
    let git = git.ok_or("--git DIR names the directory of the git directories")?;
    let table = paths::need_shared()?.join("corpus/history-defects.csv");
    let mut rows = row::read(&table)?;
    rows.retain(|row| names.is_empty() || names.contains(&row.repo));
    rows.retain(|row| kind.as_ref().is_none_or(|kind| *kind == row.kind));
    // Trees of manifests are walked recursively.
    let _ = rayon::ThreadPoolBuilder::new()
        .stack_size(64 << 20)
        .build_global();
    let analyses = analyses(
        &git,
        &rows,
        jobs.and_then(|jobs| usize::try_from(jobs).ok()),
    );
    let mut tally = Tally::default();
    for row in &rows {
        let of = |commit: &str| analyses.get(&(row.repo.clone(), commit.to_owned()));
        if let (Some(broken), Some(fixed)) = (of(&row.broken), of(&row.fixed)) {
            let proof = broken.as_ref().ok().filter(|broken| row.is_met(broken));
            let proof = proof.and_then(|broken| proof::of(&git, row, broken));
            tally.add(row, broken, fixed, proof);
        }
    }
    let percent = tally.print();
    if percent < NEEDED {
        return Err(format!("{percent:.1} % is less than {NEEDED} %"));
    }
    Ok(())
}

type Analyses = BTreeMap<(String, String), Result<Analysis, String>>;

/// Every commit that a row names, analysed once.
fn analyses(git: &Path, rows: &[Row], jobs: Option<usize>) -> Analyses {
    let mut repositories: BTreeMap<&str, Result<GitRepository, String>> = BTreeMap::new();
    let mut commits: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        repositories
            .entry(&row.repo)
            .or_insert_with(|| open(git, &row.repo));
        commits.extend([&row.broken, &row.fixed].map(|commit| (&*row.repo, &**commit)));
    }
    commits.sort_unstable();
    commits.dedup();
    let work = |&(repo, commit): &(&str, &str)| match repositories.get(repo) {
        Some(Ok(repository)) => {
            analysis::of(repository, format!("https://github.com/{repo}"), commit)
        }
        Some(Err(why)) => Err(why.clone()),
        None => Err("no git directory".to_owned()),
    };
    let results = match jobs {
        Some(jobs) => parallel::map_on(jobs.max(1), &commits, work),
        None => parallel::map(&commits, work),
    };
    let keys = commits
        .iter()
        .map(|(repo, commit)| ((*repo).to_owned(), (*commit).to_owned()));
    keys.zip(results).collect()
}

fn open(git: &Path, repo: &str) -> Result<GitRepository, String> {
    let dir = corpus::git_directory(git, repo).ok_or("no git directory")?;
    GitRepository::open(&dir).map_err(|_| "no git directory".to_owned())
}
