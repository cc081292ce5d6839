//! What is declared to exist outside Git and nothing needs.

use ecow::{EcoString, eco_format};
use yaml::Span;

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
    /// The entries of `externals` that nothing needs, in written order. Secrets
    /// are left out: not everything that reads a Secret is known.
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
}
