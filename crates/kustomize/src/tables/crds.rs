//! Files that `crds` names: definitions of types whose properties carry hints
//! about annotations, label selectors, names and references.

use ecow::{EcoString, EcoVec};
use yaml::Node;

use super::decode::field;
use super::defaults::{add_name_reference, merge_fields};
use super::definitions;
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs, FieldTables, NameReference};
use crate::id::Gvk;

/// How deep definitions are followed. Upstream follows a definition that leads
/// back to itself until it dies; no field of interest lies this deep.
const MAX_DEPTH: usize = 32;

/// Table entries from the hints of a definition file: a mapping from type names
/// to `Schema`s. Only types with `apiVersion`, `kind` and `metadata` begin one.
/// Fails on what is no such file.
pub fn read_definitions(document: &Node) -> Result<FieldTables, Error> {
    definitions::check(document)?;
    let mut tables = FieldTables::default();
    for entry in document.entries() {
        let is_type = ["kind", "apiVersion", "metadata"]
            .iter()
            .all(|name| properties(&entry.value).any(|p| p.key.text().is_some_and(|k| k == name)));
        let Some(name) = entry.key.text().filter(|_| is_type) else {
            continue;
        };
        let kind = name.rsplit('.').next().unwrap_or(name);
        let mut reader = Reader {
            document,
            gvk: Gvk {
                kind: kind.into(),
                ..Gvk::default()
            },
            found: FieldTables::default(),
        };
        reader.follow(name, &mut EcoVec::new())?;
        tables = merge_fields(&tables, &reader.found)?;
    }
    Ok(tables)
}

fn properties(definition: &Node) -> impl Iterator<Item = &yaml::Entry> {
    let properties = field(definition, "Schema").and_then(|schema| schema.get("properties"));
    properties.into_iter().flat_map(|p| p.entries())
}

struct Reader<'a> {
    document: &'a Node,
    gvk: Gvk,
    found: FieldTables,
}

impl Reader<'_> {
    fn follow(&mut self, name: &str, path: &mut EcoVec<EcoString>) -> Result<(), Error> {
        let document = self.document;
        let Some(definition) = document.get(name).filter(|_| path.len() < MAX_DEPTH) else {
            return Ok(());
        };
        for property in properties(definition) {
            let Some(key) = property.key.text() else {
                continue;
            };
            path.push(key.clone());
            self.hints(&property.value, path)?;
            if let Some(reference) = property.value.str_at(&["$ref"]) {
                self.follow(reference, path)?;
            }
            path.pop();
        }
        Ok(())
    }

    fn hints(&mut self, property: &Node, path: &[EcoString]) -> Result<(), Error> {
        let hint = |name: &str| property.str_at(&[name]);
        let spec = |last: Option<&str>| {
            let parts: Vec<&str> = path.iter().map(EcoString::as_str).chain(last).collect();
            FieldSpec {
                gvk: self.gvk.clone(),
                path: parts.join("/").into(),
                create: false,
            }
        };
        if hint("x-kubernetes-annotation").is_some() {
            self.found.common_annotations.add(spec(None))?;
        }
        if hint("x-kubernetes-label-selector").is_some() {
            self.found.common_labels.add(spec(None))?;
        }
        if hint("x-kubernetes-identity").is_some() {
            self.found.name_prefix.add(spec(None))?;
        }
        let version = hint("x-kubernetes-object-ref-api-version");
        let kind = hint("x-kubernetes-object-ref-kind");
        if let (Some(version), Some(kind)) = (version, kind) {
            let name = hint("x-kubernetes-object-ref-name-key").unwrap_or("name");
            let reference = NameReference {
                target: Gvk {
                    version: version.into(),
                    kind: kind.into(),
                    ..Gvk::default()
                },
                referrers: FieldSpecs(vec![spec(Some(name))]),
            };
            add_name_reference(&mut self.found.name_reference, &reference)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema<const N: usize>(properties: [(&'static str, Node); N]) -> Node {
        let schema = Node::map([("properties", Node::map(properties))]);
        Node::map([("Schema", schema)])
    }

    #[test]
    fn references_are_followed_from_types_only() {
        let none = || Node::map::<&str>([]);
        let hive = schema([
            ("apiVersion", none()),
            ("kind", none()),
            ("metadata", none()),
            ("spec", Node::map([("$ref", Node::string("v1.HiveSpec"))])),
        ]);
        let bee = Node::map([
            ("x-kubernetes-object-ref-api-version", Node::string("v1")),
            ("x-kubernetes-object-ref-kind", Node::string("Bee")),
        ]);
        let looping = Node::map([("$ref", Node::string("v1.HiveSpec"))]);
        let spec = schema([("beeRef", bee), ("again", looping)]);
        let document = Node::map([("v1.Hive", hive), ("v1.HiveSpec", spec)]);
        let tables = read_definitions(&document).unwrap();
        let reference = &tables.name_reference[0];
        assert_eq!(reference.target.kind, "Bee");
        assert!(
            reference
                .referrers
                .0
                .iter()
                .any(|r| r.path == "spec/beeRef/name")
        );
    }
}
