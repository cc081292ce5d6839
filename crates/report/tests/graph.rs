//! Pictures of the graph, in every form.

use std::collections::HashSet;

use model::ComponentKind;
use report::{Edge, EdgeKind, Grouping, Node, NodeState, Picture, Selection, Trouble};

/// Names that mean something in every language a picture is written in.
const HOSTILE: &str = "<b>\"\\n]);end --> \u{1b}[31m\r\n`|'&#quot;{}%%\u{202e}\\";

fn node(name: &str) -> Node {
    Node {
        id: format!("apps/{name}"),
        kind: Some(ComponentKind::Kustomization),
        namespace: "apps".into(),
        name: name.into(),
        cluster: "".into(),
        parents: vec![],
        state: NodeState::Rendered,
        objects: 3,
        ready: true,
        critical: false,
        deadlock: false,
        likely: false,
        doubtful: false,
        place: Some(("apps.yaml".into(), 7)),
    }
}

fn edge(from: usize, to: usize, kind: EdgeKind) -> Edge {
    Edge {
        from,
        to,
        kind,
        what: vec![],
        reason: "`a` waits for `b`".into(),
        place: Some(("apps.yaml".into(), 9)),
        any_of: false,
        critical: false,
        deadlock: false,
        likely: false,
    }
}

fn picture(names: &[&str], edges: &[(usize, usize, EdgeKind)]) -> Picture {
    Picture {
        entrypoint: "clusters/a".into(),
        nodes: names.iter().map(|name| node(name)).collect(),
        edges: edges
            .iter()
            .map(|(a, b, kind)| edge(*a, *b, *kind))
            .collect(),
        critical: vec![],
        troubles: vec![],
    }
}

/// Every kind of node and edge, with names that try to break out.
fn hostile() -> Vec<Picture> {
    use EdgeKind::{Creates, DependsOn, Needs, Waits};
    let mut picture = picture(
        &["root", HOSTILE, "release", "missing", "suspended"],
        &[
            (0, 1, Creates),
            (1, 2, DependsOn),
            (1, 2, Needs),
            (2, 1, Waits),
            (3, 2, Needs),
            (4, 1, Needs),
        ],
    );
    for node in &mut picture.nodes {
        node.namespace = HOSTILE.into();
        node.cluster = HOSTILE.into();
        node.id.push_str(HOSTILE);
        node.place = Some((HOSTILE.into(), 1));
    }
    picture.nodes[2].kind = Some(ComponentKind::HelmRelease);
    picture.nodes[2].deadlock = true;
    picture.nodes[1].likely = true;
    picture.nodes[3].kind = None;
    picture.nodes[3].state = NodeState::Missing;
    picture.nodes[4].state = NodeState::Suspended;
    picture.nodes[0].critical = true;
    picture.nodes[4].doubtful = true;
    for edge in &mut picture.edges {
        edge.reason = HOSTILE.into();
        edge.what = vec![HOSTILE.into(), HOSTILE.into()];
        edge.place = Some((HOSTILE.into(), 1));
    }
    picture.edges[0].critical = true;
    picture.edges[1].deadlock = true;
    picture.edges[3].deadlock = true;
    picture.edges[4].likely = true;
    picture.critical = vec![0, 1];
    picture.troubles = vec![Trouble {
        circle: vec![1, 2],
        others: vec![0],
        likely: false,
    }];
    picture.entrypoint = HOSTILE.into();
    vec![picture.clone(), picture]
}

/// A layered graph of some size, as large repositories have.
fn large(size: usize) -> Picture {
    let names: Vec<String> = (0..size).map(|n| format!("component-{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut edges = vec![];
    for n in 1..size {
        edges.push((0, n, EdgeKind::Creates));
        let kind = match n % 3 {
            0 => EdgeKind::Needs,
            _ => EdgeKind::DependsOn,
        };
        edges.push((n * 7 % n.max(1), n, kind));
        edges.push((n / 3, n, EdgeKind::DependsOn));
    }
    edges.retain(|(a, b, _)| a != b);
    picture(&names, &edges)
}

/// The text without its quoted strings, which are checked on the way.
fn outside_quotes(text: &str, is_escape: bool) -> String {
    let mut outside = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '"' {
            outside.push(c);
            continue;
        }
        outside.push('"');
        loop {
            match characters.next() {
                Some('"') => break,
                Some('\\') if is_escape => {
                    let next = characters.next();
                    assert!(matches!(next, Some('n' | '"' | '\\')), "{next:?}");
                }
                Some(c) => assert!(!c.is_control() && c != '\u{202e}', "{c:?} in a string"),
                None => panic!("a string does not end: {text}"),
            }
        }
        outside.push('"');
    }
    outside
}

#[test]
fn dot_is_well_formed_whatever_names_are() {
    for grouping in [Grouping::Namespace, Grouping::Parent, Grouping::None] {
        let text = report::dot(&hostile(), grouping);
        let outside = outside_quotes(&text, true);
        let mut depth = 0;
        for line in outside.lines() {
            let known = [
                "digraph ",
                "subgraph ",
                "}",
                "label=",
                "color=",
                "style=",
                "n0_",
                "n1_",
                "rankdir=",
                "compound=",
                "nodesep=",
                "node [",
                "edge [",
            ];
            let line = line.trim();
            assert!(known.iter().any(|start| line.starts_with(start)), "{line}");
            depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
            assert_eq!(
                line.matches('[').count(),
                line.matches(']').count(),
                "{line}"
            );
        }
        assert_eq!(depth, 0);
    }
}

#[test]
fn mermaid_is_well_formed_whatever_names_are() {
    for grouping in [Grouping::Namespace, Grouping::Parent, Grouping::None] {
        let text = report::mermaid(&hostile(), grouping);
        for string in text.split('"').skip(1).step_by(2) {
            let allowed = |c: char| c.is_alphanumeric() || " -_./:,+…#;".contains(c);
            assert!(string.chars().all(allowed), "{string}");
        }
        let outside = outside_quotes(&text, false);
        let starts = outside
            .lines()
            .filter(|line| line.trim().starts_with("subgraph "));
        let ends = outside.lines().filter(|line| line.trim() == "end");
        assert_eq!(starts.count(), ends.count(), "{outside}");
        let links = outside.lines().filter(|line| line.contains(" -->"));
        let drawn: usize = hostile().iter().map(|p| p.drawn().len()).sum();
        assert_eq!(links.count(), drawn, "link styles count links");
        for line in outside.lines().filter(|line| line.contains("linkStyle")) {
            let number: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
            assert!(number < drawn);
        }
    }
}

#[test]
fn json_is_as_its_published_schema_says() {
    let schema = report::graph_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for pictures in [hostile(), vec![large(150)], vec![]] {
        let document: serde_json::Value =
            serde_json::from_str(&report::graph_json(&pictures, "0.0.0")).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/graph.schema.json");
    let mut expected = serde_json::to_string_pretty(&schema).unwrap();
    expected.push('\n');
    if std::env::var_os("FLUXLINT_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == expected,
        "docs/graph.schema.json is out of date: run the tests with FLUXLINT_BLESS=1"
    );
}

/// Node ids of a drawing and the ends of its edges.
fn drawn(text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let document = roxmltree::Document::parse(text).unwrap();
    let of = |name: &'static str| {
        document
            .descendants()
            .filter_map(move |node| node.attribute(name).map(ToOwned::to_owned))
    };
    (
        of("data-node").collect(),
        of("data-from").zip(of("data-to")).collect(),
    )
}

#[test]
fn svg_is_well_formed_and_its_edges_have_ends() {
    for pictures in [hostile(), vec![large(150)], vec![]] {
        let text = report::svg(&pictures, Grouping::Namespace);
        let (nodes, edges) = drawn(&text);
        assert_eq!(
            nodes.len(),
            pictures.iter().map(|p| p.nodes.len()).sum::<usize>()
        );
        assert_eq!(
            edges.len(),
            pictures.iter().map(|p| p.drawn().len()).sum::<usize>()
        );
        let nodes: HashSet<String> = nodes.into_iter().collect();
        for (from, to) in edges {
            assert!(nodes.contains(&from) && nodes.contains(&to));
        }
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

/// A drawing that people can read: no node lies on another, and the whole is of
/// a size to scroll through.
#[test]
fn a_large_drawing_stays_readable() {
    let text = report::svg(&[large(150)], Grouping::None);
    let document = roxmltree::Document::parse(&text).unwrap();
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).unwrap().parse().unwrap()
    };
    let boxes: Vec<[f64; 4]> = document
        .descendants()
        .filter(|node| {
            node.parent()
                .is_some_and(|p| p.attribute("data-node").is_some())
        })
        .filter(|node| node.has_tag_name("rect"))
        .map(|node| ["x", "y", "width", "height"].map(|name| number(node, name)))
        .collect();
    assert_eq!(boxes.len(), 150);
    for (at, a) in boxes.iter().enumerate() {
        for b in &boxes[at + 1..] {
            let apart = a[0] + a[2] < b[0]
                || b[0] + b[2] < a[0]
                || a[1] + a[3] < b[1]
                || b[1] + b[3] < a[1];
            assert!(apart, "{a:?} {b:?}");
        }
    }
    let root = document.root_element();
    assert!(number(root, "width") < 5_000.0 && number(root, "height") < 5_000.0);
}

#[test]
fn the_page_has_no_markup_of_a_repository() {
    let page = report::page(&hostile(), Grouping::Namespace);
    assert!(!page.contains("<b>\""), "{page}");
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("<svg ").count(), 1);
    assert!(
        !page.contains("http://") || page.matches("http://").count() == 1,
        "the SVG namespace"
    );
}

fn ids(pictures: &[Picture]) -> Vec<String> {
    pictures
        .iter()
        .flat_map(|picture| picture.nodes.iter().map(|node| node.id.clone()))
        .collect()
}

/// a → b → c → d, and what a also creates.
fn chain() -> Vec<Picture> {
    use EdgeKind::{Creates, DependsOn};
    vec![picture(
        &["a", "b", "c", "d", "e"],
        &[
            (0, 1, Creates),
            (1, 2, DependsOn),
            (2, 3, DependsOn),
            (0, 3, Creates),
            (1, 3, DependsOn),
            (0, 4, Creates),
        ],
    )]
}

#[test]
fn a_focus_is_what_is_near() {
    let focus = |name: &str, depth| {
        let selection = Selection {
            focus: vec![name.into()],
            depth,
            ..Selection::default()
        };
        selection.apply(chain())
    };
    assert_eq!(ids(&focus("apps/c", 0).unwrap()), ["apps/c"]);
    assert_eq!(ids(&focus("c", 1).unwrap()), ["apps/b", "apps/c", "apps/d"]);
    let two = focus("c", 2).unwrap();
    assert_eq!(ids(&two), ["apps/a", "apps/b", "apps/c", "apps/d"]);
    // Edges are those among what is kept, with their new numbers.
    let ends: Vec<_> = two[0]
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(ends, [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)]);
    let unknown = focus("elsewhere/c", 1).unwrap_err();
    assert_eq!(unknown.near, ["apps/c"]);
}

#[test]
fn what_others_imply_can_be_left_out() {
    let selection = Selection {
        reduce: true,
        ..Selection::default()
    };
    let reduced = selection.apply(chain()).unwrap();
    let ends: Vec<_> = reduced[0]
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(ends, [(0, 1), (1, 2), (2, 3), (0, 4)]);
    // What matters stays, and so does a circle.
    let mut pictures = chain();
    pictures[0].edges[4].critical = true;
    pictures[0].edges.push(edge(3, 2, EdgeKind::DependsOn));
    let reduced = selection.apply(pictures).unwrap();
    let ends: Vec<_> = reduced[0]
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(ends, [(0, 1), (1, 2), (2, 3), (1, 3), (0, 4), (3, 2)]);
    let selection = Selection {
        kinds: vec![EdgeKind::Creates],
        ..Selection::default()
    };
    assert_eq!(selection.apply(chain()).unwrap()[0].edges.len(), 3);
}

#[test]
fn a_need_is_told_by_the_dependency_it_justifies() {
    use EdgeKind::{Creates, DependsOn, Needs, Waits};
    let mut picture = picture(
        &["a", "b", "c"],
        &[
            (0, 1, DependsOn),
            (0, 1, Needs),
            (0, 2, Creates),
            (0, 2, Needs),
            (1, 2, Needs),
            (2, 0, Waits),
        ],
    );
    for at in [1, 3, 4] {
        picture.edges[at].what = vec!["CRD Widget".into()];
    }
    let drawn = picture.drawn();
    let kinds: Vec<_> = drawn
        .iter()
        .map(|edge| (edge.from, edge.to, edge.kind))
        .collect();
    assert_eq!(kinds, [(0, 1, DependsOn), (0, 2, Creates), (1, 2, Needs)]);
    assert_eq!(drawn[0].what, ["CRD Widget"]);
    assert!(drawn[1].what.is_empty());
    // A wait is shown where it matters.
    picture.edges[5].deadlock = true;
    assert_eq!(picture.drawn().len(), 4);
}
