//! Which APIs the clusters of a world serve, as charts may ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::Pattern;
use ecow::{EcoString, eco_format};
use kubeapi::Release;
use model::Object;
use rustc_hash::FxHashMap;

use crate::Settings;

/// The release of Helm that helm-controller has in it.
const HELM: &str = "v4.2.1";

/// What the cluster of a name serves: Kubernetes' own APIs, and those of all
/// definitions that anything in it brings, whatever the order.
pub(crate) struct Apis {
    kubernetes: EcoString,
    own: Vec<String>,
    brought: FxHashMap<EcoString, BTreeSet<String>>,
}

impl Apis {
    /// Those of Kubernetes, at the release that an entrypoint's cluster has.
    pub fn new(settings: &Settings, entrypoint: &str) -> Self {
        let told = |path: &str| {
            let mut versions = settings.kube_versions.iter();
            let found = versions.find(|(known, _)| known == path);
            found.map(|(_, version)| version.clone())
        };
        let told = told(entrypoint).or_else(|| told(""));
        let release = told
            .as_deref()
            .and_then(Release::parse)
            .unwrap_or(kubeapi::NEWEST);
        let kubernetes = match told {
            Some(version) if version.split('.').count() > 2 => eco_format!("v{version}"),
            _ => eco_format!("v{release}.0"),
        };
        let mut own = BTreeSet::new();
        for kind in kubeapi::served(release) {
            own.extend(entries(kind.group, kind.version, Some(kind.kind)));
        }
        Apis {
            kubernetes,
            own: own.into_iter().collect(),
            brought: FxHashMap::default(),
        }
    }

    /// Adds what definitions bring to a cluster.
    pub fn add(&mut self, cluster: &EcoString, brought: &[String]) {
        if brought.is_empty() {
            return;
        }
        self.brought
            .entry(cluster.clone())
            .or_default()
            .extend(brought.iter().cloned());
    }

    /// What a chart sees of a cluster; the same again when nothing changed.
    pub fn capabilities(
        &self,
        cluster: &EcoString,
        before: Option<&Arc<helm::Capabilities>>,
    ) -> Arc<helm::Capabilities> {
        let brought = self.brought.get(cluster).into_iter().flatten();
        let own = self.own.iter();
        let versions: BTreeSet<&String> = own.chain(brought).collect();
        if let Some(before) = before
            && before.api_versions.iter().eq(versions.iter().copied())
        {
            return before.clone();
        }
        Arc::new(helm::Capabilities {
            kube_version: self.kubernetes.to_string(),
            api_versions: versions.into_iter().cloned().collect(),
            helm_version: HELM.into(),
        })
    }
}

/// What a release asked its cluster for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asked {
    /// For nothing.
    #[default]
    Nothing,
    /// Whether it serves these.
    Single(BTreeSet<String>),
    /// For all that it serves.
    All,
}

impl Asked {
    /// Those of what a chart asked for that are of these groups: which versions and
    /// kinds there are of them nobody declares.
    pub fn declared(&self, groups: &[Pattern]) -> Vec<String> {
        let Asked::Single(apis) = self else {
            return Vec::new();
        };
        let is_of = |api: &&String| {
            let group = api.split_once('/').map(|(group, _)| group);
            group.is_some_and(|group| groups.iter().any(|known| known.matches(group)))
        };
        apis.iter().filter(is_of).cloned().collect()
    }

    /// Whether a cluster gives the same answers as another.
    pub fn is_answered_alike(&self, a: &helm::Capabilities, b: &helm::Capabilities) -> bool {
        let has =
            |of: &helm::Capabilities, api: &String| of.api_versions.binary_search(api).is_ok();
        match self {
            _ if a.kube_version != b.kube_version => false,
            Asked::Nothing => true,
            Asked::Single(apis) => apis.iter().all(|api| has(a, api) == has(b, api)),
            Asked::All => a.api_versions == b.api_versions,
        }
    }
}

/// What an object makes a cluster serve.
pub(crate) fn brought(object: &Object) -> Vec<String> {
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let Some(definition) = kubeapi::Crd::read(&object.node) else {
                return Vec::new();
            };
            let served = definition.served();
            served
                .flat_map(|version| entries(&definition.group, version, Some(&definition.kind)))
                .collect()
        }
        ("apiregistration.k8s.io", "APIService") => {
            let text = |field: &str| object.node.str_at(&["spec", field]);
            match (text("group"), text("version")) {
                (Some(group), Some(version)) => entries(group, version, None).collect(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// `group/version`, and `group/version/Kind`.
fn entries(group: &str, version: &str, kind: Option<&str>) -> impl Iterator<Item = String> {
    let version = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    let kind = kind.map(|kind| format!("{version}/{kind}"));
    std::iter::once(version).chain(kind)
}
