//! The default field tables and how tables are combined.

use std::sync::{Arc, OnceLock};

use ecow::eco_format;

use super::kind_order::compare_types;
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs, FieldTables, NameReference};
use crate::id::Gvk;

/// The default tables, in the order transformers use them.
pub fn built_in_fields() -> &'static Arc<FieldTables> {
    static BUILT_IN: OnceLock<Arc<FieldTables>> = OnceLock::new();
    BUILT_IN.get_or_init(|| {
        let mut tables = read(include_str!("../../data/field_specs.tsv"));
        sort(&mut tables);
        Arc::new(tables)
    })
}

/// Both tables together, what `base` has first, in the order of types. Fails
/// when they disagree on whether a field is created.
pub fn merge_fields(base: &FieldTables, more: &FieldTables) -> Result<FieldTables, Error> {
    let mut merged = base.clone();
    for ((name, into), (_, from)) in lists_mut(&mut merged).into_iter().zip(lists(more)) {
        into.extend(from)
            .map_err(|e| e.during(eco_format!("failed to merge {name} fieldSpec")))?;
    }
    for reference in &more.name_reference {
        add_name_reference(&mut merged.name_reference, reference)
            .map_err(|e| e.during("failed to merge NameReference fieldSpec"))?;
    }
    sort(&mut merged);
    Ok(merged)
}

/// Adds the fields that name a type to those known already.
pub(super) fn add_name_reference(
    known: &mut Vec<NameReference>,
    more: &NameReference,
) -> Result<(), Error> {
    let mut found = false;
    for reference in known.iter_mut().filter(|r| r.target == more.target) {
        reference.referrers.extend(&more.referrers)?;
        found = true;
    }
    if !found {
        known.push(more.clone());
    }
    Ok(())
}

type Named<T> = [(&'static str, T); 10];

fn lists(tables: &FieldTables) -> Named<&FieldSpecs> {
    [
        ("NamePrefix", &tables.name_prefix),
        ("NameSuffix", &tables.name_suffix),
        ("NameSpace", &tables.namespace),
        ("CommonAnnotations", &tables.common_annotations),
        ("CommonLabels", &tables.common_labels),
        ("Labels", &tables.labels),
        ("TemplateLabels", &tables.template_labels),
        ("VarReference", &tables.var_reference),
        ("Images", &tables.images),
        ("Replicas", &tables.replicas),
    ]
}

/// The same lists in the same order as [`lists`].
fn lists_mut(tables: &mut FieldTables) -> Named<&mut FieldSpecs> {
    [
        ("NamePrefix", &mut tables.name_prefix),
        ("NameSuffix", &mut tables.name_suffix),
        ("NameSpace", &mut tables.namespace),
        ("CommonAnnotations", &mut tables.common_annotations),
        ("CommonLabels", &mut tables.common_labels),
        ("Labels", &mut tables.labels),
        ("TemplateLabels", &mut tables.template_labels),
        ("VarReference", &mut tables.var_reference),
        ("Images", &mut tables.images),
        ("Replicas", &mut tables.replicas),
    ]
}

fn sort(tables: &mut FieldTables) {
    for (_, list) in lists_mut(tables) {
        list.0.sort_by(|a, b| compare_types(&a.gvk, &b.gvk));
    }
    tables
        .name_reference
        .sort_by(|a, b| compare_types(&a.target, &b.target));
}

/// Reads the generated table. It is our own, so a line that does not fit is
/// passed over.
fn read(table: &str) -> FieldTables {
    let mut tables = FieldTables::default();
    for line in table.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            ["target", group, version, kind] => tables.name_reference.push(NameReference {
                target: gvk(group, version, kind),
                referrers: FieldSpecs::default(),
            }),
            [list, group, version, kind, create, path] => {
                let spec = FieldSpec {
                    gvk: gvk(group, version, kind),
                    path: (*path).into(),
                    create: *create == "create",
                };
                if let Some(list) = list_named(&mut tables, list) {
                    list.0.push(spec);
                }
            }
            _ => {}
        }
    }
    tables
}

fn gvk(group: &str, version: &str, kind: &str) -> Gvk {
    Gvk {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
    }
}

/// The list a configuration key or a generated line names.
pub(super) fn list_named<'a>(
    tables: &'a mut FieldTables,
    name: &str,
) -> Option<&'a mut FieldSpecs> {
    Some(match name {
        "namePrefix" => &mut tables.name_prefix,
        "nameSuffix" => &mut tables.name_suffix,
        "namespace" => &mut tables.namespace,
        "commonAnnotations" => &mut tables.common_annotations,
        "commonLabels" => &mut tables.common_labels,
        "labels" => &mut tables.labels,
        "templateLabels" => &mut tables.template_labels,
        "varReference" => &mut tables.var_reference,
        "images" => &mut tables.images,
        "replicas" => &mut tables.replicas,
        "nameReference" => &mut tables.name_reference.last_mut()?.referrers,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_there() {
        let tables = built_in_fields();
        assert_eq!(tables.common_labels.0.len(), 32);
        assert_eq!(tables.template_labels.0.len(), 10);
        assert_eq!(tables.common_annotations.0.len(), 9);
        assert_eq!(tables.var_reference.0.len(), 72);
        assert_eq!(tables.name_reference.len(), 16);
        let paths = |r: &NameReference| r.referrers.0.len();
        assert_eq!(tables.name_reference.iter().map(paths).sum::<usize>(), 167);
    }

    #[test]
    fn merging_the_defaults_with_themselves_changes_nothing() {
        let tables = built_in_fields();
        assert_eq!(&merge_fields(tables, tables).unwrap(), tables.as_ref());
        assert_eq!(
            &merge_fields(&FieldTables::default(), tables).unwrap(),
            tables.as_ref()
        );
    }

    #[test]
    fn a_clash_in_create_is_an_error() {
        let mut more = FieldTables::default();
        let spec = FieldSpec {
            path: "metadata/annotations".into(),
            ..FieldSpec::default()
        };
        more.common_annotations.0.push(spec);
        let error = merge_fields(built_in_fields(), &more).unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to merge CommonAnnotations fieldSpec: conflicting fieldspecs"
        );
    }
}
