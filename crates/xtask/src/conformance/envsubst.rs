//! Variable expressions: `flux_envsubst_cases.jsonl`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::expression::Expression;
use crate::engine::Engine;
use crate::lines;
use crate::ratchet::Outcome;

#[derive(Deserialize)]
struct Row {
    name: String,
    status: String,
    table: String,
    case: Case,
}

#[derive(Deserialize)]
struct Case {
    input: Option<String>,
    #[serde(default)]
    params: BTreeMap<String, String>,
    output: Option<String>,
    #[serde(rename = "wantErr")]
    want_error: Option<Value>,
    #[serde(rename = "Text")]
    text: Option<String>,
    #[serde(rename = "Node")]
    node: Option<Value>,
}

/// Runs all rows.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("flux_envsubst_cases.jsonl"))?;
    rows.retain(|row| row.status == "complete");
    Ok(rows
        .iter()
        .map(|row| Outcome::new(format!("{}/{}", row.table, row.name), row.check(engine)))
        .collect())
}

impl Row {
    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        match (&self.case.text, &self.case.node) {
            (Some(text), Some(node)) => parse_row(engine, text, &Expression::read(node)?),
            _ => self.expand_row(engine),
        }
    }

    fn expand_row(&self, engine: &dyn Engine) -> Result<(), String> {
        let case = &self.case;
        let input = case.input.as_deref().ok_or("no input")?;
        let strict = self.table == "TestExpandStrict";
        let result = engine.envsubst(input, &case.params, strict);
        if case.want_error.is_some() {
            return match result {
                Err(message) if message.contains("variable not set (strict mode)") => Ok(()),
                other => Err(format!("{other:?}, expected an unset variable")),
            };
        }
        same(result, case.output.as_deref().unwrap_or_default())
    }
}

/// A row that asserts the tree of an expression: the text must expand to what
/// the tree means, whatever the variables hold.
fn parse_row(engine: &dyn Engine, text: &str, tree: &Expression) -> Result<(), String> {
    let values = [
        &[][..],
        &[("string", "/position\\substring/position-substring-Default")],
        &[
            ("string", "substringPosition"),
            ("position", "3"),
            ("var", "V"),
            ("stringy", "s"),
            ("stringz", "sub"),
        ],
    ];
    for assigned in values {
        let vars: BTreeMap<String, String> = assigned
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        same(engine.envsubst(text, &vars, false), &tree.expand(&vars))
            .map_err(|e| format!("{text:?} with {vars:?}: {e}"))?;
    }
    Ok(())
}

fn same(result: Result<String, String>, expected: &str) -> Result<(), String> {
    match result {
        Ok(text) if text == expected => Ok(()),
        other => Err(format!("{other:?}, expected {expected:?}")),
    }
}
