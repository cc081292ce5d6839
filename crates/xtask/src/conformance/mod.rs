//! Upstream's own test rows against the native crates.

mod builtin;
mod charts;
mod check;
mod dependencies;
mod envsubst;
mod expression;
mod filters;
pub mod fixture;
mod functions;
mod krusty;
mod merges;
mod prove;
mod sources;
mod strvals;
mod tables;
mod template;

use std::path::Path;

use crate::args::Args;
use crate::engine::{self, Engine};
use crate::ratchet::Outcome;
use crate::report::{Mode, Report};

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
        name: "merges",
        run: merges::run,
    },
    Suite {
        name: "envsubst",
        run: envsubst::run,
    },
    Suite {
        name: "go-yaml",
        run: tables::go_yaml,
    },
    Suite {
        name: "git-urls",
        run: tables::git_urls,
    },
    Suite {
        name: "image-names",
        run: tables::images,
    },
    Suite {
        name: "selectors",
        run: tables::selectors,
    },
    Suite {
        name: "ids",
        run: tables::ids,
    },
    Suite {
        name: "text-template",
        run: template::run,
    },
    Suite {
        name: "sprig",
        run: functions::sprig,
    },
    Suite {
        name: "helm-funcs",
        run: functions::helm,
    },
    Suite {
        name: "helm-engine",
        run: charts::engine,
    },
    Suite {
        name: "helm-strvals",
        run: strvals::run,
    },
    Suite {
        name: "helm-paths",
        run: strvals::paths,
    },
    Suite {
        name: "helm-dependencies",
        run: dependencies::run,
    },
    Suite {
        name: "helm-values",
        run: charts::values,
    },
];

/// Runs the named suites, or all, and prints their counts. Fails when a count
/// went down. With `--prove` only the rows that do not count are put to the
/// pinned library, and it fails when that gives what one expects.
pub fn command(mut args: Args) -> Result<(), String> {
    let mode = Mode::take(&mut args);
    let prove = args.flag("--prove");
    let names = args.rest()?;
    for name in &names {
        if !SUITES.iter().any(|suite| suite.name == name) {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            return Err(format!("no suite {name:?}; there are {}", known.join(", ")));
        }
    }
    let vectors = crate::paths::need_shared()?.join("conformance");
    let wanted = |suite: &&Suite| names.is_empty() || names.iter().any(|name| name == suite.name);
    if prove {
        return prove::run(&vectors, SUITES.iter().filter(wanted), mode.update);
    }
    let engine = engine::choose(mode.upstream)?;
    let mut report = Report::start(mode)?;
    for suite in SUITES.iter().filter(wanted) {
        report.suite(suite.name, (suite.run)(&vectors, &*engine)?);
    }
    report.finish()
}
