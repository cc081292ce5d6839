//! The graph in the language of Graphviz.

use std::fmt::Write;

use model::ComponentKind;

use super::words::{about, groups, hint, label};
use super::{Edge, EdgeKind, Grouping, Node, NodeState, Picture};
use crate::wording::clean;

/// Pictures as one DOT digraph, ending in a line break. Node ids are
/// `n<picture>_<node>`; all text is quoted.
pub fn dot(pictures: &[Picture], grouping: Grouping) -> String {
    let mut out = String::from(
        "digraph fluxlint {\n  rankdir=LR;\n  compound=true;\n  nodesep=0.15;\n  \
         node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=11, \
         height=0.3];\n  edge [fontname=\"sans-serif\", fontsize=9, color=\"#57606a\"];\n",
    );
    for (number, picture) in pictures.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{");
        let _ = writeln!(out, "    label={};", quote(&picture.entrypoint));
        out.push_str("    color=\"#8c959f\";\n");
        for (at, (name, members)) in groups(picture, grouping).iter().enumerate() {
            let indent = match name.is_empty() {
                true => "    ",
                false => {
                    let _ = writeln!(out, "    subgraph cluster_{number}_{at} {{");
                    let _ = writeln!(out, "      label={};", quote(name));
                    out.push_str("      style=\"rounded,filled\"; color=\"#eaeef2\"; fillcolor=\"#f6f8fa\";\n");
                    "      "
                }
            };
            for member in members {
                if let Some(node) = picture.nodes.get(*member) {
                    let _ = writeln!(out, "{indent}n{number}_{member} [{}];", of_node(node));
                }
            }
            if !name.is_empty() {
                out.push_str("    }\n");
            }
        }
        out.push_str("  }\n");
        for edge in picture.drawn() {
            let (from, to) = (edge.from, edge.to);
            let _ = writeln!(
                out,
                "  n{number}_{from} -> n{number}_{to} [{}];",
                of_edge(&edge)
            );
        }
    }
    out.push_str("}\n");
    out
}

fn of_node(node: &Node) -> String {
    let mut text = format!(
        "label={}, tooltip={}",
        quote(&node.name),
        quote(&about(node))
    );
    let mut style = vec!["filled"];
    if node.kind == Some(ComponentKind::HelmRelease) {
        style.push("rounded");
    }
    if matches!(node.state, NodeState::Suspended | NodeState::Missing) {
        style.push("dashed");
    }
    if node.critical {
        style.push("bold");
    }
    let _ = write!(text, ", style=\"{}\"", style.join(","));
    let fill = match node.state {
        _ if node.deadlock => "#ffd7d5",
        _ if node.likely => "#fff1e5",
        NodeState::Failed | NodeState::Missing => "#fff1e5",
        NodeState::Suspended => "#eaeef2",
        _ => "white",
    };
    let _ = write!(text, ", fillcolor=\"{fill}\"");
    let is_stuck = !node.ready && !node.doubtful && !node.likely && node.kind.is_some();
    if node.deadlock || is_stuck {
        text.push_str(", color=\"#d1242f\"");
    } else if node.likely || node.doubtful {
        text.push_str(", color=\"#bc4c00\"");
    }
    text
}

fn of_edge(edge: &Edge) -> String {
    let style = match edge.kind {
        EdgeKind::DependsOn => "solid",
        EdgeKind::Creates => "dotted",
        EdgeKind::Needs | EdgeKind::Waits => "dashed",
    };
    let mut text = format!("style=\"{style}\"");
    let label = label(edge);
    if !label.is_empty() {
        let _ = write!(text, ", label={}", quote(&label));
    }
    let _ = write!(text, ", tooltip={}", quote(&hint(edge)));
    if edge.kind == EdgeKind::Waits {
        text.push_str(", constraint=false");
    }
    text.push_str(match (edge.deadlock, edge.likely, edge.critical) {
        (true, _, _) => ", penwidth=2.5, color=\"#d1242f\", fontcolor=\"#d1242f\"",
        (_, true, _) => ", penwidth=2, color=\"#bc4c00\", fontcolor=\"#bc4c00\"",
        (_, _, true) => ", penwidth=3, color=\"#1f2328\"",
        _ if edge.kind == EdgeKind::Creates => ", color=\"#afb8c1\"",
        _ => "",
    });
    text
}

/// A quoted string. Line breaks are kept, control characters shown.
fn quote(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| clean(line).replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
