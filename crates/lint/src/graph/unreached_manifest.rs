//! FL-G009: manifests that no entrypoint leads to.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Unreached, UnreachedFile};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G009",
    name: "unreached-manifest",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "manifests that no entrypoint leads to: Flux never applies them",
    check,
};

/// Files that are named before the rest is counted.
const LISTED: usize = 5;
/// The root, always first: it is what would have to lead there.
const ROOT: usize = 0;

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for unreached in &linked.world.unreached {
        look(unreached, sink);
    }
}

fn look(unreached: &Unreached, sink: &mut Sink<'_>) {
    let Unreached {
        directory,
        whole,
        files,
    } = unreached;
    let Some(first) = files.first() else {
        return;
    };
    let (place, help) = match (whole, files.as_slice()) {
        (true, _) => (
            eco_format!("anything below `{directory}`"),
            "name the directory in a kustomization.yaml or as the path of a Kustomization, \
             or remove it",
        ),
        (false, [one]) => (
            eco_format!("`{}`", one.path),
            "name the file in the directory's kustomization.yaml, or remove it",
        ),
        (false, several) => (
            eco_format!("{} files of {}", several.len(), shown(directory)),
            "name the files in the directory's kustomization.yaml, or remove them",
        ),
    };
    let message = eco_format!("no entrypoint leads to {place}{}", contents(files));
    let mut report = sink.report([ROOT], message).at(first.span);
    if files.len() > 1 {
        for file in files.iter().take(LISTED) {
            report = report.detail_at(eco_format!("`{}`{}", file.path, kinds(file)), file.span);
        }
        if files.len() > LISTED {
            let rest = words::count(files.len() - LISTED, "more file");
            report = report.detail(eco_format!("and {rest}"));
        }
    }
    report.help(help).done();
}

fn shown(directory: &str) -> EcoString {
    match directory {
        "" => "the repository's root".into(),
        directory => eco_format!("`{directory}`"),
    }
}

/// What the files hold, counted by kind, the most frequent first.
fn contents(files: &[UnreachedFile]) -> EcoString {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in files.iter().flat_map(|file| &file.kinds) {
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    let parts: Vec<EcoString> = counts
        .iter()
        .map(|(kind, count)| eco_format!("{count} {kind}"))
        .collect();
    match parts.as_slice() {
        [] => EcoString::new(),
        parts => eco_format!(": {}", words::join(parts)),
    }
}

fn kinds(file: &UnreachedFile) -> EcoString {
    match file.kinds.as_slice() {
        [] => EcoString::new(),
        kinds => eco_format!(" ({})", words::join(kinds)),
    }
}
