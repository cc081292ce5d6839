//! Where a dependency would order two components, and the edit that adds it.

use ecow::{EcoString, eco_format};
use link::{Event, Linked, Phase};
use model::{Component, Spec};
use yaml::{Node, Span};

/// A dependency that makes one component come after another.
pub(super) struct Edge {
    /// Whose `dependsOn`.
    pub dependant: usize,
    /// On what.
    pub dependency: usize,
    /// The dependency has to wait for its health first, so that what it applies is
    /// there.
    pub must_wait: bool,
}

/// The nearest dependency that puts `maker` before `needy`: between the two
/// themselves where they are of one kind, else between what applies them. None
/// where it would close a circle.
pub(super) fn between(linked: &Linked<'_>, needy: usize, maker: usize) -> Option<Edge> {
    let (needy_line, maker_line) = (linked.lineage(needy), linked.lineage(maker));
    for dependant in &needy_line {
        for dependency in &maker_line {
            if dependant == dependency
                || needy_line.contains(dependency)
                || maker_line.contains(dependant)
            {
                continue;
            }
            let (one, other) = (
                linked.component(*dependant)?,
                linked.component(*dependency)?,
            );
            if one.key.kind != other.key.kind || one.home != other.home {
                continue;
            }
            if closes_circle(linked, *dependant, *dependency) {
                return None;
            }
            let waits = matches!(&other.spec, Spec::Kustomization(spec) if spec.wait);
            return Some(Edge {
                dependant: *dependant,
                dependency: *dependency,
                must_wait: *dependency != maker && !waits,
            });
        }
    }
    None
}

/// Whether the dependency already waits for the dependant.
pub(super) fn closes_circle(linked: &Linked<'_>, dependant: usize, dependency: usize) -> bool {
    let event = |at, phase| linked.graph.find(&Event::Component(at, phase));
    let (Some(start), Some(ready)) = (
        event(dependant, Phase::Start),
        event(dependency, Phase::Ready),
    ) else {
        return false;
    };
    linked.graph.after(start).get(ready.index()) == Some(&true)
}

/// `dependsOn` entry as people write it.
pub(super) fn entry(linked: &Linked<'_>, dependant: usize, dependency: usize) -> EcoString {
    let (Some(one), Some(other)) = (linked.component(dependant), linked.component(dependency))
    else {
        return EcoString::new();
    };
    let name = &other.key.name;
    match one.key.namespace == other.key.namespace {
        true => eco_format!("name: {name}"),
        false => eco_format!("name: {name}, namespace: {}", other.key.namespace),
    }
}

/// The edit that adds a dependency, where the Flux object is written in block
/// style in one file.
pub(super) fn add(
    linked: &Linked<'_>,
    dependant: usize,
    dependency: usize,
) -> Option<(Span, EcoString)> {
    let (one, other) = (linked.component(dependant)?, linked.component(dependency)?);
    let mut lines = vec![eco_format!("name: {}", other.key.name)];
    if one.key.namespace != other.key.namespace {
        lines.push(eco_format!("namespace: {}", other.key.namespace));
    }
    let spec = one.object.as_ref()?.node.path(&["spec"])?;
    let Some(present) = spec.entry("dependsOn") else {
        let first = spec.entries().first()?.key.text()?.clone();
        let mut text = EcoString::from("dependsOn:\n");
        let indent = indent(one.object.as_deref().map(|o| &*o.node)?, spec)?;
        let pad = " ".repeat(indent);
        for (at, line) in lines.iter().enumerate() {
            let mark = if at == 0 { "- " } else { "  " };
            text.push_str(&eco_format!("{pad}  {mark}{line}\n"));
        }
        let text = text.trim_end_matches('\n');
        return insert_before(one, &first, text);
    };
    let first = present.value.items().first()?;
    let pad = gap(present.key.span, first.span)?.checked_sub(2)?;
    let pad = " ".repeat(pad);
    let mut text = EcoString::new();
    for (at, line) in lines.iter().enumerate() {
        let next = if at + 1 == lines.len() { "- " } else { "  " };
        text.push_str(&eco_format!("{line}\n{pad}{next}"));
    }
    Some((point(first.span), text))
}

/// The edit that puts a line, or a block of lines, before a key of `spec`.
pub(super) fn insert_before(
    component: &Component,
    key: &str,
    text: &str,
) -> Option<(Span, EcoString)> {
    let node = &component.object.as_ref()?.node;
    let spec = node.path(&["spec"])?;
    let place = spec.entry(key)?.key.span;
    let pad = " ".repeat(indent(node, spec)?);
    Some((point(place), eco_format!("{text}\n{pad}")))
}

/// By how much the keys of `spec` are indented: what lies between `spec:` at the
/// start of its line and the first of them, which must be next.
fn indent(object: &Node, spec: &Node) -> Option<usize> {
    let key = object.entry("spec")?.key.span;
    let indent = gap(key, spec.entries().first()?.key.span)?;
    (1..=8).contains(&indent).then_some(indent)
}

/// The spaces at the start of the line after that of a key, when the next thing
/// is there.
fn gap(key: Span, next: Span) -> Option<usize> {
    if key.is_none() || next.is_none() || key.file != next.file {
        return None;
    }
    // A colon and a line break.
    let gap = next.start.checked_sub(key.end)?.checked_sub(2)?;
    usize::try_from(gap).ok().filter(|gap| *gap <= 16)
}

fn point(span: Span) -> Span {
    Span {
        end: span.start,
        ..span
    }
}
