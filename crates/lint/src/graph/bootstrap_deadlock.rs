//! FL-G002: components wait for each other.

use ecow::{EcoString, eco_format};
use link::{Break, Cause, Deadlock, How, Linked, Supply, Why};

use model::{ComponentKind, HelmfileRelease};

use super::crd_in_same_apply;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G002",
    name: "bootstrap-deadlock",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "components wait for each other, so that none of them can ever become ready",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for deadlock in &linked.deadlocks {
        if !is_told_elsewhere(linked, deadlock) {
            report(linked, deadlock, sink);
        }
    }
}

/// A circle that only closes because a component nobody could render may make
/// what is missing: that it is missing is the better news. A missing CRD is no
/// error, since CRDs come from many places; that no chart can bring it in time is.
pub(crate) fn is_told_elsewhere(linked: &Linked<'_>, deadlock: &Deadlock) -> bool {
    is_within_chart(linked, deadlock) || is_possible_only(linked, deadlock)
}

/// A chart that waits for its own CRD: FL-G007.
fn is_within_chart(linked: &Linked<'_>, deadlock: &Deadlock) -> bool {
    let imports = deadlock.imports.iter();
    deadlock.on_circle.len() == 1
        && deadlock.others.is_empty()
        && imports
            .filter_map(|import| linked.imports.get(*import))
            .any(|import| crd_in_same_apply::own_template(linked, import).is_some())
}

fn is_possible_only(linked: &Linked<'_>, deadlock: &Deadlock) -> bool {
    deadlock
        .circle_import
        .and_then(|import| linked.imports.get(import))
        .is_some_and(|import| import.cause != Cause::CustomResource)
}

fn report(linked: &Linked<'_>, deadlock: &Deadlock, sink: &mut Sink<'_>) {
    let members = deadlock.on_circle.iter().chain(&deadlock.others).copied();
    let mut report = sink.report(members, message(linked, deadlock));
    if let Some(span) = deadlock.circle.iter().find_map(|wait| wait.span) {
        report = report.at(span);
    }
    for wait in &deadlock.circle {
        report = match (wait.span, wait.component) {
            (Some(span), Some(component)) => {
                report.detail_of(wait.message.clone(), span, component)
            }
            _ => report.detail(wait.message.clone()),
        };
        if let Some(made) = wait.made {
            report = report.detail_at("made here", made);
        }
    }
    if !deadlock.others.is_empty() {
        report = report.detail(eco_format!(
            "also part of it: {}",
            names(linked, &deadlock.others)
        ));
    }
    if !deadlock.blocked.is_empty() {
        report = report.detail(eco_format!(
            "blocked by it: {}",
            names(linked, &deadlock.blocked)
        ));
    }
    if deadlock.only_dependencies {
        report = report.detail(
            "while such a circle exists, the controller cannot sort the Kustomizations of their \
             source: all of them react to new commits only at their interval",
        );
    }
    if deadlock.likely {
        report = report
            .severity(Severity::Warning)
            .evidence(Evidence::Heuristic)
            .detail(
                "not certain: the chart is not rendered here, and the CRD may be there before Flux",
            );
    }
    if let Some(release) = installed_before(linked, deadlock) {
        report = report.severity(Severity::Warning).detail_at(
            "not certain: a helmfile installs this release, and its CRDs with it; if it runs before \
             Flux, list the groups under `externals.crdGroups`",
            release.span,
        );
    }
    if own_making(linked, deadlock).is_some_and(|own| own.written) {
        report = report.severity(Severity::Warning).detail(
            "not certain: what it reads is written here in full, so a bootstrap script may apply \
             it once before Flux starts",
        );
    }
    report.help(help(linked, deadlock)).done();
}

/// The release of a helmfile that brings a CRD which the circle waits for.
fn installed_before<'a>(linked: &Linked<'a>, deadlock: &Deadlock) -> Option<&'a HelmfileRelease> {
    let is_on_circle = |at: usize| deadlock.on_circle.contains(&at);
    let imports = deadlock.imports.iter();
    let waited = imports
        .filter_map(|at| linked.imports.get(*at))
        .filter(|import| import.cause == Cause::CustomResource && is_on_circle(import.component));
    waited
        .flat_map(|import| match linked.supply(import) {
            Supply::Made(exports) => exports.iter().map(|export| export.component).collect(),
            _ => Vec::new(),
        })
        .filter(|maker| is_on_circle(*maker))
        .find_map(|maker| {
            let key = &linked.component(maker)?.key;
            let mut releases = linked.world.helmfiles.iter();
            releases.find(|release| {
                key.kind == ComponentKind::HelmRelease
                    && release.name == key.name
                    && release.namespace == key.namespace
            })
        })
}

fn names(linked: &Linked<'_>, components: &[usize]) -> EcoString {
    let names: Vec<EcoString> = components.iter().map(|at| linked.name(*at)).collect();
    words::list(&names)
}

fn message(linked: &Linked<'_>, deadlock: &Deadlock) -> EcoString {
    let who = match deadlock.on_circle.as_slice() {
        [] => return "components wait for each other: none can become ready".into(),
        [one] => {
            return eco_format!(
                "`{}` waits for itself: it can never become ready on an empty cluster",
                linked.name(*one)
            );
        }
        several => names(linked, several),
    };
    eco_format!("{who} wait for each other: none can ever become ready on an empty cluster")
}

fn help(linked: &Linked<'_>, deadlock: &Deadlock) -> EcoString {
    if let Some(own) = own_making(linked, deadlock) {
        return eco_format!(
            "where it is made by hand before Flux starts, list it under `{}`; otherwise move it \
             into a component that comes first",
            own.externals
        );
    }
    match deadlock.breaks.as_slice() {
        [] if !deadlock.others.is_empty() => {
            "break this circle; the components above wait for each other in further ones, which \
             show up then"
                .into()
        }
        [] => "no single change ends it: take at least two of these waits away".into(),
        [one] => eco_format!("only one change ends it: {}", action(linked, one)),
        [first, ..] => eco_format!("break the circle at one place: {}", action(linked, first)),
    }
}

/// One component makes what it must read before it can make anything.
struct OwnMaking {
    /// The list of the configuration that says it is there before Flux.
    externals: &'static str,
    /// It is a manifest, which people can apply by hand; not what a controller
    /// makes.
    written: bool,
}

fn own_making(linked: &Linked<'_>, deadlock: &Deadlock) -> Option<OwnMaking> {
    let ([component], [_], Some(import)) = (
        deadlock.on_circle.as_slice(),
        deadlock.circle.as_slice(),
        deadlock
            .imports
            .first()
            .and_then(|at| linked.imports.get(*at)),
    ) else {
        return None;
    };
    let externals = match import.cause {
        Cause::Decryption | Cause::KubeConfig => "externals.secrets",
        Cause::Substitute => "externals.substitutions",
        _ => return None,
    };
    let written = match linked.supply(import) {
        Supply::Made(exports) => exports
            .iter()
            .all(|export| export.component == *component && export.how == How::Manifest),
        _ => false,
    };
    Some(OwnMaking { externals, written })
}

fn action(linked: &Linked<'_>, found: &Break) -> EcoString {
    let needy = linked.name(found.component);
    let other = found.on.map(|on| linked.name(on));
    let on = other.clone().unwrap_or_else(|| "what it names".into());
    match (found.why, found.cause) {
        (Why::DependsOn, _) => eco_format!("remove `{on}` from `dependsOn` of `{needy}`"),
        (Why::Waits, _) if needy.starts_with("HelmRelease/") => {
            eco_format!("set `install.disableWait: true` on `{needy}`")
        }
        (Why::Waits, _) => eco_format!("remove `wait: true` from `{needy}`"),
        (Why::HealthCheck, _) => eco_format!("remove the health check from `{needy}`"),
        (Why::Import | Why::Likely, Some(Cause::CustomResource)) => eco_format!(
            "move the custom resources out of `{needy}` into a Kustomization that depends on what installs the CRD, \
             or list the group under `externals.crdGroups` if it is there before Flux"
        ),
        (Why::Import, Some(Cause::Namespace | Cause::TargetNamespace)) => {
            eco_format!("add the namespace to `{needy}`, or to what applies it")
        }
        (Why::Import, Some(Cause::PodAccount)) => {
            "move the ServiceAccount into a component that comes first".into()
        }
        (Why::Import, Some(Cause::Source | Cause::Substitute | Cause::Values)) => eco_format!(
            "move what `{needy}` reads out of {} into a component that comes first",
            other.map_or_else(|| "there".into(), |other| eco_format!("`{other}`"))
        ),
        (Why::Import, Some(Cause::Pod | Cause::Credentials | Cause::Class | Cause::Store)) => {
            eco_format!(
                "make what `{needy}` needs in a component that needs nothing of `{needy}`, or without a controller"
            )
        }
        (Why::Import | Why::Likely, Some(Cause::Controller | Cause::Issuer)) => eco_format!(
            "make what `{needy}` asks a controller for without the one that `{on}` runs"
        ),
        _ => eco_format!("take `{needy}` out of `{on}`"),
    }
}
