//! A part of a picture.

use std::collections::{HashMap, VecDeque};

use model::ComponentKind;

use super::{EdgeKind, Node, Picture};

/// How nodes are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// By the namespace of the Flux object.
    #[default]
    Namespace,
    /// By the component that applies it.
    Parent,
    /// Not at all.
    None,
}

/// Which part of a picture is wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these components, `namespace/name` or `HelmRelease/namespace/name`,
    /// or the name alone where one component has it, and what is around them.
    pub focus: Vec<String>,
    /// How many steps around them, in both directions.
    pub depth: usize,
    /// Leave out orders that others imply.
    pub reduce: bool,
    /// Only these kinds of edges; all of them when empty.
    pub kinds: Vec<EdgeKind>,
}

/// A component of the focus that no picture has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// As asked for.
    pub name: String,
    /// Components whose name it is, when there are several; else similar ones.
    pub near: Vec<String>,
}

impl Selection {
    /// The part of each picture. Those of which nothing is left are left out.
    pub fn apply(&self, pictures: Vec<Picture>) -> Result<Vec<Picture>, Unknown> {
        let mut focus: Vec<Vec<usize>> = vec![Vec::new(); pictures.len()];
        for name in &self.focus {
            let mut found = false;
            for (picture, focus) in pictures.iter().zip(&mut focus) {
                let nodes = named(picture, name);
                found |= !nodes.is_empty();
                focus.extend(nodes);
            }
            if !found {
                return Err(unknown(&pictures, name));
            }
        }
        let parts = pictures.into_iter().zip(focus).map(|(mut picture, focus)| {
            if !self.kinds.is_empty() {
                let wanted = |kind: EdgeKind| self.kinds.contains(&kind);
                picture.edges.retain(|edge| wanted(edge.kind));
            }
            if self.reduce {
                reduce(&mut picture);
            }
            match self.focus.is_empty() {
                true => picture,
                false => around(&picture, &focus, self.depth),
            }
        });
        Ok(parts.filter(|picture| !picture.nodes.is_empty()).collect())
    }
}

/// The nodes of a name: by id, or else the only ones so called. Of a release and
/// the Kustomization that brings it, which often have one name, the latter.
fn named(picture: &Picture, name: &str) -> Vec<usize> {
    let of = |is: &dyn Fn(&Node) -> bool| -> Vec<usize> {
        let nodes = picture.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| is(node))
            .map(|(at, _)| at)
            .collect()
    };
    let exact = of(&|node| node.id == name);
    if !exact.is_empty() {
        return exact;
    }
    for kind in [ComponentKind::Kustomization, ComponentKind::HelmRelease] {
        let called = of(&|node| node.kind == Some(kind) && node.name == name);
        match called.len() {
            0 => {}
            1 => return called,
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

fn unknown(pictures: &[Picture], name: &str) -> Unknown {
    let last = name.rsplit('/').next().unwrap_or(name);
    let nodes = pictures.iter().flat_map(|picture| &picture.nodes);
    let mut near: Vec<String> = nodes
        .filter(|node| node.kind.is_some())
        .filter(|node| node.name == last || (!last.is_empty() && node.name.contains(last)))
        .map(|node| node.id.clone())
        .collect();
    near.sort_unstable();
    near.dedup();
    Unknown {
        name: name.into(),
        near,
    }
}

/// Leaves out orders between components that longer ways imply. What is on the
/// critical path or in a circle stays.
fn reduce(picture: &mut Picture) {
    let is_order = |kind: EdgeKind| kind != EdgeKind::Waits;
    let edges: Vec<(usize, usize)> = picture
        .edges
        .iter()
        .filter(|edge| is_order(edge.kind) && !edge.any_of)
        .map(|edge| (edge.from, edge.to))
        .collect();
    // Between the same two, an equal edge is no longer way: only when all of
    // them are implied is one.
    let mut left: HashMap<(usize, usize), usize> = HashMap::new();
    for ends in &edges {
        *left.entry(*ends).or_default() += 1;
    }
    for at in schedule::redundant(picture.nodes.len(), &edges) {
        if let Some(left) = edges.get(at).and_then(|ends| left.get_mut(ends)) {
            *left -= 1;
        }
    }
    picture.edges.retain(|edge| {
        let implied = left.get(&(edge.from, edge.to)) == Some(&0);
        let matters = edge.critical || edge.deadlock || edge.likely;
        matters || edge.kind == EdgeKind::Waits || !implied
    });
}

/// The nodes within some steps of others, and the edges among them.
fn around(picture: &Picture, focus: &[usize], depth: usize) -> Picture {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); picture.nodes.len()];
    for edge in &picture.edges {
        for (from, to) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if let Some(next) = next.get_mut(from) {
                next.push(to);
            }
        }
    }
    let mut kept = vec![false; picture.nodes.len()];
    let mut queue: VecDeque<(usize, usize)> = focus.iter().map(|at| (*at, 0)).collect();
    while let Some((at, steps)) = queue.pop_front() {
        match kept.get_mut(at) {
            Some(kept) if !*kept => *kept = true,
            _ => continue,
        }
        if steps < depth {
            let next = next.get(at).into_iter().flatten();
            queue.extend(next.map(|to| (*to, steps + 1)));
        }
    }
    only(picture, &kept)
}

/// The nodes that are kept, numbered anew.
fn only(picture: &Picture, kept: &[bool]) -> Picture {
    let mut number = vec![None; picture.nodes.len()];
    let mut count = 0;
    for (slot, kept) in number.iter_mut().zip(kept) {
        if *kept {
            *slot = Some(count);
            count += 1;
        }
    }
    let of = |at: usize| number.get(at).copied().flatten();
    let all = |nodes: &[usize]| nodes.iter().filter_map(|at| of(*at)).collect::<Vec<_>>();
    let nodes = picture.nodes.iter().zip(kept).filter(|(_, kept)| **kept);
    Picture {
        entrypoint: picture.entrypoint.clone(),
        nodes: nodes
            .map(|(node, _)| {
                let mut node = node.clone();
                node.parents = all(&node.parents);
                node
            })
            .collect(),
        edges: picture
            .edges
            .iter()
            .filter_map(|edge| {
                let mut edge = edge.clone();
                (edge.from, edge.to) = (of(edge.from)?, of(edge.to)?);
                Some(edge)
            })
            .collect(),
        critical: all(&picture.critical),
        troubles: picture
            .troubles
            .iter()
            .map(|trouble| super::Trouble {
                circle: all(&trouble.circle),
                others: all(&trouble.others),
                likely: trouble.likely,
            })
            .filter(|trouble| !trouble.circle.is_empty())
            .collect(),
    }
}
