//! Upstream's own test rows against the native crates.

mod builtin;
mod check;
mod envsubst;
mod expression;
mod filters;
mod krusty;

use std::path::Path;

use crate::engine::Engine;
use crate::ratchet::{Outcome, Ratchet, failures};

/// A suite: its name, and what runs its rows from the directory of vectors.
pub struct Suite {
    /// The name in the ratchet file.
    pub name: &'static str,
    run: fn(&Path, &dyn Engine) -> Result<Vec<Outcome>, String>,
}

/// All suites.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "krusty",
        run: krusty::objects,
    },
    Suite {
        name: "krusty-text",
        run: krusty::text,
    },
    Suite {
        name: "builtin",
        run: builtin::run,
    },
    Suite {
        name: "filters",
        run: filters::run,
    },
    Suite {
        name: "envsubst",
        run: envsubst::run,
    },
];

/// What a run of suites is asked to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Take better counts over.
    pub update: bool,
    /// Name each failing row.
    pub list: bool,
    /// Leave the ratchet file alone: not the native crates are asked.
    pub upstream: bool,
}

/// Runs the named suites, or all, and prints their counts. Fails when a count
/// went down.
pub fn run(names: &[String], engine: &dyn Engine, mode: Mode) -> Result<(), String> {
    let vectors = crate::paths::need_shared()?.join("conformance");
    for name in names {
        if !SUITES.iter().any(|suite| suite.name == name) {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            return Err(format!("no suite {name:?}; there are {}", known.join(", ")));
        }
    }
    let mut ratchet = Ratchet::load()?;
    let mut worse = Vec::new();
    for suite in SUITES {
        if !names.is_empty() && !names.iter().any(|name| name == suite.name) {
            continue;
        }
        let mut outcomes = (suite.run)(&vectors, engine)?;
        outcomes.retain(|row| ratchet.exception(suite.name, &row.name).is_none());
        if mode.list {
            print!("{}", failures(suite.name, &outcomes));
        }
        let mut scratch = Ratchet::default();
        let counts = if mode.upstream {
            &mut scratch
        } else {
            &mut ratchet
        };
        let (count, result) = counts.judge(suite.name, &outcomes, mode.update);
        println!("{}: {} of {}", suite.name, count.passed, count.total);
        worse.extend(result.err());
    }
    if mode.update && !mode.upstream && worse.is_empty() {
        ratchet.save()?;
    }
    if worse.is_empty() {
        Ok(())
    } else {
        Err(worse.join("\n"))
    }
}
