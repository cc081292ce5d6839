//! Shows that rows which do not count are ones that the pinned library itself
//! does not give.

use std::path::Path;

use super::Suite;
use crate::engine::{Engine, Native, Upstream};
use crate::ratchet::{Outcome, Ratchet};

/// Suites whose rows are put to an engine; the others ask a native crate only.
const ASKED: &[&str] = &["krusty", "krusty-text", "builtin", "filters", "merges"];

/// Characters of the library's answer that are written down.
const SHOWN: usize = 300;

/// Puts each row that does not count to the library. With `update` its answers
/// are written into the ratchet file. Fails when it gives what a row expects.
pub fn run<'s>(
    vectors: &Path,
    suites: impl Iterator<Item = &'s Suite>,
    update: bool,
) -> Result<(), String> {
    let mut ratchet = Ratchet::load()?;
    let upstream = Upstream::new()?;
    let mut unjust = Vec::new();
    for suite in suites.filter(|suite| ASKED.contains(&suite.name)) {
        let rows = ratchet.exceptions.get(suite.name);
        let excepted = |engine: &dyn Engine| -> Result<Vec<Outcome>, String> {
            let mut outcomes = (suite.run)(vectors, engine)?;
            outcomes.retain(|row| rows.is_some_and(|rows| rows.contains_key(&row.name)));
            Ok(outcomes)
        };
        let (library, native) = (excepted(&upstream)?, excepted(&Native::default())?);
        let mut answers = Vec::new();
        for (library, native) in library.into_iter().zip(native) {
            match (library.result, native.result) {
                (Err(answer), _) => answers.push((library.name, shortened(&answer))),
                (Ok(()), Ok(())) => unjust.push(format!("{} {} passes", suite.name, library.name)),
                (Ok(()), Err(difference)) => unjust.push(format!(
                    "{} {}: the library gives what it expects, the native crates do not: {difference}",
                    suite.name, library.name
                )),
            }
        }
        println!(
            "{}: the library refutes {} of {}",
            suite.name,
            answers.len(),
            rows.map_or(0, |rows| rows.len())
        );
        for (name, answer) in &answers {
            println!("  {name}: {answer}");
        }
        ratchet
            .proofs
            .insert(suite.name.to_owned(), answers.into_iter().collect());
    }
    if update {
        ratchet.save()?;
    }
    match unjust.is_empty() {
        true => Ok(()),
        false => Err(unjust.join("\n")),
    }
}

/// The beginning of an answer, in one line, addresses of Go's memory left out.
fn shortened(answer: &str) -> String {
    let line = answer
        .split_whitespace()
        .map(|word| match word.split_once("0x") {
            Some((before, _)) => format!("{before}0x…"),
            None => word.to_owned(),
        });
    let line = line.collect::<Vec<_>>().join(" ");
    // A directory of upstream's tests has the name of a home directory.
    let line = line.replace("/root", "");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
