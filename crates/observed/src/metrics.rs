//! Mean durations from metrics in Prometheus' text format.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use model::{ComponentKey, ComponentKind, Measured};
use rustc_hash::FxHashMap;
use yaml::{FileId, Sources, Span};

use crate::Error;
use crate::form::METRIC;

const SECOND: f64 = 1e9;

/// The samples of one component.
#[derive(Default)]
struct Samples {
    seconds: f64,
    count: f64,
    span: Option<Span>,
}

/// One line: the metric's name, its labels, its value.
struct Line<'a> {
    name: &'a str,
    labels: FxHashMap<&'a str, EcoString>,
    value: f64,
}

/// The mean of every component. Several series of one (a controller that was
/// replaced, several replicas) count together.
pub(crate) fn measured(
    text: &str,
    file: FileId,
    texts: &Sources,
) -> Result<Vec<(ComponentKey, Span, Measured)>, Error> {
    let mut samples: BTreeMap<ComponentKey, Samples> = BTreeMap::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let span = Span::new(file, offset, offset + line.trim_end().len());
        offset += line.len();
        let line = line.trim();
        let Some(suffix) = line.strip_prefix(METRIC) else {
            continue;
        };
        if !suffix.starts_with("_sum") && !suffix.starts_with("_count") {
            continue;
        }
        let line = parse(line).map_err(|why| Error::new(why, span))?;
        if let Some(key) = key(&line.labels) {
            add(samples.entry(key).or_default(), &line, span);
        }
    }
    if samples.is_empty() {
        let message = eco_format!("no `{METRIC}` of a Kustomization or HelmRelease");
        return Err(Error::new(message, Span::new(file, 0, 0)).help(
            "export it from Prometheus, or from the /metrics endpoints of kustomize-controller \
             and helm-controller",
        ));
    }
    Ok(samples
        .into_iter()
        .filter_map(|(key, samples)| {
            let span = samples.span?;
            let mean = samples.seconds / samples.count;
            (samples.count > 0.0 && mean.is_finite() && mean >= 0.0).then(|| {
                let place = texts.location(span);
                let origin = place.map(|at| eco_format!("{}:{}", at.file, at.line));
                // The cast saturates, which is right for absurd lengths.
                let nanos = (mean * SECOND).round() as u64;
                let measured = Measured {
                    average: true,
                    ..Measured::exactly(nanos, origin.unwrap_or_default())
                };
                (key, span, measured)
            })
        })
        .collect())
}

fn add(samples: &mut Samples, line: &Line<'_>, span: Span) {
    if !line.value.is_finite() {
        return;
    }
    if line.name.ends_with("_sum") {
        samples.seconds += line.value;
        samples.span.get_or_insert(span);
    } else {
        samples.count += line.value;
    }
}

/// The component of a series. Where Prometheus scraped the controllers, the
/// label `namespace` is theirs, and the component's is `exported_namespace`.
fn key(labels: &FxHashMap<&str, EcoString>) -> Option<ComponentKey> {
    let label = |name: &str| labels.get(name).filter(|text| !text.is_empty()).cloned();
    let kind = match label("kind")?.as_str() {
        "Kustomization" => ComponentKind::Kustomization,
        "HelmRelease" => ComponentKind::HelmRelease,
        _ => return None,
    };
    Some(ComponentKey {
        kind,
        namespace: label("exported_namespace").or_else(|| label("namespace"))?,
        name: label("exported_name").or_else(|| label("name"))?,
    })
}

/// Reads `name{label="value",…} value [timestamp]`.
fn parse(line: &str) -> Result<Line<'_>, EcoString> {
    let end = line.find(['{', ' ', '\t']).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let mut labels = FxHashMap::default();
    let rest = match rest.strip_prefix('{') {
        Some(rest) => read_labels(rest, &mut labels)?,
        None => rest,
    };
    let value = rest.split_whitespace().next().unwrap_or_default();
    let value = value
        .parse()
        .map_err(|_| eco_format!("`{value}` is no number"))?;
    Ok(Line {
        name,
        labels,
        value,
    })
}

/// Reads labels up to the closing brace, and returns what follows.
fn read_labels<'a>(
    text: &'a str,
    labels: &mut FxHashMap<&'a str, EcoString>,
) -> Result<&'a str, EcoString> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        if let Some(after) = rest.strip_prefix('}') {
            return Ok(after);
        }
        let (name, after) = rest
            .split_once('=')
            .ok_or("the labels have no closing `}`")?;
        let after = after
            .trim_start()
            .strip_prefix('"')
            .ok_or_else(|| eco_format!("the value of label `{}` has no quotes", name.trim()))?;
        let (value, after) = read_quoted(after)
            .ok_or_else(|| eco_format!("the value of label `{}` has no end", name.trim()))?;
        labels.insert(name.trim(), value);
        rest = after;
    }
}

/// A value up to its closing quote, escapes undone, and what follows.
fn read_quoted(text: &str) -> Option<(EcoString, &str)> {
    let mut value = EcoString::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            _ => value.push(c),
        }
    }
    None
}
