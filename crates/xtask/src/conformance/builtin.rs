//! One built-in generator or transformer: `kustomize_builtin_cases.jsonl`. A
//! row is run as a build whose kustomization file names nothing but the row's
//! input and configuration.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::check::{self, ErrorRow};
use crate::engine::{Build, Engine};
use crate::ratchet::Outcome;
use crate::{lines, parallel};

#[derive(Deserialize)]
struct Row {
    name: String,
    suite: String,
    status: String,
    mode: String,
    config: Option<String>,
    input: Option<String>,
    files: BTreeMap<String, String>,
    /// The folder of `files` that the row runs in.
    sub: Option<String>,
    #[serde(default)]
    needs: Vec<String>,
    expected: Option<String>,
    error: Option<ErrorRow>,
}

/// Runs all rows that need no program.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("kustomize_builtin_cases.jsonl"))?;
    rows.retain(|row| {
        row.needs.is_empty()
            && row.config.is_some()
            && matches!(&*row.status, "complete" | "builds_ok")
    });
    Ok(parallel::map(&rows, |row| {
        Outcome::new(row.full_name(), row.check(engine))
    }))
}

impl Row {
    /// Names repeat between plugins.
    fn full_name(&self) -> String {
        let plugin = self.suite.trim_start_matches("builtin:");
        format!("{plugin}/{}", self.name)
    }

    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        let result = engine.kustomize(&self.build());
        if let Some(error) = &self.error {
            return error.check(&result);
        }
        match &self.expected {
            Some(expected) => check::documents(engine, &result?, expected, true),
            None => result.map(|_| ()),
        }
    }

    fn build(&self) -> Build {
        let mut build = Build::in_memory(".");
        let folder = self.folder();
        for (path, text) in &self.files {
            build.file(path.strip_prefix(&folder).unwrap_or(path), text);
        }
        let mut kustomization =
            String::from("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n");
        if let Some(input) = &self.input {
            build.file("row-input.yaml", input);
            kustomization.push_str("resources: [row-input.yaml]\n");
        }
        let config = self.config.as_deref().unwrap_or_default();
        if self.suite.ends_with("sortordertransformer") {
            // It can only be had by its field.
            let at = config.find("sortOptions:").unwrap_or(config.len());
            kustomization.push_str(config.get(at..).unwrap_or_default());
        } else if self.mode == "generator" {
            // The hash of the name is added by a later step.
            let options = "options: {disableNameSuffixHash: true}";
            build.file(
                "row-config.yaml",
                &format!("{}\n{options}\n", config.trim_end()),
            );
            kustomization.push_str("generators: [row-config.yaml]\n");
        } else {
            build.file("row-config.yaml", config);
            kustomization.push_str("transformers: [row-config.yaml]\n");
        }
        build.file("kustomization.yaml", &kustomization);
        build
    }

    /// `folder/` of the files that count, or nothing: the one named like the
    /// row, else the first.
    fn folder(&self) -> String {
        if let Some(sub) = &self.sub {
            return format!("{sub}/");
        }
        let case = self.name.rsplit_once('/').map_or("", |(_, case)| case);
        let mut tops: Vec<&str> = self
            .files
            .keys()
            .filter_map(|path| Some(path.split_once('/')?.0))
            .collect();
        tops.sort_by_key(|top| *top != case);
        tops.first().map_or(String::new(), |top| format!("{top}/"))
    }
}
