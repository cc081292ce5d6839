//! Which content stands for a key.

use std::collections::BTreeMap;

use ecow::EcoString;
use serde::{Deserialize, Serialize};

use super::{Digest, now};

/// What else is known of content, by name: a commit, the digest a registry
/// knows it by.
pub type Facts = BTreeMap<String, String>;

/// An entry: what was asked for and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was asked for.
    pub key: EcoString,
    /// The content.
    pub digest: Digest,
    /// Milliseconds since 1970.
    pub fetched: u64,
    /// What else is known.
    pub facts: Facts,
}

/// The form on disk.
#[derive(Serialize, Deserialize)]
struct Written {
    key: String,
    sha256: String,
    fetched: u64,
    #[serde(default)]
    facts: Facts,
}

impl Record {
    /// An entry of now.
    pub fn new(key: &str, digest: Digest, facts: Facts) -> Self {
        Record {
            key: key.into(),
            digest,
            fetched: now(),
            facts,
        }
    }

    /// Reads the form on disk; `None` when it is something else.
    pub(super) fn read(bytes: &[u8]) -> Option<Record> {
        let written: Written = serde_json::from_slice(bytes).ok()?;
        Some(Record {
            digest: Digest::parse(&written.sha256)?,
            key: written.key.into(),
            fetched: written.fetched,
            facts: written.facts,
        })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let written = Written {
            key: self.key.to_string(),
            sha256: self.digest.hex().into(),
            fetched: self.fetched,
            facts: self.facts.clone(),
        };
        // Text and numbers always have a JSON form.
        serde_json::to_vec(&written).unwrap_or_default()
    }
}
