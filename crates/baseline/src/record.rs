//! The file of a baseline.

use std::collections::BTreeMap;
use std::fmt;

use lint::{Finding, Severity};
use serde::{Deserialize, Serialize};
use yaml::Sources;

use crate::fingerprint;

/// The version of the format.
const VERSION: u32 = 1;

/// Findings that were there when it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    pub(crate) entries: Vec<Entry>,
}

/// One finding, or some that look the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub entrypoint: String,
    pub rule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub component: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub severity: Level,
    /// For those who read the file; not compared.
    #[serde(default)]
    pub message: String,
    pub fingerprint: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: usize,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// How bad a finding was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Level::Info,
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    findings: Vec<Entry>,
}

/// Why a text is no baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Baseline {
    /// Reads the text of a baseline.
    ///
    /// # Errors
    ///
    /// Text that is no JSON of the form [`Baseline::text`] writes, or of another
    /// version.
    pub fn parse(text: &str) -> Result<Baseline, Error> {
        let file: File = serde_json::from_str(text).map_err(|e| Error(e.to_string()))?;
        if file.version != VERSION {
            return Err(Error(format!(
                "version {} is not known; this fluxlint writes version {VERSION}",
                file.version
            )));
        }
        Ok(Baseline {
            entries: file.findings,
        })
    }

    /// Records findings of severity warning and above.
    pub fn record<'a>(findings: impl IntoIterator<Item = &'a Finding>, texts: &Sources) -> Self {
        let mut entries: BTreeMap<(String, Level), Entry> = BTreeMap::new();
        for finding in findings {
            if finding.severity == Severity::Info {
                continue;
            }
            let new = entry(finding, texts);
            entries
                .entry((new.fingerprint.clone(), new.severity))
                .and_modify(|entry| entry.count += 1)
                .or_insert(new);
        }
        let mut entries: Vec<_> = entries.into_values().collect();
        entries.sort();
        Baseline { entries }
    }

    /// Takes over, from an older baseline, what a run could not see: the entries
    /// of entrypoints it did not judge. Entrypoints are named as people write
    /// them, the root as `.`.
    pub fn keep_unseen(&mut self, old: &Baseline, judged: impl Fn(&str) -> bool) {
        let unseen = old
            .entries
            .iter()
            .filter(|entry| !judged(&entry.entrypoint));
        self.entries.extend(unseen.cloned());
        self.entries.sort();
    }

    /// The text of its file, sorted; ends with a line break.
    pub fn text(&self) -> String {
        let file = File {
            version: VERSION,
            findings: self.entries.clone(),
        };
        // Strings and numbers always have a text.
        let text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text + "\n"
    }

    /// How many findings it stands for.
    pub fn len(&self) -> usize {
        self.entries.iter().map(|entry| entry.count).sum()
    }

    /// Whether it stands for none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn entry(finding: &Finding, texts: &Sources) -> Entry {
    let at = finding.span.and_then(|span| texts.location(span));
    let component = finding.components.first().map(ToString::to_string);
    Entry {
        entrypoint: directory(&finding.entrypoint),
        rule: finding.rule.into(),
        component: component.unwrap_or_default(),
        object: finding.object.as_ref().map(ToString::to_string),
        file: at.map(|at| at.file.to_string()),
        severity: finding.severity.into(),
        message: finding.message.to_string(),
        fingerprint: fingerprint(finding, texts),
        count: 1,
    }
}

/// An entrypoint as people write it.
fn directory(entrypoint: &str) -> String {
    match entrypoint {
        "" => ".".into(),
        path => path.into(),
    }
}
