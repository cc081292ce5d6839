//! FL-G007: a component applies a CRD together with objects of it.

use ecow::{EcoString, eco_format};
use link::{Cause, Export, Import, Linked, is_early, is_hook};
use model::Spec;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G007",
    name: "crd-in-same-apply",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "a component applies a CRD and custom resources of it together",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        // What Helm does with a chart's own CRDs is another case.
        if matches!(component.spec, Spec::HelmRelease(_)) {
            look_at_release(linked, at, sink);
            continue;
        }
        let own: Vec<_> = linked
            .imports
            .iter()
            .filter(|import| import.component == at && import.cause == Cause::CustomResource)
            .filter_map(|import| {
                let exports = linked.exports.producers(&import.place);
                let export = exports.into_iter().find(|export| export.component == at)?;
                Some((import, export))
            })
            .collect();
        let Some((first, crd)) = own.first() else {
            continue;
        };
        let kinds: Vec<EcoString> = own
            .iter()
            .filter_map(|(import, _)| linked.objects(import).next())
            .map(|object| object.identity.kind.clone())
            .collect();
        let mut report = sink
            .report(
                [at],
                eco_format!(
                    "`{}` applies the CRD of {} together with objects of it",
                    linked.name(at),
                    words::list(&kinds)
                ),
            )
            .at(first.span)
            .detail_of("the CRD", crd.span, at);
        if let Some(object) = linked.objects(first).next() {
            report = report.object(&object.identity);
        }
        report
            .detail(
                "Flux applies CRDs first and waits for them, so this works; a tool that applies all \
                 at once fails on the first try",
            )
            .help("nothing to do for Flux; for other tools, put the CRD into a component of its own")
            .done();
    }
}

/// Helm looks all kinds of a chart's templates up before it makes the first object.
fn look_at_release(linked: &Linked<'_>, at: usize, sink: &mut Sink<'_>) {
    let own: Vec<(&Import, &Export)> = linked
        .imports
        .iter()
        .filter(|import| import.component == at)
        .filter_map(|import| Some((import, own_template(linked, import)?)))
        .collect();
    let Some((first, crd)) = own.first() else {
        return;
    };
    let mut kinds: Vec<EcoString> = own
        .iter()
        .filter_map(|(import, _)| linked.objects(import).next())
        .map(|object| object.identity.kind.clone())
        .collect();
    kinds.dedup();
    let name = linked.name(at);
    let mut report = sink
        .report(
            [at],
            eco_format!(
                "the chart of `{name}` has the CRD of {} among its templates, together with objects \
                 of it",
                words::list(&kinds)
            ),
        )
        .severity(Severity::Error)
        .at(first.span);
    for (what, object) in [
        ("the CRD", crd.object),
        ("the object", first.objects.first().copied()),
    ] {
        let object = object.and_then(|object| linked.component(at)?.objects().get(object));
        if let Some(template) = object.and_then(|object| object.template.as_ref()) {
            report = report.detail(eco_format!("{what}: template `{}`", template.path));
        }
    }
    if let Some(object) = linked.objects(first).next() {
        report = report.object(&object.identity);
    }
    report
        .detail(
            "Helm looks up every kind of a release before it makes the first object, so the \
             installation fails each time on a cluster that does not have the CRD",
        )
        .help(
            "install the CRD by another component that comes first, or leave the objects out by the \
             chart's values; in a chart of your own, move the CRD into `crds/`",
        )
        .done();
}

/// The CRD among the templates of the release's own chart that an object of it
/// needs, where nobody else brings one.
pub(super) fn own_template<'a>(linked: &'a Linked<'_>, import: &Import) -> Option<&'a Export> {
    let component = linked.component(import.component)?;
    let releases = matches!(component.spec, Spec::HelmRelease(_));
    if import.cause != Cause::CustomResource || !releases || linked.given.has(&import.place) {
        return None;
    }
    // All but hooks are looked up at once.
    let at_once = |object: usize| {
        component
            .objects()
            .get(object)
            .is_some_and(|o| !is_hook(o) && !is_early(o))
    };
    let crds = linked.exports.producers(&import.place);
    let own = |export: &&Export| {
        export.component == import.component && export.object.is_some_and(at_once)
    };
    let only = crds.iter().all(own);
    let used = import.objects.iter().any(|object| at_once(*object));
    crds.into_iter().next().filter(|_| only && used)
}
