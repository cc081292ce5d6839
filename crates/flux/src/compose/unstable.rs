//! Objects that a chart makes differently each time.

use std::sync::Arc;

use ecow::EcoString;
use helm::{Data, Output};
use model::{Identity, Object, Problem};

use super::{Request, chart_span, objects, render_again};

/// What Helm answers by looking into the cluster: what a chart found there it
/// keeps.
const LOOKUP: &str = "lookup";

/// The calls of a render that are not the same in each, unless the chart looks up
/// what is there.
pub(super) fn calls(output: &Output) -> Vec<(EcoString, EcoString)> {
    if output.unstable.iter().any(|(name, _)| *name == LOOKUP) {
        return Vec::new();
    }
    let calls = output.unstable.iter();
    let mut calls: Vec<(EcoString, EcoString)> = calls
        .map(|(name, site)| ((*name).into(), EcoString::from(site.text.as_ref())))
        .collect();
    calls.sort();
    calls.dedup();
    calls
}

/// Which objects another run makes otherwise.
pub(super) fn unstable(
    request: &Request<'_>,
    release: &helm::Release,
    values: &Data,
    calls: Vec<(EcoString, EcoString)>,
    first: &[Arc<Object>],
) -> Option<Problem> {
    if calls.is_empty() {
        return None;
    }
    let second = render_again(request, release, values).ok()?;
    let second = objects::objects(request, release, second).ok()?;
    let differs = |object: &&Arc<Object>| {
        let mut same = second
            .iter()
            .filter(|other| other.identity == object.identity);
        !same.any(|other| yaml::to_json(&other.node) == yaml::to_json(&object.node))
    };
    let objects: Vec<Identity> = first
        .iter()
        .filter(|object| object.hook().is_none())
        .filter(differs)
        .map(|object| object.identity.clone())
        .collect();
    (!objects.is_empty()).then(|| Problem::UnstableRender {
        objects,
        calls,
        span: chart_span(request.object),
    })
}
