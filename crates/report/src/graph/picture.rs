//! What is drawn.

use ecow::EcoString;
use model::ComponentKind;

/// The components of one entrypoint and what comes before what.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The entrypoint's directory; `.` for the repository's root.
    pub entrypoint: String,
    /// The components, in the world's order, then what is missing.
    pub nodes: Vec<Node>,
    /// Edges, by their ends.
    pub edges: Vec<Edge>,
    /// The chain of waits that a bootstrap takes longest for, as nodes.
    pub critical: Vec<usize>,
    /// Circles of waits.
    pub troubles: Vec<Trouble>,
}

/// A component, or something that is needed and that nothing makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `namespace/name`, `HelmRelease/namespace/name`, or what is missing.
    pub id: String,
    /// Which kind of component; `None` for what is missing.
    pub kind: Option<ComponentKind>,
    /// Namespace of the Flux object.
    pub namespace: EcoString,
    /// Name of the Flux object, or what is missing.
    pub name: EcoString,
    /// The cluster its objects go to; empty for the entrypoint's own.
    pub cluster: EcoString,
    /// The components that apply it, as nodes.
    pub parents: Vec<usize>,
    /// What is known of it.
    pub state: NodeState,
    /// How many objects it has.
    pub objects: usize,
    /// Whether it ever becomes ready.
    pub ready: bool,
    /// It is on the critical path.
    pub critical: bool,
    /// It is part of a circle of waits.
    pub deadlock: bool,
    /// It is part of a circle that is only likely.
    pub likely: bool,
    /// Only circles that are likely keep it from becoming ready.
    pub doubtful: bool,
    /// Where its Flux object is written.
    pub place: Option<(EcoString, u32)>,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// `dependsOn`: the dependency is ready before the dependant starts.
    DependsOn,
    /// The first applies the Flux object of the second.
    Creates,
    /// The first makes something that the second needs.
    Needs,
    /// The second is ready only when the first, which it applies or checks, is.
    Waits,
}

/// One order between two components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that comes first.
    pub from: usize,
    /// The node that waits.
    pub to: usize,
    /// What kind of order it is.
    pub kind: EdgeKind,
    /// What is needed, each once.
    pub what: Vec<String>,
    /// Why, in a clause, names in backquotes; of the first of several needs.
    pub reason: String,
    /// Where it is demanded.
    pub place: Option<(EcoString, u32)>,
    /// Another component would do as well.
    pub any_of: bool,
    /// It is on the critical path.
    pub critical: bool,
    /// It is part of a shortest circle of waits.
    pub deadlock: bool,
    /// It is part of a circle that is only likely.
    pub likely: bool,
}

/// Components that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The components of a shortest circle, as nodes, each waiting for the
    /// next.
    pub circle: Vec<usize>,
    /// Further components that take part.
    pub others: Vec<usize>,
    /// It holds only if CRDs come from the components whose names say so, or
    /// if nobody applies by hand what a component reads of its own.
    pub likely: bool,
}

impl Picture {
    /// The edges that pictures show: between two components that one creates
    /// the other, or that depend on each other, a need is told by that edge; a
    /// wait for what one applies is shown where it matters.
    pub fn drawn(&self) -> Vec<Edge> {
        let mut drawn: Vec<Edge> = Vec::new();
        for edge in &self.edges {
            let matters = edge.critical || edge.deadlock || edge.likely;
            if edge.kind == EdgeKind::Waits && !matters {
                continue;
            }
            // Edges come by their ends, so the others between the same two are
            // the last that were drawn.
            let between = |other: &&mut Edge| (other.from, other.to) == (edge.from, edge.to);
            let mut others = drawn.iter_mut().rev().take_while(between);
            if edge.kind == EdgeKind::Needs
                && !edge.deadlock
                && !edge.likely
                && let Some(other) = others.find(|other| other.kind != EdgeKind::Waits)
            {
                if other.kind == EdgeKind::DependsOn {
                    other.what.extend(edge.what.iter().cloned());
                }
                continue;
            }
            drawn.push(edge.clone());
        }
        drawn
    }
}
