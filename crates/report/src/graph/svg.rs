//! The graph as a drawing.

use std::collections::HashSet;
use std::fmt::Write;

use model::ComponentKind;

use super::layout::{Input, Layout, NODE, layout};
use super::words::{about, groups, hint, label, shorten};
use super::{Edge, EdgeKind, Grouping, Node, NodeState, Picture};
use crate::escape::{xml, xml_lines};
use crate::wording::clean;

/// The mean width of a character of the font, in pixels.
const CHARACTER: f64 = 7.2;

/// The longest name that is shown whole, in characters.
const NAME: usize = 40;

/// The height of a label and the mean width of its characters, in pixels.
const LABEL: (f64, f64) = (12.0, 5.4);

const MARGIN: f64 = 16.0;
const TITLE: f64 = 34.0;
const LEGEND: f64 = 40.0;

/// How edges and nodes look. Kept within the drawing, which has no other part.
const STYLE: &str = include_str!("svg.css");

/// Pictures as one SVG, one below the other, ending in a line break.
pub fn svg(pictures: &[Picture], grouping: Grouping) -> String {
    let drawn: Vec<Drawn> = pictures
        .iter()
        .enumerate()
        .map(|(number, picture)| draw(number, picture, grouping))
        .collect();
    let width = drawn.iter().fold(560.0_f64, |w, d| w.max(d.width)) + 2.0 * MARGIN;
    let height: f64 = drawn.iter().map(|d| d.height).sum::<f64>() + LEGEND + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<style>\n{STYLE}</style>\n<defs>\n"
    );
    for name in ["order", "faint", "critical", "likely", "deadlock"] {
        let _ = writeln!(
            out,
            "<marker id=\"{name}\" class=\"{name}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
             markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>"
        );
    }
    let _ = writeln!(
        out,
        "</defs>\n<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>"
    );
    let mut top = MARGIN;
    for part in &drawn {
        let _ = writeln!(out, "<g transform=\"translate({MARGIN:.0} {top:.1})\">");
        out.push_str(&part.text);
        out.push_str("</g>\n");
        top += part.height;
    }
    legend(&mut out, top + LEGEND / 2.0);
    out.push_str("</svg>\n");
    out
}

struct Drawn {
    width: f64,
    height: f64,
    text: String,
}

fn draw(number: usize, picture: &Picture, grouping: Grouping) -> Drawn {
    let edges = picture.drawn();
    let names: Vec<String> = picture
        .nodes
        .iter()
        .map(|node| shorten(&clean(&node.name), NAME))
        .collect();
    let widths: Vec<f64> = picture
        .nodes
        .iter()
        .zip(&names)
        .map(|(node, name)| width(node, name))
        .collect();
    let layout = layout(&Input {
        edges: edges.iter().map(flow).collect(),
        widths: widths.clone(),
    });
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"0\" y=\"16\">{}</text>\n<g transform=\"translate(0 {TITLE:.0})\">",
        xml(&picture.entrypoint)
    );
    // What matters is drawn last, above the rest.
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|at| edges.get(*at).map(weight));
    let mut ways: Vec<(&Edge, Vec<(f64, f64)>)> = Vec::with_capacity(edges.len());
    for at in order {
        if let (Some(edge), Some(points)) = (edges.get(at), layout.edges.get(at)) {
            let points: Vec<(f64, f64)> = match edge.kind {
                // It was laid out along what its node creates.
                EdgeKind::Waits => points.iter().rev().copied().collect(),
                _ => points.clone(),
            };
            of_edge(&mut text, number, edge, &points);
            ways.push((edge, points));
        }
    }
    let groups = groups(picture, grouping);
    let mut hues = vec![0_usize; picture.nodes.len()];
    for (hue, members) in groups.values().enumerate() {
        for at in members {
            if let Some(slot) = hues.get_mut(*at) {
                *slot = hue;
            }
        }
    }
    for (at, (node, name)) in picture.nodes.iter().zip(&names).enumerate() {
        let place = Place {
            left: layout.nodes.get(at).map_or(0.0, |n| n.0),
            middle: layout.nodes.get(at).map_or(0.0, |n| n.1),
            width: widths.get(at).copied().unwrap_or(0.0),
        };
        let hue = hues.get(at).copied().filter(|_| groups.len() > 1);
        of_node(&mut text, (number, at), node, name, &place, hue);
    }
    labels(&mut text, &ways, &layout.nodes, &widths);
    text.push_str("</g>\n");
    let Layout { size, .. } = layout;
    Drawn {
        width: size.0,
        height: size.1 + TITLE + MARGIN,
        text,
    }
}

/// What is drawn later lies above.
fn weight(edge: &Edge) -> (bool, bool, bool, bool) {
    (
        edge.deadlock,
        edge.likely,
        edge.critical,
        edge.kind != EdgeKind::Creates,
    )
}

/// An edge as it is laid out. A wait for what one creates runs beside the edge
/// by which one creates it.
fn flow(edge: &Edge) -> (usize, usize, u8) {
    match edge.kind {
        EdgeKind::DependsOn => (edge.from, edge.to, 0),
        EdgeKind::Creates => (edge.from, edge.to, 1),
        EdgeKind::Needs => (edge.from, edge.to, 2),
        EdgeKind::Waits => (edge.to, edge.from, 3),
    }
}

fn width(node: &Node, name: &str) -> f64 {
    let bold = if node.critical { 1.1 } else { 1.0 };
    name.chars().count() as f64 * CHARACTER * bold + 24.0
}

fn of_edge(out: &mut String, number: usize, edge: &Edge, points: &[(f64, f64)]) {
    let kind = match edge.kind {
        EdgeKind::DependsOn => "depends",
        EdgeKind::Creates => "creates",
        EdgeKind::Needs => "needs",
        EdgeKind::Waits => "waits",
    };
    let (class, marker) = match (edge.deadlock, edge.likely, edge.critical) {
        (true, _, _) => (" deadlock", "deadlock"),
        (_, true, _) => (" likely", "likely"),
        (_, _, true) => (" critical", "critical"),
        _ if edge.kind == EdgeKind::Creates => ("", "faint"),
        _ => ("", "order"),
    };
    let (from, to) = (edge.from, edge.to);
    let _ = writeln!(
        out,
        "<g class=\"edge {kind}{class}\" data-from=\"{number}-{from}\" data-to=\"{number}-{to}\">\
         <path d=\"{}\" marker-end=\"url(#{marker})\"/><title>{}</title></g>",
        path(points, edge.kind == EdgeKind::Waits),
        xml_lines(&hint(edge))
    );
}

/// Between layers a curve, across them a line. A wait bows out, so that it does
/// not lie upon the edge it answers.
fn path(points: &[(f64, f64)], bowed: bool) -> String {
    let mut out = String::new();
    let mut previous: Option<(f64, f64)> = None;
    let bow = if bowed { 9.0 } else { 0.0 };
    for (at, (x, y)) in points.iter().enumerate() {
        match previous {
            None => {
                let _ = write!(out, "M{x:.1} {y:.1}");
            }
            Some((from, height)) if at % 2 == 1 => {
                let half = (x - from) / 2.0;
                let (first, second) = (from + half, x - half);
                let _ = write!(
                    out,
                    "C{first:.1} {:.1} {second:.1} {:.1} {x:.1} {y:.1}",
                    height + bow,
                    y + bow
                );
            }
            Some(_) => {
                let _ = write!(out, "L{x:.1} {y:.1}");
            }
        }
        previous = Some((*x, *y));
    }
    out
}

/// Labels, as far as there is room: none lies on a node or on another, and what
/// leaves one node for the same reason several times says so once. The rest is
/// told when an edge is pointed at.
fn labels(
    out: &mut String,
    ways: &[(&Edge, Vec<(f64, f64)>)],
    nodes: &[(f64, f64)],
    widths: &[f64],
) {
    let mut taken: Vec<[f64; 4]> = nodes
        .iter()
        .zip(widths)
        .map(|((x, y), width)| [*x, y - NODE / 2.0, x + width, y + NODE / 2.0])
        .collect();
    let mut said: HashSet<(usize, String)> = HashSet::new();
    // What matters most comes last, and has the first choice.
    for (edge, points) in ways.iter().rev() {
        let text = label(edge);
        if text.is_empty() || !said.insert((edge.from, text.clone())) {
            continue;
        }
        let half = text.chars().count() as f64 * LABEL.1 / 2.0;
        let Some((place, x, y)) = places(points).into_iter().find_map(|(x, y)| {
            let place = [x - half, y - LABEL.0 + 2.0, x + half, y + 2.0];
            let is_free = |other: &[f64; 4]| {
                let beside = place[2] < other[0] || other[2] < place[0];
                beside || place[3] < other[1] || other[3] < place[1]
            };
            taken.iter().all(is_free).then_some((place, x, y))
        }) else {
            continue;
        };
        taken.push(place);
        let class = match (edge.deadlock, edge.likely) {
            (true, _) => " deadlock",
            (_, true) => " likely",
            _ => "",
        };
        let _ = writeln!(
            out,
            "<text class=\"label{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            xml(&text)
        );
    }
}

/// Where the label of an edge may stand, best first: on its last stretch, where
/// it runs level, on its first stretch.
fn places(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut stretches: Vec<(f64, f64, f64, f64)> = points
        .windows(2)
        .filter_map(|pair| match pair {
            [(x1, y1), (x2, y2)] => Some((*x1, *y1, *x2, *y2)),
            _ => None,
        })
        .collect();
    stretches.reverse();
    let on = |part: f64| {
        move |(x1, y1, x2, y2): &(f64, f64, f64, f64)| {
            (x1 + (x2 - x1) * part, y1 + (y2 - y1) * part - 3.0)
        }
    };
    let first = stretches.iter().take(1).map(on(0.5));
    let level = stretches.iter().skip(1).map(on(0.5));
    let ends = stretches.iter().take(1).map(on(0.25));
    first.chain(level).chain(ends).collect()
}

struct Place {
    left: f64,
    middle: f64,
    width: f64,
}

fn of_node(
    out: &mut String,
    id: (usize, usize),
    node: &Node,
    name: &str,
    place: &Place,
    hue: Option<usize>,
) {
    let Place {
        left,
        middle,
        width,
    } = place;
    let mut classes = vec!["node"];
    classes.push(match node.state {
        NodeState::Rendered => "rendered",
        NodeState::NotRendered => "unknown",
        NodeState::Failed => "failed",
        NodeState::Suspended => "suspended",
        NodeState::Missing => "missing",
    });
    if node.deadlock {
        classes.push("deadlock");
    } else if node.likely {
        classes.push("likely");
    } else if node.doubtful {
        classes.push("doubtful");
    } else if !node.ready {
        classes.push("stuck");
    }
    if node.critical {
        classes.push("critical");
    }
    let round = match node.kind {
        Some(ComponentKind::HelmRelease) => NODE / 2.0,
        _ => 3.0,
    };
    let top = middle - NODE / 2.0;
    let _ = write!(
        out,
        "<g class=\"{}\" data-node=\"{}-{}\" data-name=\"{}\">\
         <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{NODE:.0}\" \
         rx=\"{round:.0}\"/>",
        classes.join(" "),
        id.0,
        id.1,
        xml(&node.id)
    );
    if let Some(hue) = hue {
        // Steps of the golden angle are far from each other.
        let degrees = (hue as f64 * 137.5) % 360.0;
        let _ = write!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3.5\" fill=\"hsl({degrees:.0} 60% 50%)\"/>",
            left + 9.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\">{}</text><title>{}</title></g>",
        left + 16.0,
        middle + 4.0,
        xml(name),
        xml_lines(&about(node))
    );
}

fn legend(out: &mut String, height: f64) {
    let entries = [
        ("edge depends", "order", "dependsOn"),
        ("edge creates", "faint", "creates"),
        ("edge needs", "order", "needs"),
        ("edge depends critical", "critical", "critical path"),
        ("edge depends deadlock", "deadlock", "deadlock"),
        ("edge depends likely", "likely", "likely deadlock"),
    ];
    let mut left = MARGIN;
    out.push_str("<g class=\"legend\">\n");
    for (class, marker, text) in entries {
        let (end, baseline) = (left + 28.0, height + 4.0);
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><path d=\"M{left:.0} {height:.0}L{end:.0} {height:.0}\" \
             marker-end=\"url(#{marker})\"/></g><text x=\"{:.0}\" y=\"{baseline:.0}\">{text}</text>",
            end + 6.0
        );
        left = end + 22.0 + text.len() as f64 * CHARACTER;
    }
    out.push_str("</g>\n");
}
