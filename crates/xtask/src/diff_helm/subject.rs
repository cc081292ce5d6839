//! A chart with values, as a question to either side.

use std::collections::BTreeMap;
use std::path::PathBuf;

use helm::chart::File;
use helm::{Chart, Data, load};
use serde_json::{Value, json};

/// The release that all charts are rendered for.
pub const RELEASE: &str = "rel";
/// Its namespace.
pub const NAMESPACE: &str = "ns";

/// Where a chart is.
#[derive(Clone, Debug)]
pub enum Source {
    /// An archive on disk.
    Archive(PathBuf),
    /// Files by their paths.
    Files(BTreeMap<String, String>),
}

/// A chart and what it is rendered with.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What a report calls it.
    pub name: String,
    /// The chart.
    pub chart: Source,
    /// The user's values, as YAML.
    pub values: Option<String>,
    /// The release is upgraded, not installed.
    pub is_upgrade: bool,
}

impl Subject {
    /// The question to the upstream program, but for what all share.
    pub fn request(&self) -> Value {
        let mut request = json!({
            "op": "template",
            "release": {"name": RELEASE, "namespace": NAMESPACE, "isUpgrade": self.is_upgrade},
        });
        match &self.chart {
            Source::Archive(path) => request["chart"] = json!(path),
            Source::Files(files) => request["files"] = json!(files),
        }
        if let Some(values) = &self.values {
            request["values"] = json!([values]);
        }
        request
    }

    /// The chart, loaded natively.
    pub fn load(&self) -> Result<Chart, String> {
        match &self.chart {
            Source::Archive(path) => {
                let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
                load::archive(&bytes)
            }
            Source::Files(files) => {
                let file = |(name, text): (&String, &String)| File {
                    name: name.clone(),
                    data: text.clone().into_bytes(),
                };
                load::files(files.iter().map(file).collect())
            }
        }
    }

    /// The user's values, read as Helm reads a chart's own.
    pub fn given(&self) -> Result<Data, String> {
        read_values(self.values.as_deref().unwrap_or_default())
    }
}

/// A values file, read.
pub fn read_values(text: &str) -> Result<Data, String> {
    let file = |name: &str, text: &str| File {
        name: name.to_owned(),
        data: text.as_bytes().to_vec(),
    };
    let bare = "apiVersion: v2\nname: values\nversion: 0.0.0\n";
    let chart = load::files(vec![file("Chart.yaml", bare), file("values.yaml", text)])?;
    Ok(chart.values)
}
