//! Whole builds: `kustomize_krusty_cases.jsonl`.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::Value;

use super::check::{self, ErrorRow};
use crate::engine::{Build, Engine};
use crate::ratchet::Outcome;
use crate::{lines, parallel};

/// The kustomization file of the root, and a directory that may stand for it.
const ROOT: &str = "kustomization.yaml";
const WITHIN: &str = "within";

#[derive(Deserialize)]
struct Row {
    name: String,
    status: String,
    files: BTreeMap<String, String>,
    #[serde(default)]
    files_base64: BTreeMap<String, String>,
    target: String,
    options: BTreeMap<String, Value>,
    #[serde(default)]
    needs: Vec<String>,
    expected: Option<String>,
    error: Option<ErrorRow>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    resource_names: Vec<String>,
}

/// The rows' documents, in order.
pub fn objects(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let rows = rows(vectors)?;
    Ok(parallel::map(&rows, |row| {
        Outcome::new(&row.name, row.check(engine))
    }))
}

/// The rows' exact text.
pub fn text(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let rows = rows(vectors)?;
    let outcomes = parallel::map(&rows, |row| {
        let expected = row.expected.as_ref()?;
        let result = engine
            .kustomize(&row.build()?)
            .and_then(|got| check::text(&got, expected));
        Some(Outcome::new(&row.name, result))
    });
    Ok(outcomes.into_iter().flatten().collect())
}

/// Rows that assert something and need nothing outside.
fn rows(vectors: &Path) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("kustomize_krusty_cases.jsonl"))?;
    rows.retain(|row| row.needs.is_empty() && matches!(&*row.status, "complete" | "builds_ok"));
    Ok(rows)
}

impl Row {
    fn build(&self) -> Option<Build> {
        let option = |name: &str| self.options.get(name);
        let mut build = Build {
            unrestricted: option("LoadRestrictions").is_some_and(|v| v == "none"),
            reorder: option("Reorder")
                .and_then(Value::as_str)
                .unwrap_or("none")
                .to_owned(),
            managed_by_label: option("AddManagedbyLabel").is_some_and(|v| v == true),
            ..Build::in_memory(&self.target)
        };
        // Upstream's tests take what is above their root for the root itself; of
        // a tree nothing is above. The same goes one directory down.
        let above = self.target == "." && self.files.get(ROOT).is_some_and(|f| f.contains("- ../"));
        if above {
            build.path = WITHIN.to_owned();
        }
        for (path, text) in &self.files {
            match above && path == ROOT {
                true => build.file(&format!("{WITHIN}/{path}"), text),
                false => build.file(path, text),
            };
        }
        for (path, data) in &self.files_base64 {
            let bytes = base64::engine::general_purpose::STANDARD.decode(data);
            build.bytes(path, bytes.ok()?);
        }
        Some(build)
    }

    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        let build = self.build().ok_or("files_base64 is not base64")?;
        let result = engine.kustomize(&build);
        if let Some(error) = &self.error {
            return error.check(&result);
        }
        let got = result?;
        if let Some(expected) = &self.expected {
            // The label names the program's own version.
            let got = got.replace("kustomize-(devel)", "kustomize-(test)");
            return check::documents(engine, &got, expected, false);
        }
        let names = self
            .resource_names
            .iter()
            .map(|name| format!("name: {name}"));
        match self
            .contains
            .iter()
            .cloned()
            .chain(names)
            .find(|part| !got.contains(part))
        {
            Some(missing) => Err(format!("the output lacks {missing:?}")),
            None => Ok(()),
        }
    }
}
