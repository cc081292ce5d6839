//! What a source's artifact holds: the files of a checkout that Flux's ignore
//! rules leave.

mod glob;
mod pattern;

use vfs::{Error, Filtered, Kind, Tree};

use pattern::Pattern;

/// The ignore file, in any folder; its rules hold below that folder.
const IGNORE_FILE: &str = ".sourceignore";

/// Never in an artifact unless a rule takes them back in.
const VERSION_CONTROL: &[&str] = &[".git/", ".gitignore", ".gitmodules", ".gitattributes"];

/// Left out while neither an ignore file nor the source says anything.
const DEFAULTS: &[&str] = &[
    "*.jpg",
    "*.jpeg",
    "*.gif",
    "*.png",
    "*.wmv",
    "*.flv",
    "*.tar.gz",
    "*.zip",
    ".github/",
    ".circleci/",
    ".travis.yml",
    ".gitlab-ci.yml",
    "appveyor.yml",
    ".drone.yml",
    "cloudbuild.yaml",
    "codeship-services.yml",
    "codeship-steps.yml",
    "**/.goreleaser.yml",
    "**/.sops.yaml",
    "**/.flux.yaml",
];

/// The artifact of a checkout `tree`. `spec_ignore` is the source's
/// `spec.ignore`. Fails when a folder or an ignore file cannot be read.
///
/// As in source-controller 1.9: rules of version control come first, then every
/// `.sourceignore`, then the source's own; the last rule that matches decides,
/// for every file by itself, so a file can be taken back in below an ignored
/// folder. A single rule of any of the latter two switches the other built-in
/// exclusions off.
pub fn artifact(tree: &Tree, spec_ignore: Option<&str>) -> Result<Tree, Error> {
    let rules = Rules::of(tree, spec_ignore)?;
    let filtered = Filtered::new(tree.clone(), |path, kind| {
        !rules.exclude(path, kind == Kind::Directory)
    })?;
    Ok(Tree::new(filtered))
}

/// The artifact of a bucket: only the ignore file at the top counts, and the
/// source's own rules; neither is there anything built in. The ignore file is no
/// part of it.
pub fn bucket(tree: &Tree, spec_ignore: Option<&str>) -> Result<Tree, Error> {
    let mut patterns = match tree.probe(IGNORE_FILE) {
        Some(Kind::File) => read(&String::from_utf8_lossy(&tree.read(IGNORE_FILE)?), ""),
        _ => Vec::new(),
    };
    patterns.extend(spec_ignore.into_iter().flat_map(|text| read(text, "")));
    let rules = Rules { patterns };
    let filtered = Filtered::new(tree.clone(), |path, kind| {
        kind == Kind::File && path != IGNORE_FILE && !rules.exclude(path, false)
    })?;
    Ok(Tree::new(filtered))
}

struct Rules {
    patterns: Vec<Pattern>,
}

impl Rules {
    fn of(tree: &Tree, spec_ignore: Option<&str>) -> Result<Self, Error> {
        let built_in = |list: &[&str]| -> Vec<Pattern> {
            list.iter().map(|text| Pattern::new(text, "")).collect()
        };
        let mut patterns = built_in(VERSION_CONTROL);
        let mut own = Vec::new();
        load(tree, "", &mut own)?;
        own.extend(spec_ignore.into_iter().flat_map(|text| read(text, "")));
        if own.is_empty() {
            own = built_in(DEFAULTS);
        }
        patterns.append(&mut own);
        Ok(Rules { patterns })
    }

    fn exclude(&self, path: &str, directory: bool) -> bool {
        self.patterns
            .iter()
            .rev()
            .find(|pattern| pattern.matches(path, directory))
            .is_some_and(|pattern| !pattern.includes())
    }
}

/// Adds the rules of a folder's ignore file and of those below, in that order.
fn load(tree: &Tree, dir: &str, rules: &mut Vec<Pattern>) -> Result<(), Error> {
    let mut add = |dir: &str| {
        let file = vfs::join(dir, IGNORE_FILE)?;
        if tree.probe(&file) == Some(Kind::File) {
            let bytes = tree.read(&file)?;
            rules.extend(read(&String::from_utf8_lossy(&bytes), dir));
        }
        Ok(())
    };
    add(dir)?;
    let mut failed = None;
    tree.walk(dir, &mut |path, kind| {
        let enter = kind == Kind::Directory && !path.ends_with("/.git") && path != ".git";
        if enter && failed.is_none() {
            failed = add(path).err();
        }
        enter
    })?;
    failed.map_or(Ok(()), Err)
}

/// Bytes at which upstream's line reader gives up.
const MAX_LINE: usize = 64 << 10;

/// The rules of a text that hold below the folder `domain`.
fn read(text: &str, domain: &str) -> Vec<Pattern> {
    text.lines()
        .take_while(|line| line.len() < MAX_LINE)
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| Pattern::new(line, domain))
        .collect()
}

#[cfg(test)]
mod tests;
