//! What is written is read back as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaml::{FileId, Node, Tag};

fuzz_target!(|text: &str| {
    let limits = fluxlint_fuzz::limits();
    let Ok(documents) = yaml::parse(text, FileId(0), &limits) else {
        return;
    };
    for document in &documents {
        let _ = yaml::emit_v3(document);
        let Ok(node) = yaml::canonical(document) else {
            continue;
        };
        let written = yaml::emit_v2(&node);
        let read = match yaml::sigs_to_json(&written, FileId(0), true) {
            Ok(read) => read,
            Err(error) => panic!("{error} in what was written:\n{written}"),
        };
        assert!(same(&node, &read), "{node:?}\n{read:?}\n{written}");
    }
});

/// Equal as values. Numbers lose digits beyond those of a double on the way, and
/// zero its sign, as they do in Go.
fn same(a: &Node, b: &Node) -> bool {
    if a.is_map() || b.is_map() {
        let entries = a.entries().iter().zip(b.entries());
        return a.entries().len() == b.entries().len()
            && entries
                .into_iter()
                .all(|(a, b)| a.key.text() == b.key.text() && same(&a.value, &b.value));
    }
    if a.is_seq() || b.is_seq() {
        let items = a.items().iter().zip(b.items());
        return a.items().len() == b.items().len() && items.into_iter().all(|(a, b)| same(a, b));
    }
    let number = |node: &Node| match node.tag {
        Tag::Int | Tag::Float => node.text().and_then(|text| text.parse::<f64>().ok()),
        _ => None,
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.tag == b.tag && a.text() == b.text(),
    }
}
