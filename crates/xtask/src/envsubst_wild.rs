//! `cargo xtask envsubst-wild`: variable expressions found in real
//! repositories, strict and not.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::args::Args;
use crate::engine::{self, Expand};
use crate::ratchet::Outcome;
use crate::report::{Mode, Report};
use crate::{lines, parallel, paths};

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "in")]
    input: String,
    lax: Option<String>,
    lax_error: Option<String>,
    strict: Option<String>,
    strict_error: Option<String>,
}

/// Runs all rows.
pub fn command(mut args: Args) -> Result<(), String> {
    let mode = Mode::take(&mut args);
    args.done()?;
    let mut report = Report::start(mode)?;
    report.suite("envsubst-wild", run(&*engine::expander(mode.upstream)?)?);
    report.finish()
}

/// Each row counts twice. The rows were made with one variable set.
fn run(engine: &dyn Expand) -> Result<Vec<Outcome>, String> {
    let path = paths::need_shared()?.join("corpus/envsubst-wild.jsonl");
    let rows: Vec<Row> = lines::read(&path)?;
    let vars = BTreeMap::from([("APP".to_owned(), "app".to_owned())]);
    let outcomes = parallel::map(&rows, |row| {
        [
            (false, &row.lax, &row.lax_error),
            (true, &row.strict, &row.strict_error),
        ]
        .map(|(strict, expected, error)| {
            let result = engine.envsubst(&row.input, &vars, strict);
            let same = match &result {
                Ok(text) => Some(text) == expected.as_ref(),
                Err(message) => Some(message) == error.as_ref(),
            };
            let name = format!("{} {:?}", if strict { "strict" } else { "lax" }, row.input);
            let difference = || {
                format!(
                    "{result:?}, expected {:?}",
                    expected.as_ref().or(error.as_ref())
                )
            };
            Outcome::new(name, if same { Ok(()) } else { Err(difference()) })
        })
    });
    Ok(outcomes.into_iter().flatten().collect())
}
