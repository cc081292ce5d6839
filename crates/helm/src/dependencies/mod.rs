//! What a chart takes of those that it depends on: which of them take part and
//! under which name (tags, conditions, aliases), and which of their values it
//! imports.

mod enable;
mod import;

use crate::chart::Chart;
use crate::data::Data;

pub use enable::enable;
pub use import::import_values;

/// The listed dependencies that the chart does not carry are a fault to
/// Helm's commands; its library goes on without them.
///
/// # Errors
///
/// Helm's message, with the names that are missing.
pub fn check(chart: &Chart) -> Result<(), String> {
    let missing = missing(chart);
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "found in Chart.yaml, but missing in charts/ directory: {}",
            missing.join(", ")
        )),
    }
}

/// The dependencies that a release's values enable and the chart does not carry.
pub fn lacking(chart: &Chart, values: &Data) -> Vec<String> {
    let mut enabled = chart.clone();
    match enable(&mut enabled, values) {
        Ok(_) => missing(&enabled),
        // Values that do not fit are a fault of their own.
        Err(_) => Vec::new(),
    }
}

fn missing(chart: &Chart) -> Vec<String> {
    let names = chart.metadata.items_at("Dependencies").iter();
    let carried = |name: &String| chart.dependencies.iter().any(|one| one.name() == *name);
    names
        .map(|dependency| dependency.text_at("Name"))
        .filter(|name| !carried(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing() {
        let data = |json: &str| Data::of(&crate::json::read(json).unwrap());
        let mut chart = Chart {
            metadata: data(r#"{"Dependencies":[{"Name":"a"},{"Name":"b"},{"Name":"c"}]}"#),
            ..Chart::default()
        };
        chart.dependencies = vec![Chart {
            metadata: data(r#"{"Name":"b"}"#),
            ..Chart::default()
        }];
        assert_eq!(
            check(&chart).unwrap_err(),
            "found in Chart.yaml, but missing in charts/ directory: a, c"
        );
        // A range that is empty fits no version: the chart is not listed.
        assert!(crate::semver::Constraint::parse("").is_err());
    }
}
