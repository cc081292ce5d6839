//! What the program answers. `oracle/README.md` describes the fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One answer: `error` or the fields of the operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// Text, or a list with an item a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The resources of a build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<Vec<Value>>,
    /// The kustomization file of a Flux build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The answers of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Answer>>,
    /// Upstream's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The step that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The libraries panicked.
    #[serde(skip_serializing_if = "is_false")]
    pub panic: bool,
    /// The libraries took their process down.
    #[serde(skip_serializing_if = "is_false")]
    pub crash: bool,
    /// No answer in time.
    #[serde(skip_serializing_if = "is_false")]
    pub timeout: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Answer {
    /// An answer that says why there is none.
    pub fn failed(message: impl Into<String>) -> Self {
        Answer {
            error: Some(message.into()),
            ..Answer::default()
        }
    }

    /// The output as one text, or upstream's error.
    pub fn text(&self) -> Result<&str, &str> {
        match (&self.error, &self.output) {
            (Some(error), _) => Err(error),
            (None, Some(Value::String(text))) => Ok(text),
            (None, _) => Err("the answer is no text"),
        }
    }

    /// The output as an item a document, or upstream's error.
    pub fn items(&self) -> Result<&[Value], &str> {
        match (&self.error, &self.output) {
            (Some(error), _) => Err(error),
            (None, Some(Value::Array(items))) => Ok(items),
            (None, _) => Err("the answer is no list"),
        }
    }
}
