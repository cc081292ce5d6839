//! Node trees in the form in which both sides are compared: a list of nodes a
//! document, each with its depth.

use serde_json::{Map, Value, json};
use yaml::{FileId, Limits, RawDocument, RawKind, RawNode, Style, Tag};

/// The trees of a text's documents.
pub fn of_text(text: &str) -> Result<String, String> {
    let limits = Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    };
    let documents = yaml::parse_raw(text, FileId::NONE, &limits).map_err(|e| e.to_string())?;
    let breaks = Breaks::of(text);
    let lists: Vec<Vec<Value>> = documents
        .iter()
        .map(|document| {
            let mut nodes = Vec::new();
            add(document, document.root, 0, &breaks, &mut nodes);
            nodes
        })
        .collect();
    Ok(json!(lists).to_string())
}

/// The same form of upstream's answer: without the document itself, but for its
/// comments, and what an alias says of its target.
pub fn of_upstream(output: &Value) -> Value {
    let lists = serde_json::from_value::<Vec<Vec<Map<String, Value>>>>(output.clone());
    let Ok(mut lists) = lists else {
        return output.clone();
    };
    for nodes in &mut lists {
        let is_document = |node: &Map<String, Value>| node.get("kind") == Some(&json!("document"));
        let document = nodes.iter().find(|node| is_document(node)).cloned();
        nodes.retain(|node| !is_document(node));
        if let (Some(mut document), Some(root)) = (document, nodes.first_mut()) {
            for (comment, around) in [("headComment", "above"), ("footComment", "below")] {
                if let Some(text) = document.remove(comment) {
                    root.insert(around.to_owned(), text);
                }
            }
        }
        for node in nodes {
            if node.get("kind").is_some_and(|kind| kind == "alias") {
                node.remove("tag");
            }
            if !node.contains_key("value") && node.get("kind").is_some_and(|kind| kind == "scalar")
            {
                node.remove("line");
                node.remove("column");
            }
            let depth = node.get("depth").and_then(Value::as_u64).unwrap_or(0);
            node.insert("depth".to_owned(), json!(depth.saturating_sub(1)));
        }
    }
    json!(lists)
}

fn add(document: &RawDocument, index: u32, depth: usize, breaks: &Breaks, nodes: &mut Vec<Value>) {
    let Some(node) = document.node(index) else {
        return;
    };
    let mut one = json!({"depth": depth});
    if !is_absent(&node.kind) {
        let (line, column) = breaks.line_column(node.start as usize);
        one["line"] = json!(line);
        one["column"] = json!(column);
    }
    let mut set = |key: &str, text: &str| {
        if !text.is_empty() {
            one[key] = json!(text);
        }
    };
    let children: &[u32] = match &node.kind {
        RawKind::Scalar(text) => {
            set("kind", "scalar");
            set("value", text);
            &[]
        }
        RawKind::Alias(name, _) => {
            set("kind", "alias");
            set("value", name);
            &[]
        }
        RawKind::Mapping(children) => {
            set("kind", "mapping");
            children
        }
        RawKind::Sequence(children) => {
            set("kind", "sequence");
            children
        }
    };
    if !matches!(node.kind, RawKind::Alias(..)) {
        set("tag", tag(&node.tag));
    }
    set("anchor", node.anchor.as_deref().unwrap_or_default());
    set("headComment", node.comments.head());
    set("lineComment", node.comments.line());
    set("footComment", node.comments.foot());
    set("above", node.comments.above());
    set("below", node.comments.below());
    let styles = styles(node);
    if !styles.is_empty() {
        one["style"] = json!(styles);
    }
    nodes.push(one);
    for child in children {
        add(document, *child, depth + 1, breaks, nodes);
    }
}

/// A value that is not written at all has no place worth comparing.
fn is_absent(kind: &RawKind) -> bool {
    matches!(kind, RawKind::Scalar(text) if text.is_empty())
}

fn styles(node: &RawNode) -> Vec<&'static str> {
    let tagged = node.written_tag.as_ref().filter(|tag| *tag != "!");
    let tagged = tagged.map(|_| "tagged");
    let style = match node.style {
        Style::Plain => None,
        Style::SingleQuoted => Some("single"),
        Style::DoubleQuoted => Some("double"),
        Style::Literal => Some("literal"),
        Style::Folded => Some("folded"),
        Style::Flow => Some("flow"),
    };
    tagged.into_iter().chain(style).collect()
}

fn tag(tag: &Tag) -> &str {
    match tag {
        Tag::Null => "!!null",
        Tag::Bool => "!!bool",
        Tag::Int => "!!int",
        Tag::Float => "!!float",
        Tag::Str => "!!str",
        Tag::Timestamp => "!!timestamp",
        Tag::Binary => "!!binary",
        Tag::Merge => "!!merge",
        Tag::Map => "!!map",
        Tag::Seq => "!!seq",
        Tag::Other(text) => text,
    }
}

/// Where lines begin, as Go's scanner counts them: also behind a lone carriage
/// return and Unicode's line separators.
struct Breaks<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Breaks<'t> {
    fn of(text: &'t str) -> Self {
        let mut starts = vec![0];
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let ends = match c {
                '\r' => chars.peek().is_none_or(|(_, next)| *next != '\n'),
                '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
                _ => false,
            };
            if ends {
                starts.push(at + c.len_utf8());
            }
        }
        Breaks { text, starts }
    }

    fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at));
        let before = start.and_then(|start| self.text.get(*start..offset));
        let before = before.unwrap_or_default();
        // A byte order mark takes no room at the start of the text, but in it.
        let before = match start {
            Some(0) => before.strip_prefix('\u{feff}').unwrap_or(before),
            _ => before,
        };
        (line, before.chars().count() + 1)
    }
}
