//! Limits on time.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Duration, Spanned};

/// Limits and figures of the timing analysis.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timing {
    /// The longest time a bootstrap from an empty cluster may take. Above it,
    /// FL-T100 is an error.
    #[serde(default)]
    pub max_bootstrap_bound: Option<Spanned<Duration>>,
    /// The same as `controllers.requeueDependency`, which wins.
    #[serde(default)]
    pub dependency_requeue: Option<Spanned<Duration>>,
    /// The share of the bound from which one component counts as dominant,
    /// between 0 and 1. Default 0.4.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub dominant_share: Option<Spanned<f64>>,
}
