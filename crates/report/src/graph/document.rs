//! The graph as JSON.

use model::ComponentKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::{EdgeKind, NodeState, Picture};

/// The version of the meaning of the keys. Keys are only ever added.
const SCHEMA_VERSION: u32 = 1;

/// Pictures as one JSON document, ending in a line break. `version` is that of
/// the program.
pub fn graph_json(pictures: &[Picture], version: &str) -> String {
    let document = GraphDocument {
        version: version.into(),
        schema_version: SCHEMA_VERSION,
        entrypoints: pictures.iter().map(entrypoint).collect(),
    };
    // Plain structs of strings and numbers always serialise.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON Schema of that document.
pub fn graph_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let schema = generator.into_root_schema_for::<GraphDocument>();
    schema.to_value()
}

/// What `fluxlint graph --format json` prints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GraphDocument {
    /// The version of fluxlint.
    version: String,
    /// The version of the meaning of the keys.
    schema_version: u32,
    /// A graph an entrypoint.
    entrypoints: Vec<GraphResult>,
}

/// The graph of one entrypoint.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GraphResult {
    /// The entrypoint's directory.
    entrypoint: String,
    /// Components, and what is needed and nothing makes.
    nodes: Vec<NodeResult>,
    /// What comes before what.
    edges: Vec<EdgeResult>,
    /// The components of the critical path, in its order: ids of nodes. One
    /// that it comes back to is there again.
    critical_path: Vec<String>,
    /// Circles of waits.
    deadlocks: Vec<DeadlockResult>,
}

/// A component, or something that is needed and that nothing makes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NodeResult {
    /// Names the node within its entrypoint: `namespace/name` of a
    /// Kustomization, `HelmRelease/namespace/name`, or in words what is
    /// missing. A component of another cluster's Flux ends in `@cluster`.
    id: String,
    /// What it is.
    kind: NodeKindName,
    /// Namespace of the Flux object.
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// Name of the Flux object, or what is missing.
    name: String,
    /// The cluster its objects go to, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    /// The components that apply its Flux object: ids of nodes.
    parents: Vec<String>,
    /// What is known of it.
    state: StateName,
    /// How many objects it has.
    objects: usize,
    /// Whether it ever becomes ready on an empty cluster.
    ready: bool,
    /// Whether it is on the critical path.
    critical: bool,
    /// Whether it is part of a circle of waits.
    deadlock: bool,
    /// Whether it is part of one that is only likely.
    likely_deadlock: bool,
    /// Whether only circles that are likely keep it from becoming ready.
    doubtful: bool,
    /// Where its Flux object is written, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// One order between two nodes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EdgeResult {
    /// The node that comes first.
    from: String,
    /// The node that waits.
    to: String,
    /// What kind of order it is.
    kind: EdgeKindName,
    /// What the second needs of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what: Vec<String>,
    /// Why, in a clause.
    reason: String,
    /// Where it is demanded, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Whether another node would do as well.
    any_of: bool,
    /// Whether it is on the critical path.
    critical: bool,
    /// Whether it is part of a shortest circle of waits.
    deadlock: bool,
    /// Whether it is part of one that is only likely.
    likely_deadlock: bool,
}

/// Components that wait for each other.
#[derive(Serialize, JsonSchema)]
struct DeadlockResult {
    /// A shortest circle: ids of nodes, each waiting for the next, the last for
    /// the first.
    circle: Vec<String>,
    /// Further nodes that take part.
    others: Vec<String>,
    /// Whether it holds only if CRDs come from the components whose names say
    /// so, or if nobody applies by hand what a component reads of its own.
    likely: bool,
}

/// What a node is.
#[derive(Serialize, JsonSchema)]
enum NodeKindName {
    /// A Flux Kustomization.
    Kustomization,
    /// A HelmRelease.
    HelmRelease,
    /// Something that is needed and that nothing makes.
    #[serde(rename = "missing")]
    Missing,
}

/// What is known of a node.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum StateName {
    /// Its objects are known.
    Rendered,
    /// Its objects cannot be known here.
    NotRendered,
    /// Flux will fail to render it.
    Failed,
    /// It is suspended.
    Suspended,
    /// Nothing makes it.
    Missing,
}

/// What kind of order an edge stands for.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum EdgeKindName {
    /// `dependsOn`: the first is ready before the second starts.
    DependsOn,
    /// The first applies the Flux object of the second.
    Creates,
    /// The first makes something that the second needs.
    Needs,
    /// The second is ready only when the first, which it applies or checks, is.
    Waits,
}

fn entrypoint(picture: &Picture) -> GraphResult {
    let id = |at: &usize| picture.nodes.get(*at).map(|node| node.id.clone());
    let ids = |nodes: &[usize]| nodes.iter().filter_map(id).collect::<Vec<_>>();
    GraphResult {
        entrypoint: picture.entrypoint.clone(),
        nodes: picture
            .nodes
            .iter()
            .map(|node| NodeResult {
                id: node.id.clone(),
                kind: match node.kind {
                    Some(ComponentKind::Kustomization) => NodeKindName::Kustomization,
                    Some(ComponentKind::HelmRelease) => NodeKindName::HelmRelease,
                    None => NodeKindName::Missing,
                },
                namespace: node.kind.map(|_| node.namespace.to_string()),
                name: node.name.to_string(),
                cluster: Some(node.cluster.to_string()).filter(|name| !name.is_empty()),
                parents: ids(&node.parents),
                state: match node.state {
                    NodeState::Rendered => StateName::Rendered,
                    NodeState::NotRendered => StateName::NotRendered,
                    NodeState::Failed => StateName::Failed,
                    NodeState::Suspended => StateName::Suspended,
                    NodeState::Missing => StateName::Missing,
                },
                objects: node.objects,
                ready: node.ready,
                critical: node.critical,
                deadlock: node.deadlock,
                likely_deadlock: node.likely,
                doubtful: node.doubtful,
                file: node.place.as_ref().map(|at| at.0.to_string()),
                line: node.place.as_ref().map(|at| at.1),
            })
            .collect(),
        edges: picture
            .edges
            .iter()
            .map(|edge| EdgeResult {
                from: id(&edge.from).unwrap_or_default(),
                to: id(&edge.to).unwrap_or_default(),
                kind: match edge.kind {
                    EdgeKind::DependsOn => EdgeKindName::DependsOn,
                    EdgeKind::Creates => EdgeKindName::Creates,
                    EdgeKind::Needs => EdgeKindName::Needs,
                    EdgeKind::Waits => EdgeKindName::Waits,
                },
                what: edge.what.clone(),
                reason: edge.reason.clone(),
                file: edge.place.as_ref().map(|at| at.0.to_string()),
                line: edge.place.as_ref().map(|at| at.1),
                any_of: edge.any_of,
                critical: edge.critical,
                deadlock: edge.deadlock,
                likely_deadlock: edge.likely,
            })
            .collect(),
        critical_path: ids(&picture.critical),
        deadlocks: picture
            .troubles
            .iter()
            .map(|trouble| DeadlockResult {
                circle: ids(&trouble.circle),
                others: ids(&trouble.others),
                likely: trouble.likely,
            })
            .collect(),
    }
}
