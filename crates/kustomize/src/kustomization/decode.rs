//! From a parsed file to a [`Kustomization`].

use ecow::{EcoString, eco_format};
use yaml::{Node, Value};

use super::{Generator, GeneratorOptions, HelmChart, Kustomization, SortOptions};
use crate::decode::{Decoder, STRICT};
use crate::error::{Cause, Error};
use crate::kustomization::parts;

const BASES: &str = "'bases' is deprecated. Please use 'resources' instead.";
const COMMON_LABELS: &str = "'commonLabels' is deprecated. Please use 'labels' instead.";
const IMAGE_TAGS: &str = "'imageTags' is deprecated. Please use 'images' instead.";
const PATCHES_JSON: &str = "'patchesJson6902' is deprecated. Please use 'patches' instead.";
const PATCHES_MERGE: &str = "'patchesStrategicMerge' is deprecated. Please use 'patches' instead.";
const VARS: &str = "'vars' is deprecated. Please use 'replacements' instead.";

/// Old fields in the order their warnings come.
const DEPRECATED: [(&str, &str, &str); 6] = [
    ("bases", BASES, ""),
    ("commonlabels", COMMON_LABELS, ""),
    ("imagetags", IMAGE_TAGS, ""),
    ("patchesjson6902", PATCHES_JSON, ""),
    ("patchesstrategicmerge", PATCHES_MERGE, ""),
    ("vars", VARS, "[EXPERIMENTAL] "),
];

/// Fields whose emptied list leaves no trace, because their entries move to the
/// field that replaced them.
const MOVED: [&str; 3] = ["bases", "imagetags", "helmchartinflationgenerator"];

/// Fields whose names have capitals, for messages.
const FIELDS: [&str; 16] = [
    "apiVersion",
    "namePrefix",
    "nameSuffix",
    "commonLabels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "imageTags",
    "sortOptions",
    "configMapGenerator",
    "secretGenerator",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "generatorOptions",
    "buildMetadata",
];

impl Kustomization {
    /// Reads a kustomization file that was parsed as YAML 1.1. Fails on unknown
    /// fields, wrong types, and when nothing but type metadata is there; does
    /// not check kind and API version (see [`Kustomization::problems`]).
    pub fn decode(node: &Node) -> Result<Self, Error> {
        let mut reader = Reader::default();
        STRICT
            .object(node, "Kustomization", |name, value| {
                reader.field(name, value)
            })
            .map_err(|e| e.during("invalid Kustomization").of(Cause::Kustomization))?;
        reader.finish()
    }

    /// What is wrong with kind and API version, line by line.
    pub fn problems(&self) -> Vec<EcoString> {
        let kind = self.kind.as_str();
        let mut problems = Vec::new();
        if !matches!(kind, "Kustomization" | "Component") {
            problems.push("kind should be Kustomization or Component".into());
        }
        let version = required_version(kind);
        if self.api_version != version {
            problems.push(eco_format!("apiVersion for {kind} should be {version}"));
        }
        problems
    }
}

fn required_version(kind: &str) -> &'static str {
    if kind == "Component" {
        "kustomize.config.k8s.io/v1alpha1"
    } else {
        "kustomize.config.k8s.io/v1beta1"
    }
}

#[derive(Default)]
struct Reader {
    result: Kustomization,
    bases: Vec<super::Item>,
    image_tags: Vec<super::Image>,
    old_charts: Vec<HelmChart>,
    seen: Vec<&'static str>,
    /// Whether anything but type metadata was set.
    filled: bool,
}

impl Reader {
    fn field(&mut self, name: &str, value: &Node) -> Result<bool, Error> {
        self.note(name, value);
        let known = FIELDS.iter().find(|known| known.eq_ignore_ascii_case(name));
        let at = eco_format!("Kustomization.{}", known.unwrap_or(&name));
        Ok(self.identity(name, value, &at)?
            || self.texts(name, value, &at)?
            || self.lists_of_paths(name, value, &at)?
            || self.changes(name, value, &at)?
            || self.generators(name, value, &at)?)
    }

    /// Remembers whether the field counts as set, and whether it is old.
    fn note(&mut self, name: &str, value: &Node) {
        if value.is_null() {
            return;
        }
        if let Some((old, ..)) = DEPRECATED.iter().find(|(old, ..)| *old == name) {
            self.seen.push(old);
        }
        let set = match &value.value {
            Value::Scalar(text) => !text.is_empty(),
            Value::Mapping(_) => true,
            Value::Sequence(items) => !MOVED.contains(&name) || !items.is_empty(),
        };
        if set && !matches!(name, "kind" | "apiversion") {
            self.filled = true;
        }
    }

    fn identity(&mut self, name: &str, value: &Node, at: &str) -> Result<bool, Error> {
        match name {
            "kind" => self.result.kind = STRICT.string(value, at)?,
            "apiversion" => self.result.api_version = STRICT.string(value, at)?,
            "metadata" => {
                let known = ["name", "namespace", "labels", "annotations"];
                STRICT.object(value, at, |name, value| {
                    let at = eco_format!("ObjectMeta.metadata.{name}");
                    if matches!(name, "labels" | "annotations") {
                        STRICT.pairs(value, &at)?;
                    } else if known.contains(&name) {
                        STRICT.string(value, &at)?;
                    }
                    Ok(known.contains(&name))
                })?;
                self.result.metadata = Some(value.clone()).filter(|value| !value.is_null());
            }
            "openapi" => self.result.openapi = STRICT.pairs(value, at)?,
            "buildmetadata" => self.result.build_metadata = STRICT.strings(value, at)?,
            "sortoptions" => self.result.sort_options = sort_options(value, at)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn texts(&mut self, name: &str, value: &Node, at: &str) -> Result<bool, Error> {
        let result = &mut self.result;
        match name {
            "nameprefix" => result.name_prefix = STRICT.optional(value, at)?,
            "namesuffix" => result.name_suffix = STRICT.optional(value, at)?,
            "namespace" => result.namespace = STRICT.optional(value, at)?,
            "commonlabels" => result.common_labels = STRICT.pairs(value, at)?,
            "commonannotations" => result.common_annotations = STRICT.pairs(value, at)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn lists_of_paths(&mut self, name: &str, value: &Node, at: &str) -> Result<bool, Error> {
        let list = match name {
            "resources" => &mut self.result.resources,
            "components" => &mut self.result.components,
            "crds" => &mut self.result.crds,
            "configurations" => &mut self.result.configurations,
            "generators" => &mut self.result.generators,
            "transformers" => &mut self.result.transformers,
            "validators" => &mut self.result.validators,
            "patchesstrategicmerge" => &mut self.result.patches_strategic_merge,
            "bases" => &mut self.bases,
            _ => return Ok(false),
        };
        *list = STRICT.items(value, at)?;
        Ok(true)
    }

    fn changes(&mut self, name: &str, value: &Node, at: &str) -> Result<bool, Error> {
        let result = &mut self.result;
        match name {
            "labels" => {
                result.labels = STRICT.list(value, at, "[]types.Label", |item| {
                    parts::label(STRICT, item)
                })?;
            }
            "patches" | "patchesjson6902" => {
                let patches = STRICT.list(value, at, "[]types.Patch", |item| {
                    parts::patch(STRICT, item)
                })?;
                if name == "patches" {
                    result.patches = patches;
                } else {
                    result.patches_json6902 = patches;
                }
            }
            "images" | "imagetags" => {
                let images = STRICT.list(value, at, "[]types.Image", |item| {
                    parts::image(STRICT, item)
                })?;
                if name == "images" {
                    result.images = images;
                } else {
                    self.image_tags = images;
                }
            }
            "replacements" => {
                result.replacements =
                    STRICT.list(value, at, "[]types.ReplacementField", |item| {
                        let source = parts::replacement_source(STRICT, item)?;
                        Ok(source.without_empty_targets())
                    })?;
            }
            "replicas" => {
                result.replicas = STRICT.list(value, at, "[]types.Replica", |item| {
                    parts::replica(STRICT, item)
                })?;
            }
            "vars" => {
                result.vars =
                    STRICT.list(value, at, "[]types.Var", |item| parts::var(STRICT, item))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn generators(&mut self, name: &str, value: &Node, at: &str) -> Result<bool, Error> {
        let result = &mut self.result;
        match name {
            "configmapgenerator" => {
                result.config_maps = STRICT.list(value, at, "[]types.ConfigMapArgs", |item| {
                    generator(STRICT, item, "ConfigMapArgs")
                })?;
            }
            "secretgenerator" => {
                result.secrets = STRICT.list(value, at, "[]types.SecretArgs", |item| {
                    generator(STRICT, item, "SecretArgs")
                })?;
            }
            "generatoroptions" => {
                result.generator_options = generator_options(STRICT, value)?;
            }
            "helmglobals" => {
                STRICT.object(value, "HelmGlobals", |name, value| {
                    STRICT.string(value, "HelmGlobals.chartHome")?;
                    Ok(matches!(name, "charthome" | "confighome"))
                })?;
                result.helm_globals = !value.is_null();
            }
            "helmcharts" => {
                result.helm_charts = STRICT.list(value, at, "[]types.HelmChart", helm_chart)?;
            }
            "helmchartinflationgenerator" => {
                self.old_charts = STRICT.list(value, at, "[]types.HelmChartArgs", |item| {
                    old_helm_chart(item)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Moves what old fields hold to where it belongs now.
    fn finish(self) -> Result<Kustomization, Error> {
        let mut result = self.result;
        if !self.filled {
            return Err(Error::new("kustomization.yaml is empty"));
        }
        if result.kind.is_empty() {
            result.kind = "Kustomization".into();
        }
        if result.api_version.is_empty() {
            result.api_version = required_version(&result.kind).into();
        }
        result.component = result.kind == "Component";
        result.resources.extend(self.bases);
        result.images.extend(self.image_tags);
        result.helm_charts.extend(self.old_charts);
        for (name, message, note) in DEPRECATED {
            if self.seen.contains(&name) {
                result.deprecations.push(eco_format!(
                    "# Warning: {message} {note}Run 'kustomize edit fix' to update your Kustomization automatically."
                ));
            }
        }
        Ok(result)
    }
}

fn sort_options(node: &Node, at: &str) -> Result<Option<SortOptions>, Error> {
    if node.is_null() {
        return Ok(None);
    }
    let mut options = SortOptions {
        span: Some(node.span),
        ..SortOptions::default()
    };
    STRICT.object(node, "SortOptions", |name, value| {
        match name {
            "order" => options.order = STRICT.string(value, at)?,
            "legacysortoptions" => {
                let (mut first, mut last) = (Vec::new(), Vec::new());
                STRICT.object(value, "LegacySortOptions", |name, value| {
                    match name {
                        "orderfirst" => first = STRICT.strings(value, at)?,
                        "orderlast" => last = STRICT.strings(value, at)?,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                options.legacy = (!value.is_null()).then_some((first, last));
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Some(options))
}

/// An entry of `configMapGenerator` or `secretGenerator`, or the body of such a
/// generator as a plugin.
pub(crate) fn generator(decoder: Decoder, node: &Node, kind: &str) -> Result<Generator, Error> {
    let mut result = Generator {
        span: Some(node.span),
        ..Generator::default()
    };
    let mut env = None;
    decoder.object(node, kind, |name, value| {
        let at = eco_format!("{kind}.{name}");
        match name {
            "name" => result.name = decoder.string(value, &at)?,
            "namespace" => result.namespace = decoder.string(value, &at)?,
            "behavior" => result.behavior = decoder.string(value, &at)?,
            "type" if kind == "SecretArgs" => result.secret_type = decoder.string(value, &at)?,
            "literals" => result.literals = decoder.items(value, &at)?,
            "files" => result.files = decoder.items(value, &at)?,
            "envs" => result.envs = decoder.items(value, &at)?,
            "env" => env = decoder.optional(value, &at)?,
            "options" => result.options = generator_options(decoder, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    // Only kustomization files move the old field; a plugin ignores it.
    if decoder.strict {
        result.envs.extend(env);
    }
    Ok(result)
}

fn generator_options(decoder: Decoder, node: &Node) -> Result<Option<GeneratorOptions>, Error> {
    if node.is_null() {
        return Ok(None);
    }
    let mut result = GeneratorOptions::default();
    decoder.object(node, "GeneratorOptions", |name, value| {
        let at = eco_format!("GeneratorOptions.{name}");
        match name {
            "labels" => result.labels = decoder.pairs(value, &at)?,
            "annotations" => result.annotations = decoder.pairs(value, &at)?,
            "disablenamesuffixhash" => {
                result.disable_name_suffix_hash = decoder.bool(value, &at)?;
            }
            "immutable" => result.immutable = decoder.bool(value, &at)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Some(result))
}

fn helm_chart(node: &Node) -> Result<HelmChart, Error> {
    let mut chart = HelmChart {
        span: Some(node.span),
        ..HelmChart::default()
    };
    STRICT.object(node, "HelmChart", |name, value| {
        let at = eco_format!("HelmChart.{name}");
        match name {
            "name" => chart.name = STRICT.string(value, &at)?,
            "version" | "repo" | "releasename" | "namespace" | "valuesfile" | "valuesmerge"
            | "kubeversion" | "nametemplate" => {
                STRICT.string(value, &at)?;
            }
            "additionalvaluesfiles" | "apiversions" => {
                STRICT.strings(value, &at)?;
            }
            "includecrds" | "skiphooks" | "skiptests" | "debug" | "devel" => {
                STRICT.bool(value, &at)?;
            }
            "valuesinline" => {}
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(chart)
}

fn old_helm_chart(node: &Node) -> Result<HelmChart, Error> {
    let mut chart = HelmChart {
        span: Some(node.span),
        ..HelmChart::default()
    };
    STRICT.object(node, "HelmChartArgs", |name, value| {
        let at = eco_format!("HelmChartArgs.{name}");
        match name {
            "chartname" => chart.name = STRICT.string(value, &at)?,
            "chartversion" | "chartrepourl" | "charthome" | "chartreponame" | "helmbin"
            | "helmhome" | "values" | "valuesmerge" | "releasename" | "releasenamespace" => {
                STRICT.string(value, &at)?;
            }
            "extraargs" => {
                STRICT.strings(value, &at)?;
            }
            "valueslocal" => {}
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(chart)
}
