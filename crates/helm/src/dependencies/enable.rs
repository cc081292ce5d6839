//! Which charts take part, and under which name.

use gotmpl::Value;
use gotmpl::value::Map;

use crate::chart::Chart;
use crate::data::Data;
use crate::semver::{Constraint, Version};
use crate::values::coalesce;

/// Leaves the charts in that a release's values enable. Gives what Helm warns
/// of.
///
/// # Errors
///
/// Where values do not fit a chart: a scalar where a chart's map should be.
pub fn enable(chart: &mut Chart, values: &Data) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
    below(chart, values, "", &mut warnings)?;
    Ok(warnings)
}

fn below(
    chart: &mut Chart,
    values: &Data,
    path: &str,
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    // An empty list is one, too: charts below are looked at.
    let Some(Data::List(required)) = chart.metadata.get("Dependencies") else {
        return Ok(());
    };
    let mut required = required.clone();
    chart.dependencies = named(chart, &mut required);
    // What does not fit is told when all is coalesced.
    let merged = coalesce(chart, values, &mut Vec::new())?;
    let mut off = Vec::new();
    for dependency in &mut required {
        match is_enabled(dependency, &merged, path, warnings) {
            true => dependency.set("Enabled", Data::Bool(true)),
            false => off.push(dependency.text_at("Name")),
        }
    }
    chart.dependencies.retain(|one| !off.contains(&one.name()));
    required.retain(|dependency| !off.contains(&dependency.text_at("Name")));
    let merged = Data::of(&merged.into());
    for one in &mut chart.dependencies {
        let path = format!("{path}{}.", one.name());
        below(one, &merged, &path, warnings)?;
    }
    let required = match required.is_empty() {
        true => Data::Null,
        false => Data::List(required),
    };
    chart.metadata.set("Dependencies", required);
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
fn is_enabled(dependency: &Data, values: &Map, path: &str, warnings: &mut Vec<String>) -> bool {
    let name = dependency.text_at("Name");
    let mut warn = |kind: &str, key: &str| {
        warnings.push(format!("{kind} {key} of dependency {name} is no boolean"));
    };
    let mut enabled = true;
    if let Some(Value::Map(tags)) = values.get(b"tags") {
        let mut truths = Vec::new();
        for tag in dependency.items_at("Tags") {
            let Data::String(tag) = tag else {
                continue;
            };
            match tags.get(tag) {
                Some(Value::Bool(truth)) => truths.push(truth),
                Some(_) => warn("tag", &String::from_utf8_lossy(tag)),
                None => {}
            }
        }
        enabled = truths.is_empty() || truths.contains(&true);
    }
    let condition = dependency.text_at("Condition");
    for key in condition.trim().split(',').filter(|key| !key.is_empty()) {
        match at_path(values, &format!("{path}{key}")) {
            Some(Value::Bool(truth)) => return truth,
            Some(_) => warn("condition", key),
            None => {}
        }
    }
    enabled
}

/// The value at a path, if it is no map.
fn at_path(values: &Map, path: &str) -> Option<Value> {
    let (tables, key) = match path.rsplit_once('.') {
        Some((tables, key)) => (Some(tables), key),
        None => (None, path),
    };
    let map = match tables {
        Some(tables) => table(values, tables)?,
        None => values.clone(),
    };
    map.get(key.as_bytes())
        .filter(|value| !matches!(value, Value::Map(_)))
}

/// The map at a path of keys with dots between them.
pub(super) fn table(values: &Map, path: &str) -> Option<Map> {
    let mut map = values.clone();
    for key in path.split('.') {
        match map.get(key.as_bytes()) {
            Some(Value::Map(inner)) => map = inner,
            _ => return None,
        }
    }
    Some(map)
}
