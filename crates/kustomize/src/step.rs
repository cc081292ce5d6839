//! One change of a build's objects, configured and ready to run: what a field of
//! a kustomization file or a built-in transformer asks for.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use yaml::Node;

use crate::accumulate::Target;
use crate::decode;
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs, FieldTables};
use crate::kustomization::{
    HelmChart, Image, Item, Kustomization, Label, Pairs, Patch, Replacement, ReplacementSource,
    Replica,
};
use crate::load::Loader;
use crate::origin::Origin;
use crate::resource::Resource;
use crate::selector::Selector;
use crate::syntax;
use crate::transform::namespace::Subjects;

/// A configured transformer.
pub(crate) enum Step {
    Annotations(Pairs, FieldSpecs),
    Hash,
    Image(Image, FieldSpecs),
    JsonPatch(JsonPatchStep),
    Labels(Pairs, FieldSpecs),
    Namespace(NamespaceStep),
    Prefix(EcoString, FieldSpecs),
    Replacements(Vec<Replacement>),
    Replica(Replica, FieldSpecs),
    StrategicMerge(StrategicMergeStep),
    Suffix(EcoString, FieldSpecs),
    ValueAdd(ValueAddStep),
}

/// A change of namespace.
#[derive(Clone, Debug)]
pub(crate) struct NamespaceStep {
    pub namespace: Item,
    pub fields: FieldSpecs,
    pub unset_only: bool,
    pub subjects: Subjects,
}

/// A JSON patch.
pub(crate) struct JsonPatchStep {
    /// What it is for.
    pub target: Option<Selector>,
    /// The operations: a list of objects.
    pub operations: Node,
    /// How messages name the patch.
    pub source: EcoString,
    /// Whether the identity of what it changes is remembered: so do patches of
    /// `patches`, and not those of `patchesJson6902`.
    pub remembers: bool,
}

/// One or more strategic-merge patches.
pub(crate) struct StrategicMergeStep {
    pub patches: Vec<Resource>,
    /// What they are for; without it, each names its target.
    pub target: Option<Selector>,
    /// How messages name the patch.
    pub source: EcoString,
    /// Whether it stands in `patches`, which words its failures differently.
    pub modern: bool,
}

/// A value to put into fields.
#[derive(Clone, Debug)]
pub(crate) struct ValueAddStep {
    pub value: Item,
    pub targets: Vec<ValueAddTarget>,
}

/// Where [`ValueAddStep`] puts its value.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueAddTarget {
    /// The objects; all without it.
    pub selector: Option<Selector>,
    /// The field, its parts joined by `/`.
    pub field_path: EcoString,
    /// Above 0, the place in the file path that the field holds.
    pub position: i64,
}

impl Step {
    /// An entry of `patches`: strategic merge or JSON, whichever it parses as.
    pub fn patch(patch: &Patch, loader: &Loader<'_>) -> Result<Self, Error> {
        load_patch(patch, loader).map_err(|error| at_entry(error, patch))
    }

    /// Entries of `patchesStrategicMerge`, or the inline text of the plugin.
    pub fn strategic_merge(
        entries: &[Item],
        inline: Option<&Item>,
        loader: &Loader<'_>,
    ) -> Result<Self, Error> {
        if entries.is_empty() && inline.is_none() {
            return Err(Error::new("empty file path and empty patch content"));
        }
        let mut patches = Vec::new();
        for entry in entries {
            // An entry is the patch itself if it parses, else the path of one.
            let objects = match loader.inline_objects(entry) {
                Ok(objects) => objects,
                Err(_) => loader.objects(entry).map_err(|e| e.at(entry.span))?,
            };
            patches.extend(resources(&objects));
        }
        if let Some(inline) = inline {
            patches.extend(resources(&loader.inline_objects(inline)?));
        }
        if patches.is_empty() {
            let paths: Vec<&str> = entries.iter().map(|item| item.text.as_str()).collect();
            return Err(Error::new(eco_format!(
                "patch appears to be empty; files=[{}], Patch={}",
                paths.join(" "),
                inline.map_or("", |item| item.text.as_str())
            )));
        }
        Ok(Step::StrategicMerge(StrategicMergeStep {
            patches,
            target: None,
            source: EcoString::new(),
            modern: false,
        }))
    }

    /// An entry of `patchesJson6902`.
    pub fn json_patch(patch: &Patch, loader: &Loader<'_>) -> Result<Self, Error> {
        load_json_patch(patch, loader).map_err(|error| at_entry(error, patch))
    }

    /// Entries of `replacements`, files among them read.
    pub fn replacements(sources: &[ReplacementSource], loader: &Loader<'_>) -> Result<Self, Error> {
        let mut list = Vec::new();
        for source in sources {
            match source {
                ReplacementSource::Inline(replacement) => list.push(replacement.clone()),
                ReplacementSource::Path(path) => {
                    let read = || {
                        let (id, text) = loader.text(path)?;
                        crate::kustomization::replacements(&syntax::json(&text, id)?)
                    };
                    list.extend(read().map_err(|e: Error| e.at(path.span))?);
                }
            }
        }
        Ok(Step::Replacements(list))
    }
}

fn resources(objects: &Arc<[Node]>) -> impl Iterator<Item = Resource> + '_ {
    objects.iter().map(|node| Resource::new(node.clone()))
}

fn at_entry(error: Error, patch: &Patch) -> Error {
    match patch.span {
        Some(span) => error.at(span),
        None => error,
    }
}

fn load_patch(patch: &Patch, loader: &Loader<'_>) -> Result<Step, Error> {
    // The reference implementation trims the inline text before it looks, and a
    // block scalar at its end loses its last line break.
    let inline = patch.patch.as_ref().map(|item| Item {
        text: item.text.trim().into(),
        span: item.span,
    });
    let inline = inline.filter(|item| !item.text.is_empty());
    let (objects, operations, source) = match (&inline, &patch.path) {
        (None, None) => return Err(Error::new("must specify one of patch and path in")),
        (Some(_), Some(_)) => {
            return Err(Error::new("patch and path can't be set at the same time"));
        }
        (Some(item), None) => (
            loader.inline_objects(item),
            operations(
                &item.text,
                loader.documents().inline_text(&item.text, item.span),
                item.text.starts_with('['),
            ),
            eco_format!("[patch: {:?}]", item.text),
        ),
        (None, Some(path)) => {
            let context = |e: Error| {
                e.at(path.span).during(eco_format!(
                    "failed to get the patch file from path({})",
                    path.text
                ))
            };
            let (id, text) = loader.text(path).map_err(context)?;
            (
                loader.objects(path),
                operations(&text, id, text.starts_with('[')),
                eco_format!("[path: {:?}]", path.text),
            )
        }
    };
    match (objects, operations) {
        (Ok(objects), Ok(operations)) if !objects.is_empty() && !operations.items().is_empty() => {
            Err(Error::new(eco_format!(
                "illegally qualifies as both an SM and JSON patch: {source}"
            )))
        }
        (Err(objects), Err(_)) => {
            let mut error = Error::new(eco_format!(
                "unable to parse SM or JSON patch from {source}"
            ));
            error.span = objects.span;
            Err(error)
        }
        (Ok(objects), _) => {
            let mut patches: Vec<Resource> = resources(&objects).collect();
            for resource in &mut patches {
                resource.record.allow_name_change = patch.allow_name_change;
                resource.record.allow_kind_change = patch.allow_kind_change;
                // The reference implementation notes this in an annotation, and
                // writes all of them anew as text.
                if patch.allow_name_change || patch.allow_kind_change {
                    crate::scalar::make_text(resource.node_mut(), "annotations");
                }
            }
            Ok(Step::StrategicMerge(StrategicMergeStep {
                patches,
                target: patch.target.clone(),
                source,
                modern: true,
            }))
        }
        (Err(_), Ok(operations)) => Ok(Step::JsonPatch(JsonPatchStep {
            target: patch.target.clone(),
            operations,
            source,
            remembers: true,
        })),
    }
}

/// The operations of a JSON patch, written as JSON or else as YAML. Fails on what
/// is no list of objects; null is the empty list.
fn operations(text: &str, file: yaml::FileId, is_json: bool) -> Result<Node, Error> {
    let node = if is_json {
        syntax::strict_json(text, file)?
    } else {
        syntax::json(text, file)?
    };
    if node.is_null() {
        return Ok(Node::seq([]));
    }
    if node.is_seq()
        && node
            .items()
            .iter()
            .all(|item| item.is_map() || item.is_null())
    {
        return Ok(node);
    }
    Err(match node.items().iter().find(|item| !item.is_map()) {
        Some(item) => decode::not_a(item, "jsonpatch.Operation"),
        None => decode::not_a(&node, "jsonpatch.Patch"),
    })
}

fn load_json_patch(patch: &Patch, loader: &Loader<'_>) -> Result<Step, Error> {
    let target = patch.target.clone();
    if target
        .as_ref()
        .is_none_or(|target| target.id.name.is_empty())
    {
        return Err(Error::new("must specify the target name"));
    }
    let (id, text) = match (&patch.path, &patch.patch) {
        (None, None) => return Err(Error::new("empty file path and empty jsonOp")),
        (Some(_), Some(_)) => {
            return Err(Error::new("must specify a file path or jsonOp, not both"));
        }
        (Some(path), None) => loader.text(path).map_err(|e| e.at(path.span))?,
        (None, Some(item)) => (
            loader.documents().inline_text(&item.text, item.span),
            Arc::from(item.text.as_str()),
        ),
    };
    if text.is_empty() {
        let path = patch.path.as_ref().map_or("", |path| path.text.as_str());
        return Err(Error::new(eco_format!(
            "patch file '{path}' empty seems to be empty"
        )));
    }
    let is_json = text.starts_with('[');
    let operations =
        operations(&text, id, is_json).map_err(|e| e.during(eco_format!("decoding {text}")))?;
    if operations.items().is_empty() {
        let path = patch.path.as_ref().map_or("", |path| path.text.as_str());
        // YAML is shown as the JSON that was made of it.
        let shown = match is_json {
            true => text.as_ref().into(),
            false => yaml::to_json(&operations),
        };
        return Err(Error::new(eco_format!(
            "patch appears to be empty; file={path}, JsonOp={shown}"
        )));
    }
    Ok(Step::JsonPatch(JsonPatchStep {
        target,
        operations,
        source: text.as_ref().into(),
        remembers: false,
    }))
}

/// The steps of a kustomization file, in the order kustomize runs them, and
/// what each is recorded as.
pub(crate) fn of_file(
    target: &Target<'_, '_>,
    tables: &FieldTables,
) -> Result<Vec<(Step, Option<Origin>)>, Error> {
    let file = &*target.kustomization;
    let loader = &target.loader;
    let mut steps = Vec::new();
    let mut add = |kind: &str, step: Step| steps.push((step, target.built_in_origin(kind)));
    if !file.patches_strategic_merge.is_empty() {
        let kind = "PatchStrategicMergeTransformer";
        let step = Step::strategic_merge(&file.patches_strategic_merge, None, loader);
        add(kind, step.map_err(|e| configuring(kind, e))?);
    }
    for patch in &file.patches {
        let kind = "PatchTransformer";
        add(
            kind,
            Step::patch(patch, loader).map_err(|e| configuring(kind, e))?,
        );
    }
    if let Some(namespace) = &file.namespace {
        let step = NamespaceStep {
            namespace: namespace.clone(),
            fields: tables.namespace.clone(),
            unset_only: false,
            subjects: Subjects::default(),
        };
        add("NamespaceTransformer", Step::Namespace(step));
    }
    if let Some(prefix) = &file.name_prefix {
        let step = Step::Prefix(prefix.text.clone(), tables.name_prefix.clone());
        add("PrefixTransformer", step);
    }
    if let Some(suffix) = &file.name_suffix {
        let step = Step::Suffix(suffix.text.clone(), tables.name_suffix.clone());
        add("SuffixTransformer", step);
    }
    for step in labels(file, tables)? {
        add("LabelTransformer", step);
    }
    if !file.common_annotations.is_empty() {
        let fields = tables.common_annotations.clone();
        let step = Step::Annotations(file.common_annotations.clone(), fields);
        add("AnnotationsTransformer", step);
    }
    for patch in &file.patches_json6902 {
        let kind = "PatchJson6902Transformer";
        let step = Step::json_patch(patch, loader);
        add(kind, step.map_err(|e| configuring(kind, e))?);
    }
    for replica in &file.replicas {
        let step = Step::Replica(replica.clone(), tables.replicas.clone());
        add("ReplicaCountTransformer", step);
    }
    for image in &file.images {
        let step = Step::Image(image.clone(), tables.images.clone());
        add("ImageTagTransformer", step);
    }
    if !file.replacements.is_empty() {
        let kind = "ReplacementTransformer";
        let step = Step::replacements(&file.replacements, loader);
        add(kind, step.map_err(|e| configuring(kind, e))?);
    }
    Ok(steps)
}

fn configuring(kind: &str, error: Error) -> Error {
    error.during(eco_format!("trouble configuring builtin {kind}"))
}

/// `labels`, then `commonLabels`, which runs, if only to be recorded, whenever
/// either is there.
fn labels(file: &Kustomization, tables: &FieldTables) -> Result<Vec<Step>, Error> {
    if file.labels.is_empty() && file.common_labels.is_empty() {
        return Ok(Vec::new());
    }
    let mut steps = Vec::new();
    for label in &file.labels {
        let fields = label_fields(label, tables).map_err(|e| e.during("failed to merge labels"))?;
        steps.push(Step::Labels(label.pairs.clone(), fields));
    }
    let common = file.common_labels.clone();
    steps.push(Step::Labels(common, tables.common_labels.clone()));
    Ok(steps)
}

fn label_fields(label: &Label, tables: &FieldTables) -> Result<FieldSpecs, Error> {
    let mut fields = FieldSpecs(label.fields.clone());
    fields.extend(&tables.labels)?;
    if label.include_selectors {
        fields.extend(&tables.common_labels)?;
        return Ok(fields);
    }
    if label.include_templates {
        fields
            .extend(&tables.template_labels)
            .map_err(|e| e.during("failed to merge template fieldSpec"))?;
    }
    fields.add(FieldSpec {
        path: "metadata/labels".into(),
        create: true,
        ..FieldSpec::default()
    })?;
    Ok(fields)
}

/// Charts are rendered by a program, which the controllers do not allow.
pub(crate) fn refuse_helm(chart: &HelmChart) -> Error {
    let error = configuring(
        "HelmChartInflationGenerator",
        Error::new("must specify --enable-helm"),
    );
    match chart.span {
        Some(span) => error.at(span),
        None => error,
    }
}
