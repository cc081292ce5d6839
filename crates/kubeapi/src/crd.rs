//! What a CustomResourceDefinition defines.

use ecow::EcoString;
use yaml::{Node, Span};

use crate::{Scope, split_api_version};

/// One version of a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdVersion {
    /// Its name, `v1beta1`.
    pub name: EcoString,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether objects are stored as it.
    pub storage: bool,
    /// Where it is written.
    pub span: Span,
}

/// The parts of a CRD that say which objects it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crd {
    /// `spec.group`.
    pub group: EcoString,
    /// `spec.names.kind`.
    pub kind: EcoString,
    /// `spec.names.plural`.
    pub plural: EcoString,
    /// `spec.scope`.
    pub scope: Scope,
    /// `spec.versions`, or the one `spec.version` of `v1beta1`.
    pub versions: Vec<CrdVersion>,
}

impl Crd {
    /// Reads a CRD object of either API version; `None` for anything else and
    /// for one without group or kind.
    pub fn read(object: &Node) -> Option<Crd> {
        let (group, _) = split_api_version(object.str_at(&["apiVersion"])?);
        if group != "apiextensions.k8s.io"
            || object.str_at(&["kind"])? != "CustomResourceDefinition"
        {
            return None;
        }
        let spec = object.get("spec")?;
        let text = |path: &[&str]| spec.str_at(path).map(EcoString::from);
        Some(Crd {
            group: text(&["group"])?,
            kind: text(&["names", "kind"])?,
            plural: text(&["names", "plural"]).unwrap_or_default(),
            scope: match spec.str_at(&["scope"]) {
                Some("Cluster") => Scope::Cluster,
                _ => Scope::Namespaced,
            },
            versions: versions(spec),
        })
    }

    /// Whether the API server serves this version.
    pub fn serves(&self, version: &str) -> bool {
        self.versions.iter().any(|v| v.served && v.name == version)
    }

    /// The names of the served versions.
    pub fn served(&self) -> impl Iterator<Item = &EcoString> {
        self.versions.iter().filter(|v| v.served).map(|v| &v.name)
    }
}

fn versions(spec: &Node) -> Vec<CrdVersion> {
    let listed: Vec<CrdVersion> = spec
        .get("versions")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(|item| {
            let flag = |key: &str| item.get(key).and_then(Node::as_bool).unwrap_or(false);
            Some(CrdVersion {
                name: item.str_at(&["name"])?.into(),
                served: flag("served"),
                storage: flag("storage"),
                span: item.span,
            })
        })
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let single = spec.get("version").and_then(|node| {
        Some(CrdVersion {
            name: node.as_str()?.into(),
            served: true,
            storage: true,
            span: node.span,
        })
    });
    single.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Node {
        Node::string(value)
    }

    #[test]
    fn only_served_versions_are_served() {
        let version = |name: &str, served: bool| {
            Node::map([("name", text(name)), ("served", Node::bool(served))])
        };
        let crd = Node::map([
            ("apiVersion", text("apiextensions.k8s.io/v1")),
            ("kind", text("CustomResourceDefinition")),
            (
                "spec",
                Node::map([
                    ("group", text("example.org")),
                    ("scope", text("Cluster")),
                    ("names", Node::map([("kind", text("Widget"))])),
                    (
                        "versions",
                        Node::seq([version("v1", true), version("v1alpha1", false)]),
                    ),
                ]),
            ),
        ]);
        let crd = Crd::read(&crd).expect("a CRD");
        assert!(crd.serves("v1"));
        assert!(!crd.serves("v1alpha1"));
        assert_eq!(crd.scope, Scope::Cluster);
    }

    #[test]
    fn other_objects_are_no_crd() {
        assert_eq!(Crd::read(&Node::map([("kind", text("Namespace"))])), None);
    }
}
