//! Files that `configurations` names: further fields for the tables.

use yaml::Node;

use super::decode::{flag, list, only, text};
use super::defaults::list_named;
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs, FieldTables, NameReference};
use crate::id::Gvk;

/// The lists a file may hold, besides `nameReference`.
const LISTS: [&str; 10] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
];

/// Reads the one document of a configuration file. Fails on unknown keys and
/// where a value has the wrong type.
pub fn read_configuration(document: &Node) -> Result<FieldTables, Error> {
    only(document, &LISTS, &["nameReference"])?;
    let mut tables = FieldTables::default();
    for name in LISTS {
        let specs = read_specs(list(document, name)?)?;
        if let Some(table) = list_named(&mut tables, name) {
            *table = specs;
        }
    }
    for reference in list(document, "nameReference")? {
        only(reference, &GVK, &["fieldSpecs"])?;
        tables.name_reference.push(NameReference {
            target: read_gvk(reference)?,
            referrers: read_specs(list(reference, "fieldSpecs")?)?,
        });
    }
    Ok(tables)
}

fn read_specs(items: &[Node]) -> Result<FieldSpecs, Error> {
    let spec = |item: &Node| {
        only(item, &GVK, &["path", "create"])?;
        Ok(FieldSpec {
            gvk: read_gvk(item)?,
            path: text(item, "path")?,
            create: flag(item, "create")?,
        })
    };
    items
        .iter()
        .map(spec)
        .collect::<Result<_, _>>()
        .map(FieldSpecs)
}

const GVK: [&str; 3] = ["group", "version", "kind"];

fn read_gvk(node: &Node) -> Result<Gvk, Error> {
    Ok(Gvk {
        group: text(node, "group")?,
        version: text(node, "version")?,
        kind: text(node, "kind")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_name_references_are_read() {
        let spec = Node::map([
            ("path", Node::string("spec/beeRef/name")),
            ("kind", Node::string("Hive")),
        ]);
        let reference = Node::map([
            ("kind", Node::string("Bee")),
            ("fieldSpecs", Node::seq([spec.clone()])),
        ]);
        let document = Node::map([
            ("namePrefix", Node::seq([spec])),
            ("nameReference", Node::seq([reference])),
        ]);
        let tables = read_configuration(&document).unwrap();
        assert_eq!(tables.name_prefix.0[0].path, "spec/beeRef/name");
        assert_eq!(tables.name_reference[0].target.kind, "Bee");
        assert_eq!(tables.name_reference[0].referrers.0[0].gvk.kind, "Hive");
    }

    #[test]
    fn unknown_keys_are_refused() {
        let document = Node::map([("nameRefs", Node::seq([]))]);
        let error = read_configuration(&document).unwrap_err();
        assert!(error.message.ends_with("unknown field \"nameRefs\""));
    }

    #[test]
    fn a_number_as_path_is_refused() {
        let spec = Node::map([("path", Node::int(3))]);
        let document = Node::map([("images", Node::seq([spec]))]);
        let error = read_configuration(&document).unwrap_err();
        assert!(error.message.contains("cannot unmarshal number"));
    }
}
