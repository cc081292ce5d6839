//! Answers kept in the repository, for machines without a Go toolchain.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Answer, Pool};
use crate::engine::kustomize_request;
use crate::flux_case::FluxCase;
use crate::{diff_kustomize, diff_yaml, lines, paths};

/// Texts of each way, and trees, that are recorded of the random ones.
const TEXTS: u64 = 150;
const TREES: u64 = 80;
const SEED: u64 = 2026;
/// How often a text is asked for before its answer counts as the only one.
const ROUNDS: usize = 12;

/// A question of our own and upstream's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// The answer.
    #[serde(default)]
    pub answer: Answer,
}

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// Any request.
    Request(Value),
    /// A Flux Kustomization.
    Case(FluxCase),
}

impl Question {
    fn request(&self) -> Value {
        match self {
            Question::Request(request) => request.clone(),
            Question::Case(case) => case.request(),
        }
    }

    /// The part of an answer that is compared; the rest only takes room.
    fn essence(&self, mut answer: Answer) -> Answer {
        match self {
            Question::Case(_) => {
                answer.output = None;
                answer.manifest = None;
            }
            Question::Request(_) => answer.objects = None,
        }
        answer
    }
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

/// Asks every recorded question again and writes the answers down. The files
/// `yaml` and `kustomize` are made anew from the random generators; the others
/// are written by hand, a new line with its question alone.
pub fn record(pool: &Pool) -> Result<String, String> {
    write("yaml", &yaml_questions(pool))?;
    write("kustomize", &kustomize_questions())?;
    let mut report = String::new();
    for path in files()? {
        let rows = lines::read::<Recording>(&path)?;
        let count = rows.len();
        answer(pool, &path, rows)?;
        // Writing to a string cannot fail.
        let _ = writeln!(report, "{}: {count}", path.display());
    }
    Ok(report)
}

fn yaml_questions(pool: &Pool) -> Vec<Value> {
    let ask = |way, texts: &[String]| json!({"op": "yaml", "how": way, "texts": texts});
    let ways = diff_yaml::ways().map(|way| {
        let mut texts = diff_yaml::texts(way, TEXTS, SEED);
        // Some keys have no order of their own and come out at random.
        let request = ask(way, &texts);
        let again = vec![request; ROUNDS];
        let rounds: Vec<Vec<Answer>> = pool
            .ask_all(&again)
            .into_iter()
            .filter_map(|answer| answer.answers)
            .collect();
        let mut at = 0;
        texts.retain(|_| {
            let stable = rounds
                .windows(2)
                .all(|pair| pair[0].get(at) == pair[1].get(at));
            at += 1;
            stable
        });
        ask(way, &texts)
    });
    ways.collect()
}

fn kustomize_questions() -> Vec<Value> {
    let builds = diff_kustomize::builds(TREES, SEED);
    builds.iter().map(kustomize_request).collect()
}

fn write(name: &str, requests: &[Value]) -> Result<(), String> {
    let rows: Vec<Recording> = requests
        .iter()
        .map(|request| Recording {
            question: Question::Request(request.clone()),
            answer: Answer::default(),
        })
        .collect();
    save(
        &paths::root().join(format!("oracle/recorded/{name}.jsonl")),
        &rows,
    )
}

fn answer(pool: &Pool, path: &Path, mut rows: Vec<Recording>) -> Result<(), String> {
    let requests: Vec<Value> = rows.iter().map(|row| row.question.request()).collect();
    let answers = pool.ask_all(&requests);
    for (row, answer) in rows.iter_mut().zip(answers) {
        if answer.crash || answer.timeout {
            let request = row.question.request();
            return Err(format!("{}: no answer to {request}", path.display()));
        }
        row.answer = row.question.essence(answer);
    }
    save(path, &rows)
}

fn save(path: &Path, rows: &[Recording]) -> Result<(), String> {
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(row).map_err(|e| e.to_string())?;
        text.push('\n');
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
