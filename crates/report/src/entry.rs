//! Findings as machine formats tell them: each once, with a place and a
//! fingerprint.

use std::collections::HashMap;

use lint::{Finding, Severity};
use yaml::{Location, Sources};

use crate::Run;
use crate::document::directory;
use crate::fingerprint::fingerprint;
use crate::group::{Group, groups};
use crate::order::placed;

/// One finding and all it holds for.
pub(crate) struct Entry<'a> {
    /// The finding, its components and entrypoints.
    pub group: Group<'a>,
    /// Its place, or else that of its component's Flux object.
    pub location: Option<Location>,
    /// Names the finding wherever its lines move to; 64 hexadecimal digits,
    /// unique within a run.
    pub fingerprint: String,
}

impl<'a> Entry<'a> {
    /// The finding itself.
    pub fn finding(&self) -> &'a Finding {
        self.group.first.finding
    }

    /// The file it is in. Formats that cannot do without one get the
    /// entrypoint's directory.
    pub fn file(&self) -> String {
        match &self.location {
            Some(location) => location.file.to_string(),
            None => directory(&self.finding().entrypoint),
        }
    }

    /// The names of its components, the primary one first.
    pub fn components(&self) -> Vec<String> {
        self.group
            .components
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// The entrypoints it holds for.
    pub fn entrypoints(&self) -> Vec<String> {
        let names = self.group.entrypoints.iter();
        names.map(|name| directory(name)).collect()
    }
}

/// All findings of a run, in order, those that are the same told once.
pub(crate) fn entries<'a>(run: &'a Run<'_>) -> Vec<Entry<'a>> {
    let texts = &run.repository.texts;
    let judged = run.judged.iter();
    let all = judged.flat_map(|judged| placed(&judged.findings, texts));
    let mut seen: HashMap<String, usize> = HashMap::new();
    groups(all.collect())
        .into_iter()
        .map(|group| {
            let location = group.first.location.clone();
            let location = location.or_else(|| object_of(run, &group, texts));
            let file = location.as_ref().map(|at| at.file.as_str());
            let print = fingerprint(&group, file, 0);
            let count = seen.entry(print.clone()).or_default();
            *count += 1;
            let fingerprint = match *count {
                1 => print,
                again => fingerprint(&group, file, again),
            };
            Entry {
                group,
                location,
                fingerprint,
            }
        })
        .collect()
}

/// Where the Flux object of a finding's component is written.
fn object_of(run: &Run<'_>, group: &Group<'_>, texts: &Sources) -> Option<Location> {
    let finding = group.first.finding;
    let key = finding.components.first()?;
    let mut worlds = run.repository.worlds.iter();
    let world = worlds.find(|world| world.entrypoint == finding.entrypoint)?;
    let component = world.components.iter().find(|c| c.key == *key)?;
    texts.location(component.span())
}

/// How many findings there are of a severity.
pub(crate) fn number(entries: &[Entry<'_>], severity: Severity) -> usize {
    let of = |entry: &&Entry<'_>| entry.finding().severity == severity;
    entries.iter().filter(of).count()
}
