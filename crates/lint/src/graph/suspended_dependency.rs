//! FL-G010: something waits for what is suspended.

use ecow::{EcoString, eco_format};
use link::{Held, HeldBy, Linked};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G010",
    name: "suspended-dependency",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a component waits for one that is suspended, which never becomes ready on an empty cluster",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for held in linked.held() {
        let (needs, other, help) = clauses(linked, &held);
        let message = eco_format!("{needs}, which is suspended: on an empty cluster {other}");
        let blocked = linked.blocked_by(held.component);
        let mut report = sink
            .report([held.component], message)
            .at(held.span)
            .detail_at("suspended here", held.suspended);
        if !blocked.is_empty() {
            let names = words::components(linked, &blocked);
            report = report.detail(eco_format!("blocked by it: {names}"));
        }
        report.help(help).done();
    }
}

/// Who needs whom, what comes of it, and what to do.
fn clauses(linked: &Linked<'_>, held: &Held) -> (EcoString, EcoString, EcoString) {
    let needy = linked.name(held.component);
    let on = |at| linked.name(at);
    match held.by {
        HeldBy::DependsOn(at) => (
            eco_format!("`{needy}` depends on `{}`", on(at)),
            "it never becomes ready".into(),
            eco_format!("resume `{}`, or remove it from `dependsOn`", on(at)),
        ),
        HeldBy::HealthCheck(at) => (
            eco_format!("`{needy}` waits for the health of `{}`", on(at)),
            "it never becomes ready".into(),
            eco_format!("resume `{}`, or remove it from `healthChecks`", on(at)),
        ),
        HeldBy::Waits(at) if needy.starts_with("HelmRelease/") => (
            eco_format!("`{needy}` waits for all it installs, `{}` too", on(at)),
            "neither becomes ready".into(),
            eco_format!("resume `{}`, or set `install.disableWait: true`", on(at)),
        ),
        HeldBy::Waits(at) => (
            eco_format!("`{needy}` has `wait: true` and applies `{}`", on(at)),
            "neither becomes ready".into(),
            eco_format!(
                "resume `{0}`, take it out of `{needy}`, or remove `wait: true` from `{needy}`",
                on(at)
            ),
        ),
        HeldBy::WaitsSource(position) => {
            let component = linked.component(held.component);
            let object = component.and_then(|component| component.objects().get(position));
            let source = object.map_or_else(EcoString::new, |o| words::object(&o.identity));
            (
                eco_format!("`{needy}` waits for all it applies, {source} too"),
                "neither becomes ready".into(),
                eco_format!("resume {source}, or take it out"),
            )
        }
        HeldBy::Source(import) => {
            let item = linked.imports.get(import).map(|import| &import.place.item);
            let item = item.map_or_else(EcoString::new, |item| eco_format!("{item}"));
            (
                eco_format!("`{needy}` is fetched from {item}"),
                "it never has anything to fetch".into(),
                eco_format!("resume {item}"),
            )
        }
    }
}
