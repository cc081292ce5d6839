//! The one order of findings: errors first, advice last among equals, then by
//! place, then by name. It
//! depends on nothing but the findings themselves.

use std::cmp::Ordering;

use lint::{Evidence, Finding};
use yaml::{Location, Sources};

/// A finding with its place.
#[derive(Clone)]
pub(crate) struct Placed<'a> {
    pub finding: &'a Finding,
    pub location: Option<Location>,
}

/// Findings of one entrypoint, with places, in order.
pub(crate) fn placed<'a>(findings: &'a [Finding], texts: &Sources) -> Vec<Placed<'a>> {
    let mut placed: Vec<_> = findings
        .iter()
        .map(|finding| Placed {
            finding,
            location: finding.span.and_then(|span| texts.location(span)),
        })
        .collect();
    placed.sort_by(compare);
    placed
}

/// The order.
pub(crate) fn compare(a: &Placed<'_>, b: &Placed<'_>) -> Ordering {
    let place = |placed: &Placed<'_>| {
        let location = placed.location.as_ref();
        location.map(|at| (at.file.clone(), at.line, at.column))
    };
    let (x, y) = (a.finding, b.finding);
    y.severity
        .cmp(&x.severity)
        .then_with(|| is_advice(x).cmp(&is_advice(y)))
        .then_with(|| place(a).cmp(&place(b)))
        .then_with(|| x.rule.cmp(y.rule))
        .then_with(|| x.components.cmp(&y.components))
        .then_with(|| x.object.cmp(&y.object))
        .then_with(|| x.message.cmp(&y.message))
        .then_with(|| x.entrypoint.cmp(&y.entrypoint))
}

/// What would only be better otherwise comes after what is wrong.
fn is_advice(finding: &Finding) -> bool {
    finding.evidence == Evidence::Advice
}
