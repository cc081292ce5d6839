//! What may stand beside the native renderers.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::{Documents, Error, Options, Output};
use model::{ComponentKey, Object};
use yaml::Node;

/// Sees what the native renderers are given and what they make of it, and says
/// what counts. Called from many threads, for a component as often as it is
/// built.
pub trait Engine: Send + Sync {
    /// A build by kustomize.
    fn kustomize(
        &self,
        build: &KustomizeBuild<'_>,
        native: Result<Output, Error>,
    ) -> Result<Output, Error>;

    /// A chart rendered for a release. Errors are Helm's words.
    fn helm(
        &self,
        render: &ChartRender<'_>,
        native: Result<helm::Output, EcoString>,
    ) -> Result<helm::Output, EcoString>;

    /// A HelmRelease, composed.
    fn release(&self, _release: &ComposedRelease<'_>) {}
}

/// What Helm is given.
#[derive(Clone, Copy)]
pub struct ChartRender<'a> {
    /// Whose release it is.
    pub component: &'a ComponentKey,
    /// The chart as its source delivers it.
    pub chart: &'a helm::Chart,
    /// The release's values, merged.
    pub values: &'a helm::Data,
    /// The release.
    pub release: &'a helm::Release,
    /// What the cluster can do.
    pub capabilities: &'a helm::Capabilities,
    /// Values need not meet the chart's schema.
    pub skip_schema: bool,
}

/// What a HelmRelease is composed of, and what comes out.
#[derive(Clone, Copy)]
pub struct ComposedRelease<'a> {
    /// Which it is.
    pub component: &'a ComponentKey,
    /// The HelmRelease.
    pub object: &'a Node,
    /// Its chart, with the default values and the version that it has there.
    pub chart: &'a helm::Chart,
    /// For each entry of `valuesFrom` the rendered object it names; `None` where
    /// there is none, though something else may stand for it.
    pub values: &'a [Option<Arc<Object>>],
    /// What the cluster can do.
    pub capabilities: &'a helm::Capabilities,
    /// The controller has Helm 3's defaults.
    pub helm3: bool,
    /// What it applies, or why Flux refuses it, or why that is not known.
    pub objects: Result<&'a [Arc<Object>], &'a str>,
}

/// What kustomize is given.
#[derive(Clone, Copy)]
pub struct KustomizeBuild<'a> {
    /// Whose build it is.
    pub component: &'a ComponentKey,
    /// The artifact, its encrypted files as the controller's key makes them.
    pub documents: &'a Documents,
    /// The directory to build.
    pub dir: &'a str,
    /// What stands in place of the directory's kustomization file.
    pub kustomization: &'a Node,
    /// How it is built.
    pub options: &'a Options,
}
