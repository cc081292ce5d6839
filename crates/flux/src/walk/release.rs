//! One release, as the walk asks for it.

use std::sync::Arc;

use ecow::EcoString;
use model::{ComponentKey, HelmReleaseSpec, Problem};
use yaml::Node;

use crate::apis::Asked;
use crate::build::Outcome;
use crate::chart::{NotLoaded, Wanted};
use crate::compose::{self, Release, Request, Stop, chart_span, version_span};
use crate::engine::{ComposedRelease, Engine};
use crate::extract::extract;
use crate::values::Provided;
use crate::walk::build::{Result, state};
use crate::workspace::Workspace;

/// What a release gets.
#[derive(Clone)]
pub(crate) struct Inputs {
    /// The chart it asks for; else why Flux refuses it.
    pub chart: std::result::Result<Arc<Wanted>, EcoString>,
    /// What provides each entry of `valuesFrom`.
    pub values: Vec<Provided>,
    /// What the cluster serves.
    pub capabilities: Arc<helm::Capabilities>,
    /// The controller has Helm 3's defaults.
    pub helm3: bool,
}

impl Inputs {
    /// Whether a release comes out the same; whether the cluster serves the same
    /// only matters where the chart may ask.
    pub fn is_same(&self, other: &Inputs, asked: &Asked) -> bool {
        self.chart == other.chart
            && self.values == other.values
            && self.helm3 == other.helm3
            && (Arc::ptr_eq(&self.capabilities, &other.capabilities)
                || asked.is_answered_alike(&self.capabilities, &other.capabilities))
    }
}

/// Composes a release.
pub(crate) fn build(
    workspace: &Workspace<'_>,
    key: &ComponentKey,
    object: &Node,
    spec: &HelmReleaseSpec,
    inputs: &Inputs,
) -> Result {
    let mut asked = Asked::Nothing;
    let refused = |message: EcoString| Stop::Refused(message, chart_span(object));
    let release = match &inputs.chart {
        Err(message) => compose::stopped(refused(message.clone())),
        Ok(wanted) => match workspace.chart(wanted) {
            Err(NotLoaded::Unavailable(reason)) => compose::stopped(Stop::Unknown(reason)),
            Err(NotLoaded::Failed(reason)) => {
                compose::stopped(Stop::Failed(reason, chart_span(object)))
            }
            Err(NotLoaded::Absent(reason)) => {
                compose::stopped(Stop::Absent(reason, version_span(object)))
            }
            Err(NotLoaded::Refused(message)) => compose::stopped(refused(message)),
            Ok(loaded) => {
                let request = Request {
                    key,
                    object,
                    spec,
                    loaded: &loaded,
                    provided: &inputs.values,
                    capabilities: &inputs.capabilities,
                    helm3: inputs.helm3,
                    settings: workspace.settings,
                    texts: &workspace.texts,
                };
                let release = compose::compose(&request);
                if let Some(engine) = &workspace.settings.engine {
                    show(engine.as_ref(), &request, &release);
                }
                asked = match loaded.lists_apis {
                    true => Asked::All,
                    false => release.asked.clone(),
                };
                release
            }
        },
    };
    Result {
        extract: extract(&release.objects),
        state: state(release.outcome, release.objects),
        problems: release.problems,
        asked,
    }
}

/// Shows a release to what stands beside.
fn show(engine: &dyn Engine, request: &Request<'_>, release: &Release) {
    let object = |provided: &Provided| match provided {
        Provided::Object(object) => Some(object.clone()),
        _ => None,
    };
    let values: Vec<_> = request.provided.iter().map(object).collect();
    let message = release.problems.iter().find_map(|problem| match problem {
        Problem::Build { message, .. } => Some(message.as_str()),
        _ => None,
    });
    engine.release(&ComposedRelease {
        component: request.key,
        object: request.object,
        chart: request.loaded.package.chart(),
        values: &values,
        capabilities: request.capabilities,
        helm3: request.helm3,
        objects: match &release.outcome {
            Outcome::Rendered => Ok(&release.objects),
            Outcome::Partial(reason) | Outcome::Opaque(reason) => Err(reason),
            _ => Err(message.unwrap_or("a value is missing")),
        },
    });
}
