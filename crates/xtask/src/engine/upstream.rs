//! The upstream libraries.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Build, Engine, Files};
use crate::oracle::{Answer, Pool};

/// Answers by asking the oracle.
pub struct Upstream {
    pool: Pool,
}

impl Upstream {
    /// Builds the oracle.
    pub fn new() -> Result<Self, String> {
        Ok(Upstream { pool: Pool::new()? })
    }

    /// [`Upstream::new`], or `None` and a loud message on stderr.
    pub fn or_warn() -> Option<Self> {
        Some(Upstream {
            pool: Pool::or_warn()?,
        })
    }

    fn ask(&self, request: &Value) -> Answer {
        self.pool.ask(request)
    }
}

impl Engine for Upstream {
    fn kustomize(&self, build: &Build) -> Result<String, String> {
        let mut request = json!({
            "op": "kustomize",
            "path": build.path,
            "loadRestrictor": if build.unrestricted { "none" } else { "root" },
            "reorder": build.reorder,
            "managedByLabel": build.managed_by_label,
        });
        match &build.files {
            Files::Disk(root) => request["root"] = json!(root),
            Files::Memory(files) => {
                for (path, content) in files {
                    match std::str::from_utf8(content) {
                        Ok(text) => request["files"][path] = json!(text),
                        Err(_) => request["filesBase64"][path] = json!(base64(content)),
                    }
                }
            }
        }
        let answer = self.ask(&request);
        Ok(answer.text()?.to_owned())
    }

    fn envsubst(
        &self,
        text: &str,
        vars: &BTreeMap<String, String>,
        strict: bool,
    ) -> Result<String, String> {
        let answer = self.ask(&json!({
            "op": "envsubst", "text": text, "vars": vars, "strict": strict,
        }));
        Ok(answer.text()?.to_owned())
    }

    fn documents(&self, text: &str) -> Result<Vec<String>, String> {
        let answer = self.ask(&json!({"op": "yaml", "how": "v3-json", "text": text}));
        let text = |item: &Value| item.as_str().unwrap_or_default().to_owned();
        Ok(answer.items()?.iter().map(text).collect())
    }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
