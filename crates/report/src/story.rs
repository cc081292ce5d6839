//! A family of findings as pages tell it: everything in text, ready to be
//! escaped.

use annotate_snippets::Renderer;
use lint::Severity;
use yaml::Sources;

use crate::Run;
use crate::document::directory;
use crate::excerpt::Excerpts;
use crate::group::{Family, Group, families};
use crate::order::placed;
use crate::text::{place, reason};

/// Findings that are alike, the first in full.
pub(crate) struct Story {
    pub severity: Severity,
    pub rule: &'static str,
    pub name: &'static str,
    /// Names in it are in backquotes.
    pub message: String,
    /// Source lines, secrets masked.
    pub excerpt: Option<String>,
    /// What it is about: a label and names.
    pub about: Vec<(&'static str, Vec<String>)>,
    /// Reasons, each with its place.
    pub reasons: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// Who else the same holds for, each in a line.
    pub others: Vec<String>,
}

/// How many findings of a severity some stories tell.
pub(crate) fn count_of(stories: &[Story], severity: Severity) -> usize {
    let stories = stories.iter().filter(|story| story.severity == severity);
    stories.map(Story::len).sum()
}

impl Story {
    /// The stories of a run, in the one order of findings.
    pub fn all(run: &Run<'_>) -> Vec<Story> {
        let texts = &run.repository.texts;
        let all = run.judged.iter();
        let all = all.flat_map(|judged| placed(&judged.findings, texts));
        let several = run.judged.len() > 1;
        let mut excerpts = Excerpts::new(texts, Renderer::plain());
        families(all.collect())
            .iter()
            .map(|family| Story::of(family, texts, &mut excerpts, several))
            .collect()
    }

    /// The story of a family; entrypoints are named if there are `several`.
    fn of(
        family: &Family<'_>,
        texts: &Sources,
        excerpts: &mut Excerpts<'_>,
        several: bool,
    ) -> Self {
        let group = &family.first;
        let finding = group.first.finding;
        let location = group.first.location.as_ref();
        let details = finding.details.iter();
        Story {
            severity: finding.severity,
            rule: finding.rule,
            name: finding.name,
            message: finding.message.to_string(),
            excerpt: location.and_then(|at| excerpts.at(at, finding.severity)),
            about: about(group, several),
            reasons: details.map(|detail| reason(detail, texts)).collect(),
            help: finding.help.as_ref().map(ToString::to_string),
            others: family.others.iter().map(other).collect(),
        }
    }

    /// How many findings it tells.
    pub fn len(&self) -> usize {
        1 + self.others.len()
    }
}

fn about(group: &Group<'_>, several: bool) -> Vec<(&'static str, Vec<String>)> {
    let mut about = Vec::new();
    let names: Vec<_> = group.components.iter().map(ToString::to_string).collect();
    match names.len() {
        0 => {}
        1 => about.push(("component", names)),
        _ => about.push(("components", names)),
    }
    if let Some(object) = &group.first.finding.object {
        about.push(("object", vec![object.to_string()]));
    }
    if several {
        let names: Vec<_> = group.entrypoints.iter().map(|e| directory(e)).collect();
        let label = match names.len() {
            1 => "entrypoint",
            _ => "entrypoints",
        };
        about.push((label, names));
    }
    about
}

/// A further finding in a line, names in backquotes.
fn other(group: &Group<'_>) -> String {
    let finding = group.first.finding;
    let component = group.components.first().map(|key| format!("`{key}`"));
    let object = finding.object.as_ref().map(|object| format!("`{object}`"));
    let mut parts: Vec<String> = component.into_iter().chain(object).collect();
    if let Some(location) = &group.first.location {
        parts.push(format!("[{}]", place(location)));
    }
    parts.join(" ")
}
