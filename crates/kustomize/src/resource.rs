//! One object of a build and what the build remembers about it.

use std::sync::OnceLock;

use ecow::{EcoString, EcoVec};
use yaml::{Node, Span};

use crate::error::Error;
use crate::id::{Gvk, ResId};
use crate::origin::Origin;
use crate::scalar;
use crate::transform::links::Links;

/// How a generated object meets one that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behavior {
    /// Nothing was said; acts as [`Behavior::Create`].
    #[default]
    Unspecified,
    /// It must be new.
    Create,
    /// It takes the place of the other.
    Replace,
    /// Its data is laid over that of the other.
    Merge,
}

impl Behavior {
    /// Reads the field; anything else than the three words is unspecified.
    pub fn parse(text: &str) -> Self {
        match text {
            "create" => Behavior::Create,
            "replace" => Behavior::Replace,
            "merge" => Behavior::Merge,
            _ => Behavior::Unspecified,
        }
    }

    /// The word of the field.
    pub fn as_str(self) -> &'static str {
        match self {
            Behavior::Unspecified => "unspecified",
            Behavior::Create => "create",
            Behavior::Replace => "replace",
            Behavior::Merge => "merge",
        }
    }
}

/// A name an object had before. Group and version are not remembered: they are
/// read from the object as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Former {
    /// Name.
    pub name: EcoString,
    /// Effective namespace (see [`ResId::effective_namespace`]).
    pub namespace: EcoString,
    /// Kind.
    pub kind: EcoString,
}

/// What a build remembers about an object. The reference implementation keeps
/// this in annotations while it works; here it never enters the object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Former identities, oldest first.
    pub former: EcoVec<Former>,
    /// Name prefixes added, in order.
    pub prefixes: EcoVec<EcoString>,
    /// Name suffixes added, in order.
    pub suffixes: EcoVec<EcoString>,
    /// Whether a generator made it.
    pub generated: bool,
    /// How it meets an object that is there already.
    pub behavior: Behavior,
    /// Whether the name ends with a hash of the content.
    pub needs_hash: bool,
    /// For a patch: it may rename its target.
    pub allow_name_change: bool,
    /// For a patch: it may change its target's kind.
    pub allow_kind_change: bool,
    /// Where it came from, when the build tracks that.
    pub origin: Option<Origin>,
    /// The transformers that saw it, when the build tracks that.
    pub transformations: EcoVec<Origin>,
    /// Labels and annotations that were added together.
    pub links: Links,
    /// Names of the `vars` that read from it.
    pub vars: EcoVec<EcoString>,
}

/// Where the reference implementation keeps the past of an object.
const PAST: &str = "internal.config.kubernetes.io/";

impl Record {
    /// The past that an object's own annotations tell. The reference
    /// implementation takes it for its own notes.
    fn written_in(node: &Node) -> Self {
        let annotations = node.path(&["metadata", "annotations"]);
        let entries = annotations.map(Node::entries).unwrap_or_default();
        let list = |what: &str| -> EcoVec<EcoString> {
            let noted = |entry: &&yaml::Entry| {
                let key = entry.key.text().and_then(|key| key.strip_prefix(PAST));
                key == Some(what)
            };
            let text = entries.iter().find(noted).and_then(|e| e.value.text());
            text.map(|text| text.split(',').map(EcoString::from).collect())
                .unwrap_or_default()
        };
        let names = list("previousNames");
        if entries.is_empty() || names.is_empty() {
            return Record::default();
        }
        let (namespaces, kinds) = (list("previousNamespaces"), list("previousKinds"));
        // Lists of other lengths leave a gap, which is told where the past counts.
        let longest = names.len().max(kinds.len());
        let at = |list: &EcoVec<EcoString>, at: usize| list.get(at).cloned().unwrap_or_default();
        let former = (0..longest).map(|index| Former {
            name: at(&names, index),
            namespace: at(&namespaces, index),
            kind: at(&kinds, index),
        });
        Record {
            former: former.collect(),
            prefixes: list("prefixes"),
            suffixes: list("suffixes"),
            ..Record::default()
        }
    }

    /// Fails when some identities of the past lack a name or kind, but for those that
    /// have no name at all. The reference implementation keeps names, namespaces and
    /// kinds in three lists, in which what is empty takes no place, and looks at the
    /// others only when there are names.
    pub(crate) fn check_past(&self) -> Result<(), Error> {
        let filled = |part: fn(&Former) -> &EcoString| {
            let parts = self.former.iter().map(part);
            parts.filter(|part| !part.is_empty()).count()
        };
        let names = filled(|former| &former.name);
        let others = [
            filled(|former| &former.namespace),
            filled(|former| &former.kind),
        ];
        if names == 0 || others == [names; 2] {
            return Ok(());
        }
        Err(Error::new(
            "number of previous names, number of previous namespaces, number of previous kinds not equal",
        ))
    }

    /// Whether the reference implementation would hold at least one working
    /// annotation on the object now, so that `metadata.annotations` exists.
    pub fn is_visible(&self) -> bool {
        !self.former.is_empty()
            || !self.prefixes.is_empty()
            || !self.suffixes.is_empty()
            || self.generated
            || self.needs_hash
            || self.allow_name_change
            || self.allow_kind_change
            || self.origin.is_some()
    }
}

/// An object of a build: its node and what is remembered about it.
#[derive(Clone, Debug, Default)]
pub struct Resource {
    node: Option<Node>,
    /// What the build remembers.
    pub record: Record,
    /// The span of the object as it was read, before any change.
    pub source: Option<Span>,
    id: OnceLock<ResId>,
}

impl Resource {
    /// A resource with no past but the one it brings itself.
    pub fn new(node: Node) -> Self {
        Resource {
            source: Some(node.span).filter(|span| !span.is_none()),
            record: Record::written_in(&node),
            node: Some(node),
            id: OnceLock::new(),
        }
    }

    /// The object. Null once a patch deleted it.
    pub fn node(&self) -> &Node {
        static GONE: OnceLock<Node> = OnceLock::new();
        match &self.node {
            Some(node) => node,
            None => GONE.get_or_init(Node::null),
        }
    }

    /// The object, to change.
    pub fn node_mut(&mut self) -> &mut Node {
        self.id = OnceLock::new();
        self.node.get_or_insert_with(Node::null)
    }

    /// Marks the object as deleted.
    pub fn delete(&mut self) {
        *self = Resource {
            record: std::mem::take(&mut self.record),
            ..Resource::default()
        };
    }

    /// Takes the object out.
    pub fn into_node(self) -> Node {
        self.node.unwrap_or_else(Node::null)
    }

    /// Whether nothing is left: null, an empty mapping or an empty list.
    pub fn is_empty(&self) -> bool {
        is_empty(self.node())
    }

    /// Makes linked labels and annotations equal again, after a change.
    pub(crate) fn settle_links(&mut self) {
        if !self.record.links.is_empty()
            && let Some(node) = &mut self.node
        {
            self.record.links.settle(node);
        }
    }

    /// Notes that the reference implementation wrote all annotations anew: they
    /// are linked to nothing any more.
    pub(crate) fn rebuild_annotations(&mut self) {
        if !self.record.links.is_empty()
            && let Some(node) = &mut self.node
        {
            self.record
                .links
                .release(node, &["metadata", "annotations"]);
        }
    }

    /// The identity as the object has it now. Computed once per change.
    pub fn id(&self) -> &ResId {
        self.id.get_or_init(|| ResId::of(self.node()))
    }

    /// The type as the object has it now.
    pub fn gvk(&self) -> &Gvk {
        &self.id().gvk
    }

    /// Former identities, oldest first, with the group and version of now.
    pub fn former_ids(&self) -> impl DoubleEndedIterator<Item = ResId> + '_ {
        let now = self.gvk();
        let named = self.record.former.iter();
        let named = named.filter(|former| !former.name.is_empty());
        named.map(|former| ResId {
            gvk: Gvk {
                group: now.group.clone(),
                version: now.version.clone(),
                kind: former.kind.clone(),
            },
            name: former.name.clone(),
            namespace: former.namespace.clone(),
        })
    }

    /// The first identity it had: the one its file gives it.
    pub fn original_id(&self) -> ResId {
        self.former_ids()
            .next()
            .unwrap_or_else(|| self.id().clone())
    }

    /// Whether the predicate holds for any identity it has or had.
    pub fn any_id(&self, mut matches: impl FnMut(&ResId) -> bool) -> bool {
        self.former_ids().any(|id| matches(&id)) || matches(self.id())
    }

    /// Remembers the identity of now, before a change of name, namespace or
    /// kind.
    pub fn remember_id(&mut self) {
        let id = self.id();
        let former = Former {
            name: id.name.clone(),
            namespace: id.effective_namespace().into(),
            kind: id.gvk.kind.clone(),
        };
        self.record.former.push(former);
    }

    /// Remembers a name prefix; an empty one leaves no trace.
    pub fn remember_prefix(&mut self, prefix: &str) {
        if !prefix.is_empty() {
            self.record.prefixes.push(prefix.into());
        }
    }

    /// Remembers a name suffix; an empty one leaves no trace.
    pub fn remember_suffix(&mut self, suffix: &str) {
        if !suffix.is_empty() {
            self.record.suffixes.push(suffix.into());
        }
    }
}

/// Whether a node is null, an empty mapping or an empty list.
pub fn is_empty(node: &Node) -> bool {
    node.is_null()
        || (node.is_map() && node.entries().is_empty())
        || (node.is_seq() && node.items().is_empty())
}

impl Resource {
    /// Takes the place of an older object, as its behavior says: keeps the
    /// older one's name, namespace and past, lays its own labels and
    /// annotations over the older ones and, to merge, its data over the older
    /// data.
    pub(crate) fn lay_over(&mut self, old: &Resource) {
        let merges = self.record.behavior == Behavior::Merge;
        let id = old.id().clone();
        let node = self.node_mut();
        for field in ["labels", "annotations"] {
            let path = ["metadata", field];
            let entries = laid_over(old.node().path(&path), node.path(&path), scalar::as_string);
            scalar::set_metadata_map(node, field, entries);
        }
        scalar::set_metadata(node, "name", &id.name);
        if id.namespace.is_empty() {
            if let Some(metadata) = node.get_mut("metadata") {
                metadata.remove("namespace");
            }
        } else {
            scalar::set_metadata(node, "namespace", &id.namespace);
        }
        if merges {
            for field in ["data", "binaryData"] {
                let (old, new) = (old.node().get(field), node.get(field));
                let entries = laid_over(old, new, scalar::value_string);
                if entries.is_empty() {
                    node.remove(field);
                } else {
                    node.insert(field, scalar::map(entries));
                }
            }
        }
        let origin = if merges || self.record.origin.is_none() {
            old.record.origin.clone().or(self.record.origin.take())
        } else {
            self.record.origin.take()
        };
        self.record = Record {
            needs_hash: self.record.needs_hash && old.record.needs_hash,
            origin,
            ..old.record.clone()
        };
    }
}

/// The entries of both mappings as strings, those of `new` before those of
/// `old`, sorted by key.
fn laid_over(
    old: Option<&Node>,
    new: Option<&Node>,
    as_string: fn(&Node) -> Node,
) -> Vec<(EcoString, Node)> {
    let mut merged = std::collections::BTreeMap::new();
    for node in [old, new].into_iter().flatten() {
        for entry in node.entries() {
            let key = entry.key.text().cloned().unwrap_or_default();
            merged.insert(key, as_string(&entry.value));
        }
    }
    merged.into_iter().collect()
}
