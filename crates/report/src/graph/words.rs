//! What pictures say of nodes and edges.

use std::collections::BTreeMap;

use crate::wording::count;

use super::{Edge, EdgeKind, Grouping, Node, NodeState, Picture};

/// How many things an edge's label names.
const NAMES: usize = 2;

/// The longest label of an edge, in characters.
const LENGTH: usize = 48;

/// What stands on an edge; empty where its line says all.
pub(crate) fn label(edge: &Edge) -> String {
    if edge.kind == EdgeKind::Waits {
        return "wait".into();
    }
    let mut text = edge
        .what
        .iter()
        .take(NAMES)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if edge.what.len() > NAMES {
        text.push_str(&format!(" +{}", edge.what.len() - NAMES));
    }
    shorten(&text, LENGTH)
}

/// Text of at most so many characters.
pub(crate) fn shorten(text: &str, length: usize) -> String {
    match text.chars().count() > length {
        true => {
            let kept: String = text.chars().take(length.saturating_sub(1)).collect();
            format!("{kept}…")
        }
        false => text.into(),
    }
}

/// What is said of an edge where there is room: why, and where.
pub(crate) fn hint(edge: &Edge) -> String {
    let mut text = edge.reason.replace('`', "");
    if edge.what.len() > 1 {
        text.push_str(&format!("\nneeds {}", edge.what.join(", ")));
    }
    if let Some((file, line)) = &edge.place {
        text.push_str(&format!("\n{file}:{line}"));
    }
    text
}

/// What is said of a node where there is room.
pub(crate) fn about(node: &Node) -> String {
    let mut text = node.id.clone();
    let state = match node.state {
        NodeState::Rendered => count(node.objects, "object"),
        NodeState::NotRendered => "not rendered".into(),
        NodeState::Failed => "cannot be built".into(),
        NodeState::Suspended => "suspended".into(),
        NodeState::Missing => "nothing makes it".into(),
    };
    text.push_str(&format!("\n{state}"));
    if !node.cluster.is_empty() {
        text.push_str(&format!("\napplied to cluster {}", node.cluster));
    }
    if node.deadlock {
        text.push_str("\npart of a circle of waits");
    } else if node.likely {
        text.push_str("\nprobably part of a circle of waits");
    } else if node.doubtful {
        text.push_str("\nmay never become ready");
    } else if !node.ready && node.kind.is_some() {
        text.push_str("\nnever becomes ready");
    }
    if let Some((file, line)) = &node.place {
        text.push_str(&format!("\n{file}:{line}"));
    }
    text
}

/// The nodes of a picture by group, groups in order of their names. Nodes that
/// belong to none come under an empty name.
pub(crate) fn groups(picture: &Picture, grouping: Grouping) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, node) in picture.nodes.iter().enumerate() {
        let name = group(picture, node, grouping);
        groups.entry(name).or_default().push(at);
    }
    groups
}

fn group(picture: &Picture, node: &Node, grouping: Grouping) -> String {
    if node.kind.is_none() {
        return String::new();
    }
    let name = match grouping {
        Grouping::Namespace => node.namespace.to_string(),
        Grouping::Parent => {
            let parent = node.parents.first().and_then(|at| picture.nodes.get(*at));
            parent.map(|parent| parent.id.clone()).unwrap_or_default()
        }
        Grouping::None => String::new(),
    };
    match (node.cluster.is_empty(), name.is_empty()) {
        (true, _) => name,
        (false, true) => format!("cluster {}", node.cluster),
        (false, false) => format!("{name} on cluster {}", node.cluster),
    }
}
