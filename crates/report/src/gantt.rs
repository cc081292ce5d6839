//! When each component is under way, drawn.

use std::fmt::Write;

use link::{Lane, Timing};

use crate::escape::xml;
use crate::timing::{Timed, limit};
use crate::wording::{clean, duration};

/// Rules for light and dark surroundings.
const STYLE: &str = include_str!("gantt.css");

const ROW: usize = 20;
const CHART: usize = 720;
const MARGIN: usize = 16;
/// Width of a character of a label.
const CHARACTER: usize = 8;
/// Characters of a name that are shown.
const NAME: usize = 60;
/// About how many lines divide the time.
const TICKS: u64 = 8;

/// The entrypoints below each other, as one SVG that needs nothing else: for each
/// component a bar from its start to its being ready at worst, within it the
/// best case, and behind it how much later it could be.
pub fn timing_svg(all: &[Timed<'_>]) -> String {
    let names = all.iter().flat_map(|timed| {
        let lanes = timed.timing.iter().flat_map(|timing| &timing.lanes);
        lanes.map(|lane| label(timed, lane).chars().count())
    });
    let labels = names.max().unwrap_or(0) * CHARACTER;
    let left = MARGIN + labels + MARGIN;
    let mut body = String::new();
    let mut top = MARGIN;
    for timed in all {
        top = Chart {
            timed,
            left,
            out: &mut body,
        }
        .draw(top);
    }
    let width = left + CHART + 5 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" width=\"{width}\" \
         height=\"{top}\" role=\"img\">\n<title>How long it takes</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{top}\"/>\n{body}</svg>\n"
    )
}

struct Chart<'a> {
    timed: &'a Timed<'a>,
    left: usize,
    out: &'a mut String,
}

impl Chart<'_> {
    /// Draws one entrypoint from `top` on; returns where the next can begin.
    fn draw(&mut self, top: usize) -> usize {
        let title = self.timed.title();
        let (limit, lanes) = match &self.timed.timing {
            Some(timing) => (limit(timing), by_start(timing)),
            None => ("nothing becomes ready".into(), Vec::new()),
        };
        self.text("title", MARGIN, top + 14, &title);
        self.text("axis", MARGIN, top + 32, &limit);
        let rows = top + 44;
        let bottom = rows + ROW + lanes.len() * ROW;
        let end = lanes.iter().map(|lane| lane.ready.latest + lane.slack);
        let end = end.max().unwrap_or(0).max(1);
        self.grid(rows, bottom, end);
        for (at, lane) in lanes.iter().enumerate() {
            self.lane(lane, rows + ROW + at * ROW, end);
        }
        bottom + 2 * MARGIN
    }

    fn text(&mut self, class: &str, x: usize, y: usize, text: &str) {
        let text = xml(&clean(text));
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
        );
    }

    fn x(&self, at: u64, end: u64) -> usize {
        let share = u128::from(at) * CHART as u128 / u128::from(end);
        self.left + usize::try_from(share).unwrap_or(CHART)
    }

    fn grid(&mut self, top: usize, bottom: usize, end: u64) {
        let step = step(end);
        let mut at = 0;
        while at <= end {
            let x = self.x(at, end);
            let _ = writeln!(
                self.out,
                "<line class=\"grid\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\"/>",
                top + 16
            );
            self.text("axis", x, top + 12, &duration(at));
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
    }

    fn lane(&mut self, lane: &Lane, y: usize, end: u64) {
        let name = label(self.timed, lane);
        self.out.push_str("<g>");
        let tip = format!(
            "{}: starts {} to {}, ready {} to {}, slack {}",
            self.timed.name(lane.component),
            duration(lane.start.earliest),
            duration(lane.start.latest),
            duration(lane.ready.earliest),
            duration(lane.ready.latest),
            duration(lane.slack)
        );
        let _ = writeln!(self.out, "<title>{}</title>", xml(&clean(&tip)));
        self.text("name", MARGIN, y + 14, &name);
        let class = if lane.critical { "critical" } else { "worst" };
        self.bar(
            class,
            (lane.start.latest, lane.ready.latest),
            (y + 3, 14),
            end,
        );
        if lane.ready.earliest > lane.start.earliest {
            let best = (lane.start.earliest, lane.ready.earliest);
            self.bar("best", best, (y + 8, 4), end);
        }
        if lane.slack > 0 {
            let (from, to) = (
                self.x(lane.ready.latest, end),
                self.x(lane.ready.latest + lane.slack, end),
            );
            let middle = y + 10;
            let _ = writeln!(
                self.out,
                "<line class=\"slack\" x1=\"{from}\" y1=\"{middle}\" x2=\"{to}\" y2=\"{middle}\"/>"
            );
        }
        self.out.push_str("</g>\n");
    }

    /// A bar, never too thin to be seen.
    fn bar(&mut self, class: &str, (from, to): (u64, u64), (y, height): (usize, usize), end: u64) {
        let x = self.x(from, end);
        let width = self.x(to, end).saturating_sub(x).max(2);
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"2\"/>"
        );
    }
}

fn label(timed: &Timed<'_>, lane: &Lane) -> String {
    let name = timed.name(lane.component);
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name,
    }
}

fn by_start(timing: &Timing) -> Vec<&Lane> {
    let mut lanes: Vec<&Lane> = timing.lanes.iter().collect();
    lanes.sort_by_key(|lane| (lane.start.latest, lane.ready.latest, lane.component));
    lanes
}

/// A round time between two lines.
fn step(end: u64) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    let least = end / TICKS;
    let steps = [
        1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
    ];
    let round = steps.into_iter().map(|step| step * SECOND);
    round
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or(least)
}
