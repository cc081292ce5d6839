//! Many processes at once on one cache.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::runs::{self, differences};
use super::stage::{self, Stage};
use crate::args::Args;
use crate::corpus_list::{self, Repository};

/// What is run when nothing is named.
const REPOSITORY: &str = "h3mmy/bloopySphere";

fn repository(args: Args) -> Result<Repository, String> {
    let asked = args.rest()?;
    let name = asked.first().map_or(REPOSITORY, String::as_str);
    let mut known = corpus_list::repositories()?.into_iter();
    let found = known.find(|repository| repository.name == name);
    found.ok_or_else(|| format!("no repository {name} in the corpus"))
}

fn start(stage: &Stage, repository: &Repository, cache: &Path, to: &Path) -> Result<Child, String> {
    let file = fs::File::create(to).map_err(|e| e.to_string())?;
    let tree = repository.unpack()?;
    let mut command = stage.command(&["check", "--format", "json"], "servers.yaml", cache);
    command
        .arg("--repo")
        .arg(&tree)
        .args(&repository.entrypoints);
    let started = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn();
    started.map_err(|error| format!("fluxlint: {error}"))
}

/// Twenty processes begin at once on a cold cache.
pub fn together(mut args: Args) -> Result<(), String> {
    let processes = args.number("--processes")?.unwrap_or(20);
    let stage = Stage::new("crowd", &mut args)?;
    let repository = repository(args)?;
    let alone = stage.check(&repository, "servers.yaml", &stage.at("alone"), &[])?;
    let for_one = stage.origin.server.take();
    let cache = stage.at("cache");
    let begun = Instant::now();
    let mut started = Vec::new();
    for at in 0..processes {
        let to = stage.at(&format!("{at}.json"));
        started.push((start(&stage, &repository, &cache, &to)?, to));
    }
    let mut differing = 0;
    for (mut child, to) in started {
        child.wait().map_err(|e| e.to_string())?;
        let report = fs::read(&to).map_err(|e| e.to_string())?;
        let outcome = stage::read(&report, Duration::ZERO)?;
        differing += usize::from(!differences(&alone, &outcome).is_empty());
    }
    let took = begun.elapsed();
    let for_all = stage.origin.server.take();
    let brought = |exchanges: &[loopback::Exchange]| -> Vec<String> {
        exchanges.iter().filter_map(runs::artifact).collect()
    };
    let (one, all) = (brought(&for_one), brought(&for_all));
    let twice = runs::twice(&for_all);
    println!(
        "{}: one process asked for {} artifacts, {processes} at once for {} in {} ms",
        repository.name,
        one.len(),
        all.len(),
        took.as_millis()
    );
    for line in &twice {
        println!("brought more than once: {line}");
    }
    let damaged = damaged(&cache);
    println!("{differing} with other findings, {damaged} damaged contents");
    match twice.is_empty() && differing == 0 && damaged == 0 && one.len() == all.len() {
        true => Ok(()),
        false => Err("processes got in each other's way".into()),
    }
}

/// How many contents of a cache are not what their names say.
pub fn damaged(cache: &Path) -> usize {
    let mut open = vec![cache.join("v1/blobs")];
    let mut wrong = BTreeSet::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).unwrap_or_default();
            let name = entry.file_name();
            if source::cache::Digest::of(&bytes).hex() != name.to_string_lossy() {
                wrong.insert(name);
            }
        }
    }
    wrong.len()
}
