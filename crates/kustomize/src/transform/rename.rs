//! Name prefixes and suffixes.

use ecow::eco_format;
use yaml::Node;

use super::field::each_place;
use super::kind::Kind;
use super::scalar::{Written, replace};
use crate::error::Error;
use crate::field_spec::FieldSpec;
use crate::id::Gvk;

/// What is put around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affix<'a> {
    /// In front of it.
    Prefix(&'a str),
    /// Behind it.
    Suffix(&'a str),
}

/// Whether objects of a type keep their names: definitions, whose names are made
/// of other names, and namespaces.
pub fn keeps_name(gvk: &Gvk) -> bool {
    match gvk.kind.as_str() {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => gvk.group == "apiregistration.k8s.io",
        _ => false,
    }
}

/// Puts an affix around the texts a spec leads to. They stay where they were
/// written. Fails where one is no scalar.
pub fn add_affix(object: &mut Node, spec: &FieldSpec, affix: Affix<'_>) -> Result<(), Error> {
    each_place(object, spec, Some(Kind::Scalar), &mut |place| {
        let old = place.text().cloned().unwrap_or_default();
        let new = match affix {
            Affix::Prefix(prefix) => eco_format!("{prefix}{old}"),
            Affix::Suffix(suffix) => eco_format!("{old}{suffix}"),
        };
        let (span, unknown) = (place.span, place.unknown);
        replace(place, new, Written::Untyped, span)?;
        place.unknown = unknown;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_affixes_and_definitions_keep_theirs() {
        let metadata = Node::map([("name", Node::string("a"))]);
        let mut object = Node::map([("metadata", metadata)]);
        let spec = FieldSpec {
            path: "metadata/name".into(),
            ..FieldSpec::default()
        };
        add_affix(&mut object, &spec, Affix::Prefix("x-")).unwrap();
        add_affix(&mut object, &spec, Affix::Suffix("-y")).unwrap();
        assert_eq!(object.str_at(&["metadata", "name"]), Some("x-a-y"));
        assert!(keeps_name(&Gvk::from_api_version("v1", "Namespace")));
        assert!(!keeps_name(&Gvk::from_api_version(
            "other/v1",
            "APIService"
        )));
    }
}
