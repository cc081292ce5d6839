//! FL-T003: components wait for a free worker of their controller.

use ecow::{EcoString, eco_format};
use link::{Linked, Workers};
use model::ComponentKind;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T003",
    name: "worker-starvation",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "waits for health keep so many workers of a controller that others wait for one",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let Some(timing) = linked.timing() else {
        return;
    };
    for pool in &timing.workers {
        if pool.wait == Some(0) {
            continue;
        }
        let components = linked.world.components.iter().enumerate();
        let first = components
            .filter(|(_, component)| component.key.kind == pool.kind)
            .map(|(at, _)| at)
            .next();
        let mut report = sink.report(first, message(pool));
        if pool.held > 0 {
            report = report.detail(eco_format!(
                "at once, {} can keep a worker and wait for others that need one",
                words::count(pool.held, noun(pool.kind))
            ));
        }
        report.help(help(pool)).done();
    }
}

fn message(pool: &Workers) -> EcoString {
    let controller = pool.controller;
    match pool.wait {
        Some(wait) => eco_format!(
            "waits for one of the {} workers of {controller} can add {} to a bootstrap",
            pool.workers,
            words::duration(wait)
        ),
        None => eco_format!(
            "components that wait for others can keep every worker of {controller} ({})",
            pool.workers
        ),
    }
}

fn help(pool: &Workers) -> EcoString {
    let key = match pool.kind {
        ComponentKind::Kustomization => "kustomize",
        ComponentKind::HelmRelease => "helm",
    };
    eco_format!(
        "with `--concurrent={}` of {} nothing waits; where it already runs with more, say so: \
         `controllers.concurrent.{key}`",
        pool.enough,
        pool.controller
    )
}

fn noun(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Kustomization => "Kustomization",
        ComponentKind::HelmRelease => "HelmRelease",
    }
}
