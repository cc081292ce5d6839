//! Identity of objects: group, version, kind, name and namespace.

use std::fmt;
use std::sync::OnceLock;

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashSet;
use yaml::{Node, Value};

/// The namespace that identity rules give to cluster-scoped objects.
pub const NOT_NAMESPACED: &str = "_non_namespaceable_";
/// The namespace of namespaced objects that name none.
pub const DEFAULT_NAMESPACE: &str = "default";

/// The types that the built-in OpenAPI document has outside of namespaces.
fn cluster_scoped() -> &'static FxHashSet<Gvk> {
    static TYPES: OnceLock<FxHashSet<Gvk>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let read = |line: &str| {
            let mut parts = line.split('\t');
            let (api_version, kind, scope) = (parts.next()?, parts.next()?, parts.next()?);
            (scope == "cluster").then(|| Gvk::from_api_version(api_version, kind))
        };
        let table = include_str!("../data/scope.tsv");
        table.lines().filter_map(read).collect()
    })
}

/// Group, version and kind. Empty parts of a *pattern* match anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gvk {
    /// API group; empty for the core group.
    pub group: EcoString,
    /// API version without the group.
    pub version: EcoString,
    /// Kind.
    pub kind: EcoString,
}

impl Gvk {
    /// From an `apiVersion` field and a kind.
    pub fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Gvk {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// Of an object; missing fields are empty.
    pub fn of(node: &Node) -> Self {
        Gvk::from_api_version(
            field_text(node, "apiVersion").unwrap_or_default(),
            field_text(node, "kind").unwrap_or_default(),
        )
    }

    /// The `apiVersion` field.
    pub fn api_version(&self) -> EcoString {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            eco_format!("{}/{}", self.group, self.version)
        }
    }

    /// Whether the built-in OpenAPI document knows this exact version and kind
    /// as cluster-scoped. Kinds it does not know count as namespaced.
    pub fn is_cluster_scoped(&self) -> bool {
        cluster_scoped().contains(self)
    }

    /// Whether `self`, read as a pattern, selects `other`.
    pub fn selects(&self, other: &Gvk) -> bool {
        let part = |pattern: &EcoString, text: &EcoString| pattern.is_empty() || pattern == text;
        part(&self.group, &other.group)
            && part(&self.version, &other.version)
            && part(&self.kind, &other.kind)
    }
}

/// A part of an id as messages have it.
fn shown<'t>(part: &'t str, placeholder: &'t str) -> &'t str {
    if part.is_empty() { placeholder } else { part }
}

/// `Kind.version.group`, with placeholders for empty parts, as messages have it.
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{}.{}",
            shown(&self.kind, "[noKind]"),
            shown(&self.version, "[noVer]"),
            shown(&self.group, "[noGrp]")
        )
    }
}

/// What identifies an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResId {
    /// Type.
    pub gvk: Gvk,
    /// `metadata.name`.
    pub name: EcoString,
    /// `metadata.namespace` as written; see [`ResId::effective_namespace`].
    pub namespace: EcoString,
}

impl ResId {
    /// Of an object; missing fields are empty.
    pub fn of(node: &Node) -> Self {
        let meta = |key| metadata_text(node, key).unwrap_or_default().into();
        ResId {
            gvk: Gvk::of(node),
            name: meta("name"),
            namespace: meta("namespace"),
        }
    }

    /// The namespace that counts for identity: one marker for everything
    /// cluster-scoped, `default` where none is named.
    pub fn effective_namespace(&self) -> &str {
        if self.gvk.is_cluster_scoped() {
            NOT_NAMESPACED
        } else if self.namespace.is_empty() {
            DEFAULT_NAMESPACE
        } else {
            &self.namespace
        }
    }

    /// The namespace as written, else the default one, whatever the kind.
    pub(crate) fn written_namespace(&self) -> &str {
        match self.namespace.as_str() {
            "" => DEFAULT_NAMESPACE,
            namespace => namespace,
        }
    }

    /// Whether both name one object: same type and name in the same effective
    /// namespace.
    pub fn same(&self, other: &ResId) -> bool {
        self.name == other.name
            && self.gvk == other.gvk
            && self.effective_namespace() == other.effective_namespace()
    }
}

/// `Kind.version.group/name.namespace`, with placeholders for empty parts.
impl fmt::Display for ResId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}/{}.{}",
            self.gvk,
            shown(&self.name, "[noName]"),
            shown(&self.namespace, "[noNs]")
        )
    }
}

/// The text of a scalar field of a mapping, whatever its type.
pub(crate) fn field_text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match &node.get(key)?.value {
        Value::Scalar(text) => Some(text),
        _ => None,
    }
}

/// The text of a scalar below `metadata`; null counts as absent.
pub(crate) fn metadata_text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    let value = node.get("metadata")?.get(key)?;
    if value.is_null() {
        return None;
    }
    value.text().map(|text| text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(api_version: &str, kind: &str, name: &str, namespace: &str) -> ResId {
        ResId {
            gvk: Gvk::from_api_version(api_version, kind),
            name: name.into(),
            namespace: namespace.into(),
        }
    }

    #[test]
    fn messages_have_placeholders_for_what_is_empty() {
        assert_eq!(
            id("v1", "ConfigMap", "a", "").to_string(),
            "ConfigMap.v1.[noGrp]/a.[noNs]"
        );
        assert_eq!(
            ResId::default().to_string(),
            "[noKind].[noVer].[noGrp]/[noName].[noNs]"
        );
    }

    #[test]
    fn no_namespace_is_default_unless_cluster_scoped() {
        assert!(id("v1", "Secret", "a", "").same(&id("v1", "Secret", "a", "default")));
        assert!(!id("v1", "Secret", "a", "x").same(&id("v1", "Secret", "a", "")));
        assert!(id("v1", "Namespace", "a", "x").same(&id("v1", "Namespace", "a", "")));
        assert!(!id("example.com/v1", "Namespace", "a", "x").same(&id(
            "example.com/v1",
            "Namespace",
            "a",
            ""
        )));
    }

    #[test]
    fn empty_parts_of_a_pattern_match_anything() {
        let deployment = Gvk::from_api_version("apps/v1", "Deployment");
        assert!(Gvk::default().selects(&deployment));
        assert!(Gvk::from_api_version("", "Deployment").selects(&deployment));
        assert!(!Gvk::from_api_version("extensions/", "Deployment").selects(&deployment));
    }
}
