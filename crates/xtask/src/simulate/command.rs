//! Many plans, and the smallest that differs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::files::files;
use super::generate;
use super::kind::Kind;
use super::plan::Plan;
use super::trial::{Trial, trial};
use crate::args::Args;
use crate::diff_kustomize::shrink;
use crate::parallel;

/// Differing plans that are made small.
const SHRUNK: usize = 3;

/// Figures of many trials.
#[derive(Default)]
pub struct Tally {
    /// Repositories.
    pub count: usize,
    /// Components of all of them.
    pub components: usize,
    /// Repositories that do not converge.
    pub stuck: usize,
    /// Repositories that have an edge of a kind.
    pub kinds: BTreeMap<Kind, usize>,
    /// Repositories that would show the lack of a kind.
    pub caught: BTreeMap<Kind, usize>,
    /// Seeds that differ, by what differs.
    pub differing: BTreeMap<&'static str, Vec<u64>>,
    /// Seeds that gave no answer, with the reason.
    pub errors: Vec<(u64, String)>,
}

/// Tries all seeds.
pub fn tally(seeds: &[u64], mutate: bool) -> Tally {
    let trials = parallel::map(seeds, |seed| trial(&generate::plan(*seed), *seed, mutate));
    let mut tally = Tally::default();
    for (seed, trial) in seeds.iter().zip(trials) {
        tally.count += 1;
        match trial {
            Ok(trial) => tally.add(*seed, &trial),
            Err(error) => tally.errors.push((*seed, error)),
        }
    }
    tally
}

impl Tally {
    fn add(&mut self, seed: u64, trial: &Trial) {
        self.components += trial.components;
        self.stuck += usize::from(!trial.converges);
        for kind in &trial.kinds {
            *self.kinds.entry(*kind).or_default() += 1;
        }
        for kind in &trial.caught {
            *self.caught.entry(*kind).or_default() += 1;
        }
        let names: BTreeSet<_> = trial.differences.iter().map(|d| d.name()).collect();
        for name in names {
            self.differing.entry(name).or_default().push(seed);
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        #[allow(clippy::cast_precision_loss)]
        let share = |part: usize| 100.0 * part as f64 / self.count.max(1) as f64;
        writeln!(
            f,
            "{} repositories, {} components, {:.1} % do not converge",
            self.count,
            self.components,
            share(self.stuck)
        )?;
        for kind in Kind::ALL {
            let has = self.kinds.get(&kind).copied().unwrap_or(0);
            write!(f, "  {:15} in {:5.1} %", format!("{kind:?}"), share(has))?;
            match self.caught.get(&kind) {
                Some(caught) => writeln!(f, "; {caught} of {has} show its lack")?,
                None => writeln!(f)?,
            }
        }
        for (name, seeds) in &self.differing {
            let shown: Vec<String> = seeds.iter().take(5).map(u64::to_string).collect();
            let (number, of) = (seeds.len(), self.count);
            writeln!(f, "{name}: {number} of {of}: {}", shown.join(" "))?;
        }
        for (seed, error) in self.errors.iter().take(5) {
            writeln!(f, "seed {seed}: {error}")?;
        }
        Ok(())
    }
}

/// `--count N` repositories from `--seed S` on; `--mutate` also without each kind
/// of edge; `--shrink` makes the first ones that differ small and shows them.
pub fn command(mut args: Args) -> Result<(), String> {
    let count = args.number("--count")?.unwrap_or(1000);
    let first = args.number("--seed")?.unwrap_or(1);
    let small = args.flag("--shrink");
    let mutate = args.flag("--mutate");
    args.done()?;
    let seeds: Vec<u64> = (0..count).map(|at| first.wrapping_add(at)).collect();
    let begun = Instant::now();
    let tally = tally(&seeds, mutate);
    let took = begun.elapsed();
    print!("{tally}");
    println!("{:.1} s", took.as_secs_f64());
    if small {
        for (name, seeds) in &tally.differing {
            for seed in seeds.iter().take(SHRUNK) {
                println!("\n== {name}, seed {seed}\n{}", smallest(*seed, name)?);
            }
        }
    }
    match (tally.differing.is_empty(), tally.errors.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err("some repositories gave no answer".into()),
        (false, _) => Err("the graph and the simulation differ".into()),
    }
}

/// The smallest plan that shows a difference of this name: its files and both
/// answers.
fn smallest(seed: u64, name: &str) -> Result<String, String> {
    let read = |value: &serde_json::Value| -> Option<Plan> {
        serde_json::from_value(value.clone()).ok().filter(is_whole)
    };
    let differs = |value: &serde_json::Value| {
        let trial = read(value).and_then(|plan| trial(&plan, seed, false).ok());
        trial.is_some_and(|trial| trial.differences.iter().any(|d| d.name() == name))
    };
    let plan = serde_json::to_value(generate::plan(seed)).map_err(|e| e.to_string())?;
    let plan = read(&shrink(&plan, differs)).ok_or("the plan cannot be read back")?;
    let written = files(&plan);
    let mut text = String::new();
    for (path, content) in &written.files {
        text.push_str(&format!("# {path}\n{content}\n"));
    }
    for (name, objects) in &written.charts {
        text.push_str(&format!("# chart of {name}\n"));
        text.extend(objects.iter().map(|object| format!("{object}\n")));
    }
    text.push_str(&format!("# .fluxlint.yaml\n{}\n", written.config));
    text.push_str(&trial(&plan, seed, false)?.report);
    Ok(text)
}

/// Whether nothing without a name is left of what was made smaller.
fn is_whole(plan: &Plan) -> bool {
    !plan.root.name.is_empty() && plan.units.iter().all(|unit| !unit.name.is_empty())
}
