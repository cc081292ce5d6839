//! `conformance-ratchet.json`: how many rows of each suite pass. The counts
//! never go down; `--update` raises them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::paths;

/// The counts of one suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Rows that pass.
    pub passed: usize,
    /// Rows that assert something.
    pub total: usize,
}

/// One row that was run: its name, and how it differs if it does.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The row's name in its suite.
    pub name: String,
    /// Nothing, or the first difference.
    pub result: Result<(), String>,
}

impl Outcome {
    /// The outcome of a named row.
    pub fn new(name: impl Into<String>, result: Result<(), String>) -> Self {
        Outcome {
            name: name.into(),
            result,
        }
    }
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratchet {
    /// Counts by suite.
    pub suites: BTreeMap<String, Count>,
    /// Rows that do not count, by suite and name, each with its reason: the
    /// pinned library itself disagrees with them, or they need a program that
    /// is never run.
    #[serde(default)]
    pub exceptions: BTreeMap<String, BTreeMap<String, String>>,
    /// What the pinned library says to rows that do not count, by suite and name,
    /// written by `conformance --prove --update`.
    #[serde(default)]
    pub proofs: BTreeMap<String, BTreeMap<String, String>>,
    /// Tables of the vectors that nothing is held against, each with its reason.
    #[serde(default)]
    pub unneeded: BTreeMap<String, String>,
}

impl Ratchet {
    /// Where the file is.
    pub fn path() -> PathBuf {
        paths::root().join("conformance-ratchet.json")
    }

    /// Reads the file; an absent one is empty.
    pub fn load() -> Result<Self, String> {
        let path = Self::path();
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(format!("{}: {e}", path.display())),
        }
    }

    /// Writes the file.
    pub fn save(&self) -> Result<(), String> {
        let path = Self::path();
        let mut text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        text.push('\n');
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The reason why a row does not count.
    pub fn exception(&self, suite: &str, row: &str) -> Option<&str> {
        Some(self.exceptions.get(suite)?.get(row)?)
    }

    /// Counts a suite's outcomes. With `update` better counts are taken over;
    /// an error names a suite that got worse.
    pub fn judge(
        &mut self,
        suite: &str,
        outcomes: &[Outcome],
        update: bool,
    ) -> (Count, Result<(), String>) {
        let count = Count {
            passed: outcomes.iter().filter(|o| o.result.is_ok()).count(),
            total: outcomes.len(),
        };
        let before = self.suites.get(suite).copied().unwrap_or_default();
        let result = if count.passed < before.passed {
            Err(format!(
                "{suite}: {} rows pass, {} did before",
                count.passed, before.passed
            ))
        } else {
            Ok(())
        };
        if update && result.is_ok() {
            self.suites.insert(suite.to_owned(), count);
        }
        (count, result)
    }
}

/// The failing rows of a suite, one a line, with the beginning of the difference.
pub fn failures(suite: &str, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        if let Err(difference) = &outcome.result {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{suite} {}: {difference}", outcome.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(passing: usize, failing: usize) -> Vec<Outcome> {
        let row = |i: usize| {
            let result = if i < passing {
                Ok(())
            } else {
                Err("differs".to_owned())
            };
            Outcome::new(i.to_string(), result)
        };
        (0..passing + failing).map(row).collect()
    }

    #[test]
    fn counts_rise_and_never_fall() {
        let mut ratchet = Ratchet::default();
        assert!(ratchet.judge("s", &outcomes(3, 2), true).1.is_ok());
        let (count, worse) = ratchet.judge("s", &outcomes(2, 3), true);
        assert_eq!(
            count,
            Count {
                passed: 2,
                total: 5
            }
        );
        assert!(worse.is_err());
        assert_eq!(ratchet.suites["s"].passed, 3);
        assert!(ratchet.judge("s", &outcomes(3, 2), false).1.is_ok());
    }
}
