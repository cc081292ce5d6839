//! Which of the charts that a chart carries take part, and under which name:
//! tags, conditions and aliases. `import-values` are not modelled.

use gotmpl::Value;
use gotmpl::value::Map;

use crate::chart::Chart;
use crate::data::Data;
use crate::semver::{Constraint, Version};
use crate::values::coalesce;

/// Leaves the charts in that a release's values enable.
pub fn enable(chart: &mut Chart, values: &Data) -> Result<(), String> {
    below(chart, values, "")
}

/// A chart, or one below it, imports values of another.
pub fn imports_values(chart: &Chart) -> bool {
    let here = chart.metadata.items_at("Dependencies").iter();
    here.clone()
        .any(|dependency| !dependency.items_at("ImportValues").is_empty())
        || chart.dependencies.iter().any(imports_values)
}

fn below(chart: &mut Chart, values: &Data, path: &str) -> Result<(), String> {
    let mut required = chart.metadata.items_at("Dependencies").to_vec();
    if required.is_empty() {
        return Ok(());
    }
    chart.dependencies = named(chart, &mut required);
    let merged = coalesce(chart, values)?;
    let off: Vec<String> = required
        .iter()
        .filter(|dependency| !is_enabled(dependency, &merged, path))
        .map(|dependency| dependency.text_at("Name"))
        .collect();
    chart.dependencies.retain(|one| !off.contains(&one.name()));
    required.retain(|dependency| !off.contains(&dependency.text_at("Name")));
    let merged = Data::of(&merged.into());
    for one in &mut chart.dependencies {
        let path = format!("{path}{}.", one.name());
        below(one, &merged, &path)?;
    }
    chart.metadata.set("Dependencies", Data::List(required));
    Ok(())
}

/// The charts that nobody lists, and those listed, each under its alias.
fn named(chart: &Chart, required: &mut [Data]) -> Vec<Chart> {
    let fits = |dependency: &Data, one: &Chart| {
        dependency.text_at("Name") == one.name()
            && in_range(
                &dependency.text_at("Version"),
                &one.metadata.text_at("Version"),
            )
    };
    let unlisted = |one: &&Chart| !required.iter().any(|dependency| fits(dependency, one));
    let mut charts: Vec<Chart> = chart
        .dependencies
        .iter()
        .filter(unlisted)
        .cloned()
        .collect();
    for dependency in required {
        let alias = dependency.text_at("Alias");
        let found = chart.dependencies.iter().find(|one| fits(dependency, one));
        charts.extend(found.cloned().map(|mut one| {
            if !alias.is_empty() {
                one.metadata.set("Name", Data::text(&alias));
            }
            one
        }));
        if !alias.is_empty() {
            dependency.set("Name", Data::text(&alias));
        }
    }
    charts
}

fn in_range(range: &str, version: &str) -> bool {
    match (Version::parse(version), Constraint::parse(range)) {
        (Ok(version), Ok(range)) => range.check(&version),
        _ => false,
    }
}

/// Tags first; the first condition that is true or false wins over them.
fn is_enabled(dependency: &Data, values: &Map, path: &str) -> bool {
    let mut enabled = true;
    if let Some(Value::Map(tags)) = values.get(b"tags") {
        let known = dependency
            .items_at("Tags")
            .iter()
            .filter_map(|tag| match tag {
                Data::String(tag) => tags.get(tag),
                _ => None,
            });
        let truths: Vec<bool> = known
            .filter_map(|value| match value {
                Value::Bool(truth) => Some(truth),
                _ => None,
            })
            .collect();
        enabled = truths.is_empty() || truths.contains(&true);
    }
    let condition = dependency.text_at("Condition");
    let conditions = condition.trim().split(',').filter(|one| !one.is_empty());
    let found = conditions.filter_map(|one| at_path(values, &format!("{path}{one}")));
    let mut truths = found.filter_map(|value| match value {
        Value::Bool(truth) => Some(truth),
        _ => None,
    });
    truths.next().unwrap_or(enabled)
}

fn at_path(values: &Map, path: &str) -> Option<Value> {
    let mut steps = path.split('.').peekable();
    let mut map = values.clone();
    while let Some(step) = steps.next() {
        let value = map.get(step.as_bytes())?;
        match (steps.peek(), value) {
            (None, value) => return Some(value),
            (Some(_), Value::Map(inner)) => map = inner,
            _ => return None,
        }
    }
    None
}
