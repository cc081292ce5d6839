//! The entries of a kustomization file's lists, which also stand in the
//! configuration objects of built-in plugins.

use ecow::{EcoString, eco_format};
use yaml::Node;

use super::{
    FieldOptions, Image, Label, Patch, Replacement, ReplacementFrom, ReplacementSource,
    ReplacementTarget, Replica, Var,
};
use crate::decode::{Decoder, LENIENT};
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs};
use crate::id::{Gvk, ResId};
use crate::selector::Selector;

/// Reads a field of a type pattern.
fn gvk(d: Decoder, gvk: &mut Gvk, name: &str, value: &Node) -> Result<bool, Error> {
    let part = match name {
        "group" => &mut gvk.group,
        "version" => &mut gvk.version,
        "kind" => &mut gvk.kind,
        _ => return Ok(false),
    };
    *part = d.embedded().string(value, &eco_format!("Gvk.{name}"))?;
    Ok(true)
}

/// Reads a field of an identity.
fn id(d: Decoder, id: &mut ResId, name: &str, value: &Node) -> Result<bool, Error> {
    let part = match name {
        "name" => &mut id.name,
        "namespace" => &mut id.namespace,
        _ => return gvk(d, &mut id.gvk, name, value),
    };
    *part = d.embedded().string(value, &eco_format!("ResId.{name}"))?;
    Ok(true)
}

pub(crate) fn selector(d: Decoder, node: &Node) -> Result<Option<Selector>, Error> {
    if node.is_null() {
        return Ok(None);
    }
    let mut result = Selector::default();
    d.object(node, "Selector", |name, value| {
        match name {
            "labelselector" => {
                result.label_selector = d.string(value, "Selector.labelSelector")?;
            }
            "annotationselector" => {
                result.annotation_selector = d.string(value, "Selector.annotationSelector")?;
            }
            _ => return id(d, &mut result.id, name, value),
        }
        Ok(true)
    })?;
    Ok(Some(result))
}

pub(crate) fn field_spec(d: Decoder, node: &Node) -> Result<FieldSpec, Error> {
    let mut result = FieldSpec::default();
    d.object(node, "FieldSpec", |name, value| {
        match name {
            "path" => result.path = d.string(value, "FieldSpec.path")?,
            "create" => result.create = d.bool(value, "FieldSpec.create")?,
            _ => return gvk(d, &mut result.gvk, name, value),
        }
        Ok(true)
    })?;
    Ok(result)
}

/// A list of fields, as it stands: repetitions are kept.
pub(crate) fn field_specs(d: Decoder, node: &Node, at: &str) -> Result<FieldSpecs, Error> {
    let specs = d.list(node, at, "[]types.FieldSpec", |item| field_spec(d, item))?;
    Ok(FieldSpecs(specs))
}

pub(crate) fn label(d: Decoder, node: &Node) -> Result<Label, Error> {
    let mut result = Label::default();
    d.object(node, "Label", |name, value| {
        let at = eco_format!("Label.{name}");
        match name {
            "pairs" => result.pairs = d.pairs(value, &at)?,
            "includeselectors" => result.include_selectors = d.bool(value, &at)?,
            "includetemplates" => result.include_templates = d.bool(value, &at)?,
            "fields" => result.fields = field_specs(d, value, &at)?.0,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(result)
}

pub(crate) fn patch(d: Decoder, node: &Node) -> Result<Patch, Error> {
    let mut result = Patch {
        span: Some(node.span),
        ..Patch::default()
    };
    d.object(node, "Patch", |name, value| {
        let at = eco_format!("Patch.{name}");
        match name {
            "path" => result.path = d.optional(value, &at)?,
            "patch" => result.patch = d.optional(value, &at)?,
            "target" => result.target = selector(d, value)?,
            "options" => d.object(value, "PatchArgs", |name, value| {
                match name {
                    "allownamechange" => result.allow_name_change = d.bool(value, &at)?,
                    "allowkindchange" => result.allow_kind_change = d.bool(value, &at)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(result)
}

pub(crate) fn image(d: Decoder, node: &Node) -> Result<Image, Error> {
    let mut result = Image {
        span: Some(node.span),
        ..Image::default()
    };
    d.object(node, "Image", |name, value| {
        let text = match name {
            "name" => &mut result.name,
            "newname" => &mut result.new_name,
            "tagsuffix" => &mut result.tag_suffix,
            "newtag" => &mut result.new_tag,
            "digest" => &mut result.digest,
            _ => return Ok(false),
        };
        *text = d.string(value, &eco_format!("Image.{name}"))?;
        Ok(true)
    })?;
    Ok(result)
}

pub(crate) fn replica(d: Decoder, node: &Node) -> Result<Replica, Error> {
    let mut result = Replica {
        span: Some(node.span),
        ..Replica::default()
    };
    d.object(node, "Replica", |name, value| {
        match name {
            "name" => result.name = d.string(value, "Replica.name")?,
            "count" => result.count = d.int(value, "Replica.count", "int64")?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(result)
}

/// An entry of `replacements`: inline or the path of a file.
pub(crate) fn replacement_source(d: Decoder, node: &Node) -> Result<ReplacementSource, Error> {
    let mut inline = Replacement::default();
    let mut path = None;
    d.object(node, "ReplacementField", |name, value| {
        if name == "path" {
            path = d.optional(value, "ReplacementField.path")?;
            return Ok(true);
        }
        replacement_field(d.embedded(), &mut inline, name, value)
    })?;
    match path {
        Some(_) if inline.source.is_some() || inline.targets.is_some() => {
            Err(Error::new("cannot specify both path and inline replacement").at(node.span))
        }
        Some(path) => Ok(ReplacementSource::Path(path)),
        None => Ok(ReplacementSource::Inline(inline)),
    }
}

/// The content of a file of replacements: one or a list.
pub(crate) fn replacements(node: &Node) -> Result<Vec<Replacement>, Error> {
    match &node.value {
        yaml::Value::Sequence(items) => items
            .iter()
            .map(|item| replacement(LENIENT, item))
            .collect(),
        yaml::Value::Mapping(_) => Ok(vec![replacement(LENIENT, node)?]),
        yaml::Value::Scalar(_) => {
            let kind = if node.is_null() { "invalid" } else { "string" };
            Err(Error::new(eco_format!(
                "unsupported replacement type encountered within replacement path: {kind}"
            ))
            .at(node.span))
        }
    }
}

fn replacement(d: Decoder, node: &Node) -> Result<Replacement, Error> {
    let mut result = Replacement::default();
    d.object(node, "Replacement", |name, value| {
        replacement_field(d, &mut result, name, value)
    })?;
    Ok(result)
}

fn replacement_field(
    d: Decoder,
    result: &mut Replacement,
    name: &str,
    value: &Node,
) -> Result<bool, Error> {
    match name {
        "source" => result.source = replacement_from(d, value)?,
        "sourcevalue" => {
            let text = d.string(value, "Replacement.sourceValue")?;
            let span = value.span;
            result.source_value = (!value.is_null()).then_some(super::Item { text, span });
        }
        "targets" => {
            let at = "Replacement.targets";
            let list = d.list(value, at, "[]*types.TargetSelector", |item| {
                replacement_target(d, item)
            })?;
            result.targets = (!value.is_null()).then_some(list);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn replacement_from(d: Decoder, node: &Node) -> Result<Option<ReplacementFrom>, Error> {
    if node.is_null() {
        return Ok(None);
    }
    let mut result = ReplacementFrom::default();
    d.object(node, "SourceSelector", |name, value| {
        match name {
            "fieldpath" => result.field_path = d.string(value, "SourceSelector.fieldPath")?,
            "options" => result.options = field_options(d, value)?,
            _ => return id(d, &mut result.id, name, value),
        }
        Ok(true)
    })?;
    Ok(Some(result))
}

fn replacement_target(d: Decoder, node: &Node) -> Result<ReplacementTarget, Error> {
    let mut result = ReplacementTarget::default();
    d.object(node, "TargetSelector", |name, value| {
        let at = eco_format!("TargetSelector.{name}");
        match name {
            "select" => result.select = selector(d, value)?,
            "reject" => {
                let list = d.list(value, &at, "[]*types.Selector", |item| selector(d, item))?;
                result.reject = list.into_iter().flatten().collect();
            }
            "fieldpaths" => result.field_paths = d.strings(value, &at)?,
            "options" => result.options = field_options(d, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(result)
}

fn field_options(d: Decoder, node: &Node) -> Result<Option<FieldOptions>, Error> {
    if node.is_null() {
        return Ok(None);
    }
    let mut result = FieldOptions::default();
    d.object(node, "FieldOptions", |name, value| {
        let at = eco_format!("FieldOptions.{name}");
        match name {
            "delimiter" => result.delimiter = d.string(value, &at)?,
            "index" => result.index = d.int(value, &at, "int")?,
            "encoding" => result.encoding = d.string(value, &at)?,
            "create" => result.create = d.bool(value, &at)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Some(result))
}

pub(crate) fn var(d: Decoder, node: &Node) -> Result<Var, Error> {
    let mut result = Var {
        span: Some(node.span),
        ..Var::default()
    };
    let mut api_version = EcoString::new();
    d.object(node, "Var", |name, value| {
        match name {
            "name" => result.name = d.string(value, "Var.name")?,
            "objref" => d.object(value, "Target", |name, value| {
                if name == "apiversion" {
                    api_version = d.string(value, "Target.apiVersion")?;
                    return Ok(true);
                }
                id(d, &mut result.object, name, value)
            })?,
            "fieldref" => d.object(value, "FieldSelector", |name, value| {
                result.field_path = d.string(value, "FieldSelector.fieldPath")?;
                Ok(name == "fieldpath")
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let gvk = &mut result.object.gvk;
    match api_version.split('/').collect::<Vec<_>>().as_slice() {
        [""] => {}
        [version] => gvk.version = (*version).into(),
        [group, version] => {
            gvk.group = (*group).into();
            gvk.version = (*version).into();
        }
        _ => {}
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        yaml::sigs_to_json(text, yaml::FileId::NONE, false).unwrap()
    }

    /// What upstream (kustomize 5.8.1) takes in a plugin's configuration.
    #[test]
    fn numbers_stand_for_strings_but_in_embedded_fields() {
        let taken = |text: &str| selector(LENIENT, &node(text)).is_ok();
        assert!(taken("labelSelector: 1"));
        for text in ["name: 1", "namespace: true", "kind: 1", "group: 1.5"] {
            assert!(!taken(text), "{text}");
        }
        let inline = |text: &str| replacement_source(LENIENT, &node(text)).is_ok();
        assert!(inline("path: 1"));
        assert!(inline("sourceValue: 'true'"));
        assert!(!inline("sourceValue: true"));
        assert!(!inline("source: {fieldPath: 1}"));
        let file = |text: &str| replacements(&node(text)).is_ok();
        assert!(file("sourceValue: true"));
        assert!(file("source: {fieldPath: 1}"));
        assert!(!file("source: {name: 1}"));
    }
}
