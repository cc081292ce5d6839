//! Every node stands where it was written.

use yaml::{FileId, Limits, Node, Sources, Style, Value, canonical, emit_v2_mapped, parse};

const TEXT: &str = "\
# a file
apiVersion: v1
data:
  plain: some words  # not these
  'single': 'it''s'
  double: \"a\\tb\"
  folded plain: one
    two
  literal: |2-
      indented
    text

  empty:
list:
- a
-   - {x: 1, y: [2, 3]}
tagged: !!str 12
anchor: &a {k: v}
alias: *a
---
unicode: äöü
after: x
";

fn shown<'t>(text: &'t str, node: &Node) -> &'t str {
    &text[node.span.start as usize..node.span.end as usize]
}

#[test]
fn spans_are_the_tokens() {
    let documents = parse(TEXT, FileId(0), &Limits::default()).unwrap();
    let data = documents[0].get("data").unwrap();
    let of = |key: &str| shown(TEXT, data.get(key).unwrap());
    assert_eq!(of("plain"), "some words");
    assert_eq!(of("single"), "'it''s'");
    assert_eq!(of("double"), "\"a\\tb\"");
    assert_eq!(of("folded plain"), "one\n    two");
    assert_eq!(of("literal"), "|2-\n      indented\n    text");
    assert_eq!(of("empty"), "");
    assert_eq!(shown(TEXT, &data.entry("single").unwrap().key), "'single'");
    let list = documents[0].get("list").unwrap();
    assert_eq!(shown(TEXT, list), "- a\n-   - {x: 1, y: [2, 3]}");
    assert_eq!(
        shown(TEXT, &list.items()[1].items()[0]),
        "{x: 1, y: [2, 3]}"
    );
    assert_eq!(shown(TEXT, documents[0].get("tagged").unwrap()), "12");
    // An alias stands where its anchor was defined.
    assert_eq!(shown(TEXT, documents[0].get("alias").unwrap()), "{k: v}");
    assert_eq!(shown(TEXT, documents[1].get("unicode").unwrap()), "äöü");
    assert_eq!(shown(TEXT, documents[1].get("after").unwrap()), "x");
}

/// Children lie inside their parent, and tokens look like their style.
fn check(text: &str, node: &Node) {
    let bytes = shown(text, node);
    match (&node.value, node.style) {
        (Value::Scalar(value), Style::Plain) if !bytes.contains('\n') => assert_eq!(value, bytes),
        (Value::Scalar(_), Style::SingleQuoted) => assert!(bytes.starts_with('\'')),
        (Value::Scalar(_), Style::DoubleQuoted) => assert!(bytes.ends_with('"')),
        (Value::Scalar(_), Style::Literal) => assert!(bytes.starts_with('|')),
        (Value::Scalar(_), Style::Folded) => assert!(bytes.starts_with('>')),
        (Value::Sequence(_), Style::Flow) => {
            assert!(bytes.starts_with('[') && bytes.ends_with(']'))
        }
        _ => {}
    }
    let children = node.entries().iter().flat_map(|e| [&e.key, &e.value]);
    for child in children.chain(node.items()) {
        assert!(child.span.start >= node.span.start, "{bytes:?}");
        assert!(child.span.end <= node.span.end, "{bytes:?}");
        check(text, child);
    }
}

#[test]
fn children_lie_inside_their_parents() {
    let text = TEXT.replace("*a", "b");
    for document in parse(&text, FileId(0), &Limits::default()).unwrap() {
        check(&text, &document);
    }
}

#[test]
fn carriage_returns_move_nothing() {
    let text = TEXT.replace("*a", "b").replace('\n', "\r\n");
    for document in parse(&text, FileId(0), &Limits::default()).unwrap() {
        assert_eq!(document.span.file, FileId(0));
        let after = document.get("after");
        assert!(after.is_none_or(|after| shown(&text, after) == "x"));
    }
}

#[test]
fn the_canonical_tree_keeps_places() {
    let text = "b: 0123\na: \"x\"\nc: >\n  folded\n  text\n";
    let documents = parse(text, FileId(3), &Limits::default()).unwrap();
    let node = canonical(&documents[0]).unwrap();
    for (key, token) in [("a", "\"x\""), ("b", "0123"), ("c", ">\n  folded\n  text")] {
        assert_eq!(shown(text, node.get(key).unwrap()), token);
        assert_eq!(shown(text, &node.entry(key).unwrap().key), key);
    }
}

#[test]
fn printed_scalars_know_where_they_came_from() {
    let text = "b: [1, two]\na: |\n  x\n  y\n";
    let documents = parse(text, FileId(0), &Limits::default()).unwrap();
    let (printed, map) = emit_v2_mapped(&canonical(&documents[0]).unwrap());
    assert_eq!(printed, "a: |\n  x\n  y\nb:\n- 1\n- two\n");
    let pairs: Vec<(&str, &str)> = map
        .iter()
        .map(|(start, end, span)| {
            let here = &printed[*start as usize..*end as usize];
            (here, &text[span.start as usize..span.end as usize])
        })
        .collect();
    let expected = [
        ("a", "a"),
        ("|\n  x\n  y\n", "|\n  x\n  y"),
        ("b", "b"),
        ("1", "1"),
        ("two", "two"),
    ];
    assert_eq!(pairs, expected);
    assert!(map.is_sorted());
}

#[test]
fn lines_of_a_block_scalar_lead_back_to_the_file() {
    let text = "a:\n  b: |\n    first\n    second: x\n";
    let sources = Sources::new();
    let file = sources.add("f.yaml", text);
    let documents = parse(text, file, &Limits::default()).unwrap();
    let scalar = documents[0].path(&["a", "b"]).unwrap();
    let content = scalar.text().unwrap().to_string();
    let inner = sources.add_virtual("inner", content.as_str(), yaml::Origin::Block(scalar.span));
    let at = content.find('x').unwrap();
    let place = sources
        .location(yaml::Span::new(inner, at, at + 1))
        .unwrap();
    assert_eq!((place.line, place.column), (4, 13));
}
