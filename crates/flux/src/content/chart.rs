//! From a HelmRelease to the chart it asks for.

use ecow::{EcoString, eco_format};
use model::{Reference, SourceKey};
use yaml::Node;

use crate::chart::{From, Metadata, Revision, SameTree, UNKNOWN_DIGITS, Wanted};
use crate::content::{Content, SourceTable};
use crate::placed::Placed;
use crate::source::definition::Details;
use crate::source::unsettled;
use crate::spec::{items, text};

/// What a release asks for, or why that is not known.
pub(crate) enum Resolved {
    /// This chart.
    Chart(Box<Wanted>),
    /// It cannot be had here, for this reason.
    Unavailable(EcoString),
    /// Nothing defines the source, which is this one.
    Missing(EcoString),
    /// Flux refuses the release, with these words.
    Refused(EcoString),
}

/// A HelmChart's spec, or what a release has for a template of one.
struct Template<'a> {
    spec: &'a Node,
    namespace: EcoString,
}

impl SourceTable<'_> {
    /// The chart that a release of a cluster asks for. `object` is the
    /// HelmRelease, `source` what its spec names for a source.
    pub fn chart(
        &mut self,
        cluster: &EcoString,
        object: &Node,
        source: Option<&Reference>,
    ) -> Resolved {
        let set = |path: &[&str]| object.path(path).filter(|node| !node.is_null());
        let template = set(&["spec", "chart"]);
        let reference = set(&["spec", "chartRef"]);
        let (Some(source), false) = (source, template.is_some() == reference.is_some()) else {
            return Resolved::Refused(
                "invalid Chart reference: exactly one of spec.chart or spec.chartRef must be set"
                    .into(),
            );
        };
        let key = SourceKey::from(source);
        match template.and_then(|template| template.get("spec")) {
            Some(spec) => {
                let namespace = source.namespace.clone();
                self.templated(cluster, &Template { spec, namespace })
            }
            None => self.referenced(cluster, &key),
        }
    }

    /// What a `chartRef` names.
    fn referenced(&mut self, cluster: &EcoString, key: &SourceKey) -> Resolved {
        if let Some(index) = self.workspace.override_of(key) {
            let held = self.workspace.settings.overrides.get(index);
            let Some(held) = held else {
                return missing(key);
            };
            return chart(From::Only(SameTree(self.workspace.stand_in(index, held))));
        }
        match key.kind.as_str() {
            "HelmChart" => {
                let Some(definition) = self.definition(&(cluster.clone(), key.clone())) else {
                    return missing(key);
                };
                let object = definition.object;
                let Some(spec) = object.node.get("spec") else {
                    return missing(key);
                };
                let namespace = key.namespace.clone();
                self.templated(cluster, &Template { spec, namespace })
            }
            "OCIRepository" => {
                let Some(definition) = self.definition(&(cluster.clone(), key.clone())) else {
                    return missing(key);
                };
                let Some(url) = definition.url else {
                    return Resolved::Unavailable(eco_format!("{key} has no address"));
                };
                let at = |field: &str| {
                    let path = ["spec", "ref", field];
                    text(definition.object.node.path(&path))
                };
                let revision = Revision {
                    digest: at("digest"),
                    range: at("semver"),
                    tag: at("tag"),
                    layer: match definition.details {
                        Details::Layer(layer) => Some(layer),
                        _ => None,
                    },
                };
                let parts = [&revision.digest, &revision.range, &revision.tag];
                if let Some(what) = unsettled(parts.into_iter().flatten().chain([&url])) {
                    return Resolved::Unavailable(eco_format!(
                        "the address of its source {key} holds {what}"
                    ));
                }
                Resolved::Chart(Box::new(Wanted {
                    metadata: Metadata::Digest,
                    ..wanted(From::Artifact { url, revision })
                }))
            }
            "ExternalArtifact" => match self.content(cluster, key) {
                Content::Tree(documents, _) => chart(From::Only(SameTree(documents))),
                Content::Unavailable(reason) | Content::Absent(reason) => unavailable(key, &reason),
                Content::Missing => missing(key),
            },
            kind => Resolved::Refused(eco_format!(
                "spec.chartRef.kind: Unsupported value: {kind:?}: supported values: \
                 \"OCIRepository\", \"HelmChart\", \"ExternalArtifact\""
            )),
        }
    }

    fn templated(&mut self, cluster: &EcoString, template: &Template<'_>) -> Resolved {
        let spec = template.spec;
        let asked = |path: &[&str]| text(spec.path(path)).unwrap_or_default();
        let key = SourceKey {
            kind: text(spec.path(&["sourceRef", "kind"]))
                .unwrap_or_else(|| "HelmRepository".into()),
            namespace: template.namespace.clone(),
            name: asked(&["sourceRef", "name"]),
        };
        let (name, version) = (asked(&["chart"]), asked(&["version"]));
        if let Some(what) = unsettled([&name, &version, &key.name]) {
            return Resolved::Unavailable(eco_format!("what says which chart it is holds {what}"));
        }
        let values_files: Vec<EcoString> = items(spec.get("valuesFiles"))
            .filter_map(|file| text(Some(file)))
            .collect();
        // The file that is the default anyway changes nothing.
        let values_files = match values_files.as_slice() {
            [one] if vfs::normalize(one).is_ok_and(|one| one == "values.yaml") => Vec::new(),
            _ => values_files,
        };
        let from = match self.origin(cluster, &key, name, version) {
            Ok(from) => from,
            Err(resolved) => return resolved,
        };
        let by_revision = spec.str_at(&["reconcileStrategy"]) == Some("Revision")
            && matches!(from, From::Files { .. });
        let mut metadata = Vec::new();
        if by_revision {
            metadata.push(UNKNOWN_DIGITS);
        }
        if !values_files.is_empty() {
            // The generation of the HelmChart: of a new one it is the first.
            metadata.push("1");
        }
        Resolved::Chart(Box::new(Wanted {
            from,
            values_files,
            ignore_missing: spec.get("ignoreMissingValuesFiles").and_then(Node::as_bool)
                == Some(true),
            metadata: match metadata.is_empty() {
                true => Metadata::None,
                false => Metadata::Packaged(metadata.join(".").into()),
            },
        }))
    }

    fn origin(
        &mut self,
        cluster: &EcoString,
        key: &SourceKey,
        chart: EcoString,
        version: EcoString,
    ) -> Result<From, Resolved> {
        if key.kind != "HelmRepository" {
            return match self.content(cluster, key) {
                Content::Tree(documents, _) => Ok(From::Files {
                    files: SameTree(documents),
                    path: chart,
                }),
                Content::Unavailable(reason) | Content::Absent(reason) => {
                    Err(unavailable(key, &reason))
                }
                Content::Missing => Err(missing(key)),
            };
        }
        if let Some(index) = self.workspace.override_of(key)
            && let Some(held) = self.workspace.settings.overrides.get(index)
        {
            return Ok(From::Stand {
                tree: SameTree(self.workspace.stand_in(index, held)),
                chart,
                version,
            });
        }
        let placed: Placed<SourceKey> = (cluster.clone(), key.clone());
        let Some(definition) = self.definition(&placed) else {
            return Err(missing(key));
        };
        let Some(url) = definition.url else {
            return Err(Resolved::Unavailable(eco_format!(
                "its source {key} has no address"
            )));
        };
        match unsettled([&url]) {
            Some(what) => Err(Resolved::Unavailable(eco_format!(
                "the address of its source {key} holds {what}"
            ))),
            None => Ok(From::Repository {
                url,
                chart,
                version,
            }),
        }
    }
}

fn wanted(from: From) -> Wanted {
    Wanted {
        from,
        values_files: Vec::new(),
        ignore_missing: false,
        metadata: Metadata::None,
    }
}

fn chart(from: From) -> Resolved {
    Resolved::Chart(Box::new(wanted(from)))
}

fn missing(key: &SourceKey) -> Resolved {
    Resolved::Missing(match yaml::unknown::contains(&key.name) {
        true => "its source's name holds a value that no file tells".into(),
        false => "nothing defines its source".into(),
    })
}

fn unavailable(key: &SourceKey, reason: &str) -> Resolved {
    Resolved::Unavailable(eco_format!("its source {key} is not available: {reason}"))
}
