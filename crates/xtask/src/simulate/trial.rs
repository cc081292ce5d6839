//! One plan through the whole pipeline and through the simulator.

use std::collections::BTreeSet;

use config::Config;
use flux::Settings;
use link::Linked;
use model::{ComponentKind, Object, Rendered, State, World};
use serde_json::Value;
use vfs::{Memory, Tree};
use yaml::Sources;

use super::check::{Difference, Prediction, is_overdue};
use super::draw::{Draw, Mood};
use super::files::{ENTRYPOINT, Files, files};
use super::kind::{Kind, without};
use super::plan::Plan;
use super::prepare::prepare;
use super::run::{Outcome, run};

/// What one plan gave.
pub struct Trial {
    /// How both disagree.
    pub differences: BTreeSet<Difference>,
    /// Whether the graph says that all components become ready.
    pub converges: bool,
    /// How many components there are.
    pub components: usize,
    /// The kinds of edges in the graph.
    pub kinds: BTreeSet<Kind>,
    /// The kinds without whose edges the graph would be caught.
    pub caught: BTreeSet<Kind>,
    /// Both answers, in words; empty where nothing differs.
    pub report: String,
}

/// Runs a plan of a seed. With `mutate` the graph is also tried without each
/// kind of edge.
pub fn trial(plan: &Plan, seed: u64, mutate: bool) -> Result<Trial, String> {
    let written = files(plan);
    let texts = Sources::new();
    let config = Config::parse(config::FILE_NAME, &written.config, &texts)
        .map_err(|error| error.to_string())?;
    let world = world(&written, &config)?;
    let linked = Linked::new(&world, &config);
    let mut outcomes = outcomes(&world, &config, seed);
    let prediction = Prediction::of(&linked);
    let mut differences = compare(&prediction, &outcomes);
    let kinds: BTreeSet<Kind> = linked
        .graph
        .needs()
        .map(|(_, need)| Kind::of(&linked, &linked.graph, need))
        .collect();
    let mut caught = BTreeSet::new();
    if mutate {
        let mut less = Linked::new(&world, &config);
        for kind in &kinds {
            less.graph = without(&linked, *kind);
            if compare(&Prediction::of(&less), &outcomes) != differences {
                caught.insert(*kind);
            }
        }
    }
    let workers = linked.controllers;
    let workers = [workers.kustomize, workers.helm];
    let script = prepare(&world, &config);
    let mut draw = Draw::new(Mood::Worst, seed);
    let last = run(&script, &mut draw, Some(workers));
    if is_overdue(&linked, &last) {
        differences.insert(Difference::Overdue);
        outcomes.push((last, false));
    }
    let report = match differences.is_empty() {
        true => String::new(),
        false => super::report::answers(&linked, &prediction, &outcomes, &differences),
    };
    Ok(Trial {
        converges: prediction.converges(&linked),
        components: world.components.len(),
        differences,
        kinds,
        caught,
        report,
    })
}

/// Renders a plan's files, and puts into its releases what their charts hold.
fn world(written: &Files, config: &Config) -> Result<World, String> {
    let files = written
        .files
        .iter()
        .map(|(path, text)| (path, text.as_bytes()));
    let tree = Tree::new(Memory::new(files).map_err(|error| error.to_string())?);
    let mut settings = Settings::from_config(config);
    settings.entrypoints = vec![ENTRYPOINT.into()];
    let mut repository = flux::render(tree, Sources::new(), &settings, &|_| {});
    let mut world = repository.worlds.pop().ok_or("no entrypoint")?;
    for component in &mut world.components {
        let key = &component.key;
        let chart = written
            .charts
            .get(&format!("{}/{}", key.namespace, key.name));
        if let (ComponentKind::HelmRelease, Some(chart)) = (key.kind, chart) {
            let objects = chart.iter().map(object).collect::<Result<_, _>>()?;
            component.state = State::Rendered(Rendered { objects });
        }
    }
    Ok(world)
}

fn object(value: &Value) -> Result<std::sync::Arc<Object>, String> {
    let texts = Sources::new();
    let text = value.to_string();
    let file = texts.add("chart", text.as_str());
    let nodes =
        yaml::parse(&text, file, &yaml::Limits::default()).map_err(|error| error.to_string())?;
    let object = nodes.into_iter().next().and_then(Object::new);
    Ok(std::sync::Arc::new(
        object.ok_or("a chart's object has no kind or name")?,
    ))
}

/// The runs of a seed; the last two with few workers.
fn outcomes(world: &World, config: &Config, seed: u64) -> Vec<(Outcome, bool)> {
    let script = prepare(world, config);
    let few = 1 + usize::try_from(seed % 3).unwrap_or(0);
    let few = [few, few];
    [
        (Mood::Worst, None),
        (Mood::Worst, None),
        (Mood::Any, None),
        (Mood::Best, None),
        (Mood::Any, Some(few)),
    ]
    .iter()
    .zip(0..)
    .map(|((mood, workers), at)| {
        let mut draw = Draw::new(*mood, seed.wrapping_mul(31).wrapping_add(at));
        (run(&script, &mut draw, *workers), workers.is_none())
    })
    .collect()
}

fn compare(prediction: &Prediction<'_>, outcomes: &[(Outcome, bool)]) -> BTreeSet<Difference> {
    outcomes
        .iter()
        .flat_map(|(outcome, timed)| prediction.compare(outcome, *timed))
        .collect()
}
