//! FL-T009: a dependency that is ready before what is needed of it is there.

use ecow::{EcoString, eco_format};
use link::{Cause, How, Import, Linked, Phase, Supply, Target};
use model::Spec;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T009",
    name: "unwaited-dependency",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "`dependsOn` a component that does not wait for health, while its health is needed",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for import in &linked.imports {
        let (Cause::DependsOn { ready_expr: false }, Target::Component(on)) =
            (import.cause, linked.target(import))
        else {
            continue;
        };
        if waits(linked, on) || !linked.reaches(on, Phase::Ready) {
            continue;
        }
        let needs = late_needs(linked, import.component, on);
        let Some((first, _)) = needs.first() else {
            continue;
        };
        let (name, other) = (linked.name(import.component), linked.name(on));
        let message = eco_format!(
            "`{name}` depends on `{other}`, which is ready as soon as its objects are accepted, and needs \
             more of it"
        );
        let mut report = sink
            .report([import.component, on], message)
            .at(import.span)
            .detail_at(linked.demand(first), first.span);
        for maker in distinct(needs.iter().map(|(_, how)| how.clone()))
            .into_iter()
            .take(3)
        {
            report = report.detail(maker);
        }
        report
            .help(eco_format!("add `wait: true` to `{other}`"))
            .done();
    }
}

fn waits(linked: &Linked<'_>, at: usize) -> bool {
    linked.component(at).is_none_or(|c| match &c.spec {
        Spec::Kustomization(spec) => spec.wait || !spec.health_checks.is_empty(),
        Spec::HelmRelease(_) => true,
    })
}

/// What a component cannot be applied without and what the dependency brings
/// only some time after it is applied, with how.
fn late_needs<'a>(linked: &'a Linked<'_>, needy: usize, on: usize) -> Vec<(&'a Import, EcoString)> {
    let below = linked.subtree(on);
    let is_below = |at: usize| at != on && below.get(at) == Some(&true);
    let imports = linked.imports_of(needy).map(|(_, import)| import);
    let imports = imports.filter(|import| {
        let declared = matches!(import.cause, Cause::DependsOn { .. } | Cause::HealthCheck);
        !import.optional && !declared && import.phase != Phase::Ready
    });
    let mut needs = Vec::new();
    for import in imports {
        let how = match linked.supply(import) {
            Supply::Made(exports) => {
                let late = exports.iter().all(|export| {
                    let derived = matches!(export.how, How::Derived(_));
                    derived && (export.component == on || is_below(export.component))
                });
                let first = exports.first().filter(|_| late);
                first.map(|export| match &export.how {
                    How::Derived(kind) => eco_format!(
                        "a controller makes it from the {kind} of `{}`",
                        linked.name(export.component)
                    ),
                    _ => eco_format!("`{}` makes it", linked.name(export.component)),
                })
            }
            Supply::Runtime(makers) => {
                let late = makers.iter().all(|at| *at == on || is_below(*at));
                let first = makers.first().filter(|_| late);
                first.map(|at| eco_format!("`{}` makes it once it runs", linked.name(*at)))
            }
            Supply::Nothing if import.cause == Cause::CustomResource => {
                let likely = linked.likely_installers(import);
                let late = !likely.is_empty() && likely.iter().all(|at| is_below(*at));
                late.then(|| {
                    let names: Vec<_> = likely.iter().map(|at| linked.name(*at)).collect();
                    let (by, installs) = match names.len() {
                        1 => ("by its name", "installs it; it is not rendered here"),
                        _ => ("by their names", "install it; they are not rendered here"),
                    };
                    eco_format!("{by}, {} {installs}", words::list(&names))
                })
            }
            _ => None,
        };
        needs.extend(how.map(|how| (import, how)));
    }
    needs
}

fn distinct(list: impl Iterator<Item = EcoString>) -> Vec<EcoString> {
    let mut found: Vec<EcoString> = Vec::new();
    for item in list {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}
