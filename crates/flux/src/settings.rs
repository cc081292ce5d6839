//! What the walk is told from outside the repository.

use std::sync::Arc;

use config::{Config, Pattern, RepoSource};
use ecow::{EcoString, eco_format};
use model::SourceKey;
use vfs::Tree;
use yaml::Span;

use crate::engine::Engine;
use crate::mirror::Mirror;

/// What the walk is told: by `.fluxlint.yaml`, by flags, by the place the
/// repository was read from.
#[derive(Clone, Default)]
pub struct Settings {
    /// Directories to start from; none means: find them.
    pub entrypoints: Vec<EcoString>,
    /// The named entrypoints are only some of the repository's: what none of
    /// them reaches, another may.
    pub partial: bool,
    /// Sources that deliver this repository, besides the bootstrap's own.
    pub repo_source: Vec<RepoSource>,
    /// Addresses of this repository: a source with one of them is this
    /// repository.
    pub repo_urls: Vec<EcoString>,
    /// `externals.substitutions`.
    pub substitutions: Vec<ExternalSubstitution>,
    /// `externals.secrets`.
    pub secrets: Vec<ExternalSecret>,
    /// `externals.crdGroups`: groups whose APIs the cluster has, in whatever
    /// version.
    pub crd_groups: Vec<Pattern>,
    /// The Kubernetes release of each entrypoint, when told; an empty path
    /// stands for all others.
    pub kube_versions: Vec<(EcoString, EcoString)>,
    /// Whether undefined variables fail a component; decided by the Flux
    /// release when not told.
    pub strict_substitution: Option<bool>,
    /// Whether the controllers refuse remote bases.
    pub no_remote_bases: bool,
    /// Trees that stand for a source's content.
    pub overrides: Vec<SourceOverride>,
    /// Where the content of other sources and remote bases is looked up, in
    /// order.
    pub mirrors: Vec<Arc<dyn Mirror>>,
    /// The Flux release, when told.
    pub flux_version: Option<EcoString>,
    /// What stands beside the native renderers, if anything.
    pub engine: Option<Arc<dyn Engine>>,
}

impl Settings {
    /// What the configuration says. Trees are left to who can open them:
    /// [`Settings::overrides`] and [`Settings::mirrors`] stay empty.
    pub fn from_config(config: &Config) -> Self {
        let substitutions = config.externals.substitutions.iter().map(|entry| {
            let variables = entry.variables.0.iter().map(|(name, value)| {
                let value = value.as_deref().map(EcoString::from);
                (EcoString::from(name.value.as_str()), value)
            });
            ExternalSubstitution {
                kind: entry.kind.as_str().into(),
                name: entry.name.as_str().into(),
                namespace: entry.namespace.as_str().into(),
                variables: variables.collect(),
                span: entry.span,
            }
        });
        let secrets = config.externals.secrets.iter().map(|entry| ExternalSecret {
            namespace: entry.namespace.as_str().into(),
            name: entry.name.as_str().into(),
            keys: entry.keys.as_ref().map(|keys| {
                let keys = keys.value.iter();
                keys.map(|key| key.as_str().into()).collect()
            }),
        });
        let of_entrypoints = config.entrypoints.iter().filter_map(|entrypoint| {
            let version = entrypoint.kube_version.as_ref()?;
            let path = vfs::normalize(&entrypoint.path).ok()?;
            Some((path, eco_format!("{}", version.value)))
        });
        let of_all = config.kube_version.iter();
        let of_all = of_all.map(|version| (EcoString::new(), eco_format!("{}", version.value)));
        Settings {
            entrypoints: config
                .entrypoints
                .iter()
                .map(|entrypoint| entrypoint.path.as_str().into())
                .collect(),
            repo_source: config.repo_source.iter().map(|s| s.value.clone()).collect(),
            substitutions: substitutions.collect(),
            secrets: secrets.collect(),
            crd_groups: config
                .externals
                .crd_groups
                .iter()
                .map(|group| group.value.clone())
                .collect(),
            kube_versions: of_entrypoints.chain(of_all).collect(),
            strict_substitution: config
                .controllers
                .strict_substitution
                .as_ref()
                .map(|strict| strict.value),
            no_remote_bases: config
                .controllers
                .remote_bases
                .as_ref()
                .is_some_and(|allowed| !allowed.value),
            flux_version: config
                .flux_version
                .as_ref()
                .map(|version| eco_format!("{}", version.value)),
            ..Settings::default()
        }
    }
}

/// A substitution source that exists outside the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalSubstitution {
    /// `ConfigMap` or `Secret`.
    pub kind: EcoString,
    /// Name.
    pub name: EcoString,
    /// Namespace; empty stands for any.
    pub namespace: EcoString,
    /// Its variables; without a value the variable is *Unknown*.
    pub variables: Vec<(EcoString, Option<EcoString>)>,
    /// Where the entry is written.
    pub span: Span,
}

/// A Secret that exists outside the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalSecret {
    /// Its namespace.
    pub namespace: EcoString,
    /// Its name.
    pub name: EcoString,
    /// The keys it is known to hold; `None` stands for any.
    pub keys: Option<Vec<EcoString>>,
}

/// A tree that stands for the content of a source.
#[derive(Clone)]
pub struct SourceOverride {
    /// The source; an empty namespace stands for any.
    pub source: SourceKey,
    /// What it holds.
    pub tree: Tree,
}

/// Something that happened during the walk, for a progress display. Called from
/// many threads.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The walk of an entrypoint begins.
    Entrypoint(&'a str),
    /// A component was built.
    Built(&'a model::ComponentKey),
}
