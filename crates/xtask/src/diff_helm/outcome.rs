//! What either side makes of a chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use helm::{Capabilities, Options, Package, Release, Request};
use serde::Deserialize;
use serde_json::{Value, json};

use super::placeholders::Placeholders;
use super::subject::{NAMESPACE, RELEASE, Subject};
use crate::oracle::Pool;

/// A hook, as far as both sides tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hook {
    /// Path of the template.
    pub path: String,
    /// Name of the object.
    pub name: String,
    /// Kind of the object.
    pub kind: String,
    /// When it runs.
    pub events: Vec<String>,
    /// Its order.
    pub weight: i64,
    /// When it is deleted.
    pub delete_policies: Vec<String>,
    /// The document.
    pub manifest: String,
}

/// A file of `crds/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct File {
    /// Path, its chart's first.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// A rendered chart, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// The text of each template.
    pub texts: BTreeMap<String, String>,
    /// Documents in order, as `helm template` prints them.
    pub manifest: String,
    /// Hooks.
    pub hooks: Vec<Hook>,
    /// Files of `crds/`. Upstream gives subcharts in no order: they are sorted.
    pub crds: Vec<File>,
    /// Notes.
    pub notes: String,
    /// Why there is no release.
    pub error: Option<String>,
    /// The program gave no answer in time, or panicked.
    pub timeout: bool,
    /// Functions were asked whose answer is a placeholder.
    #[serde(skip)]
    pub unstable: bool,
    /// Schemas were left out.
    #[serde(skip)]
    pub schemaless: bool,
}

/// Both sides, ready to be asked.
pub struct Sides {
    pool: Pool,
    capabilities: Capabilities,
    placeholders: Placeholders,
}

impl Sides {
    /// Builds the program and takes Helm's default capabilities from it.
    pub fn new() -> Result<Self, String> {
        let pool = Pool::helm()?;
        let answer: Value = pool.ask_as(&json!({"op": "capabilities"}))?;
        let output = &answer["output"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = output["APIVersions"].as_array();
        Ok(Sides {
            pool,
            capabilities: Capabilities {
                kube_version: text(&output["KubeVersion"]["Version"]),
                api_versions: versions.into_iter().flatten().map(text).collect(),
                helm_version: text(&output["HelmVersion"]["version"]),
            },
            placeholders: Placeholders::native(),
        })
    }

    /// What the native crate and upstream make of it.
    ///
    /// Where a schema is another server's, which neither side can have, the
    /// values are not held against schemas.
    pub fn both(&self, subject: &Subject) -> (Outcome, Outcome) {
        let upstream = self.upstream(subject, false);
        if !upstream
            .error
            .as_ref()
            .is_some_and(|e| e.contains("HTTP request failed"))
        {
            return (self.native(subject, false), upstream);
        }
        let (mut native, mut upstream) = (self.native(subject, true), self.upstream(subject, true));
        (native.schemaless, upstream.schemaless) = (true, true);
        (native, upstream)
    }

    fn upstream(&self, subject: &Subject, skip_schema: bool) -> Outcome {
        let mut request = subject.request();
        request["skipSchema"] = json!(skip_schema);
        request["capabilities"] = json!({
            "kubeVersion": self.capabilities.kube_version,
            "apiVersions": self.capabilities.api_versions,
            "helmVersion": self.capabilities.helm_version,
        });
        request["placeholders"] = self.placeholders.json().clone();
        let mut outcome: Outcome = self.pool.ask_as(&request).unwrap_or_else(failed);
        outcome.crds.sort();
        outcome
    }

    fn native(&self, subject: &Subject, skip_schema: bool) -> Outcome {
        match self.rendered(subject, skip_schema) {
            Ok(outcome) => outcome,
            Err(message) => failed(message),
        }
    }

    fn rendered(&self, subject: &Subject, skip_schema: bool) -> Result<Outcome, String> {
        let package = Package::new(subject.load()?);
        let values = subject.given()?;
        let release = Release {
            name: RELEASE.to_owned(),
            namespace: NAMESPACE.to_owned(),
            revision: 1,
            is_upgrade: subject.is_upgrade,
        };
        let options = Options {
            uniform: true,
            ..Options::default()
        };
        let request = Request {
            values: &values,
            release: &release,
            capabilities: &self.capabilities,
            options: &options,
            skip_schema,
        };
        let texts = package.texts(&request).unwrap_or_default();
        let text =
            |(path, bytes): (String, Vec<u8>)| (path, String::from_utf8_lossy(&bytes).into_owned());
        let mut outcome = Outcome {
            texts: texts.into_iter().map(text).collect(),
            ..Outcome::default()
        };
        match package.render(&request) {
            Ok(output) => outcome.take(output),
            Err(error) => outcome.error = Some(error.to_string()),
        }
        Ok(outcome)
    }
}

fn failed(message: String) -> Outcome {
    Outcome {
        error: Some(message),
        ..Outcome::default()
    }
}

impl Outcome {
    fn take(&mut self, output: helm::Output) {
        for manifest in &output.manifests {
            // Writing to a string cannot fail.
            let _ = write!(
                self.manifest,
                "---\n# Source: {}\n{}\n",
                manifest.path, manifest.text
            );
        }
        self.hooks = output.hooks.into_iter().map(Hook::of).collect();
        let file = |file: helm::chart::File| File {
            text: String::from_utf8_lossy(&file.data).into_owned(),
            name: file.name,
        };
        self.crds = output.crds.into_iter().map(file).collect();
        self.crds.sort();
        self.notes = output.notes;
        let masked = |(name, _): &(&str, _)| !matches!(*name, "lookup");
        self.unstable = output.unstable.iter().any(masked);
    }
}

impl Hook {
    fn of(hook: helm::Hook) -> Self {
        Hook {
            path: hook.path,
            name: hook.name,
            kind: hook.kind,
            events: hook.events.iter().map(|e| e.name().to_owned()).collect(),
            weight: hook.weight,
            delete_policies: hook.delete_policies,
            manifest: hook.text,
        }
    }
}
