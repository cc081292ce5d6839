//! What a host answered that it does not have.

use ecow::EcoString;
use serde::{Deserialize, Serialize};

use super::now;
use crate::Error;

/// An entry without content: what was asked for, and that it is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// What was asked for.
    pub key: EcoString,
    /// What the host said, with the nearest that it has.
    pub error: Error,
    /// Milliseconds since 1970.
    pub answered: u64,
}

/// The form on disk.
#[derive(Serialize, Deserialize)]
struct Written {
    key: String,
    absent: Answer,
    answered: u64,
}

/// A host's answer. Other failures say nothing of what there is.
#[derive(Serialize, Deserialize)]
struct Answer {
    at: String,
    /// Of a repository that does not exist, nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    what: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<String>,
}

impl Absence {
    /// That something is not there, as of now; `None` when an error is no answer
    /// of that kind.
    pub fn new(key: &str, error: &Error) -> Option<Self> {
        error.is_answer().then(|| Absence {
            key: key.into(),
            error: error.clone(),
            answered: now(),
        })
    }

    /// Reads the form on disk; `None` when it is something else.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let Written {
            key,
            absent,
            answered,
        } = serde_json::from_slice(bytes).ok()?;
        let at = absent.at.into();
        let error = match absent.what {
            Some(what) => Error::ReferenceMissing {
                what: what.into(),
                at,
                nearest: absent.nearest.into_iter().map(EcoString::from).collect(),
            },
            None => Error::RepositoryMissing(at),
        };
        Some(Absence {
            key: key.into(),
            error,
            answered,
        })
    }

    /// The form on disk; `None` when the error is no answer of a host.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let absent = match &self.error {
            Error::RepositoryMissing(at) => Answer {
                at: at.to_string(),
                what: None,
                nearest: Vec::new(),
            },
            Error::ReferenceMissing { what, at, nearest } => Answer {
                at: at.to_string(),
                what: Some(what.to_string()),
                nearest: nearest.iter().map(ToString::to_string).collect(),
            },
            _ => return None,
        };
        let written = Written {
            key: self.key.to_string(),
            absent,
            answered: self.answered,
        };
        serde_json::to_vec(&written).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_written_and_failures_are_none() {
        let missing = Error::ReferenceMissing {
            what: "tag 1".into(),
            at: "oci://h/x".into(),
            nearest: vec!["2".into(), "3".into()],
        };
        for error in [missing, Error::RepositoryMissing("https://h/x".into())] {
            let absence = Absence::new("a", &error).unwrap();
            let bytes = absence.to_bytes().unwrap();
            assert_eq!(Absence::read(&bytes).unwrap(), absence);
        }
        let unreachable = Error::Unreachable {
            host: "h".into(),
            why: "no".into(),
        };
        let refused = Error::Unauthorized {
            at: "https://h/x".into(),
            sent: None,
        };
        for error in [unreachable, refused, Error::Stopped] {
            assert_eq!(Absence::new("a", &error), None);
        }
    }
}
