//! Lays a strategic-merge patch over an object and prints the result with the
//! object's order and style:
//!
//!     cargo run --example patch -- OBJECT PATCH

use std::error::Error;
use std::process::ExitCode;

use kustomize::tables::Schema;
use kustomize::transform::merge::Merge;
use yaml::{FileId, Limits, Node, parse};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [object, patch] = files.as_slice() else {
        eprintln!("usage: patch OBJECT PATCH");
        return Ok(ExitCode::from(2));
    };
    // Which lists merge, and by which keys, is known of the built-in kinds.
    let merge = Merge::new(Schema::built_in());
    match merge.apply(first(object)?, first(patch)?)? {
        Some(merged) => print!("{}", yaml::emit_v3(&merged)),
        None => eprintln!("the patch deletes the object"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The first document of a file.
fn first(path: &str) -> Result<Node, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let documents = parse(&text, FileId::NONE, &Limits::default())?;
    Ok(documents.into_iter().next().unwrap_or_else(Node::null))
}
