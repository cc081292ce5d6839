//! Names of objects changed during the build (prefixes, suffixes, hashes,
//! namespaces): writes the new names wherever other objects refer to them.

use std::cell::OnceCell;

use ecow::{EcoString, EcoVec, eco_format};
use rustc_hash::{FxHashMap, FxHashSet};
use yaml::{Node, Value};

use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldTables};
use crate::id::{Gvk, ResId, field_text};
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::scalar;
use crate::trail::{Trail, locate, node_at_mut, split_path};

/// One field that may name objects of one type.
struct Rule<'a> {
    spec: &'a FieldSpec,
    target: &'a Gvk,
    path: OnceCell<EcoVec<EcoString>>,
    /// Of a role binding: its `kind` and `apiGroup` count too.
    is_role: bool,
}

/// What to write, and where.
struct Change {
    trail: Trail,
    name: EcoString,
    /// Of a mapping: the namespace that goes with the name.
    namespace: Option<EcoString>,
    mapping: bool,
}

/// Fixes every reference. Fails when a reference fits several objects with
/// different names, and when a field is not what the tables say.
pub(crate) fn fix(map: &mut ResMap, tables: &FieldTables) -> Result<(), Error> {
    let rules = rules(tables);
    let index = Index::new(map);
    for at in 0..map.len() {
        let Some(referrer) = map.get(at) else {
            continue;
        };
        let original = referrer.original_id();
        let mut scope: Option<Scope> = None;
        for rule in rules.iter().filter(|r| r.spec.gvk.selects(&original.gvk)) {
            let Some(referrer) = map.get(at) else {
                continue;
            };
            let scope = match &mut scope {
                Some(scope) => scope,
                none => none.insert(Scope::of(referrer)?),
            };
            let changes = find_changes(map, &index, scope, referrer, rule)?;
            if changes.is_empty() {
                continue;
            }
            if let Some(referrer) = map.get_mut(at) {
                apply(referrer.node_mut(), changes);
            }
        }
    }
    Ok(())
}

fn rules(tables: &FieldTables) -> Vec<Rule<'_>> {
    let mut rules = Vec::new();
    for reference in &tables.name_reference {
        rules.extend(reference.referrers.0.iter().map(|spec| Rule {
            spec,
            target: &reference.target,
            path: OnceCell::new(),
            is_role: spec.path.ends_with("roleRef/name"),
        }));
    }
    rules
}

/// Objects by the names they had. One that never changed needs no fixing.
struct Index {
    by_name: FxHashMap<EcoString, EcoVec<usize>>,
}

impl Index {
    fn new(map: &ResMap) -> Self {
        let mut by_name: FxHashMap<EcoString, EcoVec<usize>> = FxHashMap::default();
        for (at, resource) in map.iter().enumerate() {
            let names: FxHashSet<&EcoString> =
                resource.record.former.iter().map(|f| &f.name).collect();
            for name in names {
                by_name.entry(name.clone()).or_default().push(at);
            }
        }
        Index { by_name }
    }

    fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], |list| list.as_slice())
    }
}

/// Which objects a referrer can reach.
struct Scope {
    id: ResId,
    cluster_scoped: bool,
    /// Namespaces of the accounts a role binding names.
    accounts: FxHashSet<EcoString>,
}

impl Scope {
    fn of(referrer: &Resource) -> Result<Self, Error> {
        let id = referrer.id().clone();
        Ok(Scope {
            cluster_scoped: id.gvk.is_cluster_scoped(),
            accounts: account_namespaces(referrer)?,
            id,
        })
    }

    /// Whether objects of two namespaces can meet at all.
    fn reaches(&self, candidate: &Resource) -> bool {
        let id = candidate.id();
        self.cluster_scoped
            || id.gvk.is_cluster_scoped()
            || id.effective_namespace() == self.id.effective_namespace()
            || self.accounts.contains(&id.namespace)
    }

    /// Whether the two are in one namespace as far as it matters.
    fn shares_namespace(&self, candidate: &Resource) -> bool {
        let id = candidate.id();
        self.cluster_scoped
            || id.gvk.is_cluster_scoped()
            || id.gvk.kind == "ServiceAccount"
            || id.effective_namespace() == self.id.effective_namespace()
    }
}

fn account_namespaces(referrer: &Resource) -> Result<FxHashSet<EcoString>, Error> {
    let mut namespaces = FxHashSet::default();
    if referrer.gvk().kind != "RoleBinding" {
        return Ok(namespaces);
    }
    let subjects = referrer.node().get("subjects").map_or(&[][..], Node::items);
    for subject in subjects {
        let Some(namespace) = subject.get("namespace") else {
            continue;
        };
        if subject.str_at(&["kind"]) != Some("ServiceAccount") {
            continue;
        }
        let Some(namespace) = namespace.as_str() else {
            return Err(Error::new(eco_format!(
                "Invalid Input: namespace is blank for resource {:?}",
                referrer.id().to_string()
            ))
            .at(namespace.span));
        };
        namespaces.insert(namespace.into());
    }
    Ok(namespaces)
}

struct Finder<'a> {
    map: &'a ResMap,
    index: &'a Index,
    scope: &'a Scope,
    referrer: &'a Resource,
    rule: &'a Rule<'a>,
}

fn find_changes(
    map: &ResMap,
    index: &Index,
    scope: &Scope,
    referrer: &Resource,
    rule: &Rule<'_>,
) -> Result<Vec<Change>, Error> {
    let finder = Finder {
        map,
        index,
        scope,
        referrer,
        rule,
    };
    let mut changes = Vec::new();
    let path = rule.path.get_or_init(|| split_path(&rule.spec.path));
    let found = locate(referrer.node(), path, &mut |node, trail| {
        finder.visit(node, trail, &mut changes)
    });
    match found {
        Ok(()) => Ok(changes),
        Err(error) => Err(error
            .during(eco_format!(
                "considering field '{}' of object {}",
                rule.spec.path,
                referrer.id()
            ))
            .during(eco_format!(
                "updating name reference in '{}' field of '{}'",
                rule.spec.path,
                referrer.id()
            ))
            .at(referrer.node().span)),
    }
}

impl Finder<'_> {
    fn visit(&self, node: &Node, trail: &Trail, changes: &mut Vec<Change>) -> Result<(), Error> {
        if node.is_null() {
            return Ok(());
        }
        let Value::Sequence(items) = &node.value else {
            changes.extend(self.one(node, trail)?);
            return Ok(());
        };
        for (index, item) in items.iter().enumerate() {
            if item.is_null() {
                continue;
            }
            if item.is_seq() {
                return Err(Error::new(
                    "a list is expected to be either a string or a map of string",
                )
                .at(item.span));
            }
            let mut trail = trail.clone();
            trail.push(index);
            changes.extend(self.one(item, &trail)?);
        }
        Ok(())
    }

    fn one(&self, node: &Node, trail: &Trail) -> Result<Option<Change>, Error> {
        match &node.value {
            Value::Mapping(_) => self.mapping(node, trail),
            Value::Scalar(text) => {
                let candidates = self.index.named(text).iter().copied();
                let Some(found) = self.choose(candidates, false)? else {
                    return Ok(None);
                };
                let name = &found.id().name;
                Ok((name != text).then(|| Change {
                    trail: trail.clone(),
                    name: name.clone(),
                    namespace: None,
                    mapping: false,
                }))
            }
            Value::Sequence(_) => Ok(None),
        }
    }

    /// A mapping names an object with `name` and, if it has one, `namespace`.
    fn mapping(&self, node: &Node, trail: &Trail) -> Result<Option<Change>, Error> {
        let Some(name) = node.get("name") else {
            return Err(Error::new("path config error; no 'name' field in node").at(node.span));
        };
        let name = name.text().map_or("", |text| text.as_str());
        let namespace = node
            .get("namespace")
            .map(|n| n.text().map_or("", |t| t.as_str()));
        let candidates = self.index.named(name).iter().copied();
        let found = match namespace {
            None => self.choose(candidates, true)?,
            Some(namespace) => {
                let originally = self.is_original_namespace(namespace);
                let in_namespace = |at: &usize| {
                    self.map.get(*at).is_some_and(|candidate| {
                        if originally {
                            candidate.original_id().effective_namespace() == namespace
                        } else {
                            is_namespaced(candidate.id().effective_namespace())
                                && candidate.id().effective_namespace() == namespace
                        }
                    })
                };
                self.choose(candidates.filter(in_namespace), true)?
            }
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let id = found.id();
        if id.name == name && id.namespace.is_empty() {
            return Ok(None);
        }
        if id.name == name && namespace == Some(id.namespace.as_str()) {
            return Ok(None);
        }
        Ok(Some(Change {
            trail: trail.clone(),
            name: id.name.clone(),
            namespace: Some(id.namespace.clone()).filter(|ns| !ns.is_empty()),
            mapping: true,
        }))
    }

    /// Whether any object in reach was in this namespace first.
    fn is_original_namespace(&self, namespace: &str) -> bool {
        is_namespaced(namespace)
            && self.map.iter().any(|candidate| {
                self.scope.reaches(candidate)
                    && candidate.original_id().effective_namespace() == namespace
            })
    }

    /// The object meant, among those that had the name. Fails when several are
    /// left that differ in what would be written.
    fn choose(
        &self,
        candidates: impl Iterator<Item = usize>,
        with_namespace: bool,
    ) -> Result<Option<&Resource>, Error> {
        let role = self.role();
        let mut left: EcoVec<&Resource> = candidates
            .filter_map(|at| self.map.get(at))
            .filter(|c| self.scope.reaches(c))
            .filter(|c| was_selected(c, self.rule.target))
            .filter(|c| role.as_ref().is_none_or(|role| was_selected(c, role)))
            .filter(|c| self.scope.shares_namespace(c))
            .collect();
        if left.len() != 1 {
            left.retain(|c| same_context(self.referrer, c, true));
        }
        if left.len() > 1 {
            left.retain(|c| same_context(self.referrer, c, false));
        }
        let Some((first, others)) = left.split_first() else {
            return Ok(None);
        };
        let same = |other: &&Resource| {
            other.id().name == first.id().name
                && (!with_namespace || other.id().namespace == first.id().namespace)
        };
        if others.iter().all(same) {
            return Ok(Some(first));
        }
        let ids: Vec<String> = left.iter().map(|c| c.id().to_string()).collect();
        Err(Error::new(eco_format!(
            "found multiple possible referrals: {}",
            ids.join(", ")
        )))
    }

    /// The type a role binding's `roleRef` names.
    fn role(&self) -> Option<Gvk> {
        if !self.rule.is_role {
            return None;
        }
        let role = self.referrer.node().get("roleRef")?;
        Some(Gvk {
            group: field_text(role, "apiGroup")?.into(),
            version: EcoString::new(),
            kind: field_text(role, "kind")?.into(),
        })
    }
}

fn is_namespaced(namespace: &str) -> bool {
    namespace != crate::id::NOT_NAMESPACED
}

/// Whether a pattern selects any former type.
fn was_selected(candidate: &Resource, pattern: &Gvk) -> bool {
    candidate.former_ids().any(|id| pattern.selects(&id.gvk))
}

/// Whether two objects got the same prefixes and suffixes in the directories
/// they share. With `allow_empty`, having none fits anything.
fn same_context(a: &Resource, b: &Resource, allow_empty: bool) -> bool {
    let fits = |a: &EcoVec<EcoString>, b: &EcoVec<EcoString>| {
        (allow_empty && (a.is_empty() || b.is_empty())) || same_ending(a, b)
    };
    fits(&a.record.prefixes, &b.record.prefixes) && fits(&a.record.suffixes, &b.record.suffixes)
}

/// Whether the shorter list ends the longer one. The empty list ends only
/// itself.
fn same_ending(a: &[EcoString], b: &[EcoString]) -> bool {
    if a.is_empty() || b.is_empty() {
        return a.len() == b.len();
    }
    a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b)
}

fn apply(node: &mut Node, changes: Vec<Change>) {
    for change in changes {
        let Some(field) = node_at_mut(node, &change.trail) else {
            continue;
        };
        if change.mapping {
            scalar::set_field(field, "name", &change.name);
            if let Some(namespace) = &change.namespace {
                scalar::set_field(field, "namespace", namespace);
            }
        } else {
            scalar::set_text(field, &change.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_history_ends_the_longer_one() {
        let list = |texts: &[&str]| {
            texts
                .iter()
                .map(|t| EcoString::from(*t))
                .collect::<Vec<_>>()
        };
        assert!(same_ending(&list(&["x", "a", "b"]), &list(&["a", "b"])));
        assert!(same_ending(&list(&[]), &list(&[])));
        assert!(!same_ending(&list(&["a", "b"]), &list(&["b", "a"])));
        assert!(!same_ending(&list(&["a"]), &list(&[])));
    }
}
