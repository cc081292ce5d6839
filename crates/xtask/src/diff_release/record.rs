//! What releases are composed of, as the walk tells.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ecow::EcoString;
use flux::{ChartRender, ComposedRelease, Engine, KustomizeBuild};
use serde_json::{Value, json};

use super::chart::files;

/// One release as it was composed last.
pub struct Recorded {
    /// Which it is.
    pub key: String,
    /// The question to upstream.
    pub request: Value,
    /// The namespace of what has none.
    pub namespace: String,
    /// A value comes from what is no rendered object.
    pub unreadable: bool,
    /// A schema of values refers to another server: nobody judges it here.
    pub unjudged: bool,
    /// What it applies, or why not.
    pub objects: Result<Vec<Value>, String>,
}

/// Keeps the last composition of each release.
#[derive(Default)]
pub struct Recorder {
    releases: Mutex<BTreeMap<String, Recorded>>,
    /// The releases whose schemas were not judged, by component.
    unjudged: Mutex<BTreeSet<String>>,
}

impl Recorder {
    /// All releases.
    pub fn take(&self) -> Vec<Recorded> {
        let mut kept = locked(&self.releases);
        std::mem::take(&mut *kept).into_values().collect()
    }
}

impl Engine for Recorder {
    fn kustomize(
        &self,
        _: &KustomizeBuild<'_>,
        native: Result<kustomize::Output, kustomize::Error>,
    ) -> Result<kustomize::Output, kustomize::Error> {
        native
    }

    fn helm(
        &self,
        render: &ChartRender<'_>,
        native: Result<helm::Output, EcoString>,
    ) -> Result<helm::Output, EcoString> {
        if native
            .as_ref()
            .is_ok_and(|output| !output.unjudged.is_empty())
        {
            locked(&self.unjudged).insert(render.component.to_string());
        }
        native
    }

    fn release(&self, release: &ComposedRelease<'_>) {
        let unjudged = locked(&self.unjudged).contains(&release.component.to_string());
        let recorded = recorded(release, unjudged);
        locked(&self.releases).insert(recorded.key.clone(), recorded);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The JSON of a node.
fn json_of(node: &yaml::Node) -> Value {
    serde_json::from_str(&yaml::to_json(node)).unwrap_or_default()
}

fn recorded(release: &ComposedRelease<'_>, unjudged: bool) -> Recorded {
    let mut object = json_of(release.object);
    if unjudged {
        object["spec"]["install"]["disableSchemaValidation"] = json!(true);
    }
    let wanted = object["spec"]["valuesFrom"].as_array();
    let wanted = wanted.map(Vec::as_slice).unwrap_or_default();
    let unreadable = wanted
        .iter()
        .zip(release.values)
        .any(|(entry, found)| found.is_none() && entry["optional"] != true);
    let sources = release.values.iter().flatten();
    let sources: Vec<Value> = sources.map(|source| json_of(&source.node)).collect();
    let capabilities = release.capabilities;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let namespace = match object["spec"]["targetNamespace"].as_str() {
        Some(namespace) => namespace.to_owned(),
        None => text(&object["metadata"]["namespace"]),
    };
    let request = json!({
        "op": "release",
        "filesBase64": files(release.chart),
        "helmRelease": object,
        "objects": sources,
        "helm3": release.helm3,
        "capabilities": {
            "kubeVersion": capabilities.kube_version,
            "apiVersions": capabilities.api_versions,
            "helmVersion": capabilities.helm_version,
        },
    });
    Recorded {
        // Several clusters may have a release of one name: its values tell them
        // apart.
        key: format!("{} {}", release.component, digest(&request)),
        request,
        namespace,
        unreadable,
        unjudged,
        objects: match release.objects {
            Ok(objects) => Ok(objects.iter().map(|object| json_of(&object.node)).collect()),
            Err(reason) => Err(reason.to_owned()),
        },
    }
}

/// Some digits that tell what is asked from what else is.
fn digest(request: &Value) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(request["helmRelease"].to_string());
    digest
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
