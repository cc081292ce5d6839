//! The rooms of this crate and the arrows between them: each uses only what
//! stands below it.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, from the one that uses all to those that use none.
const ROOMS: [&str; 30] = [
    "walk",
    // Where the walk starts, what it gets from elsewhere, what it leaves out.
    "content",
    "entrypoint",
    "extract",
    "workspace",
    "unreached",
    "taken",
    "helmfile",
    // From sources to objects.
    "compose",
    "build",
    "chart",
    "source",
    "artifact_generator",
    "instance",
    "values",
    "apis",
    "sops",
    "generate",
    "substitute",
    "envsubst",
    "ignore",
    // What is asked and said.
    "settings",
    "engine",
    "mirror",
    "version",
    "release",
    "spec",
    "placed",
    "number",
    "lib",
];

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

/// The names after each `crate::` of a text, those in braces one by one. Tests of
/// a room may use what they like.
fn used(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        let listed = match after.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap(),
            None => after
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap(),
        };
        names.extend(
            listed
                .split(',')
                .map(|name| name.split("::").next().unwrap().trim()),
        );
    }
    names
}

#[test]
fn arrows_point_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&src, &mut all);
    assert!(all.len() > 50, "{} files", all.len());
    let mut against = Vec::new();
    for file in &all {
        let below = file.strip_prefix(&src).unwrap();
        let room = below.iter().next().unwrap().to_str().unwrap();
        let room = room.trim_end_matches(".rs");
        let own = rank(room).unwrap_or_else(|| panic!("{room} is no room yet: give it a place"));
        if room == "lib" || below.ends_with("tests.rs") {
            continue;
        }
        for name in used(&fs::read_to_string(file).unwrap()) {
            // Types that the crate shows to others are of no room here.
            if rank(name).is_some_and(|other| other < own) {
                against.push(format!("{} uses {name}", below.display()));
            }
        }
    }
    assert!(against.is_empty(), "{against:#?}");
}
