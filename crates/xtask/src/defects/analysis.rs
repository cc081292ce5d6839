//! What `fluxlint check` says about a commit, as far as the rows ask.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use flux::Settings;
use lint::Finding;
use model::{Component, Problem, Repository, Spec, World};
use vfs::{GitRepository, RevisionError, Tree};
use yaml::{Sources, Span};

/// The findings of one commit.
pub struct Analysis {
    /// Entrypoints found.
    pub entrypoints: Vec<String>,
    /// Components of all of them.
    pub components: usize,
    /// Components that Flux fails to build, with the first reason.
    pub failed: Vec<String>,
    /// Findings of the rules that rows ask for.
    pub found: Vec<Found>,
    /// The components there are, as `Kind/namespace/name`.
    pub keys: BTreeSet<String>,
    /// Where the releases come from, by their keys.
    pub placed: BTreeMap<String, Placed>,
    /// Directories of the Kustomizations that cannot be built.
    pub unbuilt: BTreeSet<String>,
    /// Files that no entrypoint leads to.
    pub unreached: BTreeSet<String>,
}

/// Where a HelmRelease comes from.
pub struct Placed {
    /// The Kustomization that applies it.
    pub kustomization: String,
    /// The directory it builds.
    pub directory: String,
    /// The namespace it puts all into.
    pub target: Option<String>,
    /// The release's namespace.
    pub namespace: String,
}

/// One finding.
pub struct Found {
    /// The rule's id.
    pub rule: &'static str,
    /// The components, as `namespace/name` of any kind.
    pub components: Vec<String>,
    /// The file it points at.
    pub file: String,
    /// Message and details.
    pub text: String,
}

/// Analyses a commit of the repository at an address, with no configuration.
/// Fails with why it cannot.
pub fn of(repository: &GitRepository, address: String, commit: &str) -> Result<Analysis, String> {
    let tree = repository.commit(commit).map_err(|error| match error {
        RevisionError::Broken(_) => "an object is missing".to_owned(),
        _ => "the commit is missing".to_owned(),
    })?;
    let settings = Settings {
        repo_urls: vec![address.into()],
        ..Settings::default()
    };
    let rendered = flux::render(Tree::new(tree), Sources::new(), &settings, &|_| {});
    let analysis = judge(&rendered);
    let lacks = |found: &Found| found.text.contains("is not in the repository");
    match analysis.found.iter().any(lacks) {
        true => Err("an object is missing".to_owned()),
        false => Ok(analysis),
    }
}

fn judge(repository: &Repository) -> Analysis {
    let config = Config::default();
    let mut analysis = Analysis {
        entrypoints: Vec::new(),
        components: 0,
        failed: Vec::new(),
        found: Vec::new(),
        keys: BTreeSet::new(),
        placed: BTreeMap::new(),
        unbuilt: BTreeSet::new(),
        unreached: BTreeSet::new(),
    };
    for world in &repository.worlds {
        analysis.entrypoints.push(world.entrypoint.to_string());
        analysis.components += world.components.len();
        for component in &world.components {
            let reason = component.problems.iter().find_map(|problem| match problem {
                Problem::Build { message, .. } => Some(message.as_str()),
                Problem::PathMissing { path, .. } => Some(path.as_str()),
                _ => None,
            });
            let key = &component.key;
            let key = format!("{:?}/{}/{}", key.kind, key.namespace, key.name);
            if let Some(placed) = placed(world, component) {
                analysis.placed.insert(key.clone(), placed);
            }
            analysis.keys.insert(key);
            if let (Some(reason), Spec::Kustomization(spec)) = (reason, &component.spec) {
                analysis
                    .unbuilt
                    .extend(vfs::normalize(&spec.path).map(String::from));
                analysis.failed.push(format!("{}: {reason}", component.key));
            }
        }
        let files = world
            .unreached
            .iter()
            .flat_map(|unreached| &unreached.files);
        analysis
            .unreached
            .extend(files.map(|file| file.path.to_string()));
        let judged = lint::judge(world, &config, &repository.texts, None);
        let asked = judged
            .findings
            .iter()
            .filter(|finding| matches!(finding.rule, "FL-G001" | "FL-G002" | "FL-G008"));
        analysis
            .found
            .extend(asked.flat_map(|finding| found(finding, &repository.texts)));
    }
    analysis
}

fn placed(world: &World, release: &Component) -> Option<Placed> {
    let Spec::HelmRelease(_) = &release.spec else {
        return None;
    };
    release.parents.iter().find_map(|parent| {
        let parent = world.components.get(*parent)?;
        let Spec::Kustomization(spec) = &parent.spec else {
            return None;
        };
        Some(Placed {
            kustomization: parent.key.to_string(),
            directory: vfs::normalize(&spec.path).ok()?.into(),
            target: spec.target_namespace.as_ref().map(ToString::to_string),
            namespace: release.key.namespace.to_string(),
        })
    })
}

/// How details about what a finding only concerns begin.
const BESIDE: [&str; 3] = ["also part of it", "blocked by it", "not certain"];

/// A finding, and each further fault of a build that it tells, which has a place of
/// its own.
fn found(finding: &Finding, texts: &Sources) -> Vec<Found> {
    let details = finding.details.iter().map(|detail| detail.message.as_str());
    // What stands beside a circle is not named as its cause.
    let details = details.filter(|line| !BESIDE.iter().any(|beside| line.starts_with(beside)));
    let lines: Vec<&str> = [finding.message.as_str()]
        .into_iter()
        .chain(details)
        .collect();
    let one = |span: Option<Span>, text: String| Found {
        rule: finding.rule,
        components: finding
            .components
            .iter()
            .map(|key| format!("{}/{}", key.namespace, key.name))
            .collect(),
        file: span
            .and_then(|span| texts.location(span))
            .map_or_else(String::new, |place| place.file.to_string()),
        text,
    };
    let further = finding
        .details
        .iter()
        .filter(|detail| finding.rule == "FL-G008" && detail.span.is_some());
    let further = further.map(|detail| one(detail.span, detail.message.to_string()));
    [one(finding.span, lines.join("\n"))]
        .into_iter()
        .chain(further)
        .collect()
}
