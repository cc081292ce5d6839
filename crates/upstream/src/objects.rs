//! Objects as programs print them.

use ecow::{EcoString, eco_format};
use yaml::{FileId, Node};

/// The objects of a text.
pub(crate) fn read(text: &str) -> Result<Vec<Node>, EcoString> {
    let parsed = kustomize::objects(text, FileId::NONE);
    let parsed = parsed.map_err(|error| eco_format!("cannot read the output: {error}"))?;
    let canonical = parsed.iter().map(|node| {
        yaml::canonical(node).map_err(|error| eco_format!("cannot read the output: {error}"))
    });
    canonical.collect()
}

/// Whether two objects are one, maybe with other content.
pub(crate) fn are_same(a: &Node, b: &Node) -> bool {
    let fields: [&[&str]; 4] = [
        &["apiVersion"],
        &["kind"],
        &["metadata", "namespace"],
        &["metadata", "name"],
    ];
    fields
        .iter()
        .all(|field| a.str_at(field) == b.str_at(field))
}
