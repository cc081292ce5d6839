//! The names of a repository and the commits they stand for.

use ecow::{EcoString, eco_format};

/// What `git ls-remote` says.
pub(super) struct Refs(Vec<(EcoString, EcoString)>);

impl Refs {
    /// Reads lines of `<commit>\t<name>`. An annotated tag has a second line,
    /// with `^{}` behind the name, that says its commit.
    pub fn read(text: &str) -> Refs {
        let pairs = text.lines().filter_map(|line| {
            let (commit, name) = line.split_once('\t')?;
            is_commit(commit).then(|| (name.into(), commit.into()))
        });
        Refs(pairs.collect())
    }

    /// The commit of a full name, or of a short one: a tag counts before a
    /// branch. Nothing stands for the main branch.
    pub fn commit(&self, reference: &str) -> Option<EcoString> {
        if reference.is_empty() {
            return self.exact("HEAD");
        }
        if reference.starts_with("refs/") || reference == "HEAD" {
            return self.peeled(reference);
        }
        self.tag(reference)
            .or_else(|| self.exact(&eco_format!("refs/heads/{reference}")))
            .or_else(|| self.peeled(&eco_format!("refs/{reference}")))
    }

    /// The commit of a tag.
    pub fn tag(&self, tag: &str) -> Option<EcoString> {
        self.peeled(&eco_format!("refs/tags/{tag}"))
    }

    /// Names without what they begin with.
    pub fn short(&self, prefix: &str) -> Vec<EcoString> {
        let names = self.0.iter().filter(|(name, _)| !name.ends_with("^{}"));
        let names = names.filter_map(|(name, _)| name.strip_prefix(prefix));
        names.map(EcoString::from).collect()
    }

    fn peeled(&self, name: &str) -> Option<EcoString> {
        self.exact(&eco_format!("{name}^{{}}"))
            .or_else(|| self.exact(name))
    }

    fn exact(&self, name: &str) -> Option<EcoString> {
        let found = self.0.iter().find(|(known, _)| known == name)?;
        Some(found.1.clone())
    }
}

/// Whether a text is a whole commit id: SHA-1 or SHA-256.
pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up() {
        let id = |digit: &str| digit.repeat(40);
        let text = format!(
            "{}\tHEAD\n{}\trefs/heads/main\n{}\trefs/tags/v1\n{}\trefs/tags/v1^{{}}\n{}\trefs/pull/1/head\nx\ty\n",
            id("a"),
            id("a"),
            id("b"),
            id("c"),
            id("d")
        );
        let refs = Refs::read(&text);
        for (reference, expected) in [
            ("", "a"),
            ("main", "a"),
            ("refs/heads/main", "a"),
            ("v1", "c"),
            ("refs/tags/v1", "c"),
            ("refs/pull/1/head", "d"),
            ("pull/1/head", "d"),
        ] {
            assert_eq!(
                refs.commit(reference),
                Some(id(expected).into()),
                "{reference}"
            );
        }
        assert_eq!(refs.commit("refs/heads/v1"), None);
        assert_eq!(refs.short("refs/tags/"), ["v1"]);
        assert!(!is_commit("abc") && is_commit(&"0".repeat(64)));
    }
}
