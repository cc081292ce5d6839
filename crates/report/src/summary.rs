//! The lines below the findings: counts, what was rendered and what not, how
//! long a bootstrap takes, how long the run took.

use std::collections::BTreeMap;
use std::fmt::Write;

use lint::{Finding, Severity};
use model::{Component, ComponentKind, State, World};
use yaml::Sources;

use crate::document::directory;
use crate::group::Family;
use crate::text::{TextOptions, severity_style};
use crate::wording::{clean, count, duration};
use crate::{Judged, Run};

/// How many reasons for not rendering are told of an entrypoint.
const REASONS: usize = 3;

/// The summary, ending in a line break.
pub(crate) fn summary(run: &Run<'_>, families: &[Family<'_>], options: TextOptions) -> String {
    let mut out = String::new();
    totals(&mut out, families);
    if !options.verbose {
        hidden(&mut out, families);
    }
    for (world, judged) in run.repository.worlds.iter().zip(&run.judged) {
        let several = run.repository.worlds.len() > 1;
        entrypoint(&mut out, world, judged, several, options.verbose);
        if options.verbose {
            let indent = if several { "  " } else { "" };
            assumptions(&mut out, world, &run.repository.texts, indent);
        }
    }
    externals(&mut out, &run.judged);
    let left_out: usize = run.judged.iter().map(|judged| judged.left_out).sum();
    if left_out > 0 {
        let _ = writeln!(out, "left out by the baseline: {left_out}");
    }
    let entrypoints = count(run.judged.len(), "entrypoint");
    let seconds = run.elapsed.as_secs_f64();
    let _ = writeln!(out, "checked {entrypoints} in {seconds:.2} s");
    out
}

fn totals(out: &mut String, families: &[Family<'_>]) {
    let of = |severity| -> usize {
        let families = families.iter();
        let of = families.filter(|family| family.first.first.finding.severity == severity);
        of.map(Family::len).sum()
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
fn hidden(out: &mut String, families: &[Family<'_>]) {
    let mut by_rule: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for family in families {
        let finding = family.first.first.finding;
        if finding.severity == Severity::Info {
            *by_rule.entry((finding.rule, finding.name)).or_default() += family.len();
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

fn entrypoint(out: &mut String, world: &World, judged: &Judged, several: bool, verbose: bool) {
    let indent = if several {
        let _ = writeln!(out, "{}:", clean(&directory(&world.entrypoint)));
        "  "
    } else {
        ""
    };
    let _ = writeln!(out, "{indent}{}", components(&world.components));
    let reasons = opaque(&world.components);
    let shown = if verbose { reasons.len() } else { REASONS };
    for (reason, number) in reasons.iter().take(shown) {
        let _ = writeln!(out, "{indent}  not rendered: {number} × {}", clean(reason));
    }
    if reasons.len() > shown {
        let rest = reasons
            .iter()
            .skip(shown)
            .map(|(_, number)| number)
            .sum::<usize>();
        let _ = writeln!(out, "{indent}  not rendered: {rest} more (-v says why)");
    }
    if let Some(line) = bootstrap(judged) {
        let _ = writeln!(out, "{indent}{line}");
    }
}

/// What was taken as given, with its place.
fn assumptions(out: &mut String, world: &World, texts: &Sources, indent: &str) {
    for assumed in &world.assumptions {
        let _ = write!(out, "{indent}assumed: {}", clean(&assumed.message));
        if let Some(at) = texts.location(assumed.span) {
            let _ = write!(out, " [{}:{}]", clean(&at.file), at.line);
        }
        out.push('\n');
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

/// What was rendered of some components, in a line.
pub(crate) fn components(components: &[Component]) -> String {
    let of = |kind| components.iter().filter(|c| c.key.kind == kind).count();
    let objects: usize = components.iter().map(|c| c.objects().len()).sum();
    let rendered = components.iter().filter(|c| c.is_rendered()).count();
    let failed = components
        .iter()
        .filter(|c| matches!(c.state, State::Failed(_)))
        .count();
    let suspended = components.iter().filter(|c| c.suspended).count();
    let kinds = [
        (of(ComponentKind::Kustomization), "Kustomization"),
        (of(ComponentKind::HelmRelease), "HelmRelease"),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<_> = kinds.map(|(number, noun)| count(*number, noun)).collect();
    let kinds = kinds.join(", ");
    let mut line = format!(
        "{kinds}: {rendered} rendered ({})",
        count(objects, "object")
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
        if let State::Opaque(reason) | State::Partial(_, reason) = &component.state {
            *reasons.entry(reason.to_string()).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons
}

/// How long a bootstrap takes, in a line. That it does not end is certain where
/// an error says so, not where only warnings do.
pub(crate) fn bootstrap(judged: &Judged) -> Option<String> {
    let timing = judged.timing.as_ref()?;
    if timing.never > 0 {
        let never = count(timing.never, "component");
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        return Some(match judged.findings.iter().any(is_error) {
            true => format!("bootstrap: never ends, {never} cannot become ready"),
            false => format!("bootstrap: may never end, {never} may not become ready"),
        });
    }
    let mut line = match timing.bound {
        Some(bound) if timing.complete => format!("at most {}", duration(bound)),
        Some(bound) => format!("worst case at least {}", duration(bound)),
        None => format!(
            "no bound ({} retried without limit), {} if each needs one try",
            count(timing.unlimited.len(), "component"),
            duration(timing.one_try)
        ),
    };
    if timing.best > 0 {
        let _ = write!(line, ", at best {}", duration(timing.best));
    }
    Some(format!("bootstrap: {line}"))
}
