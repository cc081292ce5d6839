//! Running a configured step over the objects of a build.

use std::borrow::Cow;

use ecow::eco_format;
use rustc_hash::FxHashSet;
use yaml::{Node, Span};

use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs};
use crate::hash;
use crate::id::{Gvk, ResId};
use crate::kustomization::{Image, Item, Pairs, Replica};
use crate::origin::{ORIGIN, TRANSFORMATIONS};
use crate::resmap::{ResMap, key};
use crate::resource::{Record, Resource};
use crate::scalar;
use crate::step::{JsonPatchStep, NamespaceStep, Step, StrategicMergeStep, ValueAddStep};
use crate::syntax;
use crate::tables::Schema;
use crate::transform::images::ImageChange;
use crate::transform::json_patch;
use crate::transform::merge::Merge;
use crate::transform::metadata::set_entries;
use crate::transform::namespace::{SetNamespace, Subjects};
use crate::transform::rename::{Affix, add_affix, keeps_name};
use crate::transform::replacement::replace_all;
use crate::transform::replicas::set_count;
use crate::transform::value_add::add_value;

impl Step {
    /// Changes the objects. Fails with the words of the transformer.
    pub fn run(&self, map: &mut ResMap, schema: &Schema) -> Result<(), Error> {
        match self {
            Step::Annotations(pairs, fields) | Step::Labels(pairs, fields) => {
                entries(map, pairs, fields)
            }
            Step::Hash => hash::append(map),
            Step::Image(image, fields) => images(map, image, fields),
            Step::Replacements(list) => replace_all(map, list),
            Step::JsonPatch(step) => json_patch(map, step),
            Step::Namespace(step) => namespace(map, step, schema),
            Step::Prefix(text, fields) => affix(map, Affix::Prefix(text), fields),
            Step::Suffix(text, fields) => affix(map, Affix::Suffix(text), fields),
            Step::Replica(replica, fields) => replicas(map, replica, fields),
            Step::StrategicMerge(step) => strategic_merge(map, step, schema),
            Step::ValueAdd(step) => value_add(map, step, schema),
        }
    }
}

impl Step {
    /// Whether it asks the schema anything of these objects.
    pub fn needs_schema(&self, map: &ResMap) -> bool {
        match self {
            Step::StrategicMerge(_) => !map.is_empty(),
            Step::Namespace(step) => {
                !step.namespace.text.is_empty() && map.iter().any(|resource| !resource.is_empty())
            }
            _ => false,
        }
    }
}

/// Says which object could not be changed.
fn blame(error: Error, resource: &Resource) -> Error {
    error.at(resource.node().span)
}

fn entries(map: &mut ResMap, pairs: &Pairs, fields: &FieldSpecs) -> Result<(), Error> {
    if pairs.is_empty() {
        return Ok(());
    }
    for resource in map {
        let fields = fields_for(resource, fields);
        let mut links = std::mem::take(&mut resource.record.links);
        let result = set_entries(resource.node_mut(), &mut links, pairs, &*fields);
        resource.record.links = links;
        result.map_err(|e| blame(e, resource))?;
    }
    Ok(())
}

/// The fields for one object: annotations are there where the reference
/// implementation keeps its own notes in them, so nothing need create them.
fn fields_for<'f>(resource: &Resource, fields: &'f FieldSpecs) -> Cow<'f, [FieldSpec]> {
    let noted = |spec: &FieldSpec| spec.path == "metadata/annotations" && !spec.create;
    if !resource.record.is_visible() || !fields.0.iter().any(noted) {
        return Cow::Borrowed(&fields.0);
    }
    let mut fields = fields.0.clone();
    for spec in &mut fields {
        spec.create |= noted(spec);
    }
    Cow::Owned(fields)
}

fn affix(map: &mut ResMap, affix: Affix<'_>, fields: &FieldSpecs) -> Result<(), Error> {
    let (Affix::Prefix(text) | Affix::Suffix(text)) = affix;
    for resource in map {
        let original = resource.original_id().gvk;
        if keeps_name(&original) {
            continue;
        }
        for spec in fields.0.iter().filter(|s| s.gvk.selects(&original)) {
            if spec.path == "metadata/name" && !text.is_empty() {
                match affix {
                    Affix::Prefix(text) => resource.remember_prefix(text),
                    Affix::Suffix(text) => resource.remember_suffix(text),
                }
                resource.remember_id();
            }
            add_affix(resource.node_mut(), spec, affix).map_err(|e| blame(e, resource))?;
        }
        resource.settle_links();
    }
    Ok(())
}

fn images(map: &mut ResMap, image: &Image, fields: &FieldSpecs) -> Result<(), Error> {
    let change = ImageChange::new(image);
    for resource in map {
        if !resource.node().is_null() {
            syntax::check_any_metadata(resource.node(), resource.record.is_visible())?;
        }
        change
            .apply(resource.node_mut(), &fields.0)
            .map_err(|e| blame(e, resource))?;
        resource.settle_links();
    }
    Ok(())
}

fn is_cluster_scoped(gvk: &Gvk, schema: &Schema) -> bool {
    gvk.is_cluster_scoped() || schema.is_namespaced(&gvk.api_version(), &gvk.kind) == Some(false)
}

fn namespace(map: &mut ResMap, step: &NamespaceStep, schema: &Schema) -> Result<(), Error> {
    if step.namespace.text.is_empty() {
        return Ok(());
    }
    let set = SetNamespace {
        namespace: &step.namespace,
        specs: &step.fields.0,
        unset_only: step.unset_only,
        subjects: step.subjects,
    };
    for resource in map.iter_mut().filter(|resource| !resource.is_empty()) {
        resource.remember_id();
        let cluster_scoped = is_cluster_scoped(resource.gvk(), schema);
        set.apply(resource.node_mut(), cluster_scoped)
            .map_err(|e| blame(e, resource))?;
        resource.settle_links();
    }
    let mut seen = FxHashSet::default();
    for resource in map.iter().filter(|resource| !resource.is_empty()) {
        if !seen.insert(key(resource.id())) {
            return Err(Error::new(eco_format!(
                "namespace transformation produces ID conflict: {}",
                resource.id()
            ))
            .at(resource.node().span));
        }
    }
    Ok(())
}

fn replicas(map: &mut ResMap, replica: &Replica, fields: &FieldSpecs) -> Result<(), Error> {
    let span = replica.span.unwrap_or(Span::NONE);
    let mut found = false;
    for spec in &fields.0 {
        let named = |id: &ResId| id.name == replica.name && spec.gvk.selects(&id.gvk);
        for at in map.with_any_id(named) {
            found = true;
            if let Some(resource) = map.get_mut(at) {
                set_count(resource.node_mut(), spec, replica.count, span)
                    .map_err(|e| blame(e, resource))?;
                resource.settle_links();
            }
        }
    }
    if found {
        return Ok(());
    }
    let types: Vec<String> = fields.0.iter().map(|spec| spec.gvk.to_string()).collect();
    Err(Error::new(eco_format!(
        "resource with name {} does not match a config with the following GVK [{}]",
        replica.name,
        types.join(" ")
    ))
    .at(span))
}

fn value_add(map: &mut ResMap, step: &ValueAddStep, schema: &Schema) -> Result<(), Error> {
    for target in &step.targets {
        let selected = match &target.selector {
            Some(selector) => map.select(selector)?,
            None => (0..map.len()).collect(),
        };
        for at in selected {
            let Some(resource) = map.get_mut(at) else {
                continue;
            };
            let cluster_scoped = is_cluster_scoped(resource.gvk(), schema);
            let node = resource.node_mut();
            let result = if target.field_path == "metadata/namespace" {
                let set = SetNamespace {
                    namespace: &step.value,
                    specs: &[],
                    unset_only: false,
                    subjects: Subjects::default(),
                };
                set.apply(node, cluster_scoped)
            } else {
                let position = usize::try_from(target.position).unwrap_or(0);
                add_value(node, &step.value, &target.field_path, position)
            };
            result.map_err(|e| blame(e, resource))?;
            resource.settle_links();
        }
    }
    Ok(())
}

fn strategic_merge(
    map: &mut ResMap,
    step: &StrategicMergeStep,
    schema: &Schema,
) -> Result<(), Error> {
    if let Some(target) = &step.target {
        let patch = match step.patches.as_slice() {
            [] => return Ok(()),
            [patch] => patch,
            _ => {
                return Err(Error::new(eco_format!(
                    "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {}",
                    step.source
                )));
            }
        };
        let selected = map.select(target).map_err(|e| {
            e.during(eco_format!(
                "unable to find patch target {:?} in `resources`",
                target.to_string()
            ))
        })?;
        return patch_selected(map, &selected, patch, schema);
    }
    for patch in &step.patches {
        let id = patch.original_id();
        let at = map.patch_target(&id).map_err(|e| {
            let e = e.at(patch.node().span);
            if step.modern {
                e.during(eco_format!(
                    "no resource matches strategic merge patch {:?}",
                    id.to_string()
                ))
            } else {
                e
            }
        })?;
        if step.modern {
            if let Some(resource) = map.get_mut(at) {
                merge(resource, patch, patch.node().clone(), schema)?;
            }
        } else {
            patch_selected(map, &[at], patch, schema)?;
        }
    }
    Ok(())
}

/// Lays one patch over several objects. Those that a patch deletes go; two of
/// one identity fail.
fn patch_selected(
    map: &mut ResMap,
    selected: &[usize],
    patch: &Resource,
    schema: &Schema,
) -> Result<(), Error> {
    if selected.is_empty() {
        return Ok(());
    }
    let node = with_text_metadata(patch);
    for at in selected {
        let Some(resource) = map.get_mut(*at) else {
            continue;
        };
        let mut node = node.clone();
        let api_version = resource.gvk().api_version();
        scalar::set_field(&mut node, "kind", &patch.gvk().kind);
        scalar::set_field(&mut node, "apiVersion", &api_version);
        merge(resource, patch, node, schema)?;
        // Written as nothing at all, a missing API version becomes null.
        if api_version.is_empty() && !resource.is_empty() {
            resource.node_mut().insert("apiVersion", Node::null());
        }
    }
    map.drop_empty();
    let resources = map.take();
    map.extend(resources)
}

/// The patch with the values of its labels and annotations as text, null
/// included: what selects its targets goes through a map of strings.
fn with_text_metadata(patch: &Resource) -> Node {
    let mut node = patch.node().clone();
    scalar::make_text(&mut node, "labels");
    scalar::make_text(&mut node, "annotations");
    node
}

/// Lays a patch over one object, whose identity stays unless the patch may
/// change it.
fn merge(
    resource: &mut Resource,
    patch: &Resource,
    node: Node,
    schema: &Schema,
) -> Result<(), Error> {
    let id = resource.id().clone();
    if patch.record.allow_name_change || patch.record.allow_kind_change {
        resource.remember_id();
    }
    // A patch that asks to take the place of the whole object has no effect: the
    // reference implementation forgets to write the result back.
    let places = Places::of(resource.node());
    if node.str_at(&["$patch"]) == Some("replace") {
        places.keep_identity(resource.node_mut(), &id, &patch.record);
        return Ok(());
    }
    let forgets = drops_annotations(&node);
    let old = std::mem::replace(resource.node_mut(), Node::null());
    let merged = Merge::new(schema)
        .apply(old, node)
        .map_err(|e| e.at(patch.node().span))?;
    let Some(merged) = merged else {
        resource.delete();
        return Ok(());
    };
    *resource.node_mut() = merged.at(places.object);
    if resource.is_empty() {
        return Ok(());
    }
    places.keep_identity(resource.node_mut(), &id, &patch.record);
    let record = &mut resource.record;
    if forgets {
        *record = Record {
            vars: std::mem::take(&mut record.vars),
            links: std::mem::take(&mut record.links),
            ..Record::default()
        };
    }
    resource.settle_links();
    Ok(())
}

/// Where an object and what identifies it stood before a patch.
struct Places {
    object: Span,
    kind: Option<Span>,
    name: Option<Span>,
    namespace: Option<Span>,
}

impl Places {
    fn of(node: &Node) -> Self {
        let span = |path: &[&str]| node.path(path).map(|node| node.span);
        Places {
            object: node.span,
            kind: span(&["kind"]),
            name: span(&["metadata", "name"]),
            namespace: span(&["metadata", "namespace"]),
        }
    }

    /// Writes name, namespace and kind back, each where it stood, unless the
    /// patch may change it. The namespace never changes.
    fn keep_identity(&self, node: &mut Node, id: &ResId, patch: &Record) {
        if !patch.allow_kind_change {
            scalar::set_field(node, "kind", &id.gvk.kind);
            place(node.get_mut("kind"), self.kind);
        }
        let mut keep = |field: &str, text: &str, span: Option<Span>| {
            scalar::set_metadata(node, field, text);
            place(
                node.get_mut("metadata").and_then(|m| m.get_mut(field)),
                span,
            );
        };
        if !patch.allow_name_change {
            keep("name", &id.name, self.name);
        }
        if !id.namespace.is_empty() {
            keep("namespace", &id.namespace, self.namespace);
        } else if let Some(metadata) = node.get_mut("metadata") {
            metadata.remove("namespace");
        }
    }
}

fn place(node: Option<&mut Node>, span: Option<Span>) {
    if let (Some(node), Some(span)) = (node, span) {
        node.span = span;
    }
}

/// Whether a patch takes all annotations of its target away, and with them what
/// the reference implementation keeps in them.
fn drops_annotations(patch: &Node) -> bool {
    let replaces = |node: &Node| matches!(node.str_at(&["$patch"]), Some("replace" | "delete"));
    let metadata = patch.get("metadata");
    let annotations = patch.path(&["metadata", "annotations"]);
    metadata.is_some_and(|node| node.is_null() || replaces(node))
        || annotations.is_some_and(|node| node.is_null() || replaces(node))
}

fn json_patch(map: &mut ResMap, step: &JsonPatchStep) -> Result<(), Error> {
    let Some(target) = &step.target else {
        return Err(Error::new(eco_format!(
            "must specify a target for JSON patch {}",
            step.source
        )));
    };
    for at in map.select(target)? {
        let Some(resource) = map.get_mut(at) else {
            continue;
        };
        if step.remembers {
            resource.remember_id();
        }
        if resource.record.is_visible() {
            show_annotations(resource);
        }
        json_patch::apply(resource, step.operations.items()).map_err(|e| blame(e, resource))?;
        hide_annotations(resource);
    }
    Ok(())
}

/// The reference implementation keeps what it remembers in annotations. So a
/// patch finds `metadata.annotations` whether the file has any or not, and takes
/// the tracking annotations away when it replaces them all; those that are only
/// for the build are put back.
fn show_annotations(resource: &mut Resource) {
    let tracked = [
        (ORIGIN, resource.record.origin.is_some()),
        (TRANSFORMATIONS, !resource.record.transformations.is_empty()),
    ];
    let node = resource.node_mut();
    if node.path(&["metadata", "annotations"]).is_none()
        && let Some(metadata) = node.get_mut("metadata")
    {
        metadata.insert("annotations", Node::map::<&str>([]));
    }
    let annotations = node
        .get_mut("metadata")
        .and_then(|m| m.get_mut("annotations"));
    if let Some(annotations) = annotations {
        for (key, _) in tracked.iter().filter(|(_, is_there)| *is_there) {
            annotations.insert(key, Node::string(""));
        }
    }
}

/// Undoes [`show_annotations`]; what the patch took away is forgotten.
fn hide_annotations(resource: &mut Resource) {
    if resource.record.origin.is_none() {
        return;
    }
    let mut take = |key: &str| {
        let annotations = resource
            .node_mut()
            .get_mut("metadata")
            .and_then(|metadata| metadata.get_mut("annotations"));
        annotations.is_some_and(|annotations| annotations.remove(key).is_some())
    };
    let (origin, transformations) = (take(ORIGIN), take(TRANSFORMATIONS));
    if !origin {
        resource.record.origin = None;
    }
    if !transformations {
        resource.record.transformations.clear();
    }
}

impl Item {
    /// A text that no file holds.
    pub(crate) fn made(text: impl Into<ecow::EcoString>) -> Self {
        Item {
            text: text.into(),
            span: Span::NONE,
        }
    }
}
