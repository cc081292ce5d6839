//! FL-T010: variables that are read before their new values are there.

use std::collections::{BTreeMap, BTreeSet};

use ecow::{EcoString, eco_format};
use link::{Cause, Linked, Supply};
use model::{ComponentKind, Object};
use yaml::Span;

use super::dependency;
use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T010",
    name: "stale-substitution",
    severity: Severity::Warning,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "variables come from an object that another component of the same source applies, without \
              a `dependsOn` to it",
    check,
};

/// Who reads an object that someone applies.
struct Read {
    reader: usize,
    span: Span,
    namespace: EcoString,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // One text that is applied to several namespaces is one finding.
    let mut found: BTreeMap<(usize, Span), (&Object, Vec<Read>)> = BTreeMap::new();
    for import in linked
        .imports
        .iter()
        .filter(|i| i.cause == Cause::Substitute)
    {
        let Supply::Made(exports) = linked.supply(import) else {
            continue;
        };
        let [export] = exports.as_slice() else {
            continue;
        };
        let (reader, maker) = (import.component, export.component);
        let Some(position) = export.object else {
            continue;
        };
        let Some(object) = object(linked, maker, position) else {
            continue;
        };
        if reader == maker
            || !linked.share_source(reader, maker)
            || !is_live(linked, reader)
            || linked.is_watched(object)
            || depends(linked, reader, maker)
        {
            continue;
        }
        let key = (maker, object.node.span);
        let (_, reads) = found.entry(key).or_insert_with(|| (object, Vec::new()));
        reads.push(Read {
            reader,
            span: import.span,
            namespace: object.identity.namespace.clone(),
        });
    }
    for ((maker, _), (object, reads)) in found {
        report(linked, maker, object, &reads, sink);
    }
}

fn object<'a>(linked: &Linked<'a>, maker: usize, position: usize) -> Option<&'a Object> {
    let objects = linked.component(maker)?.objects();
    objects.get(position).map(AsRef::as_ref)
}

fn is_live(linked: &Linked<'_>, at: usize) -> bool {
    linked.component(at).is_some_and(|c| !c.suspended)
}

/// Whether a chain of `dependsOn` leads from one Kustomization to another: the
/// controller lets it wait for the same revision.
fn depends(linked: &Linked<'_>, reader: usize, maker: usize) -> bool {
    let mut seen = vec![reader];
    let mut stack = vec![reader];
    while let Some(at) = stack.pop() {
        for (_, import) in linked.imports_of(at) {
            if let (Cause::DependsOn { ready_expr: false }, link::Target::Component(on)) =
                (import.cause, linked.target(import))
                && !seen.contains(&on)
            {
                if on == maker {
                    return true;
                }
                seen.push(on);
                stack.push(on);
            }
        }
    }
    false
}

fn report(linked: &Linked<'_>, maker: usize, object: &Object, reads: &[Read], sink: &mut Sink<'_>) {
    let places: BTreeSet<_> = reads.iter().map(|read| &read.namespace).collect();
    let what = match places.len() {
        0 | 1 => words::object(&object.identity),
        several => eco_format!(
            "{} `{}`, which is in {several} namespaces,",
            object.identity.kind,
            object.identity.name
        ),
    };
    let readers: Vec<usize> = reads.iter().map(|read| read.reader).collect();
    let Some(first) = reads.first() else { return };
    let who = match readers.as_slice() {
        [one] => eco_format!("`{}` reads", linked.name(*one)),
        several => eco_format!("{} read", words::count(several.len(), "Kustomization")),
    };
    let message = eco_format!(
        "{who} variables from {what} without depending on `{}`, which applies it: after a commit, old values \
         may be used until the next interval",
        linked.name(maker)
    );
    let mut report = sink
        .report(readers.iter().copied().chain([maker]), message)
        .object(&object.identity)
        .at(first.span);
    for read in reads.iter().skip(1) {
        let name = eco_format!("`{}` reads it", linked.name(read.reader));
        report = report.detail_of(name, read.span, read.reader);
    }
    report.help(help(linked, maker, &readers)).done();
}

fn help(linked: &Linked<'_>, maker: usize, readers: &[usize]) -> EcoString {
    let is_kustomization = linked
        .component(maker)
        .is_some_and(|c| c.key.kind == ComponentKind::Kustomization);
    let possible = is_kustomization
        && readers
            .iter()
            .all(|reader| !dependency::closes_circle(linked, *reader, maker));
    let label = "label the object `reconcile.fluxcd.io/watch: Enabled` (Flux 2.7 and later)";
    match possible {
        true => eco_format!("{label}, or add `{}` to `dependsOn`", linked.name(maker)),
        false => label.into(),
    }
}
