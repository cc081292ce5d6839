//! Symbolic links of a tree that is held in memory, followed inside of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::EcoString;

use crate::{ArchiveLimits, Error, Memory, join};

/// Links that lead to links.
const MAX_ROUNDS: usize = 40;

type Files = BTreeMap<EcoString, Arc<[u8]>>;

/// The files, and those that links lead to under the links' names. Links that
/// lead outside, to nothing or in circles are left out. Fails when links stand
/// for more files, or for deeper directories, than an archive may have.
pub(crate) fn follow(
    files: Vec<(EcoString, Arc<[u8]>)>,
    links: Vec<(EcoString, EcoString)>,
    limits: ArchiveLimits,
) -> Result<Memory, Error> {
    let mut files: Files = files.into_iter().collect();
    let mut open: BTreeMap<EcoString, EcoString> = links
        .into_iter()
        .filter_map(|(path, target)| Some((path.clone(), inside(&path, &target)?)))
        .collect();
    for _ in 0..MAX_ROUNDS {
        let (ready, waiting): (BTreeMap<_, _>, BTreeMap<_, _>) = open
            .iter()
            .map(|(path, target)| (path.clone(), target.clone()))
            .partition(|(path, target)| !waits(&open, path, target));
        // Only circles are left: what else stands there counts.
        let last = ready.is_empty();
        for (path, target) in if last { &waiting } else { &ready } {
            add(&mut files, path, target, limits)?;
        }
        if last {
            break;
        }
        open = waiting;
    }
    Memory::new(files)
}

/// Where a link leads, seen from the root; `None` when that is outside.
fn inside(path: &str, target: &str) -> Option<EcoString> {
    if target.starts_with('/') {
        return None;
    }
    let own = path.rsplit_once('/').map_or("", |(own, _)| own);
    let target = join(own, target);
    target.ok().filter(|target| *target != path)
}

/// Whether what a link leads to may change by other links: those its target
/// leads through, and those below it.
fn waits(open: &BTreeMap<EcoString, EcoString>, path: &str, target: &str) -> bool {
    let through = std::iter::once(target).chain(above(target));
    let mut through = through.filter(|place| *place != path);
    if through.any(|place| open.contains_key(place)) {
        return true;
    }
    let start = directory(target);
    let below = open.range(start.clone()..).map(|(other, _)| other);
    let mut below = below.take_while(|other| other.starts_with(start.as_str()));
    below.any(|other| other != path)
}

/// The directories that a path lies in, without the root.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/'), |(above, _)| above.rsplit_once('/'))
        .map(|(above, _)| above)
}

/// What the paths of a directory's files begin with.
fn directory(path: &str) -> EcoString {
    match path {
        "" => EcoString::new(),
        path => ecow::eco_format!("{path}/"),
    }
}

/// Puts what stands at a target under a link's name, too, if anything does.
fn add(
    files: &mut Files,
    path: &EcoString,
    target: &EcoString,
    limits: ArchiveLimits,
) -> Result<(), Error> {
    if let Some(bytes) = files.get(target) {
        let bytes = bytes.clone();
        files.insert(path.clone(), bytes);
        return Ok(());
    }
    let start = directory(target);
    // A directory in itself has no end.
    if path.starts_with(start.as_str()) {
        return Ok(());
    }
    let below = files.range(start.clone()..);
    let below = below.take_while(|(file, _)| file.starts_with(start.as_str()));
    let found: Vec<(EcoString, Arc<[u8]>)> = below
        .take(limits.entries + 1)
        .filter_map(|(file, bytes)| {
            let rest = file.strip_prefix(start.as_str())?;
            Some((ecow::eco_format!("{path}/{rest}"), bytes.clone()))
        })
        .collect();
    let slashes = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
    let deep = found.iter().any(|(path, _)| slashes(path) > limits.depth);
    if deep || files.len() + found.len() > limits.entries {
        let message = "its links stand for too many files or directories";
        return Err(Error::Io("archive".into(), message.into()));
    }
    files.extend(found);
    Ok(())
}
