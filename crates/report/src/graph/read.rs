//! From the linked world to its picture.

use std::collections::BTreeMap;

use ecow::EcoString;
use link::{
    Cause, Deadlock, Event, Explained, Export, How, Import, Item, Linked, Phase, Reason, Supply,
    Target, Why,
};
use model::{Component, State};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{Link, Need, NeedId};
use yaml::{Sources, Span};

use super::{Edge, EdgeKind, Node, NodeState, Picture, Trouble};
use crate::document::directory;

impl Picture {
    /// The picture of a linked world; `texts` are those its spans point into.
    pub fn of(linked: &Linked<'_>, texts: &Sources) -> Picture {
        let mut reader = Reader::new(linked, texts);
        for (id, need) in linked.graph.needs() {
            match need.producers.is_empty() {
                true => reader.missing(need),
                false => reader.need(id, need),
            }
        }
        reader.finish()
    }
}

/// The ends and the kind of an edge. Kinds come in the order of [`EdgeKind`],
/// so that a need comes after the order that may tell it.
type Ends = (usize, usize, EdgeKind);

struct Reader<'a, 'b> {
    linked: &'b Linked<'a>,
    texts: &'b Sources,
    nodes: Vec<Node>,
    edges: BTreeMap<Ends, Edge>,
    /// Where each edge is demanded.
    spans: FxHashMap<Ends, FxHashSet<Span>>,
    /// Nodes of what is missing.
    ghosts: FxHashMap<String, usize>,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn new(linked: &'b Linked<'a>, texts: &'b Sources) -> Self {
        let components = linked.world.components.iter().enumerate();
        let nodes = components.map(|(at, component)| node(linked, texts, at, component));
        Reader {
            nodes: nodes.collect(),
            linked,
            texts,
            edges: BTreeMap::new(),
            spans: FxHashMap::default(),
            ghosts: FxHashMap::default(),
        }
    }

    fn need(&mut self, id: NeedId, need: &Need<Reason>) {
        let linked = self.linked;
        let component = |event| linked.graph.key(event).and_then(Event::component);
        let Some((to, _)) = component(need.event) else {
            return;
        };
        for (position, producer) in need.producers.iter().enumerate() {
            let Some((from, _)) = component(producer.event) else {
                continue;
            };
            let import = producer.reason.import;
            let import = import.and_then(|at| linked.imports.get(at));
            let (from, kind, what) = match (producer.reason.why, import) {
                (Why::DependsOn, import) => (
                    dependency(linked, import).unwrap_or(from),
                    EdgeKind::DependsOn,
                    None,
                ),
                (Why::AppliedBy, _) => (from, EdgeKind::Creates, None),
                (Why::Waits | Why::HealthCheck, _) => (from, EdgeKind::Waits, None),
                (Why::Import, Some(import)) => (from, EdgeKind::Needs, Some(said(import))),
                _ => continue,
            };
            if from == to {
                continue;
            }
            let link = Link {
                need: id,
                producer: position,
            };
            let any_of = need.producers.len() > 1 && kind != EdgeKind::DependsOn;
            self.add((from, to, kind), what, link, producer.reason.span, any_of);
        }
    }

    fn add(&mut self, ends: Ends, what: Option<String>, link: Link, span: Span, any_of: bool) {
        let (linked, texts) = (self.linked, self.texts);
        self.spans.entry(ends).or_default().insert(span);
        let (from, to, kind) = ends;
        let edge = self.edges.entry(ends).or_insert_with(|| {
            let explained = linked.explain(link);
            Edge {
                from,
                to,
                kind,
                what: Vec::new(),
                reason: explained.map(|e| e.message.to_string()).unwrap_or_default(),
                place: place(texts, span),
                any_of,
                critical: false,
                deadlock: false,
                likely: false,
            }
        });
        // One that nothing else can do for makes the order a must.
        edge.any_of &= any_of;
        if let Some(what) = what
            && !edge.what.contains(&what)
        {
            edge.what.push(what);
        }
    }

    /// What nothing makes is a node too: people look for the end of the arrow.
    fn missing(&mut self, need: &Need<Reason>) {
        let linked = self.linked;
        let event = linked.graph.key(need.event).and_then(Event::component);
        let import = need.reason.import.and_then(|at| linked.imports.get(at));
        let (Some((to, _)), Some(import)) = (event, import) else {
            return;
        };
        let name = said(import);
        let nodes = &mut self.nodes;
        let from = *self.ghosts.entry(name.clone()).or_insert_with(|| {
            nodes.push(ghost(&name));
            nodes.len() - 1
        });
        let kind = match import.cause {
            Cause::DependsOn { .. } => EdgeKind::DependsOn,
            Cause::HealthCheck => EdgeKind::Waits,
            _ => EdgeKind::Needs,
        };
        let reason = format!("{}, which nothing makes", linked.demand(import));
        let place = place(self.texts, need.reason.span);
        self.edges.entry((from, to, kind)).or_insert(Edge {
            from,
            to,
            kind,
            what: Vec::new(),
            reason,
            place,
            any_of: false,
            critical: false,
            deadlock: false,
            likely: false,
        });
    }

    fn finish(mut self) -> Picture {
        let critical = self.critical();
        let troubles = self.troubles();
        Picture {
            entrypoint: directory(&self.linked.world.entrypoint),
            nodes: self.nodes,
            edges: self.edges.into_values().collect(),
            critical,
            troubles,
        }
    }

    /// Marks the chain of waits that the bound comes from.
    fn critical(&mut self) -> Vec<usize> {
        let chain = self.linked.timing().map_or(&[][..], |timing| &timing.chain);
        let mut path: Vec<usize> = chain.iter().filter_map(|step| step.component).collect();
        path.dedup();
        for at in &path {
            if let Some(node) = self.nodes.get_mut(*at) {
                node.critical = true;
            }
        }
        for pair in path.windows(2) {
            let [from, to] = pair else { continue };
            self.between(*from, *to, |edge| edge.critical = true);
        }
        path
    }

    fn between(&mut self, from: usize, to: usize, mut mark: impl FnMut(&mut Edge)) {
        let ends = (from, to, EdgeKind::DependsOn)..=(from, to, EdgeKind::Waits);
        for (_, edge) in self.edges.range_mut(ends) {
            mark(edge);
        }
    }

    /// Marks circles of waits.
    fn troubles(&mut self) -> Vec<Trouble> {
        let linked = self.linked;
        let mut troubles = Vec::new();
        let (mut doubts, mut certain) = (Vec::new(), FxHashSet::default());
        let told = linked.deadlocks.iter();
        for deadlock in told.filter(|deadlock| !is_only_missing(linked, deadlock)) {
            let likely = deadlock.likely || is_of_its_own_making(linked, deadlock);
            for at in deadlock.on_circle.iter().chain(&deadlock.others) {
                if let Some(node) = self.nodes.get_mut(*at) {
                    node.deadlock |= !likely;
                    node.likely |= likely;
                }
            }
            for (at, wait) in deadlock.circle.iter().enumerate() {
                let next = deadlock.circle.get((at + 1) % deadlock.circle.len());
                let ends = (next.and_then(|next| next.component), wait.component);
                if let (Some(from), Some(to)) = ends {
                    self.closes(from, to, wait, likely);
                }
            }
            match likely {
                true => doubts.extend(&deadlock.blocked),
                false => certain.extend(&deadlock.blocked),
            }
            troubles.push(Trouble {
                circle: deadlock.on_circle.clone(),
                others: deadlock.others.clone(),
                likely,
            });
        }
        self.doubt(&doubts, &certain);
        troubles
    }

    /// Marks what only circles that are likely keep from becoming ready.
    fn doubt(&mut self, blocked: &[usize], certain: &FxHashSet<usize>) {
        let linked = self.linked;
        let lacks = |at: usize| {
            let ready = linked.graph.find(&Event::Component(at, Phase::Ready));
            ready.is_some_and(|event| !linked.firing.missing(&linked.graph, event).is_empty())
        };
        for at in blocked {
            if let Some(node) = self.nodes.get_mut(*at) {
                let is_certain = node.ready || node.deadlock || certain.contains(at);
                node.doubtful = !is_certain && !lacks(*at);
            }
        }
    }

    /// Marks the edge of a circle: the one demanded at its place, or else all
    /// between its ends. What only a name suggests has no edge yet.
    fn closes(&mut self, from: usize, to: usize, wait: &Explained, likely: bool) {
        let kinds = [
            EdgeKind::DependsOn,
            EdgeKind::Creates,
            EdgeKind::Needs,
            EdgeKind::Waits,
        ];
        let is_there = |kind: &EdgeKind| {
            let spans = self.spans.get(&(from, to, *kind));
            spans.is_some_and(|spans| wait.span.is_none_or(|span| spans.contains(&span)))
        };
        let kinds: Vec<EdgeKind> = kinds.into_iter().filter(is_there).collect();
        let mark = |edge: &mut Edge| match likely {
            true => edge.likely = true,
            false => edge.deadlock = true,
        };
        for kind in &kinds {
            self.edges.get_mut(&(from, to, *kind)).map(mark);
        }
        if kinds.is_empty() && from != to {
            let place = wait.span.and_then(|span| place(self.texts, span));
            let edge = self.edges.entry((from, to, EdgeKind::Needs));
            mark(edge.or_insert(Edge {
                from,
                to,
                kind: EdgeKind::Needs,
                what: Vec::new(),
                reason: wait.message.to_string(),
                place,
                any_of: false,
                critical: false,
                deadlock: false,
                likely: false,
            }));
        }
    }
}

/// Whether a circle closes only because a component nobody could render may
/// make what is missing: then that it is missing is the news.
fn is_only_missing(linked: &Linked<'_>, deadlock: &Deadlock) -> bool {
    deadlock
        .circle_import
        .and_then(|import| linked.imports.get(import))
        .is_some_and(|import| import.cause != Cause::CustomResource)
}

/// Whether a component only waits for a manifest of its own that it reads before
/// it is applied: a bootstrap script may apply that one first.
fn is_of_its_own_making(linked: &Linked<'_>, deadlock: &Deadlock) -> bool {
    let ([component], [_], Some(import)) = (
        deadlock.on_circle.as_slice(),
        deadlock.circle.as_slice(),
        deadlock
            .imports
            .first()
            .and_then(|at| linked.imports.get(*at)),
    ) else {
        return false;
    };
    let is_read = matches!(
        import.cause,
        Cause::Decryption | Cause::KubeConfig | Cause::Substitute
    );
    let is_own = |export: &&Export| export.component == *component && export.how == How::Manifest;
    match linked.supply(import) {
        Supply::Made(exports) if is_read => exports.iter().all(is_own),
        _ => false,
    }
}

/// The component that `dependsOn` names. The graph waits for what applies it
/// where a `readyExpr` makes its existence enough.
fn dependency(linked: &Linked<'_>, import: Option<&Import>) -> Option<usize> {
    match linked.target(import?) {
        Target::Component(at) => Some(at),
        Target::Object => None,
    }
}

fn node(linked: &Linked<'_>, texts: &Sources, at: usize, component: &Component) -> Node {
    let state = match &component.state {
        _ if component.suspended => NodeState::Suspended,
        State::Rendered(_) => NodeState::Rendered,
        State::Opaque(_) | State::Partial(..) => NodeState::NotRendered,
        State::Failed(_) => NodeState::Failed,
    };
    Node {
        id: match component.home.is_empty() {
            true => component.key.to_string(),
            // Another cluster's Flux may have one of the same name.
            false => format!("{}@{}", component.key, component.home),
        },
        kind: Some(component.key.kind),
        namespace: component.key.namespace.clone(),
        name: component.key.name.clone(),
        cluster: component.cluster.clone(),
        parents: component.parents.clone(),
        state,
        objects: component.objects().len(),
        ready: linked.reaches(at, Phase::Ready),
        critical: false,
        deadlock: false,
        likely: false,
        doubtful: false,
        place: place(texts, component.span()),
    }
}

fn ghost(name: &str) -> Node {
    Node {
        id: name.into(),
        kind: None,
        namespace: EcoString::new(),
        name: name.into(),
        cluster: EcoString::new(),
        parents: Vec::new(),
        state: NodeState::Missing,
        objects: 0,
        ready: false,
        critical: false,
        deadlock: false,
        likely: false,
        doubtful: false,
        place: None,
    }
}

fn place(texts: &Sources, span: Span) -> Option<(EcoString, u32)> {
    let location = texts.location(span)?;
    Some((location.file, location.line))
}

/// What an import asks for, in few words.
fn said(import: &Import) -> String {
    match &import.place.item {
        Item::Namespace(name) => format!("namespace {name}"),
        Item::Crd { kind, .. } => format!("CRD {kind}"),
        Item::Object {
            kind,
            namespace,
            name,
            ..
        } => match namespace.is_empty() {
            true => format!("{kind} {name}"),
            false => format!("{kind} {namespace}/{name}"),
        },
    }
}
