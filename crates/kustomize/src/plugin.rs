//! Built-in plugins: objects that configure one generator or transformer, named
//! by `generators`, `transformers` and `validators`. External ones are refused.

use ecow::{EcoString, eco_format};
use yaml::{Entry, Node, Span, Style, Value};

use crate::decode::{LENIENT, UNTYPED};
use crate::error::Error;
use crate::field_spec::FieldSpecs;
use crate::generate;
use crate::iam_policy::IamPolicy;
use crate::kustomization::{self, Image, Item, Pairs, Patch, Replica, parts};
use crate::load::Loader;
use crate::origin::Origin;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::scalar;
use crate::step::{NamespaceStep, Step, ValueAddStep, ValueAddTarget};
use crate::syntax;
use crate::transform::namespace::Subjects;

/// A plugin's configuration object and what its work is recorded as.
pub(crate) struct Configured {
    pub plugin: Resource,
    pub origin: Option<Origin>,
}

/// The kinds of built-in transformers.
const TRANSFORMERS: [&str; 14] = [
    "AnnotationsTransformer",
    "HashTransformer",
    "ImageTagTransformer",
    "LabelTransformer",
    "NamespaceTransformer",
    "PatchJson6902Transformer",
    "PatchStrategicMergeTransformer",
    "PatchTransformer",
    "PrefixSuffixTransformer",
    "PrefixTransformer",
    "SuffixTransformer",
    "ReplacementTransformer",
    "ReplicaCountTransformer",
    "ValueAddTransformer",
];

/// The kinds of built-in generators.
const GENERATORS: [&str; 4] = [
    "ConfigMapGenerator",
    "IAMPolicyGenerator",
    "SecretGenerator",
    HELM,
];

const HELM: &str = "HelmChartInflationGenerator";

/// A generator plugin that is configured.
pub(crate) enum Generator {
    Pairs(generate::Kind, kustomization::Generator),
    IamPolicy(IamPolicy),
}

impl Generator {
    /// Reads a plugin's configuration. All are read before any of them runs.
    pub fn configure(plugin: &Resource) -> Result<Self, Error> {
        Self::of(plugin).map_err(|error| {
            error
                .during("failed to load generator")
                .during("loading generator plugins")
                .at(plugin.node().span)
        })
    }

    fn of(plugin: &Resource) -> Result<Self, Error> {
        let kind = built_in_kind(plugin)?;
        let config = syntax::canonical(plugin.node())?;
        let pairs = |kind, go_type| pairs(kind, go_type, &config);
        let configured = match kind {
            "ConfigMapGenerator" => pairs(generate::Kind::ConfigMap, "ConfigMapArgs"),
            "SecretGenerator" => pairs(generate::Kind::Secret, "SecretArgs"),
            "IAMPolicyGenerator" => IamPolicy::of(&config).map(Generator::IamPolicy),
            HELM => return Err(refuse_helm(plugin)),
            _ => {
                let id = plugin.original_id();
                return Err(Error::new(eco_format!("plugin {id} not a generator")));
            }
        };
        configured.map_err(|error| fails_configuration(plugin, error))
    }

    /// The objects it makes.
    pub fn run(&self, loader: &Loader<'_>) -> Result<Vec<Resource>, Error> {
        match self {
            Generator::Pairs(kind, said) => Ok(vec![generate::object(*kind, said, None, loader)?]),
            Generator::IamPolicy(policy) => policy.objects(),
        }
    }
}

fn pairs(kind: generate::Kind, go_type: &str, config: &Node) -> Result<Generator, Error> {
    let mut generator = kustomization::generator(UNTYPED, config, go_type)?;
    if generator.name.is_empty() {
        generator.name = metadata(config, "name");
    }
    if generator.namespace.is_empty() {
        generator.namespace = metadata(config, "namespace");
    }
    Ok(Generator::Pairs(kind, generator))
}

fn metadata(config: &Node, field: &str) -> EcoString {
    crate::id::metadata_text(config, field)
        .unwrap_or_default()
        .into()
}

fn namespace(config: &Node) -> Item {
    let node = config.path(&["metadata", "namespace"]);
    Item {
        text: metadata(config, "namespace"),
        span: node.map_or(Span::NONE, |node| node.span),
    }
}

/// The steps of a transformer plugin, in order.
pub(crate) fn transformer(plugin: &Resource, loader: &Loader<'_>) -> Result<Vec<Step>, Error> {
    let at = |error: Error| error.at(plugin.node().span);
    let kind = built_in_kind(plugin).map_err(at)?;
    if kind == HELM {
        return Err(at(refuse_helm(plugin)));
    }
    if !TRANSFORMERS.contains(&kind) {
        return Err(at(Error::new(eco_format!(
            "plugin {} not a transformer",
            plugin.original_id()
        ))));
    }
    let config = syntax::canonical(plugin.node())?;
    steps(kind, &config, loader).map_err(|e| at(fails_configuration(plugin, e)))
}

/// The kind of a plugin that is built in. External ones fail.
fn built_in_kind(plugin: &Resource) -> Result<&str, Error> {
    let gvk = plugin.gvk();
    let kind = gvk.kind.as_str();
    if !gvk.group.is_empty() || gvk.version != "builtin" {
        return Err(Error::new(eco_format!(
            "external plugins disabled; unable to load external plugin '{}'",
            plugin.original_id().gvk.kind
        )));
    }
    if TRANSFORMERS.contains(&kind) || GENERATORS.contains(&kind) {
        return Ok(kind);
    }
    Err(Error::new(eco_format!("unable to load builtin {gvk}")))
}

/// Charts are rendered by a program, which the controllers do not allow.
fn refuse_helm(plugin: &Resource) -> Error {
    fails_configuration(plugin, Error::new("must specify --enable-helm"))
}

fn fails_configuration(plugin: &Resource, error: Error) -> Error {
    error.during(eco_format!(
        "plugin {} fails configuration",
        plugin.original_id()
    ))
}

/// The fields any transformer may be configured with.
#[derive(Default)]
struct Config {
    fields: Option<FieldSpecs>,
    pairs: Pairs,
    prefix: EcoString,
    suffix: EcoString,
    image: Image,
    replica: Replica,
    paths: Vec<Item>,
    patches: Option<Item>,
    json_op: Option<Item>,
    unset_only: bool,
    subjects: EcoString,
}

fn steps(kind: &str, node: &Node, loader: &Loader<'_>) -> Result<Vec<Step>, Error> {
    let config = read(kind, node)?;
    let fields = || config.fields.clone().unwrap_or_default();
    // Of a name transformer, no fields at all is taken for a mistake.
    let name_fields = || {
        config
            .fields
            .clone()
            .ok_or_else(|| Error::new("fieldSpecs is not expected to be nil"))
    };
    let step = match kind {
        "AnnotationsTransformer" => Step::Annotations(config.pairs.clone(), fields()),
        "LabelTransformer" => Step::Labels(config.pairs.clone(), fields()),
        "HashTransformer" => Step::Hash,
        "ImageTagTransformer" => Step::Image(config.image.clone(), fields()),
        "ReplicaCountTransformer" => Step::Replica(config.replica.clone(), fields()),
        "PrefixTransformer" => Step::Prefix(config.prefix.clone(), name_fields()?),
        "SuffixTransformer" => Step::Suffix(config.suffix.clone(), name_fields()?),
        "PrefixSuffixTransformer" => {
            let fields = name_fields()?;
            return Ok(vec![
                Step::Prefix(config.prefix.clone(), fields.clone()),
                Step::Suffix(config.suffix.clone(), fields),
            ]);
        }
        "NamespaceTransformer" => Step::Namespace(NamespaceStep {
            namespace: namespace(node),
            fields: fields(),
            unset_only: config.unset_only,
            subjects: Subjects::parse(&config.subjects).ok_or_else(|| {
                Error::new(eco_format!(
                    "invalid value {:?} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\"",
                    config.subjects
                ))
            })?,
        }),
        "PatchTransformer" => Step::patch(&parts::patch(LENIENT, node)?, loader)?,
        "PatchStrategicMergeTransformer" => {
            Step::strategic_merge(&config.paths, config.patches.as_ref(), loader)?
        }
        "PatchJson6902Transformer" => {
            let mut patch: Patch = parts::patch(LENIENT, node)?;
            patch.patch = config.json_op.clone();
            Step::json_patch(&patch, loader)?
        }
        "ReplacementTransformer" => {
            let list = node.get("replacements");
            let list = list.map_or(&[][..], Node::items);
            let sources = list.iter().map(|item| parts::replacement_source(LENIENT, item));
            Step::replacements(&sources.collect::<Result<Vec<_>, _>>()?, loader)?
        }
        _ => value_add(node, loader)?,
    };
    Ok(vec![step])
}

/// The value and where it goes, targets of a file included.
fn value_add(node: &Node, loader: &Loader<'_>) -> Result<Step, Error> {
    let mut value = None;
    let mut file = None;
    let mut targets = Vec::new();
    LENIENT.object(node, "ValueAddTransformer", |name, field| {
        let at = eco_format!("ValueAddTransformer.{name}");
        match name {
            "value" => value = LENIENT.optional(field, &at)?,
            "targets" => targets = value_targets(field)?,
            "targetfilepath" => file = LENIENT.optional(field, &at)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let value = match value.filter(|item| !item.text.trim().is_empty()) {
        Some(item) => Item {
            text: item.text.trim().into(),
            span: item.span,
        },
        None => Item::made(loader.root().rsplit('/').next().unwrap_or_default()),
    };
    if let Some(file) = file {
        let (id, text) = loader.text(&file)?;
        let document = syntax::json(&text, id)?;
        if let Some(list) = document.get("targets") {
            targets.extend(value_targets(list)?);
        }
    }
    if targets.is_empty() {
        return Err(Error::new("must specify at least one target"));
    }
    for target in &targets {
        if target.field_path.is_empty() {
            return Err(Error::new("fieldPath cannot be empty"));
        }
        if target.position < 0 {
            return Err(Error::new(eco_format!(
                "value of FilePathPosition ({}) cannot be negative",
                target.position
            )));
        }
    }
    Ok(Step::ValueAdd(ValueAddStep { value, targets }))
}

fn value_targets(node: &Node) -> Result<Vec<ValueAddTarget>, Error> {
    LENIENT.list(
        node,
        "ValueAddTransformer.targets",
        "[]main.Target",
        |item| {
            let mut target = ValueAddTarget::default();
            LENIENT.object(item, "Target", |name, value| {
                let at = eco_format!("Target.{name}");
                match name {
                    "selector" => target.selector = parts::selector(LENIENT, value)?,
                    "fieldpath" => target.field_path = LENIENT.string(value, &at)?,
                    "filepathposition" => target.position = LENIENT.int(value, &at, "int")?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
            Ok(target)
        },
    )
}

fn read(kind: &str, node: &Node) -> Result<Config, Error> {
    let mut config = Config::default();
    LENIENT.object(node, kind, |name, value| {
        let at = eco_format!("{kind}.{name}");
        match name {
            "fieldspecs" => {
                let specs = parts::field_specs(LENIENT, value, &at)?;
                config.fields = Some(specs).filter(|_| !value.is_null());
            }
            "labels" | "annotations" => config.pairs = LENIENT.pairs(value, &at)?,
            "prefix" => config.prefix = LENIENT.string(value, &at)?,
            "suffix" => config.suffix = LENIENT.string(value, &at)?,
            "imagetag" => config.image = parts::image(LENIENT, value)?,
            "replica" => config.replica = parts::replica(LENIENT, value)?,
            "paths" => config.paths = LENIENT.items(value, &at)?,
            "patches" => config.patches = LENIENT.optional(value, &at)?,
            "jsonop" => config.json_op = LENIENT.optional(value, &at)?,
            "unsetonly" => config.unset_only = LENIENT.bool(value, &at)?,
            "setrolebindingsubjects" => config.subjects = LENIENT.string(value, &at)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(config)
}

/// The label a validator may leave behind.
const VALIDATED_BY: &str = "validated-by";

/// Whether a validator left everything as it was, but for its label. The
/// reference implementation takes that label away again by writing all labels
/// anew, and then finds any others changed that were not written like that.
pub(crate) fn is_unchanged(before: &ResMap, after: &ResMap) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(before, after)| {
            before.record == after.record
                && without_label(after.node()).is_some_and(|after| {
                    let (before, after) = (scalar::sorted(before.node()), scalar::sorted(&after));
                    before == after && stands_as_before(&before, &after)
                })
        })
}

/// Whether the scalars of two equal trees stand in the same places: what a patch
/// writes again is another node to the reference implementation.
fn stands_as_before(before: &Node, after: &Node) -> bool {
    match (&before.value, &after.value) {
        (Value::Scalar(_), _) => before.span == after.span && before.tagging == after.tagging,
        (Value::Sequence(before), Value::Sequence(after)) => {
            let mut pairs = before.iter().zip(after);
            pairs.all(|(before, after)| stands_as_before(before, after))
        }
        (Value::Mapping(before), Value::Mapping(after)) => {
            let mut pairs = before.iter().zip(after);
            pairs.all(|(before, after)| stands_as_before(&before.value, &after.value))
        }
        _ => false,
    }
}

/// The object without the validator's label; `None` when labels are left that
/// are not as they would be written anew.
fn without_label(node: &Node) -> Option<Node> {
    let mut node = node.clone();
    let labels = node.path(&["metadata", "labels"]);
    if labels.is_none_or(|labels| labels.get(VALIDATED_BY).is_none()) {
        return Some(node);
    }
    let metadata = node.get_mut("metadata")?;
    let labels = metadata.get_mut("labels")?;
    labels.remove(VALIDATED_BY);
    if labels.entries().is_empty() {
        metadata.remove("labels");
        return Some(node);
    }
    // A transformer that adds a label places key and value alike.
    let added =
        |entry: &Entry| entry.key.span == entry.value.span && entry.value.style == Style::Plain;
    let keys = labels.entries().iter().map(|entry| entry.key.text());
    let as_written = labels.entries().iter().all(added) && keys.is_sorted();
    as_written.then_some(node)
}
