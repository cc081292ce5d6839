//! Every chart archive of the mirror, with its default values and with each
//! values file that it carries for tests of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::outcome::Sides;
use super::subject::{Source, Subject};
use super::verdict::{Tally, Verdict, compare};
use crate::{parallel, paths};

/// Compares all, or those whose path contains a word, and writes what differs
/// to `diff-helm.txt` in the build directory.
pub fn run(words: &[String]) -> Result<(), String> {
    let sides = Sides::new()?;
    let mut archives = archives()?;
    archives.retain(|path| {
        let path = path.to_string_lossy();
        words.is_empty() || words.iter().any(|word| path.contains(word))
    });
    let subjects: Vec<Subject> = parallel::map(&archives, |path| subjects(path))
        .into_iter()
        .flatten()
        .collect();
    println!("{} archives, {} renders", archives.len(), subjects.len());
    let verdicts = parallel::map(&subjects, |subject| {
        let (native, upstream) = sides.both(subject);
        compare(&native, &upstream)
    });
    report(&subjects, &verdicts)
}

fn report(subjects: &[Subject], verdicts: &[Verdict]) -> Result<(), String> {
    let mut tally = Tally::default();
    let mut listing = String::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (subject, verdict) in subjects.iter().zip(verdicts) {
        tally.add(verdict);
        if verdict.differs() {
            *kinds.entry(verdict.kind()).or_default() += 1;
            // Writing to a string cannot fail.
            let _ = writeln!(listing, "== {}\n{}", subject.name, verdict.detail);
        }
    }
    tally.print();
    let same = verdicts.iter().filter(|verdict| !verdict.differs()).count();
    println!("renders without a difference: {same} of {}", subjects.len());
    for (kind, count) in kinds {
        println!("  differs in {kind}: {count}");
    }
    let path = paths::target().join("diff-helm.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// The archives of the mirror that are charts, sorted.
pub fn archives() -> Result<Vec<PathBuf>, String> {
    let mirror = paths::need_shared()?.join("corpus/mirror");
    let mut found = Vec::new();
    let mut queue = vec![mirror.join("helm"), mirror.join("oci")];
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                queue.push(path);
            } else if path.extension().is_some_and(|e| e == "tgz") && is_chart(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_chart(path: &Path) -> bool {
    let mut found = false;
    entries(path, |name, _| {
        found |= name.split('/').skip(1).eq(["Chart.yaml"]);
    });
    found
}

/// The entries of an archive: what cannot be read has none.
fn entries(path: &Path, mut each: impl FnMut(&str, &mut dyn Read)) {
    let Ok(file) = std::fs::File::open(path) else {
        return;
    };
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for mut entry in archive.entries().into_iter().flatten().flatten() {
        let name = entry.path().map(|p| p.to_string_lossy().into_owned());
        if let Ok(name) = name {
            each(&name, &mut entry);
        }
    }
}

fn subjects(path: &Path) -> Vec<Subject> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let host = path.parent().unwrap_or(path).to_string_lossy();
    let name = match host.split_once("corpus/mirror/") {
        Some((_, place)) => format!("{place}/{stem}"),
        None => stem.into_owned(),
    };
    let subject = |name: String, values: Option<String>| Subject {
        name,
        chart: Source::Archive(path.to_path_buf()),
        values,
        is_upgrade: false,
    };
    let mut found = vec![subject(name.clone(), None)];
    entries(path, |file, read| {
        let parts: Vec<&str> = file.split('/').collect();
        let [_, "ci", last] = parts.as_slice() else {
            return;
        };
        let mut text = String::new();
        if last.ends_with("values.yaml") && read.read_to_string(&mut text).is_ok() {
            found.push(subject(format!("{name} {last}"), Some(text)));
        }
    });
    found
}
