//! FL-T008: a Kustomization gives up before what it waits for can be ready.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Inversion, Linked, field_span};
use model::{Component, Spec};
use yaml::Span;

use crate::gather::Habit;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T008",
    name: "timeout-inversion",
    severity: Severity::Warning,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a waiting Kustomization's timeout is shorter than what it waits for can take, or longer \
              than its interval",
    check,
};

/// What is no more than this beyond a timeout is not worth a word: stage waits
/// and polls that rarely take what they may.
const TOLERANCE: u64 = 120_000_000_000;

/// Timeouts that are too short are told as one; those of the other kind are rare.
pub(crate) const HABIT: Habit = Habit {
    rule: RULE.id,
    alike: |finding| finding.help.is_some().then(EcoString::new),
    message: |number, _| {
        eco_format!(
            "{number} timeouts are shorter than what their Kustomizations wait for can take"
        )
    },
    help: Some(
        "raise each `timeout` to what it waits for, shorten that, or wait only where something \
         depends on it",
    ),
    each: false,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // One value that a patch sets for many is one finding.
    let mut short: BTreeMap<Span, Vec<Inversion>> = BTreeMap::new();
    for inversion in linked.inversions() {
        if inversion.takes > inversion.timeout.saturating_add(TOLERANCE) {
            let span = place(linked, inversion.parent);
            short.entry(span).or_default().push(inversion);
        }
    }
    for (span, mut inversions) in short {
        inversions.sort_by_key(|one| std::cmp::Reverse(one.takes));
        too_short(linked, span, &inversions, sink);
    }
    let mut long: BTreeMap<(Span, u64, u64), Vec<usize>> = BTreeMap::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        if let Some((timeout, interval)) = too_long(component) {
            let key = (place(linked, at), timeout, interval);
            long.entry(key).or_default().push(at);
        }
    }
    for ((span, timeout, interval), components) in long {
        report_long(linked, span, (timeout, interval), &components, sink);
    }
}

/// Where the timeout is written; the Flux object where it is not.
fn place(linked: &Linked<'_>, at: usize) -> Span {
    match linked.component(at) {
        Some(component) => match &component.spec {
            Spec::Kustomization(spec) if spec.timeout.is_some() => {
                field_span(component, &["spec", "timeout"])
            }
            _ => component.span(),
        },
        None => Span::NONE,
    }
}

fn too_short(linked: &Linked<'_>, span: Span, alike: &[Inversion], sink: &mut Sink<'_>) {
    let Some(inversion) = alike.first() else {
        return;
    };
    let (timeout, takes) = (
        words::duration(inversion.timeout),
        words::duration(inversion.takes),
    );
    let name = linked.name(inversion.parent);
    let on = match inversion.component {
        Some(at) => eco_format!("`{}`", linked.name(at)),
        None => inversion.on.clone(),
    };
    let message =
        eco_format!("`{name}` stops waiting after {timeout}, while {on} can take {takes}");
    let parents = alike.iter().map(|one| one.parent);
    let mut report = sink
        .report(parents.chain(inversion.component), message)
        .at(span)
        .detail(eco_format!(
            "`{name}` then is not ready although nothing is wrong, and starts again at its retry interval"
        ));
    if let Some(at) = inversion.component
        && let Some(component) = linked.component(at)
    {
        report = report.detail_of("it waits for this", component.span(), at);
    }
    if alike.len() > 1 {
        let others: Vec<usize> = alike.iter().skip(1).map(|one| one.parent).collect();
        report = report.detail(eco_format!(
            "the same timeout is too short for {}",
            words::components(linked, &others)
        ));
    }
    report
        .help(eco_format!(
            "raise `timeout` of `{name}` to {takes}, shorten that of what it waits for, or wait \
             only where something depends on it"
        ))
        .done();
}

/// Timeout and interval, where a wait can outlast the interval: it only delays the
/// next run.
fn too_long(component: &Component) -> Option<(u64, u64)> {
    let Spec::Kustomization(spec) = &component.spec else {
        return None;
    };
    let (timeout, interval) = (spec.timeout?, spec.interval?);
    let waits = spec.wait || !spec.health_checks.is_empty();
    (timeout > interval && waits).then_some((timeout, interval))
}

fn report_long(
    linked: &Linked<'_>,
    span: Span,
    (timeout, interval): (u64, u64),
    components: &[usize],
    sink: &mut Sink<'_>,
) {
    let (timeout, interval) = (words::duration(timeout), words::duration(interval));
    let message = match components {
        [one] => eco_format!(
            "`{}` can wait {timeout} for health, longer than its interval of {interval}: the next run is \
             late then",
            linked.name(*one)
        ),
        several => eco_format!(
            "{} can wait {timeout} for health, longer than their interval of {interval}: the next run \
             is late then",
            words::components(linked, several)
        ),
    };
    sink.report(components.iter().copied(), message)
        .severity(Severity::Info)
        .at(span)
        .done();
}
