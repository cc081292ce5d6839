//! The lines below the findings: counts, what was rendered and what not, how
//! long a bootstrap takes, how long the run took.

use std::collections::BTreeMap;
use std::fmt::Write;

use lint::Severity;
use model::{Component, ComponentKind, State, World};

use crate::document::directory;
use crate::group::Group;
use crate::text::{TextOptions, severity_style};
use crate::wording::{clean, count, duration};
use crate::{Judged, Run};

/// The summary, ending in a line break.
pub(crate) fn summary(run: &Run<'_>, groups: &[Group<'_>], options: TextOptions) -> String {
    let mut out = String::new();
    totals(&mut out, groups);
    if !options.verbose {
        hidden(&mut out, groups);
    }
    for (world, judged) in run.repository.worlds.iter().zip(&run.judged) {
        entrypoint(&mut out, world, judged, run.repository.worlds.len() > 1);
    }
    externals(&mut out, &run.judged);
    let entrypoints = count(run.judged.len(), "entrypoint");
    let seconds = run.elapsed.as_secs_f64();
    let _ = writeln!(out, "checked {entrypoints} in {seconds:.2} s");
    out
}

fn totals(out: &mut String, groups: &[Group<'_>]) {
    let of = |severity| {
        groups
            .iter()
            .filter(|g| g.first.finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if errors == 0 && warnings == 0 {
        out.push_str("no errors, no warnings\n");
        return;
    }
    let part = |number, noun, severity| {
        let style = severity_style(severity);
        format!("{style}{}{style:#}", count(number, noun))
    };
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(part(errors, "error", Severity::Error));
    }
    if warnings > 0 {
        parts.push(part(warnings, "warning", Severity::Warning));
    }
    let _ = writeln!(out, "{}", parts.join(", "));
}

/// How many findings of severity info are not shown, by rule.
fn hidden(out: &mut String, groups: &[Group<'_>]) {
    let mut by_rule: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for group in groups {
        let finding = group.first.finding;
        if finding.severity == Severity::Info {
            *by_rule.entry((finding.rule, finding.name)).or_default() += 1;
        }
    }
    if by_rule.is_empty() {
        return;
    }
    let rules = by_rule.iter();
    let rules: Vec<_> = rules
        .map(|((id, name), n)| format!("{n} {id} {name}"))
        .collect();
    let total = count(by_rule.values().sum(), "note");
    let _ = writeln!(
        out,
        "{total} not shown (-v shows them): {}",
        rules.join(", ")
    );
}

fn entrypoint(out: &mut String, world: &World, judged: &Judged, several: bool) {
    let indent = if several {
        let _ = writeln!(out, "{}:", clean(&directory(&world.entrypoint)));
        "  "
    } else {
        ""
    };
    let _ = writeln!(out, "{indent}{}", components(&world.components));
    for (reason, number) in opaque(&world.components) {
        let _ = writeln!(out, "{indent}  not rendered: {number} × {}", clean(&reason));
    }
    if let Some(timing) = &judged.timing {
        let _ = writeln!(out, "{indent}{}", bootstrap(timing));
    }
}

/// What was taken on trust, and which of it no entrypoint needed.
fn externals(out: &mut String, judged: &[Judged]) {
    let Some((first, rest)) = judged
        .split_first()
        .filter(|(first, _)| first.externals > 0)
    else {
        return;
    };
    let entries = first.externals;
    let noun = if entries == 1 { "entry" } else { "entries" };
    let _ = write!(out, "externals: {entries} {noun} taken on trust");
    let unused = first.unused_externals.iter();
    let unused: Vec<_> = unused
        .filter(|unused| {
            rest.iter()
                .all(|other| other.unused_externals.contains(unused))
        })
        .map(|unused| clean(&unused.what))
        .collect();
    if !unused.is_empty() {
        let _ = write!(out, ", not needed: {}", unused.join(", "));
    }
    out.push('\n');
}

fn components(components: &[Component]) -> String {
    let of = |kind| components.iter().filter(|c| c.key.kind == kind).count();
    let objects: usize = components.iter().map(|c| c.objects().len()).sum();
    let rendered = components.iter().filter(|c| c.is_rendered()).count();
    let failed = components
        .iter()
        .filter(|c| matches!(c.state, State::Failed))
        .count();
    let suspended = components.iter().filter(|c| c.suspended).count();
    let mut line = format!(
        "{}, {}: {rendered} rendered ({})",
        count(of(ComponentKind::Kustomization), "Kustomization"),
        count(of(ComponentKind::HelmRelease), "HelmRelease"),
        count(objects, "object"),
    );
    if failed > 0 {
        let _ = write!(line, ", {failed} failed");
    }
    if suspended > 0 {
        let _ = write!(line, ", {suspended} suspended");
    }
    line
}

/// Reasons components are not rendered for, the most frequent first.
fn opaque(components: &[Component]) -> Vec<(String, usize)> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for component in components {
        if let State::Opaque(reason) = &component.state {
            *reasons.entry(reason.to_string()).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons
}

fn bootstrap(timing: &link::Timing) -> String {
    let best = duration(timing.best);
    let mut line = match timing.bound {
        Some(bound) if timing.complete => format!("at most {}", duration(bound)),
        Some(bound) => format!("worst case at least {}", duration(bound)),
        None => format!(
            "no bound ({} retried without limit), {} if each needs one try",
            count(timing.unlimited.len(), "component"),
            duration(timing.one_try)
        ),
    };
    let _ = write!(line, ", at best {best}");
    if timing.never > 0 {
        let _ = write!(line, "; {} never ready", count(timing.never, "component"));
    }
    format!("bootstrap: {line}")
}
