//! How the fields of a kind merge: the OpenAPI schemas, reduced.

use std::sync::OnceLock;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use super::comment::Comments;

/// Schemas of kinds, reduced to what patches need: which lists merge, by which
/// keys, and how to get to them.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub(super) definitions: Vec<Definition>,
    /// Definitions that others may refer to.
    pub(super) names: FxHashMap<EcoString, usize>,
    /// `apiVersion`, kind → definition.
    pub(super) kinds: FxHashMap<(EcoString, EcoString), usize>,
    /// `apiVersion`, kind → whether it lives in namespaces.
    pub(super) scopes: FxHashMap<(EcoString, EcoString), bool>,
    /// Comment → definition of what it stands at.
    pub(super) comments: Comments,
}

/// One schema. Fields hold numbers of other ones; a number that leads nowhere
/// is a field about which nothing is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Definition {
    pub fields: FxHashMap<EcoString, usize>,
    /// Of the fields that are not named, when any may occur.
    pub others: Option<usize>,
    /// Of the elements of a list.
    pub elements: Option<usize>,
    /// Of a list that merges: the keys; none when elements are scalars.
    pub merge_keys: Option<Vec<EcoString>>,
}

/// The number that leads nowhere.
pub(super) const UNKNOWN: usize = usize::MAX;

/// What a schema says about one place of an object.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    schema: &'a Schema,
    definition: &'a Definition,
}

impl Schema {
    /// Those of kustomize's own OpenAPI documents.
    pub fn built_in() -> &'static Schema {
        static BUILT_IN: OnceLock<Schema> = OnceLock::new();
        BUILT_IN.get_or_init(|| {
            let mut schema = read(include_str!("../../data/schema.tsv"));
            schema.scopes = read_scopes(include_str!("../../data/scope.tsv"));
            schema
        })
    }

    /// The shape of objects of a kind, if it is known.
    pub fn of_kind(&self, api_version: &str, kind: &str) -> Option<Shape<'_>> {
        let key = (api_version.into(), kind.into());
        self.shape(*self.kinds.get(&key)?)
    }

    /// Whether objects of a kind live in namespaces, if that is known.
    pub fn is_namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        let key = (api_version.into(), kind.into());
        self.scopes.get(&key).copied()
    }

    /// Adds a definition; its number.
    pub(super) fn add(&mut self, definition: Definition) -> usize {
        self.definitions.push(definition);
        self.definitions.len() - 1
    }

    pub(super) fn shape(&self, number: usize) -> Option<Shape<'_>> {
        Some(Shape {
            schema: self,
            definition: self.definitions.get(number)?,
        })
    }
}

impl<'a> Shape<'a> {
    /// The shape of a field, if anything is known about it.
    pub fn field(&self, name: &str) -> Option<Shape<'a>> {
        let named = self.definition.fields.get(name).copied();
        self.schema.shape(named.or(self.definition.others)?)
    }

    /// The shape of a list's elements, if anything is known about them.
    pub fn elements(&self) -> Option<Shape<'a>> {
        self.schema.shape(self.definition.elements?)
    }

    /// For a list that merges, the keys of its elements: empty when they are
    /// scalars. `None` when it is replaced as a whole.
    pub fn merge_keys(&self) -> Option<&'a [EcoString]> {
        self.definition.merge_keys.as_deref()
    }
}

/// Reads the generated table. It is our own, so a line that does not fit is
/// passed over.
fn read(table: &str) -> Schema {
    let mut schema = Schema::default();
    // Lists get numbers behind those of the named definitions.
    let named = table
        .lines()
        .filter(|line| line.starts_with("def\t"))
        .count();
    schema.definitions.resize_with(named, Definition::default);
    let mut next = 0;
    for line in table.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            ["def", name] => {
                schema.names.insert((*name).into(), next);
                next += 1;
            }
            ["kind", api_version, kind, number] => {
                let key = (EcoString::from(*api_version), EcoString::from(*kind));
                schema.kinds.insert(key, number.parse().unwrap_or(UNKNOWN));
            }
            ["map", field, number] => {
                put_field(&mut schema, next, field, number.parse().unwrap_or(UNKNOWN));
            }
            ["list", field, elements, _strategy, keys] => {
                let keys = keys.split(',').filter(|key| !key.is_empty());
                let list = Definition {
                    elements: elements.parse().ok(),
                    merge_keys: Some(keys.map(EcoString::from).collect()),
                    ..Definition::default()
                };
                schema.definitions.push(list);
                let number = schema.definitions.len() - 1;
                put_field(&mut schema, next, field, number);
            }
            _ => {}
        }
    }
    schema
}

/// Adds a field to the definition that was begun as the `count`-th.
fn put_field(schema: &mut Schema, count: usize, field: &str, number: usize) {
    let current = count
        .checked_sub(1)
        .and_then(|at| schema.definitions.get_mut(at));
    match current {
        Some(definition) if field == "*" => definition.others = Some(number),
        Some(definition) => {
            definition.fields.insert(field.into(), number);
        }
        None => {}
    }
}

fn read_scopes(table: &str) -> FxHashMap<(EcoString, EcoString), bool> {
    let row = |line: &str| {
        let mut parts = line.split('\t');
        let key = (parts.next()?.into(), parts.next()?.into());
        Some((key, parts.next()? == "namespaced"))
    };
    table.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_containers_merge_by_number_and_protocol() {
        let pod = Schema::built_in().of_kind("v1", "Pod").unwrap();
        let containers = pod.field("spec").unwrap().field("containers").unwrap();
        assert_eq!(containers.merge_keys().unwrap(), ["name"]);
        let container = containers.elements().unwrap();
        let ports = container.field("ports").unwrap();
        assert_eq!(ports.merge_keys().unwrap(), ["containerPort", "protocol"]);
        assert!(container.field("args").is_none());
    }

    #[test]
    fn finalizers_merge_without_key() {
        let job = Schema::built_in().of_kind("batch/v1", "Job").unwrap();
        let finalizers = job.field("metadata").unwrap().field("finalizers").unwrap();
        assert!(finalizers.merge_keys().unwrap().is_empty());
    }

    #[test]
    fn scopes_are_known_for_exact_versions() {
        let schema = Schema::built_in();
        assert_eq!(schema.is_namespaced("v1", "Namespace"), Some(false));
        assert_eq!(schema.is_namespaced("apps/v1", "Deployment"), Some(true));
        assert_eq!(schema.is_namespaced("apps/v1beta1", "Deployment"), None);
    }
}
