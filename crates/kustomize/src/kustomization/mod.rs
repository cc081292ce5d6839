//! A kustomization file, typed.

use ecow::EcoString;
use yaml::{Node, Span};

use crate::field_spec::FieldSpec;
use crate::id::ResId;
use crate::selector::Selector;

mod decode;
pub(crate) mod parts;

pub(crate) use decode::generator;
pub(crate) use parts::replacements;

/// A text of the file and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The text.
    pub text: EcoString,
    /// Where it stands.
    pub span: Span,
}

/// Keys and values as text, in written order, later ones over earlier ones.
pub type Pairs = Vec<(EcoString, Item)>;

/// A kustomization or component file after the fix-ups of old fields. Absent
/// fields are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kustomization {
    /// `kind`, or its default.
    pub kind: EcoString,
    /// `apiVersion`, or its default.
    pub api_version: EcoString,
    /// Whether its kind is Component.
    pub component: bool,
    /// Any `metadata`.
    pub metadata: Option<Node>,
    /// `openapi`
    pub openapi: Pairs,
    /// `namePrefix`
    pub name_prefix: Option<Item>,
    /// `nameSuffix`
    pub name_suffix: Option<Item>,
    /// `namespace`
    pub namespace: Option<Item>,
    /// `commonLabels`
    pub common_labels: Pairs,
    /// `labels`
    pub labels: Vec<Label>,
    /// `commonAnnotations`
    pub common_annotations: Pairs,
    /// `patchesStrategicMerge`: each a path or the patch itself
    pub patches_strategic_merge: Vec<Item>,
    /// `patchesJson6902`
    pub patches_json6902: Vec<Patch>,
    /// `patches`
    pub patches: Vec<Patch>,
    /// `images`, then `imageTags`
    pub images: Vec<Image>,
    /// `replacements`
    pub replacements: Vec<ReplacementSource>,
    /// `replicas`
    pub replicas: Vec<Replica>,
    /// `vars`
    pub vars: Vec<Var>,
    /// `sortOptions`
    pub sort_options: Option<SortOptions>,
    /// `resources`, then `bases`
    pub resources: Vec<Item>,
    /// `components`
    pub components: Vec<Item>,
    /// `crds`
    pub crds: Vec<Item>,
    /// `configMapGenerator`
    pub config_maps: Vec<Generator>,
    /// `secretGenerator`
    pub secrets: Vec<Generator>,
    /// `helmCharts`, then `helmChartInflationGenerator`
    pub helm_charts: Vec<HelmChart>,
    /// Whether `helmGlobals` is set.
    pub helm_globals: bool,
    /// `generatorOptions`
    pub generator_options: Option<GeneratorOptions>,
    /// `configurations`
    pub configurations: Vec<Item>,
    /// `generators`: each a path or the object itself
    pub generators: Vec<Item>,
    /// `transformers`: each a path or the object itself
    pub transformers: Vec<Item>,
    /// `validators`: each a path or the object itself
    pub validators: Vec<Item>,
    /// `buildMetadata`
    pub build_metadata: Vec<EcoString>,
    /// Warnings about old fields, as kustomize words them.
    pub deprecations: Vec<EcoString>,
}

/// An entry of `labels`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Label {
    /// The labels.
    pub pairs: Pairs,
    /// Whether selectors get them too.
    pub include_selectors: bool,
    /// Whether pod templates get them too.
    pub include_templates: bool,
    /// Further fields that get them.
    pub fields: Vec<FieldSpec>,
}

/// An entry of `patches` or `patchesJson6902`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// A file.
    pub path: Option<Item>,
    /// The patch itself.
    pub patch: Option<Item>,
    /// What it is for.
    pub target: Option<Selector>,
    /// It may rename its target.
    pub allow_name_change: bool,
    /// It may change its target's kind.
    pub allow_kind_change: bool,
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// An entry of `images`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Image without tag, used as the body of a regular expression.
    pub name: EcoString,
    /// Replaces the image's name, when not empty.
    pub new_name: EcoString,
    /// Appended to the tag.
    pub tag_suffix: EcoString,
    /// Replaces the tag.
    pub new_tag: EcoString,
    /// Replaces tag and digest.
    pub digest: EcoString,
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// An entry of `replicas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replica {
    /// Name the workload has or had.
    pub name: EcoString,
    /// The count.
    pub count: i64,
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// An entry of `replacements`.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplacementSource {
    /// A file with one or more.
    Path(Item),
    /// One, inline.
    Inline(Replacement),
}

impl ReplacementSource {
    /// An empty list of targets as none: upstream writes what the kustomization file
    /// says down once more, without lists that are empty.
    pub(crate) fn without_empty_targets(mut self) -> Self {
        if let ReplacementSource::Inline(inline) = &mut self {
            inline.targets.take_if(|targets| targets.is_empty());
        }
        self
    }
}

/// One replacement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replacement {
    /// The object and field to copy from.
    pub source: Option<ReplacementFrom>,
    /// A literal to copy instead.
    pub source_value: Option<Item>,
    /// Where to copy to; an empty list is nowhere, none at all a fault.
    pub targets: Option<Vec<ReplacementTarget>>,
}

/// Where a replacement takes its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplacementFrom {
    /// The object; empty parts match anything.
    pub id: ResId,
    /// The field; `metadata.name` when empty.
    pub field_path: EcoString,
    /// How to read it.
    pub options: Option<FieldOptions>,
}

/// Where a replacement puts its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplacementTarget {
    /// The objects.
    pub select: Option<Selector>,
    /// The objects among them that are left alone.
    pub reject: Vec<Selector>,
    /// The fields.
    pub field_paths: Vec<EcoString>,
    /// How to write them.
    pub options: Option<FieldOptions>,
}

/// How a replacement reads or writes a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldOptions {
    /// Splits the text.
    pub delimiter: EcoString,
    /// Which part.
    pub index: i64,
    /// Not used by kustomize.
    pub encoding: EcoString,
    /// Creates the field where it is missing.
    pub create: bool,
}

/// An entry of `vars`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Var {
    /// Name, as in `$(NAME)`.
    pub name: EcoString,
    /// The object it reads from; an empty namespace matches any.
    pub object: ResId,
    /// The field as it is written; `metadata.name` when empty.
    pub field_path: EcoString,
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// `sortOptions`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SortOptions {
    /// `legacy` or `fifo`.
    pub order: EcoString,
    /// First and last kinds of the legacy order.
    pub legacy: Option<(Vec<EcoString>, Vec<EcoString>)>,
    /// Where it stands.
    pub span: Option<Span>,
}

/// An entry of `configMapGenerator` or `secretGenerator`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generator {
    /// Name without hash.
    pub name: EcoString,
    /// Namespace.
    pub namespace: EcoString,
    /// How it meets an object that is there already.
    pub behavior: EcoString,
    /// Of a Secret: its type.
    pub secret_type: EcoString,
    /// `literals`
    pub literals: Vec<Item>,
    /// `files`
    pub files: Vec<Item>,
    /// `envs`, then `env`
    pub envs: Vec<Item>,
    /// `options`
    pub options: Option<GeneratorOptions>,
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// `generatorOptions` and the `options` of one generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneratorOptions {
    /// Labels of what is generated.
    pub labels: Pairs,
    /// Annotations of what is generated.
    pub annotations: Pairs,
    /// No hash at the end of the name.
    pub disable_name_suffix_hash: bool,
    /// Sets `immutable`.
    pub immutable: bool,
}

/// A Helm chart to render: refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelmChart {
    /// Its name.
    pub name: EcoString,
    /// Where the entry stands.
    pub span: Option<Span>,
}

impl Replacement {
    /// The field a replacement or var reads when it names none.
    pub const DEFAULT_FIELD: &'static str = "metadata.name";
}

impl Var {
    /// The field it reads.
    pub fn field(&self) -> &str {
        match self.field_path.as_str() {
            "" => Replacement::DEFAULT_FIELD,
            path => path,
        }
    }

    /// Whether the object is named in one namespace only.
    pub fn is_namespaced(&self) -> bool {
        !self.object.namespace.is_empty()
    }
}
