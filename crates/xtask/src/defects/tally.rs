//! Counts by kind of defect, and what went wrong.

use std::collections::BTreeMap;

use super::analysis::Analysis;
use super::row::Row;

/// Lines that tell about a miss.
const SHOWN: usize = 6;

/// What the rows add up to.
#[derive(Default)]
pub struct Tally {
    kinds: BTreeMap<String, Counts>,
    not_run: BTreeMap<String, usize>,
    misses: Vec<String>,
}

/// Rows of one kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    not_run: usize,
    /// Named at the broken commit.
    named: usize,
    /// Of these, by a fault of the same Kustomization that comes first.
    shadowed: usize,
    /// Out of every entrypoint's reach, and told so.
    unreached: usize,
    missed: usize,
    /// Named at the fixed commit.
    wrong: usize,
}

impl Tally {
    /// Adds a row, judged by the analyses of its two commits. `proof` shows that
    /// what it calls missing is there.
    pub fn add(
        &mut self,
        row: &Row,
        broken: &Result<Analysis, String>,
        fixed: &Result<Analysis, String>,
        proof: Option<String>,
    ) {
        let counts = self.kinds.entry(row.kind.clone()).or_default();
        let (broken, fixed) = match (broken, fixed) {
            (Ok(broken), Ok(fixed)) => (broken, fixed),
            (Err(why), _) | (_, Err(why)) => {
                counts.not_run += 1;
                *self.not_run.entry(why.clone()).or_default() += 1;
                return;
            }
        };
        let named = broken.found.iter().any(|found| row.is_named_by(found));
        let shadowed = row.is_shadowed(broken);
        let still = fixed
            .found
            .iter()
            .find(|found| row.is_still_named_by(found));
        // Without a proof by another program, our word alone is a miss.
        if let Some(proof) = proof {
            counts.not_run += 1;
            let why = "what it refers to is there at the broken commit";
            *self.not_run.entry(why.to_owned()).or_default() += 1;
            let told = format!("{why} {}: {proof}", row.broken);
            self.misses.push(format!("{}\n    {told}", title(row)));
            return;
        }
        if let Some(still) = still {
            counts.wrong += 1;
            let told = format!("named at the fixed commit {}: {}", row.fixed, still.text);
            self.misses.push(format!("{}\n    {told}", title(row)));
        } else if named || shadowed {
            counts.named += 1;
            counts.shadowed += usize::from(!named);
        } else if row.is_unreached(broken) {
            counts.unreached += 1;
        } else {
            counts.missed += 1;
            self.misses.push(missed(row, broken));
        }
    }

    /// Prints everything; returns the percentage of rows that went well, of those
    /// that could run.
    pub fn print(&self) -> f64 {
        for miss in &self.misses {
            println!("{miss}");
        }
        if !self.misses.is_empty() {
            println!();
        }
        println!(
            "{:<9} {:>5} {:>8} {:>6} {:>9} {:>7} {:>15}",
            "kind", "rows", "not run", "named", "unreached", "missed", "wrong at fixed"
        );
        let mut total = Counts::default();
        for (kind, counts) in &self.kinds {
            counts.print(kind);
            total.add(*counts);
        }
        total.print("all");
        println!(
            "\nthe Kustomization fails, but for a reason that comes first: {}",
            total.shadowed
        );
        for (why, count) in &self.not_run {
            println!("not run, {why}: {count}");
        }
        let well = total.named + total.unreached;
        let percent = 100.0 * well as f64 / total.run().max(1) as f64;
        println!("{well} of {} rows that run: {percent:.1} %", total.run());
        percent
    }
}

impl Counts {
    fn run(self) -> usize {
        self.named + self.unreached + self.missed + self.wrong
    }

    fn add(&mut self, other: Counts) {
        self.not_run += other.not_run;
        self.named += other.named;
        self.shadowed += other.shadowed;
        self.unreached += other.unreached;
        self.missed += other.missed;
        self.wrong += other.wrong;
    }

    fn print(self, kind: &str) {
        println!(
            "{kind:<9} {:>5} {:>8} {:>6} {:>9} {:>7} {:>15}",
            self.run() + self.not_run,
            self.not_run,
            self.named,
            self.unreached,
            self.missed,
            self.wrong
        );
    }
}

fn title(row: &Row) -> String {
    let (file, object) = (&row.file, &row.object);
    format!(
        "{} {} {file} {object} -> {}",
        row.kind, row.repo, row.refers_to
    )
}

/// A defect that was not named, with what the commit looked like instead.
fn missed(row: &Row, broken: &Analysis) -> String {
    let mut lines = vec![
        title(row),
        format!("not named at {}", row.broken),
        format!(
            "{} components from {} entrypoints: {}",
            broken.components,
            broken.entrypoints.len(),
            broken.entrypoints.join(" ")
        ),
    ];
    let failed = broken
        .failed
        .iter()
        .map(|failed| format!("failed {failed}"));
    let about = broken.found.iter().filter(|found| {
        found.file == row.file
            || found
                .components
                .iter()
                .any(|key| key.ends_with(&row.object))
    });
    let about = about.map(|found| format!("{} {}: {}", found.rule, found.file, found.text));
    lines.extend(failed.take(SHOWN));
    lines.extend(about.take(SHOWN));
    lines.join("\n    ")
}
