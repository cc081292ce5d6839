//! Charts that a chart of a directory needs and does not carry, found as
//! source-controller does before it packages the chart.

use ecow::{EcoString, eco_format};
use helm::semver::{Constraint, Version};
use helm::{Chart, Data};
use vfs::Tree;

use super::load::{NotLoaded, held, read_content};
use crate::Settings;

/// A dependency as the lock file, or else the chart, lists it.
struct Dependency {
    name: EcoString,
    version: EcoString,
    repository: EcoString,
    alias: EcoString,
}

impl Dependency {
    fn known_as(&self) -> &EcoString {
        match self.alias.is_empty() {
            true => &self.name,
            false => &self.alias,
        }
    }
}

/// Adds what the chart in a directory lacks.
pub(super) fn complete(
    chart: &mut Chart,
    tree: &Tree,
    path: &str,
    settings: &Settings,
) -> Result<(), NotLoaded> {
    let listed = match &chart.lock {
        Data::Null => listed(&chart.metadata),
        lock => listed(lock),
    };
    if listed.len() == chart.dependencies.len() {
        return Ok(());
    }
    for dependency in &listed {
        let name = dependency.known_as();
        if chart.dependencies.iter().any(|one| one.name() == *name) {
            continue;
        }
        let mut found = match is_local(&dependency.repository) {
            true => local(tree, path, dependency).map_err(|e| refused("local", dependency, e))?,
            false => remote(settings, dependency)?,
        };
        if !dependency.alias.is_empty() {
            found.metadata.set("Name", Data::text(&dependency.alias));
        }
        chart.dependencies.push(found);
    }
    Ok(())
}

fn refused(how: &str, dependency: &Dependency, error: EcoString) -> NotLoaded {
    NotLoaded::Refused(eco_format!(
        "dependency build error: failed to add {how} dependency '{}': {error}",
        dependency.known_as()
    ))
}

fn listed(owner: &Data) -> Vec<Dependency> {
    let listed = owner.items_at("Dependencies").iter();
    let read = |item: &Data| Dependency {
        name: item.text_at("Name").into(),
        version: item.text_at("Version").into(),
        repository: item.text_at("Repository").into(),
        alias: item.text_at("Alias").into(),
    };
    listed.map(read).collect()
}

/// Without an address, or with one of a file, it lies beside the chart.
fn is_local(repository: &str) -> bool {
    match repository.split_once("://") {
        Some((scheme, _)) => scheme == "file",
        None => true,
    }
}

fn local(tree: &Tree, path: &str, dependency: &Dependency) -> Result<Chart, EcoString> {
    let repository = dependency.repository.as_str();
    let below = match repository.strip_prefix("file://").unwrap_or(repository) {
        "" => eco_format!("charts/{}", dependency.name),
        below => below.into(),
    };
    let at = vfs::join(path, &below).map_err(|error| eco_format!("{error}"))?;
    if tree.probe(&at).is_none() {
        return Err(eco_format!(
            "no chart found at '/{at}' (reference '{repository}')"
        ));
    }
    let range = Constraint::parse(&dependency.version).map_err(|error| {
        eco_format!(
            "invalid version/constraint format '{}': {error}",
            dependency.version
        )
    })?;
    let chart = helm::load::directory(tree, &at).map_err(|error| {
        eco_format!("failed to load chart from '/{at}' (reference '{repository}'): {error}")
    })?;
    let version = chart.metadata.text_at("Version");
    let version = Version::parse(&version).map_err(EcoString::from)?;
    match range.check(&version) {
        true => Ok(chart),
        false => Err(eco_format!(
            "can't get a valid version for constraint '{}'",
            dependency.version
        )),
    }
}

fn remote(settings: &Settings, dependency: &Dependency) -> Result<Chart, NotLoaded> {
    let (url, name) = (&dependency.repository, &dependency.name);
    let (content, _) =
        held(settings, url, name, &dependency.version).map_err(|error| match error {
            NotLoaded::Unavailable(reason) => NotLoaded::Unavailable(eco_format!(
                "it depends on a chart that is not here: {reason}"
            )),
            NotLoaded::Failed(reason) => NotLoaded::Failed(eco_format!(
                "it depends on a chart that is not here: {reason}"
            )),
            NotLoaded::Absent(reason) => NotLoaded::Absent(eco_format!(
                "it depends on a chart that does not exist: {reason}"
            )),
            refused => refused,
        })?;
    read_content(&content).map_err(|error| refused("remote", dependency, error))
}
