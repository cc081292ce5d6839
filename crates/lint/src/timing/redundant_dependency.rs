//! FL-T005: a dependency that others imply.

use ecow::eco_format;
use link::{Cause, Import, Linked, Target};
use rustc_hash::FxHashSet;
use yaml::Span;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T005",
    name: "redundant-dependency",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a `dependsOn` entry that the dependencies of dependencies already imply",
    check,
};

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let imports: Vec<(&Import, usize)> = linked
        .imports
        .iter()
        .filter_map(|import| Some((import, strict(linked, import)?)))
        .collect();
    let edges: Vec<(usize, usize)> = imports
        .iter()
        .map(|(import, on)| (import.component, *on))
        .collect();
    let redundant = schedule::redundant(linked.world.components.len(), &edges);
    // A patch may add one entry to many: it can go only where none of them
    // needs it, and then it is one finding.
    let mut needed: FxHashSet<Span> = FxHashSet::default();
    for (position, (import, _)) in imports.iter().enumerate() {
        if redundant.binary_search(&position).is_err() {
            needed.insert(import.span);
        }
    }
    for position in redundant {
        let (Some((import, on)), Some(edge)) = (imports.get(position), edges.get(position)) else {
            continue;
        };
        if !needed.insert(import.span) {
            continue;
        }
        let path = way(&edges, *edge);
        // Of what lies between, every one must follow the same source: else a
        // new revision could pass it by.
        let together = path
            .iter()
            .all(|at| linked.share_source(*at, import.component) || !is_kustomization(linked, *at));
        if !together {
            continue;
        }
        let (name, other) = (linked.name(import.component), linked.name(*on));
        let message = match path.as_slice() {
            [_, _] => eco_format!("`{name}` names `{other}` twice in `dependsOn`"),
            _ => eco_format!("`{name}` depends on `{other}` anyway: the entry changes nothing"),
        };
        let report = sink
            .report([import.component, *on], message)
            .at(import.span);
        let between: Vec<_> = path.iter().map(|at| linked.name(*at)).collect();
        let report = match between.get(1..between.len().saturating_sub(1)) {
            Some(between) if !between.is_empty() => {
                report.detail(eco_format!("through {}", words::list(between)))
            }
            _ => report,
        };
        report.help("remove the entry").done();
    }
}

fn is_kustomization(linked: &Linked<'_>, at: usize) -> bool {
    linked
        .component(at)
        .is_some_and(|c| c.key.kind == model::ComponentKind::Kustomization)
}

/// The component a dependency waits to be ready; none where any state will do,
/// and where suspension ends the order.
fn strict(linked: &Linked<'_>, import: &Import) -> Option<usize> {
    let Cause::DependsOn { ready_expr: false } = import.cause else {
        return None;
    };
    let Target::Component(on) = linked.target(import) else {
        return None;
    };
    let suspended = |at| linked.component(at).is_some_and(|c| c.suspended);
    (!suspended(on) && !suspended(import.component)).then_some(on)
}

/// A way along other edges; the edge itself where only its like exists.
fn way(edges: &[(usize, usize)], edge: (usize, usize)) -> Vec<usize> {
    let (from, to) = edge;
    let mut seen = vec![from];
    let mut ways = vec![vec![from]];
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in &ways {
            for (source, next) in edges {
                if way.last() != Some(source) || (*source, *next) == edge || seen.contains(next) {
                    continue;
                }
                let mut way = way.clone();
                way.push(*next);
                if *next == to {
                    return way;
                }
                seen.push(*next);
                longer.push(way);
            }
        }
        ways = longer;
    }
    vec![from, to]
}
