//! What the targets share.

use helm::chart::File;
use vfs::{Memory, Tree};

/// Files from one text: a line `=== path` starts each; what stands before the
/// first is a file of the given name.
fn files(text: &str, first: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("=== "), files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), String::new())),
            (None, Some((_, content))) => content.push_str(line),
            (None, None) => files.push((first.to_owned(), line.to_owned())),
        }
    }
    files
}

/// A tree of files from one text. `None` when a path is none of a tree.
pub fn tree(text: &str) -> Option<Tree> {
    let files = files(text, "kustomization.yaml").into_iter();
    let files = files.map(|(path, content)| (path, content.into_bytes()));
    Memory::new(files).ok().map(Tree::new)
}

/// The files of a chart from one text. `Chart.yaml` need not be among them.
pub fn chart(text: &str) -> Vec<File> {
    let mut files = files(text, "templates/first.yaml");
    if !files.iter().any(|(name, _)| name == "Chart.yaml") {
        let bare = "apiVersion: v2\nname: chart\nversion: 1.0.0\n";
        files.push(("Chart.yaml".to_owned(), bare.to_owned()));
    }
    let file = |(name, text): (String, String)| File {
        name,
        data: text.into_bytes(),
    };
    files.into_iter().map(file).collect()
}

/// Limits of a small machine for templates.
pub fn template_limits() -> gotmpl::Limits {
    gotmpl::Limits {
        steps: 100_000,
        bytes: 4 << 20,
        depth: 1000,
        nesting: 100,
        ..gotmpl::Limits::default()
    }
}

/// Limits of a small machine: what grows beyond them is a finding.
pub fn limits() -> yaml::Limits {
    yaml::Limits {
        bytes: 1 << 20,
        depth: 200,
        nodes: 200_000,
    }
}
