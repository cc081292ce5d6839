//! One rendered Kubernetes object.

use std::sync::Arc;

use ecow::EcoString;
use yaml::Node;

/// What names an object within a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// API group; empty for the core group.
    pub group: EcoString,
    /// API version without the group.
    pub version: EcoString,
    /// Kind.
    pub kind: EcoString,
    /// Namespace; empty for cluster-scoped objects and where none is set.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
}

/// Prints as `Kind/namespace/name`, or `Kind/name` without a namespace.
impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

impl Identity {
    /// The identity an object's node says; `None` without kind or name.
    pub fn of(node: &Node) -> Option<Identity> {
        let text = |path: &[&str]| {
            let node = node.path(path).filter(|node| !node.is_null())?;
            node.text().filter(|text| !text.is_empty()).cloned()
        };
        let api_version = text(&["apiVersion"]).unwrap_or_default();
        let (group, version) = kubeapi::split_api_version(&api_version);
        Some(Identity {
            group: group.into(),
            version: version.into(),
            kind: text(&["kind"])?,
            namespace: text(&["metadata", "namespace"]).unwrap_or_default(),
            name: text(&["metadata", "name"])?,
        })
    }
}

/// A rendered object, as it reaches the API server.
#[derive(Clone, Debug)]
pub struct Object {
    /// What names it.
    pub identity: Identity,
    /// Its content; spans say which file and line set each value. Of what a
    /// chart makes, that is the release's own file.
    pub node: Arc<Node>,
    /// The chart's file it comes from; `None` for what no chart makes.
    pub template: Option<Arc<Template>>,
}

/// A file of a chart that makes objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The chart, as `name-version`.
    pub chart: EcoString,
    /// The file's path, the chart's name first, as Helm says it.
    pub path: EcoString,
    /// It lies in a `crds/` directory: what it holds is applied before the
    /// chart is rendered, and is no part of the release.
    pub definitions: bool,
}

/// The annotation that makes an object of a chart a hook.
const HOOK: &str = "helm.sh/hook";

impl Object {
    /// The object of a node; `None` without kind or name.
    pub fn new(node: Node) -> Option<Object> {
        Some(Object {
            identity: Identity::of(&node)?,
            node: Arc::new(node),
            template: None,
        })
    }

    /// The events at which Helm runs it, when it is a hook of a chart.
    pub fn hook(&self) -> Option<&str> {
        self.template.as_ref()?;
        self.annotation(HOOK)
    }

    /// The value of an annotation.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.node.str_at(&["metadata", "annotations", name])
    }

    /// The value of a label.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.node.str_at(&["metadata", "labels", name])
    }
}
