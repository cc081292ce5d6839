//! What is declared to exist outside Git and nothing needs.

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashSet;
use yaml::{Node, Span};

use crate::{Item, Linked};

/// An entry of `externals` that nothing of a world needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedExternal {
    /// What it declares: `namespace legacy`.
    pub what: EcoString,
    /// Where it is written.
    pub span: Span,
}

impl Linked<'_> {
    /// The entries of `externals` that nothing needs, in written order. Not
    /// everything that reads a Secret is known, so one counts as needed as soon
    /// as its name stands anywhere.
    pub fn unused_externals(&self) -> Vec<UnusedExternal> {
        let externals = &self.config.externals;
        let items = || self.imports.iter().map(|import| &import.place.item);
        let group = |matches: &dyn Fn(&str) -> bool| {
            items().any(|item| matches!(item, Item::Crd { group, .. } if matches(group)))
        };
        let mut unused = Vec::new();
        let mut check = |used: bool, what: EcoString, span: Span| {
            if !used {
                unused.push(UnusedExternal { what, span });
            }
        };
        for entry in &externals.namespaces {
            let used =
                items().any(|item| matches!(item, Item::Namespace(name) if entry.matches(name)));
            check(used, eco_format!("namespace {}", entry.value), entry.span);
        }
        for entry in &externals.crd_groups {
            let used = group(&|group| entry.matches(group));
            check(used, eco_format!("CRDs of {}", entry.value), entry.span);
        }
        let named = self.texts_among(externals.secrets.iter().map(|entry| entry.name.as_str()));
        for entry in &externals.secrets {
            let what = eco_format!("Secret {}/{}", entry.namespace, entry.name);
            check(named.contains(entry.name.as_str()), what, entry.span);
        }
        for entry in &externals.substitutions {
            let read = self
                .world
                .components
                .iter()
                .flat_map(|c| &c.substitutes_from);
            let used = read.into_iter().any(|reference| {
                reference.kind == entry.kind.as_str()
                    && reference.name == entry.name
                    && reference.namespace == entry.namespace
            });
            let kind = entry.kind.as_str();
            let what = eco_format!("{kind} {}/{}", entry.namespace, entry.name);
            check(used, what, entry.span);
        }
        for entry in &externals.runtime_crds {
            let used = group(&|group| entry.group == group);
            check(
                used,
                eco_format!("run-time CRDs of {}", entry.group),
                entry.span,
            );
        }
        unused
    }

    /// Those of some texts that are a value anywhere: in what is rendered, in a
    /// Flux object or in an import.
    fn texts_among<'t>(&self, texts: impl Iterator<Item = &'t str>) -> FxHashSet<&'t str> {
        let mut open: FxHashSet<&str> = texts.collect();
        let mut found = FxHashSet::default();
        for import in &self.imports {
            if let Item::Object { name, .. } = &import.place.item
                && let Some(text) = open.take(name.as_str())
            {
                found.insert(text);
            }
        }
        let components = self.world.components.iter();
        let objects =
            components.flat_map(|component| component.objects().iter().chain(&component.object));
        for object in objects {
            if open.is_empty() {
                break;
            }
            take_values(&object.node, &mut open, &mut found, DEPTH);
        }
        found
    }
}

/// How deep values are looked for.
const DEPTH: usize = 64;

fn take_values<'t>(
    node: &Node,
    open: &mut FxHashSet<&'t str>,
    found: &mut FxHashSet<&'t str>,
    depth: usize,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let Some(text) = node.text().and_then(|text| open.take(text.as_str())) {
        found.insert(text);
    }
    for item in node.items() {
        take_values(item, open, found, depth);
    }
    for entry in node.entries() {
        take_values(&entry.value, open, found, depth);
    }
}
