//! Counts suites, prints them and holds them against the ratchet.

use crate::args::Args;
use crate::ratchet::{Outcome, Ratchet, failures};

/// What a run of suites is asked to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Take better counts over.
    pub update: bool,
    /// Name each failing row.
    pub list: bool,
    /// Ask the upstream program, not the native crates; the ratchet is left
    /// alone.
    pub upstream: bool,
}

impl Mode {
    /// Takes the flags of a mode out of the arguments.
    pub fn take(args: &mut Args) -> Self {
        Mode {
            update: args.flag("--update"),
            list: args.flag("--list"),
            upstream: args.flag("--upstream"),
        }
    }
}

/// The counts of one run.
pub struct Report {
    mode: Mode,
    ratchet: Ratchet,
    worse: Vec<String>,
}

impl Report {
    /// Starts with the counts of the ratchet file.
    pub fn start(mode: Mode) -> Result<Self, String> {
        let mut ratchet = Ratchet::load()?;
        if mode.upstream {
            ratchet.suites.clear();
        }
        Ok(Report {
            mode,
            ratchet,
            worse: Vec::new(),
        })
    }

    /// Counts a suite and prints it. Rows with a reason in the ratchet file do
    /// not count.
    pub fn suite(&mut self, name: &str, mut outcomes: Vec<Outcome>) {
        outcomes.retain(|row| self.ratchet.exception(name, &row.name).is_none());
        if self.mode.list {
            print!("{}", failures(name, &outcomes));
        }
        let (count, result) = self.ratchet.judge(name, &outcomes, self.mode.update);
        println!("{name}: {} of {}", count.passed, count.total);
        self.worse.extend(result.err());
    }

    /// Writes better counts down, if that was asked. Fails when a count went
    /// down.
    pub fn finish(self) -> Result<(), String> {
        if !self.worse.is_empty() {
            return Err(self.worse.join("\n"));
        }
        if self.mode.update && !self.mode.upstream {
            self.ratchet.save()?;
        }
        Ok(())
    }
}
