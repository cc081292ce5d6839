//! What the walk goes on with: everything in a component's objects that makes
//! other components, sources or values.

use std::sync::Arc;

use ecow::EcoString;
use model::{ComponentKey, Object, Problem};
use yaml::Node;

use crate::artifact_generator::{Output, outputs};
use crate::instance::Instance;
use crate::source::definition::Definition;
use crate::spec::component_key;
use crate::walk::values::Provider;

/// What a component's objects make.
#[derive(Default)]
pub(crate) struct Extract {
    /// Components, in the objects' order.
    pub components: Vec<(ComponentKey, Arc<Object>)>,
    /// Sources.
    pub sources: Vec<Definition>,
    /// ExternalArtifacts of generators.
    pub outputs: Vec<Output>,
    /// ConfigMaps and Secrets.
    pub values: Vec<Provider>,
    /// What definitions make the cluster serve: `group/version` and
    /// `group/version/Kind`.
    pub apis: Vec<String>,
    /// What is said about Flux itself.
    pub flux: FluxHints,
    /// What is not modelled.
    pub gaps: Vec<Problem>,
}

/// What a repository's own objects say about its Flux.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FluxHints {
    /// The release, possibly a range.
    pub version: Option<EcoString>,
    /// The feature gate `StrictPostBuildSubstitutions`.
    pub strict: Option<bool>,
}

impl FluxHints {
    /// Takes over what is not known yet.
    pub fn or(&mut self, other: &FluxHints) {
        self.version = self.version.take().or_else(|| other.version.clone());
        self.strict = self.strict.or(other.strict);
    }
}

/// Extracts from objects in order.
pub(crate) fn extract(objects: &[Arc<Object>]) -> Extract {
    let mut extract = Extract::default();
    for object in objects {
        extract.add(object);
    }
    extract
}

impl Extract {
    fn add(&mut self, object: &Arc<Object>) {
        if let Some(key) = component_key(object) {
            self.components.push((key, object.clone()));
        }
        if let Some(definition) = Definition::read(object) {
            self.flux.or(&manifests(&definition));
            self.sources.push(definition);
        }
        self.apis.extend(super::apis::brought(object));
        if let Some(provider) = Provider::of(object) {
            self.values.push(provider);
        }
        for output in outputs(object).into_iter().flatten() {
            if let Some((what, span)) = &output.gap {
                self.gaps.push(Problem::RenderGap {
                    what: what.clone(),
                    span: *span,
                });
            }
            self.outputs.push(output);
        }
        if let Some(instance) = instance(object) {
            self.add_instance(object, instance);
        }
        self.flux.or(&hints(object));
        self.gaps.extend(super::gaps::gap(object));
    }

    /// A FluxInstance makes the bootstrap's source and Kustomization.
    fn add_instance(&mut self, object: &Object, instance: Instance) {
        self.flux.or(&FluxHints {
            version: instance.version,
            strict: gate(&object.node),
        });
        let Some(sync) = instance.sync else {
            return;
        };
        if let Some(span) = sync.unpatched {
            self.gaps.push(Problem::RenderGap {
                what: "patches of a FluxInstance that may change what its sync makes".into(),
                span,
            });
        }
        let kustomization = Arc::new(sync.kustomization);
        if let Some(key) = component_key(&kustomization) {
            self.components.push((key, kustomization));
        }
        self.sources
            .extend(Definition::read(&Arc::new(sync.source)));
    }
}

fn instance(object: &Object) -> Option<Instance> {
    Instance::of_object(object).or_else(|| {
        component_key(object)?;
        let values = object.node.path(&["spec", "values"])?;
        let target = object.node.str_at(&["spec", "targetNamespace"]);
        let namespace = target.map_or_else(|| object.identity.namespace.clone(), EcoString::from);
        Instance::of_values(values, &namespace)
    })
}

/// The release that a source of Flux's own manifests is tagged with.
fn manifests(definition: &Definition) -> FluxHints {
    let url = definition.url.as_deref().unwrap_or_default();
    let url = url.trim_end_matches('/').trim_end_matches(".git");
    let tag = definition.reference.as_deref().unwrap_or_default();
    let tag = tag.strip_prefix("refs/tags/").unwrap_or(tag);
    let manifests = match definition.key.kind.as_str() {
        "OCIRepository" => url.ends_with("/flux-manifests"),
        "GitRepository" => url.ends_with("/fluxcd/flux2"),
        _ => false,
    };
    let flux = manifests && (tag.starts_with("v2.") || tag.starts_with("v0."));
    FluxHints {
        version: flux.then(|| tag.into()),
        strict: None,
    }
}

/// The labels and flags of Flux's own manifests.
fn hints(object: &Object) -> FluxHints {
    if object.label("app.kubernetes.io/part-of") != Some("flux") {
        return FluxHints::default();
    }
    let version = object.label("app.kubernetes.io/version");
    let controller =
        object.identity.kind == "Deployment" && object.identity.name == "kustomize-controller";
    FluxHints {
        version: version
            .filter(|version| version.starts_with("v2.") || version.starts_with("v0."))
            .map(EcoString::from),
        strict: if controller { gate(&object.node) } else { None },
    }
}

/// The value of the strictness gate in any text below a node: a controller's
/// argument, or the text of a patch that adds it.
fn gate(node: &Node) -> Option<bool> {
    const GATE: &str = "StrictPostBuildSubstitutions=";
    if let Some(text) = node.text() {
        let value = text.split_once(GATE)?.1;
        return Some(value.starts_with("true"));
    }
    let entries = node.entries().iter().map(|entry| &entry.value);
    entries.chain(node.items()).find_map(gate)
}
