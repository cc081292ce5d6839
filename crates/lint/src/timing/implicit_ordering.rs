//! FL-T006: an order that only failing and retrying keeps.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Linked, Unordered};
use model::{ComponentKind, Spec};

use super::dependency::{self, Edge};
use crate::gather::Habit;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T006",
    name: "implicit-ordering",
    severity: Severity::Warning,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "something is needed that no declared order puts first: it works by failing and retrying",
    check,
};

/// What one component makes for many is told once.
pub(crate) const HABIT: Habit = Habit {
    rule: RULE.id,
    alike: |finding| {
        let maker = finding.components.get(1)?;
        Some(eco_format!("{maker} {:?}", finding.severity))
    },
    message: |number, finding| {
        let maker = finding.components.get(1).map(ToString::to_string);
        eco_format!(
            "nothing makes {number} components wait for `{}`, which makes what they need: they work \
             by failing and retrying",
            maker.unwrap_or_default()
        )
    },
    help: Some(
        "let each of them, or what applies it, depend on what makes it, or on the Kustomization \
         with `wait: true` that applies that",
    ),
    each: true,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let stuck = |found: &Unordered| {
        let import = linked.imports.get(found.import);
        let start = |at| linked.reaches(at, found.phase);
        // What never happens has worse to tell.
        !start(found.maker) || import.is_none_or(|i| !linked.reaches(i.component, i.phase))
    };
    let mut pairs: BTreeMap<(usize, usize), Vec<Unordered>> = BTreeMap::new();
    for found in linked.unordered() {
        if let Some(import) = linked.imports.get(found.import)
            && !stuck(&found)
        {
            let pair = (import.component, found.maker);
            pairs.entry(pair).or_default().push(found);
        }
    }
    for ((needy, maker), found) in pairs {
        report(linked, needy, maker, &found, sink);
    }
}

fn report(
    linked: &Linked<'_>,
    needy: usize,
    maker: usize,
    found: &[Unordered],
    sink: &mut Sink<'_>,
) {
    let imports: Vec<_> = found
        .iter()
        .filter_map(|found| linked.imports.get(found.import))
        .collect();
    let Some(first) = imports.first() else {
        return;
    };
    let (name, other) = (linked.name(needy), linked.name(maker));
    let message = eco_format!(
        "nothing makes `{name}` wait for `{other}`, which makes what it needs: it works by failing and retrying"
    );
    let worst = found.iter().filter_map(|found| found.penalty.worst).max();
    let mut report = sink.report([needy, maker], message).at(first.span);
    // A dependency, once ready, is noticed no sooner.
    if worst.is_some_and(|worst| worst <= linked.controllers.requeue) {
        report = report.severity(Severity::Info);
    }
    for import in imports.iter().take(4) {
        report = report.detail_at(linked.demand(import), import.span);
    }
    if imports.len() > 4 {
        report = report.detail(eco_format!("and {} more of this kind", imports.len() - 4));
    }
    if let Some(worst) = worst {
        report = report.detail(eco_format!(
            "costs up to {} at each bootstrap: {}",
            words::duration(worst),
            penalty(linked, needy)
        ));
    }
    match dependency::between(linked, needy, maker) {
        Some(edge) => {
            let help = help(linked, &edge, needy, maker);
            let report = match dependency::add(linked, edge.dependant, edge.dependency) {
                Some((span, text)) if !depends(linked, &edge) => report.fix(span, text),
                _ => report,
            };
            report.help(help).done();
        }
        None => report
            .help(eco_format!(
                "a dependency would close a circle; have `{name}` apply what it needs itself, or move it \
                 to what applies both"
            ))
            .done(),
    }
}

fn penalty(linked: &Linked<'_>, needy: usize) -> EcoString {
    let retry = match linked.component(needy).map(|component| &component.spec) {
        Some(Spec::Kustomization(spec)) if spec.retry_interval.is_some() => "its `retryInterval`",
        Some(Spec::Kustomization(_)) => "its `interval`, for it has no `retryInterval`",
        _ => "the longest pause between two tries of a release",
    };
    retry.into()
}

fn depends(linked: &Linked<'_>, edge: &Edge) -> bool {
    !linked
        .dependencies(edge.dependant, edge.dependency)
        .is_empty()
}

fn help(linked: &Linked<'_>, edge: &Edge, needy: usize, maker: usize) -> EcoString {
    let entry = dependency::entry(linked, edge.dependant, edge.dependency);
    let whose = match edge.dependant == needy {
        true => eco_format!("`{}`", linked.name(needy)),
        false => eco_format!(
            "`{}`, which applies `{}`",
            linked.name(edge.dependant),
            linked.name(needy)
        ),
    };
    let wait = eco_format!(
        "`wait: true` to `{}`, which applies `{}`",
        linked.name(edge.dependency),
        linked.name(maker)
    );
    let kind = linked.component(edge.dependency).map(|c| c.key.kind);
    match (depends(linked, edge), edge.must_wait) {
        (true, _) => eco_format!("add {wait}: without it the dependency is ready too early"),
        (false, true) if kind == Some(ComponentKind::Kustomization) => {
            eco_format!("add `- {{ {entry} }}` to `spec.dependsOn` of {whose}, and {wait}")
        }
        _ => eco_format!("add `- {{ {entry} }}` to `spec.dependsOn` of {whose}"),
    }
}
