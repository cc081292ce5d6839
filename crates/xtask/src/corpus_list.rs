//! The corpus of real repositories: what `corpus/repos.yaml` lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use yaml::{FileId, Limits, Node};

use crate::{corpus, paths};

/// Where charts and other sources are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// Nowhere.
    Nothing,
    /// In the mirror beside the repositories.
    Mirror,
}

/// One packed repository.
pub struct Repository {
    /// `owner/name`.
    pub name: String,
    /// The first twelve digits of the commit it was packed at.
    pub commit: String,
    /// Directories to start from.
    pub entrypoints: Vec<String>,
    /// Kustomizations reached from all entrypoints, as a simple reader counts.
    pub kustomizations: u64,
    /// HelmReleases reached from all entrypoints, likewise.
    pub releases: u64,
}

/// All packed repositories, in the list's order.
pub fn repositories() -> Result<Vec<Repository>, String> {
    let path = paths::need_shared()?.join("corpus/repos.yaml");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let documents =
        yaml::parse(&text, FileId::NONE, &Limits::default()).map_err(|e| e.to_string())?;
    let list = documents.first().map(Node::items).unwrap_or_default();
    list.iter()
        .map(|item| read(item).ok_or_else(|| "repos.yaml: an entry lacks a field".into()))
        .collect()
}

fn read(item: &Node) -> Option<Repository> {
    let entrypoints = item.get("entrypoints").map(Node::items).unwrap_or_default();
    let sum = |key: &str| {
        entrypoints
            .iter()
            .filter_map(|e| e.get(key)?.as_i64())
            .map(|n| u64::try_from(n).unwrap_or(0))
            .sum()
    };
    Some(Repository {
        name: item.str_at(&["name"])?.to_owned(),
        commit: item.get("commit")?.text()?.chars().take(12).collect(),
        kustomizations: sum("kustomizations"),
        releases: sum("releases"),
        entrypoints: entrypoints
            .iter()
            .filter_map(|e| Some(e.get("path")?.text()?.to_string()))
            .collect(),
    })
}

impl Repository {
    /// The directory that holds the unpacked tree; unpacked on first use.
    pub fn unpack(&self) -> Result<PathBuf, String> {
        corpus::packed(&self.name, &self.commit)
    }

    /// `fluxlint check --offline --format json` of all its entrypoints. Nothing
    /// that an earlier run has fetched counts.
    pub fn check(&self, program: &Path, elsewhere: Elsewhere) -> Result<Command, String> {
        let dir = paths::target().join("corpus-check");
        let name = self.name.replace('/', "__");
        let mut command = Command::new(program);
        command
            .args(["check", "--offline", "--format", "json", "--cache-dir"])
            .arg(dir.join("no-cache"))
            .arg("--repo")
            .arg(self.unpack()?);
        if elsewhere == Elsewhere::Mirror {
            let mirror = paths::need_shared()?.join("corpus/mirror");
            let mirror = mirror.canonicalize().map_err(|e| e.to_string())?;
            let config = json!({"sources": {"mirrors": [{"path": mirror}]}});
            let path = dir.join(format!("{name}.fluxlint.yaml"));
            let written =
                fs::create_dir_all(&dir).and_then(|()| fs::write(&path, config.to_string()));
            written.map_err(|e| format!("{}: {e}", path.display()))?;
            command.arg("--config").arg(path);
        }
        command.args(&self.entrypoints);
        Ok(command)
    }
}
