//! Labels and annotations: the same entries added to many mappings.

use std::collections::BTreeMap;

use ecow::EcoString;
use yaml::{Entry, Node, Style};

use super::field::each_place;
use super::kind::{Kind, expect_kind};
use super::links::Links;
use super::scalar::{is_old_non_string, string, untyped};
use crate::error::Error;
use crate::field_spec::FieldSpec;
use crate::kustomization::{Item, Pairs};

/// Sets entries in every mapping the specs lead to. Entries that are new at
/// several places are linked.
pub fn set_entries<'s>(
    object: &mut Node,
    links: &mut Links,
    pairs: &Pairs,
    specs: impl IntoIterator<Item = &'s FieldSpec> + Clone,
) -> Result<(), Error> {
    // Of a repeated key the last one counts.
    let sorted: BTreeMap<&EcoString, &Item> = pairs.iter().map(|(key, item)| (key, item)).collect();
    for (key, item) in sorted {
        let mut value = string(item.text.clone(), item.span);
        if is_old_non_string(&item.text) {
            // The quotes stay, whatever is written there later.
            value.style = Style::DoubleQuoted;
        }
        let mut added = 0;
        for spec in specs.clone() {
            each_place(object, spec, Some(Kind::Mapping), &mut |map| {
                added += usize::from(set_entry(map, key, &value)?);
                Ok(())
            })?;
        }
        if added > 1 {
            links.add(key, item.span, &value);
        }
    }
    links.settle(object);
    Ok(())
}

/// Sets one entry and says whether it is new. Nothing happens to null.
fn set_entry(map: &mut Node, key: &EcoString, value: &Node) -> Result<bool, Error> {
    expect_kind(Kind::Mapping, map)?;
    if let Some(old) = map.get_mut(key) {
        let style = old.style;
        *old = Node {
            style,
            ..value.clone()
        };
        return Ok(false);
    }
    let Some(entries) = map.entries_mut() else {
        return Ok(false);
    };
    entries.push(Entry {
        key: untyped(key.clone(), Style::Plain, value.span),
        value: value.clone(),
    });
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Gvk;
    use yaml::{FileId, Span};

    const SPAN: Span = Span {
        file: FileId(3),
        start: 5,
        end: 8,
    };

    fn pairs(value: &str) -> Pairs {
        let item = Item {
            text: value.into(),
            span: SPAN,
        };
        vec![("app".into(), item)]
    }

    fn specs() -> [FieldSpec; 2] {
        ["metadata/labels", "spec/selector"].map(|path| FieldSpec {
            gvk: Gvk::default(),
            path: path.into(),
            create: true,
        })
    }

    #[test]
    fn labels_are_strings_with_the_span_that_sets_them() {
        let mut object = Node::map([("metadata", Node::null())]);
        set_entries(&mut object, &mut Links::default(), &pairs("12"), &specs()).unwrap();
        let label = object.path(&["metadata", "labels", "app"]).unwrap();
        assert_eq!((label.as_str(), label.span), (Some("12"), SPAN));
    }

    #[test]
    fn labels_added_together_change_together() {
        let mut object = Node::map::<&str>([]);
        let mut links = Links::default();
        set_entries(&mut object, &mut links, &pairs("old"), &specs()).unwrap();
        set_entries(&mut object, &mut links, &pairs("new"), &specs()[..1]).unwrap();
        assert_eq!(object.str_at(&["spec", "selector", "app"]), Some("new"));
    }

    #[test]
    fn a_label_that_was_there_changes_alone() {
        let selector = Node::map([("app", Node::string("mine"))]);
        let spec = Node::map([("selector", selector)]);
        let mut object = Node::map([("spec", spec)]);
        let mut links = Links::default();
        set_entries(&mut object, &mut links, &pairs("old"), &specs()).unwrap();
        set_entries(&mut object, &mut links, &pairs("new"), &specs()[..1]).unwrap();
        assert_eq!(object.str_at(&["spec", "selector", "app"]), Some("old"));
    }
}
