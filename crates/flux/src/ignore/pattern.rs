//! One ignore rule.

use super::glob::Glob;

/// A rule of an ignore file, with the folder it holds below. The semantics are
/// go-git's, which are not quite git's: a rule also matches what lies below
/// what it names, and a `**` inside a name matches nothing.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    domain: String,
    include: bool,
    only_directories: bool,
    names: Names,
}

#[derive(Clone, Debug)]
enum Names {
    /// A name anywhere below the domain.
    Anywhere(Glob),
    /// Names from the domain down.
    Path(Vec<Step>),
}

#[derive(Clone, Debug)]
enum Step {
    /// Nothing between two slashes.
    Empty,
    /// `**`
    AnyFolders,
    /// A name with `**` in it.
    Never,
    Name(Glob),
}

impl Pattern {
    /// The rule that a line says, holding below the folder `domain`.
    pub(super) fn new(line: &str, domain: &str) -> Self {
        let (include, mut text) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if !text.ends_with("\\ ") {
            text = text.trim_end_matches(' ');
        }
        let directory = text.strip_suffix('/');
        text = directory.unwrap_or(text);
        Pattern {
            domain: domain.to_owned(),
            include,
            only_directories: directory.is_some(),
            names: if text.contains('/') {
                Names::Path(text.split('/').map(Step::new).collect())
            } else {
                Names::Anywhere(Glob::new(text))
            },
        }
    }

    /// Whether a match takes a file in instead of out.
    pub(super) fn includes(&self) -> bool {
        self.include
    }

    /// Whether the rule says something about this path.
    pub(super) fn matches(&self, path: &str, directory: bool) -> bool {
        let below = if self.domain.is_empty() {
            Some(path).filter(|path| !path.is_empty())
        } else {
            path.strip_prefix(self.domain.as_str())
                .and_then(|rest| rest.strip_prefix('/'))
        };
        let Some(below) = below else {
            return false;
        };
        match &self.names {
            Names::Anywhere(glob) => self.matches_anywhere(glob, below, directory),
            Names::Path(steps) => self.matches_path(steps, below, directory),
        }
    }

    fn matches_anywhere(&self, glob: &Glob, below: &str, directory: bool) -> bool {
        let mut names = below.split('/').peekable();
        while let Some(name) = names.next() {
            if glob.matches(name) {
                let last = names.peek().is_none();
                return !(last && self.only_directories && !directory);
            }
        }
        false
    }

    fn matches_path(&self, steps: &[Step], below: &str, directory: bool) -> bool {
        let mut names = below.split('/').peekable();
        let mut matched = false;
        let mut skip_folders = false;
        let last = steps.len().saturating_sub(1);
        for (at, step) in steps.iter().enumerate() {
            let glob = match step {
                Step::Empty => {
                    skip_folders = false;
                    continue;
                }
                Step::AnyFolders if at == last => break,
                Step::AnyFolders => {
                    skip_folders = true;
                    continue;
                }
                Step::Never => return false,
                Step::Name(glob) => glob,
            };
            if names.peek().is_none() {
                return false;
            }
            if std::mem::take(&mut skip_folders) {
                // A malformed name ends the search as well.
                if matches!(glob, Glob::Never) {
                    return false;
                }
                matched = names.by_ref().any(|name| glob.matches(name));
            } else {
                matched = names.next().is_some_and(|name| glob.matches(name));
                if !matched {
                    return false;
                }
            }
        }
        let nothing_below = names.peek().is_none();
        matched && !(self.only_directories && !directory && nothing_below)
    }
}

impl Step {
    fn new(text: &str) -> Self {
        match text {
            "" => Step::Empty,
            "**" => Step::AnyFolders,
            text if text.contains("**") => Step::Never,
            text => Step::Name(Glob::new(text)),
        }
    }
}
