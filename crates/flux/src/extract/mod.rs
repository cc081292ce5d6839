//! What the walk goes on with: everything in a component's objects that makes
//! other components, sources or values.

mod gaps;
mod hints;

use std::sync::Arc;

use ecow::EcoString;
use model::{ComponentKey, Object, Problem};

use crate::artifact_generator::{Output, outputs};
use crate::instance::Instance;
use crate::release::FluxHints;
use crate::source::definition::Definition;
use crate::spec::component_key;
use crate::values::Provider;

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
            self.flux.or(&hints::of_source(&definition));
            self.sources.push(definition);
        }
        self.apis.extend(crate::apis::brought(object));
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
        self.flux.or(&hints::of_object(object));
        self.gaps.extend(gaps::gap(object));
    }

    /// A FluxInstance makes the bootstrap's source and Kustomization.
    fn add_instance(&mut self, object: &Object, instance: Instance) {
        self.flux.or(&FluxHints {
            version: instance.version,
            strict: hints::gate(&object.node),
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
    let own = match object.identity.namespace.as_str() {
        "" => "flux-system".into(),
        namespace => EcoString::from(namespace),
    };
    Instance::of_object(object, &own).or_else(|| {
        component_key(object)?;
        let values = object.node.path(&["spec", "values"])?;
        let target = object.node.str_at(&["spec", "targetNamespace"]);
        Instance::of_values(values, &target.map_or(own, EcoString::from))
    })
}
