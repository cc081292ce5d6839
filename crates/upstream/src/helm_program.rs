//! `helm template` as a program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use ecow::{EcoString, eco_format};
use flux::ChartRender;
use helm::manifest::{self, Documents};
use tempfile::TempDir;
use yaml::Node;

use crate::objects;
use crate::program::{Failure, Program};

/// What the program says of a chart that lacks a dependency, even one that is
/// switched off.
const INCOMPLETE: &str = "missing in charts/ directory";

/// What the program makes of a chart.
pub(crate) struct Made {
    /// The objects, in the order in which they are printed: hooks come last.
    pub objects: Vec<Node>,
    /// The same as documents.
    pub documents: Documents,
}

/// What the program makes of a chart, or its refusal, with schemas of values
/// `judged` or not. Fails when it could not be asked.
pub(crate) fn render(
    program: &Program,
    render: &ChartRender<'_>,
    judged: bool,
) -> Result<Result<Made, EcoString>, EcoString> {
    let dir = written(render).map_err(|e| eco_format!("cannot write the chart: {e}"))?;
    let chart = dir.path().join("chart");
    let mut arguments = arguments(render, &chart, dir.path());
    if render.skip_schema || !judged {
        arguments.push("--skip-schema-validation".into());
    }
    match program.run(&arguments, dir.path()) {
        Ok(text) => {
            let documents = manifest::documents(&texts(&text));
            Ok(Ok(Made {
                objects: objects::read(&text)?,
                documents: documents
                    .map_err(|error| eco_format!("cannot read the output: {error}"))?,
            }))
        }
        Err(Failure::Refused(words)) if words.contains(INCOMPLETE) => Err(eco_format!(
            "the command line insists on every dependency of a chart, the controller does not: {}",
            words.lines().last().unwrap_or_default()
        )),
        Err(Failure::Refused(words)) => {
            // Where the copy lies means nothing to a reader.
            let place = dir.path().display().to_string();
            Ok(Err(words.replace(&place, "")))
        }
        Err(Failure::NotRun(why)) => Err(why),
    }
}

/// The chart as its source delivers it, and the values.
fn written(render: &ChartRender<'_>) -> std::io::Result<TempDir> {
    let dir = TempDir::with_prefix("fluxlint-")?;
    for file in helm::save::files(render.chart) {
        // Names are paths inside of the chart: the loader refuses others.
        let Ok(name) = vfs::normalize(&file.name) else {
            continue;
        };
        let to = dir.path().join("chart").join(name);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(to, &file.data)?;
    }
    let values = helm::json::write(&render.values.to_value(), helm::json::Style::default());
    let values = values.map_err(|failure| std::io::Error::other(failure.to_string()))?;
    std::fs::write(dir.path().join("values.json"), values)?;
    Ok(dir)
}

fn arguments(render: &ChartRender<'_>, chart: &Path, dir: &Path) -> Vec<OsString> {
    let text = |text: &str| OsString::from(text);
    let mut arguments = vec![
        text(&render.release.name),
        chart.as_os_str().to_owned(),
        text("--namespace"),
        text(&render.release.namespace),
        text("--values"),
        dir.join("values.json").into_os_string(),
        text("--kube-version"),
        text(&render.capabilities.kube_version),
    ];
    for version in &render.capabilities.api_versions {
        arguments.push(text("--api-versions"));
        arguments.push(text(version));
    }
    arguments
}

/// The texts by their templates' paths: the program prints a document after the
/// other, each behind a separator and a comment with the path.
fn texts(printed: &str) -> BTreeMap<String, String> {
    const MARK: &str = "---\n# Source: ";
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let printed = format!("\n{printed}");
    for part in printed.split(&format!("\n{MARK}")).skip(1) {
        let (path, document) = part.split_once('\n').unwrap_or((part, ""));
        let text = texts.entry(path.to_owned()).or_default();
        text.push_str("---\n");
        text.push_str(document);
        text.push('\n');
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_their_templates() {
        let printed = "---\n# Source: c/templates/a.yaml\nkind: A\n---\n# Source: c/templates/b.yaml\nkind: B\n---\n# Source: c/templates/a.yaml\nkind: C\n";
        let texts = texts(printed);
        assert_eq!(
            texts["c/templates/a.yaml"],
            "---\nkind: A\n---\nkind: C\n\n"
        );
        assert_eq!(texts.len(), 2);
    }
}
