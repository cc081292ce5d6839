//! Answers kept in the repository, for machines without a Go toolchain.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, Pool};
use crate::{lines, paths};

/// A request of our own and upstream's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The request, without `id`.
    pub request: Value,
    /// The answer.
    #[serde(default)]
    pub answer: Answer,
}

impl Recording {
    /// All recordings, with the name of the file each stands in.
    pub fn all() -> Result<Vec<(String, Recording)>, String> {
        let mut all = Vec::new();
        for path in files()? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let rows = lines::read::<Recording>(&path)?;
            all.extend(rows.into_iter().map(|row| (name.to_string(), row)));
        }
        Ok(all)
    }
}

fn files() -> Result<Vec<PathBuf>, String> {
    let dir = paths::root().join("oracle/recorded");
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    Ok(files)
}

/// Asks every recorded request again and writes the answers down. A new
/// recording is a line with its `request` alone.
pub fn record(pool: &Pool) -> Result<String, String> {
    let mut report = String::new();
    for path in files()? {
        let changed = record_file(pool, &path)?;
        // Writing to a string cannot fail.
        let _ = writeln!(report, "{}: {changed} changed", path.display());
    }
    Ok(report)
}

fn record_file(pool: &Pool, path: &Path) -> Result<usize, String> {
    let rows = lines::read::<Recording>(path)?;
    let requests: Vec<Value> = rows.iter().map(|row| row.request.clone()).collect();
    let answers = pool.ask_all(&requests);
    let mut text = String::new();
    let mut changed = 0;
    for (row, answer) in rows.into_iter().zip(answers) {
        if answer.crash || answer.timeout {
            return Err(format!("{}: no answer to {}", path.display(), row.request));
        }
        changed += usize::from(answer != row.answer);
        let row = Recording {
            request: row.request,
            answer,
        };
        text += &serde_json::to_string(&row).map_err(|e| e.to_string())?;
        text.push('\n');
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(changed)
}
