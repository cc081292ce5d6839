//! Which texts name a git repository, and what they ask of it.
//!
//! The accepted forms are those of kustomize: `https://host/org/repo/path?ref=x`,
//! `ssh://…`, `user@host:org/repo`, `github.com/org/repo`, with `//`, `.git` or
//! `_git/` marking where the repository ends and the path inside of it starts.

use ecow::{EcoString, eco_format};

const SSH: &str = "ssh://";
const HTTPS: &str = "https://";
const HTTP: &str = "http://";
const FILE: &str = "file://";

/// A repository, a reference and a directory in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitUrl {
    /// Scheme, user and host, up to the separator of the path.
    pub host: EcoString,
    /// Path of the repository on the host.
    pub repository: EcoString,
    /// Directory in the repository; empty for its root.
    pub path: EcoString,
    /// Branch, tag or commit; empty for the default branch.
    pub reference: EcoString,
}

impl GitUrl {
    /// Reads an address. `None` for what names no repository: local paths, and
    /// addresses without a host or repository.
    pub fn parse(text: &str) -> Option<Self> {
        if text.starts_with('/') {
            return None;
        }
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (host, rest) = split_host(address)?;
        let (repository, path) = split_path(rest, host.starts_with(FILE))?;
        if repository.is_empty() || leaves_repository(path) {
            return None;
        }
        Some(GitUrl {
            host,
            repository: repository.into(),
            path: path.strip_prefix('/').unwrap_or(path).into(),
            reference: reference(query),
        })
    }

    /// What `git clone` would be given.
    pub fn clone_url(&self) -> EcoString {
        eco_format!("{}{}", self.host, self.repository)
    }

    /// Whether the reference names one commit for good, as far as its form
    /// tells: a commit or something that looks like a version.
    pub fn is_pinned(&self) -> bool {
        is_commit(&self.reference) || is_version(&self.reference)
    }
}

/// Whether an address names a file to be fetched by HTTP.
pub fn is_http(text: &str) -> bool {
    let starts = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    starts(HTTP) || starts(HTTPS)
}

/// Whether any remote address names one commit or version for good. An address
/// without a reference is that of a file first: its path says the version.
pub fn is_pinned(url: &str) -> bool {
    match GitUrl::parse(url) {
        Some(repository) if !repository.reference.is_empty() => repository.is_pinned(),
        _ => is_http(url) && is_pinned_http(url),
    }
}

/// Whether an HTTP address has a part that is a commit or version.
pub fn is_pinned_http(url: &str) -> bool {
    url.split(['/', '?', '&', '='])
        .any(|part| is_commit(part) || is_version(part))
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `1.2`, `v1.2.3`, `name-1.2.3`, `name/v1.2`: digits around a dot.
fn is_version(text: &str) -> bool {
    let tail = text.rsplit(['/', '-', '_']).find(|part| part.contains('.'));
    let Some((major, minor)) = tail.and_then(|tail| tail.split_once('.')) else {
        return false;
    };
    let major = major.trim_start_matches(['v', 'V']);
    !major.is_empty()
        && major.bytes().all(|b| b.is_ascii_digit())
        && minor.starts_with(|c: char| c.is_ascii_digit())
}

fn strip_prefix_fold<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) {
        text.get(prefix.len()..)
    } else {
        None
    }
}

fn split_host(address: &str) -> Option<(EcoString, &str)> {
    let address = strip_prefix_fold(address, "git::").unwrap_or(address);
    let (scheme, rest) = [SSH, HTTPS, HTTP, FILE]
        .into_iter()
        .find_map(|scheme| Some((scheme, strip_prefix_fold(address, scheme)?)))
        .unwrap_or(("", address));
    if scheme == FILE {
        return Some((FILE.into(), rest));
    }
    let (user, rest) = split_user(rest);
    let github = ["github.com/", "github.com:"]
        .iter()
        .any(|host| strip_prefix_fold(rest, host).is_some());
    let scp = scheme.is_empty() && (!user.is_empty() || github);
    if scheme.is_empty() && !scp {
        return None;
    }
    let end = host_end(rest, scp)?;
    let (host, path) = rest.split_at(end + 1);
    if github {
        let ssh = scheme == SSH || !user.is_empty();
        let host = if ssh {
            eco_format!("{user}github.com:")
        } else {
            "https://github.com/".into()
        };
        return Some((host, path));
    }
    Some((eco_format!("{scheme}{user}{host}"), path))
}

/// A user name with its `@`, and the rest.
fn split_user(text: &str) -> (&str, &str) {
    let Some(at) = text.find('@') else {
        return ("", text);
    };
    let (user, rest) = text.split_at(at + 1);
    let name = user.trim_end_matches('@');
    let valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if valid { (user, rest) } else { ("", text) }
}

/// Where the separator between host and path stands.
fn host_end(text: &str, scp: bool) -> Option<usize> {
    let slash = text.find('/');
    let colon = text.find(':').filter(|_| scp);
    match (slash, colon) {
        (Some(slash), Some(colon)) if colon > 0 && colon < slash => Some(colon),
        (None, colon) => colon,
        (slash, _) => slash,
    }
}

/// Splits a path into repository and directory.
fn split_path(text: &str, whole: bool) -> Option<(&str, &str)> {
    if let Some(at) = text.find("_git/") {
        let start = at + "_git/".len();
        let length = text.get(start..)?.find('/');
        return Some(match length {
            Some(length) => (text.get(..start + length)?, text.get(start + length + 1..)?),
            None => (text, ""),
        });
    }
    if let Some(split) = text.split_once("//") {
        return Some(split);
    }
    if let Some(at) = text.find(".git") {
        return Some(text.split_at(at + ".git".len()));
    }
    if whole {
        return Some((text, ""));
    }
    // Organisation and repository.
    let first = text.find('/')?;
    match text.get(first + 1..)?.find('/') {
        Some(second) => {
            let end = first + 1 + second;
            Some((text.get(..end)?, text.get(end + 1..)?))
        }
        None => Some((text, "")),
    }
}

fn leaves_repository(path: &str) -> bool {
    let mut depth = 0_i64;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// `ref`, else `version`, of a query. A malformed query counts as empty.
fn reference(query: &str) -> EcoString {
    let mut found: [Option<EcoString>; 2] = [None, None];
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if pair.contains(';') {
            return EcoString::new();
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(key), Some(value)) = (unescape(key), unescape(value)) else {
            return EcoString::new();
        };
        let slot = match key.as_str() {
            "ref" => 0,
            "version" => 1,
            _ => continue,
        };
        if let Some(slot) = found.get_mut(slot) {
            slot.get_or_insert(value);
        }
    }
    let [reference, version] = found;
    reference
        .filter(|text| !text.is_empty())
        .or(version)
        .unwrap_or_default()
}

/// Undoes `%xx` and `+`.
fn unescape(text: &str) -> Option<EcoString> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (hex, tail) = tail.split_at_checked(2)?;
                let hex = std::str::from_utf8(hex).ok()?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                rest = tail;
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok().map(EcoString::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, String, String)> {
        GitUrl::parse(text).map(|url| {
            (
                url.clone_url().to_string(),
                url.path.to_string(),
                url.reference.to_string(),
            )
        })
    }

    #[test]
    fn repository_ends_at_a_marker_or_behind_two_names() {
        let expect = |text: &str, url: &str, path: &str, reference: &str| {
            let expected = Some((url.into(), path.into(), reference.into()));
            assert_eq!(parsed(text), expected, "{text}");
        };
        expect("https://github.com/o/r", "https://github.com/o/r", "", "");
        expect(
            "https://github.com/o/r/a/b?ref=v1.2",
            "https://github.com/o/r",
            "a/b",
            "v1.2",
        );
        expect("GitHub.com/o/r", "https://github.com/o/r", "", "");
        expect(
            "git@github.com:o/r.git//a",
            "git@github.com:o/r.git",
            "a",
            "",
        );
        expect(
            "ssh://git@host.example:22/a/b/c.git/d?version=x",
            "ssh://git@host.example:22/a/b/c.git",
            "d",
            "x",
        );
        expect(
            "https://dev.example/o/p/_git/r/sub/dir",
            "https://dev.example/o/p/_git/r",
            "sub/dir",
            "",
        );
        expect("file:///a/b/c", "file:///a/b/c", "", "");
    }

    #[test]
    fn local_paths_and_what_leaves_the_repository_are_refused() {
        for text in [
            "/a/b",
            "../x",
            "a/b",
            "host/o/r",
            "src/github.com/o/r/p",
            "github.com!o/r.git//p",
            "htxp://github.com/o/r",
            "git::x",
            "gh:o/r",
            "ssh://host.example",
            "https://host?ref=a/b/c",
            "https://github.com/only.yaml",
            "https://github.com/o/r//../x",
            "https://github.com/o/r.git//a/../../b",
            "file:////a//b",
            "git@scp://github.com/o/r.git//p",
            "git@ssh://github.com/o/r.git//p",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_reference_that_looks_like_a_version_is_pinned() {
        let pinned = |text: &str| GitUrl::parse(text).unwrap().is_pinned();
        assert!(pinned("https://github.com/o/r?ref=v1.2.3"));
        assert!(pinned("https://github.com/o/r?ref=chart-1.2.3"));
        assert!(!pinned("https://github.com/o/r?ref=main"));
        assert!(!pinned("https://github.com/o/r"));
        assert!(is_pinned_http("https://raw.example/o/r/v1.0.0/x.yaml"));
        assert!(is_pinned(
            "https://github.com/o/r/releases/download/v1.0.0/crd.yaml"
        ));
        assert!(is_pinned("https://github.com/o/r//v1/base?ref=v1.2.3"));
        assert!(!is_pinned("https://github.com/o/r//v1.2/base?ref=main"));
        assert!(!is_pinned("https://github.com/o/r//base"));
    }
}
