//! How long things take: a table for people, a document for programs.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use link::{Contribution, Lane, Timing, Workers};
use model::World;
use serde::Serialize;
use yaml::Sources;

use crate::document::{directory, timing as timing_result};
use crate::json::{SCHEMA_VERSION, TimingResult};
use crate::wording::{clean, count, duration};

/// How long something takes at one entrypoint.
pub struct Timed<'a> {
    /// The entrypoint.
    pub world: &'a World,
    /// What happens, as a flag says it: `empty`, `commit=flux-system/apps`.
    pub scenario: String,
    /// The answer; `None` where nothing becomes ready.
    pub timing: Option<Timing>,
    /// What is asked to be otherwise, a clause each.
    pub changes: Vec<String>,
    /// The answer without those changes.
    pub before: Option<Timing>,
}

impl Timed<'_> {
    pub(crate) fn name(&self, component: usize) -> String {
        let component = self.world.components.get(component);
        component.map_or_else(String::new, |c| c.key.to_string())
    }

    /// What happens, in words.
    pub(crate) fn title(&self) -> String {
        let entrypoint = directory(&self.world.entrypoint);
        let what = match self.scenario.split_once('=') {
            Some(("commit", component)) => format!("after a commit that changes {component}"),
            Some(("failure", component)) => {
                format!("from an empty cluster, while {component} never becomes ready")
            }
            _ if self.scenario == "restart" => "after a restart, everything being applied".into(),
            _ => "from an empty cluster".into(),
        };
        format!("{entrypoint}: {what}")
    }
}

/// The worst case of a timing, in a clause.
pub(crate) fn limit(timing: &Timing) -> String {
    let time = duration(timing.one_try);
    let limit = match timing.complete {
        true => "at most",
        false => "worst case at least",
    };
    match timing.bound {
        Some(_) => format!("{limit} {time}"),
        None => format!("no bound; with one try of each release {limit} {time}"),
    }
}

/// Tables for people, with colours.
pub fn timing_text(all: &[Timed<'_>], texts: &Sources) -> String {
    let mut out = String::new();
    for (at, timed) in all.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        Text {
            timed,
            texts,
            out: &mut out,
        }
        .write();
    }
    out
}

struct Text<'a> {
    timed: &'a Timed<'a>,
    texts: &'a Sources,
    out: &'a mut String,
}

impl Text<'_> {
    fn write(&mut self) {
        let bold = Style::new().bold();
        let title = clean(&self.timed.title()).into_owned();
        let _ = writeln!(self.out, "{bold}{title}{bold:#}");
        for change in &self.timed.changes {
            let _ = writeln!(self.out, "  {}", clean(change));
        }
        let Some(timing) = &self.timed.timing else {
            self.out
                .push_str("nothing becomes ready: `fluxlint check` says why\n");
            return;
        };
        let best = match timing.best {
            0 => String::new(),
            best => format!(", at best {}", duration(best)),
        };
        let _ = writeln!(self.out, "{}{best}", limit(timing));
        self.difference(timing);
        self.notes(timing);
        self.path(timing);
        self.table(timing);
    }

    /// What the changes win or cost.
    fn difference(&mut self, timing: &Timing) {
        let Some(before) = &self.timed.before else {
            return;
        };
        let (now, then) = (timing.one_try, before.one_try);
        let difference = match now.cmp(&then) {
            std::cmp::Ordering::Less => format!("{} less", duration(then - now)),
            std::cmp::Ordering::Equal => "no difference".into(),
            std::cmp::Ordering::Greater => format!("{} more", duration(now - then)),
        };
        let _ = writeln!(self.out, "as it is: {} ({difference})", limit(before));
    }

    fn notes(&mut self, timing: &Timing) {
        let mut notes = Vec::new();
        if let Some(pickup) = &timing.pickup {
            notes.push(format!("{pickup}: up to {}", duration(pickup.delay)));
        }
        if !timing.blocked.is_empty() {
            notes.push(format!(
                "never ready because of it: {}",
                self.names(&timing.blocked)
            ));
        }
        let others = timing.never - timing.blocked.len().min(timing.never);
        if others > 0 {
            notes.push(format!(
                "never ready in any case: {} (`fluxlint check` says why)",
                count(others, "component")
            ));
        }
        if !timing.unlimited.is_empty() {
            notes.push(format!(
                "retried without limit: {}",
                self.names(&timing.unlimited)
            ));
        }
        let unrendered = timing.lanes.iter().filter(|lane| {
            let component = self.timed.world.components.get(lane.component);
            component.is_some_and(|c| !c.is_rendered())
        });
        let unrendered = unrendered.count();
        if unrendered > 0 {
            notes.push(format!(
                "not rendered here: {}",
                count(unrendered, "component")
            ));
        }
        if let (number @ 1.., means) = timing.measured {
            let means = match means {
                0 => String::new(),
                means => format!(", {means} of them as a mean that counts runs with nothing to do"),
            };
            notes.push(format!("measured: {}{means}", count(number, "component")));
        }
        for pool in &timing.workers {
            notes.extend(workers(pool, timing.complete));
        }
        for note in notes {
            let _ = writeln!(self.out, "  {}", clean(&note));
        }
    }

    fn names(&self, components: &[usize]) -> String {
        const NAMES: usize = 8;
        let names = components.iter().take(NAMES).map(|at| self.timed.name(*at));
        let names = names.collect::<Vec<_>>().join(", ");
        match components.len().saturating_sub(NAMES) {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }

    fn path(&mut self, timing: &Timing) {
        let steps: Vec<&Contribution> = timing.chain.iter().filter(|step| step.added > 0).collect();
        if steps.is_empty() {
            return;
        }
        let bold = Style::new().bold();
        let _ = writeln!(self.out, "\n{bold}critical path{bold:#}");
        for step in steps {
            let place = step.span.and_then(|span| self.texts.location(span));
            let place = place.map_or_else(String::new, |at| {
                format!(" [{}:{}]", clean(&at.file), at.line)
            });
            let _ = writeln!(
                self.out,
                "{:>8} {:>8}  {}{place}",
                duration(step.at),
                format!("+{}", duration(step.added)),
                clean(&step.reason)
            );
        }
    }

    fn table(&mut self, timing: &Timing) {
        let lanes = ordered(timing);
        if lanes.is_empty() {
            return;
        }
        let names: Vec<String> = lanes
            .iter()
            .map(|lane| clean(&self.timed.name(lane.component)).into_owned())
            .collect();
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or(0).max("component".len());
        let bold = Style::new().bold();
        let _ = writeln!(
            self.out,
            "\n{bold}{:<width$} {:>9} {:>9} {:>9}  critical{bold:#}",
            "component", "earliest", "latest", "slack"
        );
        for (lane, name) in lanes.iter().zip(&names) {
            let (style, mark) = match lane.critical {
                true => (AnsiColor::BrightRed.on_default(), "  yes"),
                false => (Style::new(), ""),
            };
            let line = format!(
                "{name:<width$} {:>9} {:>9} {:>9}{mark}",
                duration(lane.ready.earliest),
                duration(lane.ready.latest),
                duration(lane.slack)
            );
            let _ = writeln!(self.out, "{style}{line}{style:#}");
        }
    }
}

fn workers(pool: &Workers, counted: bool) -> Option<String> {
    let (name, workers) = (pool.controller, pool.workers);
    let enough = format!("with {} nothing waits", pool.enough);
    match pool.wait {
        Some(0) => None,
        Some(wait) => Some(format!(
            "waits for one of the {workers} workers of {name}: up to {}{} ({enough})",
            duration(wait),
            if counted { "" } else { ", not counted" }
        )),
        None => Some(format!(
            "waits for one of the {workers} workers of {name}: no limit, for {} waiting components \
             can keep them all ({enough})",
            pool.held
        )),
    }
}

/// Components in the order they are ready at worst.
pub(crate) fn ordered(timing: &Timing) -> Vec<&Lane> {
    let mut lanes: Vec<&Lane> = timing.lanes.iter().collect();
    lanes.sort_by_key(|lane| (lane.ready.latest, lane.start.latest, lane.component));
    lanes
}

/// The answer of `fluxlint timing --format json`. Durations are nanoseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: &'static str,
    schema_version: u32,
    entrypoints: Vec<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    entrypoint: String,
    scenario: String,
    /// What is asked to be otherwise.
    changes: Vec<String>,
    timing: Option<TimingResult>,
    /// The longest chain of waits alone; the worst case with one try where
    /// nothing limits releases.
    critical: Option<u64>,
    components: Vec<Row>,
    workers: Vec<Pool>,
    /// Never ready in this scenario only.
    blocked: Vec<String>,
    never_ready: usize,
    unlimited: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pickup: Option<u64>,
    /// Without the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Before>,
}

#[derive(Serialize)]
struct Row {
    component: String,
    start: [u64; 2],
    applied: [u64; 2],
    ready: [u64; 2],
    slack: u64,
    critical: bool,
}

#[derive(Serialize)]
struct Pool {
    controller: &'static str,
    workers: usize,
    enough: usize,
    held: usize,
    wait: Option<u64>,
}

#[derive(Serialize)]
struct Before {
    complete: bool,
    bound: Option<u64>,
    critical: u64,
}

/// The document for programs, ending in a line break. `version` is the
/// program's.
pub fn timing_json(all: &[Timed<'_>], version: &'static str) -> String {
    let document = Document {
        version,
        schema_version: SCHEMA_VERSION,
        entrypoints: all.iter().map(entry).collect(),
    };
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn entry(timed: &Timed<'_>) -> Entry {
    let timing = timed.timing.as_ref();
    let names = |components: &[usize]| components.iter().map(|at| timed.name(*at)).collect();
    let span = |span: link::Span| [span.earliest, span.latest];
    Entry {
        entrypoint: directory(&timed.world.entrypoint),
        scenario: timed.scenario.clone(),
        changes: timed.changes.clone(),
        timing: timing.map(timing_result),
        critical: timing.map(|timing| timing.critical),
        components: timing.map_or_else(Vec::new, |timing| {
            let lanes = ordered(timing).into_iter();
            lanes
                .map(|lane| Row {
                    component: timed.name(lane.component),
                    start: span(lane.start),
                    applied: span(lane.applied),
                    ready: span(lane.ready),
                    slack: lane.slack,
                    critical: lane.critical,
                })
                .collect()
        }),
        workers: timing.map_or_else(Vec::new, |timing| {
            let pools = timing.workers.iter();
            pools
                .map(|pool| Pool {
                    controller: pool.controller,
                    workers: pool.workers,
                    enough: pool.enough,
                    held: pool.held,
                    wait: pool.wait,
                })
                .collect()
        }),
        blocked: timing.map_or_else(Vec::new, |timing| names(&timing.blocked)),
        never_ready: timing.map_or(timed.world.components.len(), |timing| timing.never),
        unlimited: timing.map_or_else(Vec::new, |timing| names(&timing.unlimited)),
        pickup: timing.and_then(|timing| Some(timing.pickup.as_ref()?.delay)),
        before: timed.before.as_ref().map(|before| Before {
            complete: before.complete,
            bound: before.bound,
            critical: before.critical,
        }),
    }
}
