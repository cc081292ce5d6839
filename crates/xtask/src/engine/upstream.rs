//! The upstream libraries.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Build, Engine, Expand, Files, Merging, Render, Yaml, template, tree};
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
        let answer = self.ask(&kustomize_request(build));
        Ok(answer.text()?.to_owned())
    }

    fn merge(&self, object: &str, patch: &str, how: Merging) -> Result<String, String> {
        let answer = self.ask(&json!({
            "op": "merge", "text": object, "patch": patch,
            "infer": how.infer, "prepend": how.prepend,
        }));
        Ok(answer.text()?.to_owned())
    }

    fn merge_three(&self, versions: [&str; 3], how: Merging) -> Result<String, String> {
        let [local, origin, update] = versions;
        let answer = self.ask(&json!({
            "op": "merge3", "text": local, "origin": origin, "update": update, "infer": how.infer,
        }));
        Ok(answer.text()?.to_owned())
    }
}

impl Expand for Upstream {
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
}

impl Render for Upstream {
    fn render(&self, cases: &[template::Case]) -> Vec<Result<String, String>> {
        let request = json!({"op": "template", "templateCases": cases, "timeoutMs": 20_000});
        let answer = self.ask(&request);
        match (answer.answers, answer.error) {
            (Some(answers), _) => answers.into_iter().map(plain).collect(),
            // One case took the process down: look for it by halves.
            (None, _) if cases.len() > 1 => {
                let (left, right) = cases.split_at(cases.len() / 2);
                let mut all = self.render(left);
                all.extend(self.render(right));
                all
            }
            (None, error) => vec![Err(error.unwrap_or_default())],
        }
    }
}

impl Yaml for Upstream {
    fn documents(&self, text: &str) -> Result<Vec<String>, String> {
        let answer = self.ask(&json!({"op": "yaml", "how": "v3-json", "text": text}));
        let text = |item: &Value| item.as_str().unwrap_or_default().to_owned();
        Ok(answer.items()?.iter().map(text).collect())
    }

    fn yaml(&self, way: &str, texts: &[String]) -> Vec<Result<String, String>> {
        // Some texts keep upstream busy for ever; none of these is long.
        let answer = self.ask(&json!({
            "op": "yaml", "how": way, "texts": texts, "timeoutMs": 3000,
        }));
        match (answer.answers, answer.error) {
            (Some(answers), _) => answers
                .iter()
                .map(|answer| plain(comparable(way, answer)))
                .collect(),
            // One text took the process down: look for it by halves.
            (None, _) if texts.len() > 1 => {
                let (left, right) = texts.split_at(texts.len() / 2);
                let mut all = self.yaml(way, left);
                all.extend(self.yaml(way, right));
                all
            }
            (None, error) => vec![Err(error.unwrap_or_default())],
        }
    }
}

/// The request for a build.
pub fn kustomize_request(build: &Build) -> Value {
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
    request
}

fn plain(answer: Answer) -> Result<String, String> {
    match (answer.output, answer.error) {
        (_, Some(error)) => Err(error),
        (Some(Value::String(text)), None) => Ok(text),
        (output, None) => Ok(output.unwrap_or_default().to_string()),
    }
}

/// An answer in the form that native answers have: without what native trees do
/// not have, and with JSON text spelled alike.
pub fn comparable(way: &str, answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    answer.output = answer.output.map(|output| match (way, output) {
        ("v3-tree", output) => tree::of_upstream(&output),
        ("sigs-to-json" | "sigs-strict", Value::String(text)) => json!(unescaped(&text)),
        ("kyaml-json", Value::Array(items)) => {
            let texts = items.iter().filter_map(Value::as_str);
            json!(texts.map(unescaped).collect::<Vec<_>>())
        }
        (_, output) => output,
    });
    answer
}

/// JSON text with the replacement character as itself. Go escapes one that stands
/// for bytes of `!!binary` that are no text; a node does not know which those are.
fn unescaped(json: &str) -> String {
    const ESCAPE: &str = "\\ufffd";
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        // Two bytes are the whole of every other escape but for its digits.
        let (shown, len) = match from.starts_with(ESCAPE) {
            true => ("\u{fffd}", ESCAPE.len()),
            false => (from.get(..2).unwrap_or(from), 2.min(from.len())),
        };
        text.push_str(shown);
        rest = from.get(len..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn only_the_escape_itself_is_another_spelling() {
        assert_eq!(
            unescaped(r#"["a\ufffd","\\ufffd\"\ufffd"]"#),
            "[\"a\u{fffd}\",\"\\\\ufffd\\\"\u{fffd}\"]"
        );
    }
}
