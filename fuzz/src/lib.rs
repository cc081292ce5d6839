//! What the targets share.

use vfs::{Memory, Tree};

/// A tree of files from one text: a line `=== path` starts each file. `None`
/// when a path is none of a tree.
pub fn tree(text: &str) -> Option<Tree> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("=== "), files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), String::new())),
            (None, Some((_, content))) => content.push_str(line),
            (None, None) => files.push(("kustomization.yaml".to_owned(), line.to_owned())),
        }
    }
    let files = files
        .into_iter()
        .map(|(path, content)| (path, content.into_bytes()));
    Memory::new(files).ok().map(Tree::new)
}

/// Limits of a small machine: what grows beyond them is a finding.
pub fn limits() -> yaml::Limits {
    yaml::Limits {
        bytes: 1 << 20,
        depth: 200,
        nodes: 200_000,
    }
}
