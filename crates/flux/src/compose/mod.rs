//! One HelmRelease, composed as helm-controller 1.6 composes it: from a chart
//! and values to the objects it would apply.
//!
//! The steps, in the controller's order: values are gathered and laid over each
//! other; definitions of the chart's `crds/` are taken; the chart is rendered
//! for its first installation; what comes out goes through the post-renderers,
//! of which there is always one. What Helm adds when it applies an object (its
//! own label and annotations) is not part of it.

mod objects;
mod post_render;
mod unknown;
pub(crate) mod unread;
mod unstable;
mod values;

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use helm::{Capabilities, Data, Options, Output};
use model::{ComponentKey, Fault, HelmReleaseSpec, Object, Problem};
use sha2::{Digest, Sha256};
use yaml::{Node, Sources, Span};

use crate::Settings;
use crate::apis::Asked;
use crate::build::Outcome;
use crate::chart::Loaded;
use crate::engine::ChartRender;
use crate::values::Provided;
use values::Composed;

/// How the chart renderer speaks of functions that it does not have.
const NOT_MODELLED: &str = "is not modelled";

/// What is to be composed.
pub(crate) struct Request<'a> {
    pub key: &'a ComponentKey,
    /// The HelmRelease.
    pub object: &'a Node,
    /// The same, typed.
    pub spec: &'a HelmReleaseSpec,
    pub loaded: &'a Loaded,
    /// What provides each entry of `valuesFrom`.
    pub provided: &'a [Provided],
    pub capabilities: &'a Capabilities,
    /// The controller treats hooks as with Helm 3: they pass the
    /// post-renderers by.
    pub helm3: bool,
    pub settings: &'a Settings,
    pub texts: &'a Arc<Sources>,
}

/// What a release gives.
pub(crate) struct Release {
    pub outcome: Outcome,
    pub objects: Vec<Arc<Object>>,
    pub problems: Vec<Problem>,
    /// What the chart asked the cluster for.
    pub asked: Asked,
}

/// Why there are no objects.
pub(crate) enum Stop {
    /// Flux fails as well: its words, and the place to look at.
    Refused(EcoString, Span),
    /// There is no such chart, and the place that asks for it.
    Absent(EcoString, Span),
    /// The chart's place was asked in vain, and the place that asks for it.
    Failed(EcoString, Span),
    /// It depends on what no file tells.
    Unknown(EcoString),
}

/// Composes a release. Never fails without a problem that says why.
pub(crate) fn compose(request: &Request<'_>) -> Release {
    let mut composed = match values::compose(request) {
        Ok(composed) => composed,
        Err(values::Fault { message, span }) => return stopped(Stop::Refused(message, span)),
    };
    let mut problems = std::mem::take(&mut composed.missing);
    let missing = !problems.is_empty();
    let (result, asked) = run(request, &composed, &mut problems);
    let (outcome, objects) = match result {
        Ok(objects) if missing => (Outcome::Failed, objects),
        // What is missing may be what it fails for.
        Err(_) if missing => (Outcome::Failed, Vec::new()),
        Ok(objects) => match composed.open {
            Some(reason) => (Outcome::Partial(reason), objects),
            None => (Outcome::Rendered, objects),
        },
        Err(stop) => {
            return Release {
                asked,
                ..stopped(stop)
            };
        }
    };
    Release {
        outcome,
        objects,
        problems,
        asked,
    }
}

/// A release without objects.
pub(crate) fn stopped(stop: Stop) -> Release {
    let failed = |message, span: Span, fault| {
        let problem = Problem::Build {
            message,
            span: Some(span).filter(|span| !span.is_none()),
            fault,
            lost: Vec::new(),
        };
        (Outcome::Failed, vec![problem])
    };
    let (outcome, problems) = match stop {
        Stop::Refused(message, span) => failed(message, span, Fault::Other),
        Stop::Absent(message, span) => failed(message, span, Fault::Absent),
        Stop::Failed(reason, span) => {
            let problem = Problem::ChartUnavailable {
                reason: reason.clone(),
                span,
            };
            (Outcome::Opaque(reason), vec![problem])
        }
        Stop::Unknown(reason) => (Outcome::Opaque(reason), Vec::new()),
    };
    Release {
        outcome,
        objects: Vec::new(),
        problems,
        asked: Asked::Nothing,
    }
}

type Objects = Result<Vec<Arc<Object>>, Stop>;

/// The objects, and what the chart asked the cluster for. A chart that is
/// refused may have asked for anything.
fn run(
    request: &Request<'_>,
    composed: &Composed,
    problems: &mut Vec<Problem>,
) -> (Objects, Asked) {
    let release = helm::Release {
        name: shortened(&release_name(request.key, request.spec)).into(),
        namespace: namespace(request.key, request.spec).into(),
        revision: 1,
        is_upgrade: false,
    };
    let values = &composed.values;
    let markers = unknown::in_data(values);
    let mut asked = Asked::All;
    let skip_schema = install(request, "disableSchemaValidation");
    let mut first = render(request, &release, values, skip_schema);
    // A schema may ask for another type than the text that stands for a value.
    if markers
        && first
            .as_ref()
            .is_err_and(|error| error.to_string().starts_with(SCHEMA))
    {
        first = render(request, &release, values, true);
    }
    let looked_up = first.as_ref().is_err_and(helm::Error::looked_up);
    let first = first.map_err(|error| eco_format!("{error}"));
    let mut calls = Vec::new();
    if let Ok(output) = &first {
        asked = Asked::Single(output.apis.clone());
        problems.extend(unjudged(request, output));
        // What stands beside gives its own random text.
        if request.settings.engine.is_none() {
            calls = unstable::calls(output);
        }
    }
    let first = with_engine(request, &release, values, first)
        .map(|output| without_hooks(request, output))
        .and_then(|output| objects::objects(request, &release, output));
    let result = match first {
        Ok(mut objects) => {
            let unstable = unstable::unstable(request, &release, values, calls, &objects);
            problems.extend(unread::unread(request).into_iter().chain(unstable));
            if markers {
                objects.iter_mut().for_each(unknown::mark);
            }
            Ok(objects)
        }
        Err(message) if looked_up => Err(Stop::Unknown(eco_format!(
            "whether it renders depends on what its chart finds in the cluster: {message}"
        ))),
        Err(message) => Err(refusal(request, &release, composed, markers, message)),
    };
    (result, asked)
}

/// What Helm says first where a schema refuses values.
const SCHEMA: &str = "values don't meet the specifications of the schema";

/// Schemas that were not judged: the release may be refused for its values.
fn unjudged(request: &Request<'_>, output: &Output) -> impl Iterator<Item = Problem> {
    let span = chart_span(request.object);
    output.unjudged.iter().map(move |what| Problem::RenderGap {
        what: what.as_str().into(),
        span,
    })
}

/// What a refusal means: it may be due to a value that stands for one that no
/// file tells.
fn refusal(
    request: &Request<'_>,
    release: &helm::Release,
    composed: &Composed,
    markers: bool,
    message: EcoString,
) -> Stop {
    if message.contains(NOT_MODELLED) {
        return Stop::Unknown(message);
    }
    if let Some(reason) = &composed.open {
        return Stop::Unknown(eco_format!("{reason}; without them: {message}"));
    }
    // A chart is only packaged with all that it lists: what is at hand is not what
    // its publisher has.
    let lacking = helm::dependencies::lacking(request.loaded.package.chart(), &composed.values);
    if !lacking.is_empty() {
        return Stop::Unknown(eco_format!(
            "chart {} {} is not complete here, it lacks {}; without: {message}",
            request.loaded.name,
            request.loaded.version,
            lacking.join(", ")
        ));
    }
    let passes = |stand_in: &&str| {
        let values = unknown::replaced(&composed.values, stand_in);
        let output = render(request, release, &values, true);
        let output = output.map(|output| without_hooks(request, output));
        output.is_ok_and(|output| objects::objects(request, release, output).is_ok())
    };
    if markers && unknown::STAND_INS.iter().any(passes) {
        return Stop::Unknown(eco_format!(
            "whether it renders depends on a value that no file tells: {message}"
        ));
    }
    let loaded = request.loaded;
    let message = eco_format!(
        "Helm install failed for release {}/{} with chart {}@{}: {message}",
        release.namespace,
        release_name(request.key, request.spec),
        loaded.name,
        loaded.version
    );
    Stop::Refused(message, chart_span(request.object))
}

fn render(
    request: &Request<'_>,
    release: &helm::Release,
    values: &Data,
    skip_schema: bool,
) -> Result<Output, helm::Error> {
    let options = Options {
        // What stands beside cannot know the places of calls.
        uniform: request.settings.engine.is_some(),
        ..Options::default()
    };
    render_with(request, release, values, &options, skip_schema)
}

/// What another run would give.
fn render_again(
    request: &Request<'_>,
    release: &helm::Release,
    values: &Data,
) -> Result<Output, helm::Error> {
    let options = Options {
        again: true,
        ..Options::default()
    };
    // The schema was asked the first time.
    let output = render_with(request, release, values, &options, true)?;
    Ok(without_hooks(request, output))
}

fn render_with(
    request: &Request<'_>,
    release: &helm::Release,
    values: &Data,
    options: &Options,
    skip_schema: bool,
) -> Result<Output, helm::Error> {
    let asked = helm::Request {
        values,
        release,
        capabilities: request.capabilities,
        options,
        skip_schema,
    };
    request.loaded.package.render(&asked)
}

/// What counts, where something stands beside the renderer.
fn with_engine(
    request: &Request<'_>,
    release: &helm::Release,
    values: &Data,
    native: Result<Output, EcoString>,
) -> Result<Output, EcoString> {
    let Some(engine) = &request.settings.engine else {
        return native;
    };
    let render = ChartRender {
        component: request.key,
        chart: request.loaded.package.chart(),
        values,
        release,
        capabilities: request.capabilities,
        skip_schema: install(request, "disableSchemaValidation"),
    };
    engine.helm(&render, native)
}

fn without_hooks(request: &Request<'_>, mut output: Output) -> Output {
    if install(request, "disableHooks") {
        output.hooks.clear();
    }
    output
}

/// Whether a switch in `spec.install` is on.
fn install(request: &Request<'_>, field: &str) -> bool {
    let node = request.object.path(&["spec", "install", field]);
    node.and_then(Node::as_bool) == Some(true)
}

/// Where the release says its chart.
pub(crate) fn chart_span(object: &Node) -> Span {
    const PLACES: [&[&str]; 4] = [
        &["spec", "chart", "spec", "chart"],
        &["spec", "chart"],
        &["spec", "chartRef", "name"],
        &["spec", "chartRef"],
    ];
    let place = PLACES.iter().find_map(|path| object.path(path));
    place
        .map(|node| node.span)
        .filter(|span| !span.is_none())
        .unwrap_or(object.span)
}

/// Where the release says its chart's version, else its chart.
pub(crate) fn version_span(object: &Node) -> Span {
    let version = object.path(&["spec", "chart", "spec", "version"]);
    let span = version.map(|node| node.span);
    span.filter(|span| !span.is_none())
        .unwrap_or_else(|| chart_span(object))
}

/// `releaseName`, or the target namespace and the name.
fn release_name(key: &ComponentKey, spec: &HelmReleaseSpec) -> EcoString {
    match (&spec.release_name, &spec.target_namespace) {
        (Some(name), _) => name.clone(),
        (None, Some(target)) => eco_format!("{target}-{}", key.name),
        (None, None) => key.name.clone(),
    }
}

fn namespace(key: &ComponentKey, spec: &HelmReleaseSpec) -> EcoString {
    spec.target_namespace
        .clone()
        .unwrap_or_else(|| key.namespace.clone())
}

/// Bytes of a release's name, and of the digits behind what is left of a longer
/// one.
const LONGEST_NAME: usize = 53;
const NAME_DIGITS: usize = 12;

/// A name that Helm takes: of a longer one the beginning, and digits of its
/// digest.
fn shortened(name: &EcoString) -> EcoString {
    if name.len() <= LONGEST_NAME {
        return name.clone();
    }
    let mut end = LONGEST_NAME - NAME_DIGITS - 1;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let digest = Sha256::digest(name.as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    eco_format!(
        "{}-{}",
        name.get(..end).unwrap_or_default(),
        digits.get(..NAME_DIGITS).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_end_with_digits() {
        let name = EcoString::from("some-front-appended-namespace-release-with-a-very-long-name");
        let short = shortened(&name);
        assert_eq!(short.len(), LONGEST_NAME);
        assert!(short.starts_with("some-front-appended-namespace-release-wi-"));
        assert_eq!(shortened(&"short".into()), "short");
    }
}
