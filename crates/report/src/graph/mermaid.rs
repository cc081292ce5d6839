//! The graph as a Mermaid flowchart, which forges draw in Markdown.

use std::fmt::Write;

use model::ComponentKind;

use super::words::{groups, label};
use super::{Edge, EdgeKind, Grouping, Node, NodeState, Picture};
use crate::wording::clean;

/// Pictures as one flowchart, ending in a line break. Node ids are
/// `n<picture>_<node>`; all text is quoted, with entities for what Mermaid or
/// HTML would read.
pub fn mermaid(pictures: &[Picture], grouping: Grouping) -> String {
    let mut out = String::from("flowchart LR\n");
    let mut links = Vec::new();
    for (number, picture) in pictures.iter().enumerate() {
        let several = pictures.len() > 1;
        if several {
            let _ = writeln!(out, "  subgraph e{number}[{}]", quote(&picture.entrypoint));
        }
        for (at, (name, members)) in groups(picture, grouping).iter().enumerate() {
            if !name.is_empty() {
                let _ = writeln!(out, "  subgraph g{number}_{at}[{}]", quote(name));
            }
            for member in members {
                if let Some(node) = picture.nodes.get(*member) {
                    of_node(&mut out, &format!("n{number}_{member}"), node);
                }
            }
            if !name.is_empty() {
                out.push_str("  end\n");
            }
        }
        if several {
            out.push_str("  end\n");
        }
        for edge in picture.drawn() {
            let (from, to) = (edge.from, edge.to);
            let label = label(&edge);
            let label = match label.is_empty() {
                true => String::new(),
                false => format!("|{}|", quote(&label)),
            };
            let _ = writeln!(out, "  n{number}_{from} -->{label} n{number}_{to}");
            links.push(edge);
        }
    }
    for (at, edge) in links.iter().enumerate() {
        let style = style(edge);
        if !style.is_empty() {
            let _ = writeln!(out, "  linkStyle {at} {style}");
        }
    }
    out.push_str(
        "  classDef critical stroke-width:3px\n  \
         classDef deadlock fill:#ffd7d5,stroke:#d1242f,color:#1f2328\n  \
         classDef likely fill:#fff1e5,stroke:#bc4c00,color:#1f2328\n  \
         classDef doubtful stroke:#bc4c00\n  \
         classDef stuck stroke:#d1242f\n  \
         classDef missing fill:#fff1e5,stroke:#d1242f,stroke-dasharray:4,color:#1f2328\n  \
         classDef suspended fill:#eaeef2,stroke-dasharray:4,color:#1f2328\n",
    );
    out
}

fn of_node(out: &mut String, id: &str, node: &Node) {
    let text = quote(&node.name);
    let _ = match node.kind {
        Some(ComponentKind::HelmRelease) => write!(out, "    {id}([{text}])"),
        _ => write!(out, "    {id}[{text}]"),
    };
    let class = match node.state {
        _ if node.deadlock => "deadlock",
        _ if node.likely => "likely",
        NodeState::Missing => "missing",
        NodeState::Suspended => "suspended",
        _ if node.doubtful => "doubtful",
        _ if !node.ready => "stuck",
        _ if node.critical => "critical",
        _ => "",
    };
    match class.is_empty() {
        true => out.push('\n'),
        false => {
            let _ = writeln!(out, ":::{class}");
        }
    }
}

fn style(edge: &Edge) -> String {
    let mut parts = Vec::new();
    match edge.kind {
        EdgeKind::DependsOn => {}
        EdgeKind::Creates => parts.push("stroke-dasharray:2 4"),
        EdgeKind::Needs | EdgeKind::Waits => parts.push("stroke-dasharray:7 4"),
    }
    if edge.critical {
        parts.push("stroke-width:3px");
    }
    if edge.deadlock {
        parts.push("stroke:#d1242f,color:#d1242f");
    } else if edge.likely {
        parts.push("stroke:#bc4c00,color:#bc4c00");
    }
    parts.join(",")
}

/// A quoted string in which nothing has a meaning to Mermaid.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for character in clean(text).chars() {
        match character {
            c if c.is_alphanumeric() || " -_./:,+…".contains(c) => out.push(c),
            c => {
                let _ = write!(out, "#{};", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}
