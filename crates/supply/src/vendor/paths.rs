//! Where content lies in a copy. Addresses and references are somebody else's:
//! no path leaves the directory, and no two contents get one path, on file
//! systems without upper and lower case either.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use source::cache::Digest;

use crate::book::without_user;

/// Bytes of one name.
const MAX_NAME: usize = 120;

/// The paths that are taken so far.
pub(super) struct Paths<'a> {
    taken: &'a dyn Fn(&str, &[u8]) -> bool,
    files: BTreeMap<EcoString, Arc<[u8]>>,
    /// Lower-case paths of files and of the directories they lie in.
    names: BTreeSet<EcoString>,
    directories: BTreeSet<EcoString>,
    /// Paths by the directory of an address and content.
    same: BTreeMap<(EcoString, Digest), EcoString>,
}

impl<'a> Paths<'a> {
    pub fn new(taken: &'a dyn Fn(&str, &[u8]) -> bool) -> Self {
        Paths {
            taken,
            files: BTreeMap::new(),
            names: BTreeSet::new(),
            directories: BTreeSet::new(),
            same: BTreeMap::new(),
        }
    }

    /// The path for content of an address: a kind, the address, and names below
    /// it. The same content of one address lies there once.
    pub fn place(
        &mut self,
        kind: &str,
        url: &str,
        below: &[&str],
        ending: &str,
        bytes: Arc<[u8]>,
    ) -> EcoString {
        let digest = Digest::of(&bytes);
        let mut parts = vec![EcoString::from(kind)];
        parts.extend(segments(url));
        let of_address = (EcoString::from(parts.join("/")), digest.clone());
        if let Some(path) = self.same.get(&of_address) {
            return path.clone();
        }
        parts.extend(below.iter().map(|name| safe(name)));
        let stem = parts.join("/");
        let mark = digest.hex().get(..8).unwrap_or_default();
        let usual = eco_format!("{stem}{ending}");
        let path = match self.is_free(&usual, &bytes) {
            true => usual,
            false => eco_format!("{stem}~{mark}{ending}"),
        };
        self.names.insert(path.to_lowercase());
        let parents = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        let parents: Vec<_> = parents.map(str::to_lowercase).collect();
        self.directories.extend(parents.into_iter().map(Into::into));
        self.files.insert(path.clone(), bytes);
        self.same.insert(of_address, path.clone());
        path
    }

    pub fn files(self) -> BTreeMap<EcoString, Arc<[u8]>> {
        self.files
    }

    fn is_free(&self, path: &str, bytes: &[u8]) -> bool {
        let lower = path.to_lowercase();
        let mut parents = lower
            .match_indices('/')
            .filter_map(|(at, _)| lower.get(..at));
        !self.names.contains(lower.as_str())
            && !self.directories.contains(lower.as_str())
            && !parents.any(|parent| self.names.contains(parent))
            && !(self.taken)(path, bytes)
    }
}

/// Host and path of an address as names of directories.
fn segments(url: &str) -> Vec<EcoString> {
    let url = without_user(url);
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.to_owned(),
        // user@host:path
        None => url.replacen(":", "/", 1).into(),
    };
    let rest = match rest.split_once('@') {
        Some((user, rest)) if !user.contains('/') => rest,
        _ => &rest,
    };
    let rest = rest.trim_end_matches('/');
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = path.split('/').filter(|part| !part.is_empty());
    std::iter::once(safe(&host.to_lowercase()))
        .chain(path.map(safe))
        .collect()
}

/// A name that is one file name everywhere.
fn safe(name: &str) -> EcoString {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '/' => text.push_str("__"),
            c if fits(c) => text.push(c),
            _ => text.push('_'),
        }
    }
    if text.bytes().all(|byte| byte == b'.') {
        text = text.replace('.', "_");
        text.push('_');
    }
    if text.len() > MAX_NAME {
        let digest = Digest::of(name.as_bytes());
        // Only ASCII is left.
        text.truncate(MAX_NAME);
        text.push('~');
        text.push_str(digest.hex().get(..8).unwrap_or_default());
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(paths: &mut Paths<'_>, url: &str, below: &[&str], content: &str) -> EcoString {
        paths.place("git", url, below, ".tar.gz", content.as_bytes().into())
    }

    #[test]
    fn paths_are_those_of_addresses() {
        let free = |_: &str, _: &[u8]| false;
        let mut paths = Paths::new(&free);
        for (url, below, content, expected) in [
            (
                "https://Git.example.org/Team/app.git",
                "v1",
                "a",
                "git/git.example.org/Team/app/v1.tar.gz",
            ),
            (
                "git@git.example.org:Team/app.git",
                "v2",
                "b",
                "git/git.example.org/Team/app/v2.tar.gz",
            ),
            (
                "ssh://git@git.example.org:22/Team/app",
                "x/y",
                "c",
                "git/git.example.org_22/Team/app/x__y.tar.gz",
            ),
            (
                "https://user:secret@h.example.org/r",
                "v1",
                "d",
                "git/h.example.org/r/v1.tar.gz",
            ),
            (
                "https://h.example.org/../..//etc",
                "..",
                "e",
                "git/h.example.org/___/___/etc/___.tar.gz",
            ),
            // The same content once, other content beside it.
            (
                "https://git.example.org/Team/app",
                "main",
                "a",
                "git/git.example.org/Team/app/v1.tar.gz",
            ),
        ] {
            assert_eq!(place(&mut paths, url, &[below], content), expected, "{url}");
        }
        let twin = place(&mut paths, "https://git.example.org/team/app", &["v1"], "z");
        assert!(
            twin.starts_with("git/git.example.org/team/app/v1~"),
            "{twin}"
        );
    }

    #[test]
    fn a_file_is_no_directory() {
        let free = |_: &str, _: &[u8]| false;
        let mut paths = Paths::new(&free);
        let put = |paths: &mut Paths<'_>, url: &str, content: &str| {
            paths.place("http", url, &[], "", content.as_bytes().into())
        };
        assert_eq!(put(&mut paths, "https://h/a/b", "1"), "http/h/a/b");
        assert!(put(&mut paths, "https://h/a", "2").starts_with("http/h/a~"));
        let long = format!("https://h/{}", "x".repeat(400));
        assert!(put(&mut paths, &long, "3").len() < 160);
    }

    #[test]
    fn what_is_there_with_other_content_is_not_overwritten() {
        let taken = |path: &str, _: &[u8]| path == "git/h/r/main.tar.gz";
        let mut paths = Paths::new(&taken);
        let path = place(&mut paths, "https://h/r", &["main"], "new");
        assert!(path.starts_with("git/h/r/main~"), "{path}");
    }
}
