//! The kinds Kubernetes serves itself, with the releases that serve them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// They live in a namespace.
    Namespaced,
    /// They belong to the cluster.
    Cluster,
}

/// A minor release of Kubernetes, `1.<minor>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Release(pub u16);

impl Release {
    /// Reads `1.30`, `v1.30`, `1.30.2` and the like.
    pub fn parse(text: &str) -> Option<Self> {
        let minor = text.trim_start_matches('v').strip_prefix("1.")?;
        let digits = minor.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().map(Release)
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

/// The newest release that the tables know.
pub const NEWEST: Release = Release(36);

/// Beta APIs that came with this release or later are off unless asked for.
const BETAS_OFF: Release = Release(24);

/// One version of a kind that some release of Kubernetes serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// API version without the group.
    pub version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Scope.
    pub scope: Scope,
    /// First release that served it, where the API states one.
    pub introduced: Option<Release>,
    /// First release that warns about it.
    pub deprecated: Option<Release>,
    /// First release that no longer serves it.
    pub removed: Option<Release>,
    /// `group/version/Kind` to use instead.
    pub replacement: Option<&'static str>,
}

struct Table {
    rows: Vec<Kind>,
    /// Range of rows of one group and kind; rows are sorted by version within.
    by_kind: HashMap<(&'static str, &'static str), Vec<usize>>,
    groups: Vec<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows: Vec<Kind> = include_str!("../data/kinds.tsv")
        .lines()
        .skip(1)
        .filter_map(row)
        .collect();
    let mut by_kind: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        by_kind.entry((row.group, row.kind)).or_default().push(at);
    }
    let mut groups: Vec<_> = rows.iter().map(|row| row.group).collect();
    groups.dedup();
    Table {
        rows,
        by_kind,
        groups,
    }
});

fn row(line: &'static str) -> Option<Kind> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    Some(Kind {
        group: next()?,
        version: next()?,
        kind: next()?,
        scope: match next()? {
            "C" => Scope::Cluster,
            _ => Scope::Namespaced,
        },
        introduced: Release::parse(next()?),
        deprecated: Release::parse(next()?),
        removed: Release::parse(next()?),
        replacement: next().filter(|text| !text.is_empty()),
    })
}

/// One version of a kind, if Kubernetes serves or served it.
pub fn kind(group: &str, version: &str, kind: &str) -> Option<&'static Kind> {
    kinds_of(group, kind).find(|row| row.version == version)
}

/// Every version of a kind that Kubernetes serves or served.
pub fn kinds_of<'a>(group: &'a str, kind: &'a str) -> impl Iterator<Item = &'static Kind> + 'a {
    TABLE
        .by_kind
        .get(&(group, kind))
        .into_iter()
        .flatten()
        .filter_map(|at| TABLE.rows.get(*at))
}

/// The scope of a kind of Kubernetes or Flux; `None` for custom resources.
pub fn scope(group: &str, kind: &str) -> Option<Scope> {
    if crate::is_flux(group) {
        return Some(Scope::Namespaced);
    }
    kinds_of(group, kind).next().map(|row| row.scope)
}

impl Kind {
    /// Whether a plain cluster of a release serves it: not what is removed or
    /// yet to come, no alpha and no newer beta API.
    pub fn is_served(&self, release: Release) -> bool {
        let beta = self.version.contains("beta") && self.introduced >= Some(BETAS_OFF);
        !beta
            && !self.version.contains("alpha")
            && self.introduced.is_none_or(|first| first <= release)
            && self.removed.is_none_or(|gone| release < gone)
    }
}

/// Everything a plain cluster of a release serves.
pub fn served(release: Release) -> impl Iterator<Item = &'static Kind> {
    let rows = TABLE.rows.iter();
    rows.filter(move |row| row.is_served(release))
}

pub(crate) fn has_group(group: &str) -> bool {
    TABLE.groups.binary_search(&group).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_know_scope_and_life() {
        assert_eq!(scope("", "Namespace"), Some(Scope::Cluster));
        assert_eq!(scope("", "ConfigMap"), Some(Scope::Namespaced));
        assert_eq!(scope("apps", "Deployment"), Some(Scope::Namespaced));
        assert_eq!(
            scope("apiextensions.k8s.io", "CustomResourceDefinition"),
            Some(Scope::Cluster)
        );
        assert_eq!(scope("example.org", "Widget"), None);
        let old = kind("policy", "v1beta1", "PodDisruptionBudget").expect("in the table");
        assert_eq!(old.removed, Some(Release(25)));
        assert_eq!(old.replacement, Some("policy/v1/PodDisruptionBudget"));
    }

    #[test]
    fn groups_are_found_and_others_are_not() {
        assert!(crate::is_builtin(""));
        assert!(crate::is_builtin("batch"));
        assert!(!crate::is_builtin("snapshot.storage.k8s.io"));
        assert!(!crate::is_builtin("gateway.networking.k8s.io"));
    }

    #[test]
    fn releases_parse_as_people_write_them() {
        assert_eq!(Release::parse("v1.33.2"), Some(Release(33)));
        assert_eq!(Release::parse("1.30"), Some(Release(30)));
        assert_eq!(Release::parse("2.0"), None);
    }
}
