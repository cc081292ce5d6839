//! How Flux's controllers are run.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Duration, Spanned};

/// How Flux's controllers are run where they are not run as a plain install
/// runs them. What is left out is read from `gotk-components.yaml` or the
/// FluxInstance, and else is the controllers' own default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Controllers {
    /// `--concurrent`: how many objects a controller works on at once.
    #[serde(default)]
    pub concurrent: Option<Concurrency>,
    /// `--requeue-dependency`: how long a component waits before it looks again
    /// at dependencies that were not ready. Default 30s.
    #[serde(default)]
    pub requeue_dependency: Option<Spanned<Duration>>,
    /// The feature gate `StrictPostBuildSubstitutions`: whether a variable
    /// without a value fails the component. Left out: what the release of Flux
    /// does by itself; recent ones are strict.
    #[serde(default)]
    pub strict_substitution: Option<Spanned<bool>>,
    /// Whether a kustomization may name remote bases; false for controllers run
    /// with `--no-remote-bases=true`. Default true.
    #[serde(default)]
    pub remote_bases: Option<Spanned<bool>>,
}

/// `--concurrent` of each controller. Default 4, for source-controller 2.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Concurrency {
    /// kustomize-controller.
    #[serde(default)]
    pub kustomize: Option<Spanned<u32>>,
    /// helm-controller.
    #[serde(default)]
    pub helm: Option<Spanned<u32>>,
    /// source-controller.
    #[serde(default)]
    pub source: Option<Spanned<u32>>,
}
