//! Findings as a comment on a merge request.

use std::fmt::Write;

use lint::Severity;

use crate::Run;
use crate::document::directory;
use crate::escape::{code, code_block, html_in_markdown, markdown as escape};
use crate::story::{self, Story};
use crate::summary::{bootstrap, components};
use crate::wording::count;

/// What comments may be long, in characters. GitHub takes 65,536.
const LIMIT: usize = 60_000;

/// How many reasons, names and further findings of a family are told.
const NAMES: usize = 8;

/// How many entrypoints the table has.
const ENTRYPOINTS: usize = 30;

/// By this line a job finds the comment it wrote before.
const MARK: &str = "<!-- fluxlint -->";

/// The run as Markdown for GitHub, GitLab and their kin. Bounded in size: what
/// is left out is counted. Notes are only counted unless `verbose`.
pub fn markdown(run: &Run<'_>, verbose: bool) -> String {
    let stories = Story::all(run);
    let of = |severity| story::count_of(&stories, severity);
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Info].map(of);
    let mut out = format!("{MARK}\n### fluxlint: {}\n\n", verdict(errors, warnings));
    entrypoints(&mut out, run);
    for notice in &run.notices {
        let _ = writeln!(out, "> {}\n", escape(&notice.message));
    }
    let shown = stories
        .iter()
        .filter(|story| verbose || story.severity != Severity::Info);
    let mut left_out = 0;
    for story in shown {
        let text = told(story);
        match left_out == 0 && out.len() + text.len() <= LIMIT {
            true => out.push_str(&text),
            false => left_out += story.len(),
        }
    }
    if left_out > 0 {
        let more = count(left_out, "more finding");
        let _ = writeln!(
            out,
            "**{more} not shown here**: the comment would be too long.\n"
        );
    }
    if notes > 0 && !verbose {
        let notes = count(notes, "note");
        let _ = writeln!(out, "{notes} not shown; `fluxlint check -v` shows them.\n");
    }
    let known: usize = run.judged.iter().map(|judged| judged.left_out).sum();
    if known > 0 {
        let known = count(known, "finding");
        let _ = writeln!(out, "{known} left out by the baseline.\n");
    }
    let _ = writeln!(
        out,
        "<sub>fluxlint {} · {} · {:.2} s</sub>",
        escape(run.version),
        count(run.judged.len(), "entrypoint"),
        run.elapsed.as_secs_f64()
    );
    out
}

fn verdict(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "nothing found ✔".into(),
        (0, _) => count(warnings, "warning"),
        (_, 0) => count(errors, "error"),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

fn entrypoints(out: &mut String, run: &Run<'_>) {
    out.push_str("| entrypoint | errors | warnings | rendered | bootstrap |\n");
    out.push_str("|---|--:|--:|---|---|\n");
    let worlds = run.repository.worlds.iter().zip(&run.judged);
    for (world, judged) in worlds.clone().take(ENTRYPOINTS) {
        let of = |severity| {
            let findings = judged.findings.iter();
            findings.filter(|f| f.severity == severity).count()
        };
        let timing = bootstrap(judged).unwrap_or_default();
        let timing = timing.strip_prefix("bootstrap: ").unwrap_or(&timing);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            code(&directory(&world.entrypoint)),
            of(Severity::Error),
            of(Severity::Warning),
            components(&world.components),
            timing,
        );
    }
    let more = worlds.len().saturating_sub(ENTRYPOINTS);
    if more > 0 {
        let _ = writeln!(out, "| {more} more | | | | |");
    }
    out.push('\n');
}

fn told(story: &Story) -> String {
    let mut out = String::new();
    let severity = match story.severity {
        Severity::Error => "🔴",
        Severity::Warning => "🟡",
        Severity::Info => "🔵",
    };
    let number = match story.len() {
        1 => String::new(),
        number => format!(" ({number} ×)"),
    };
    let _ = writeln!(
        out,
        "<details><summary>{severity} <b>{} {}</b>{number}: {}</summary>\n",
        story.rule,
        story.name,
        html_in_markdown(&story.message)
    );
    if let Some(excerpt) = &story.excerpt {
        out.push_str(&code_block(excerpt));
        out.push('\n');
    }
    for (label, names) in &story.about {
        let shown: Vec<String> = names.iter().take(NAMES).map(|name| code(name)).collect();
        let _ = writeln!(out, "* {label}: {}{}", shown.join(", "), more(names.len()));
    }
    for reason in story.reasons.iter().take(NAMES) {
        let _ = writeln!(out, "* {}", escape(reason));
    }
    if story.reasons.len() > NAMES {
        let _ = writeln!(out, "* {} more reasons", story.reasons.len() - NAMES);
    }
    if let Some(help) = &story.help {
        let _ = writeln!(out, "* **what to do**: {}", escape(help));
    }
    for other in story.others.iter().take(NAMES) {
        let _ = writeln!(out, "* also: {}", escape(other));
    }
    if story.others.len() > NAMES {
        let _ = writeln!(out, "* also: {} more like it", story.others.len() - NAMES);
    }
    out.push_str("\n</details>\n\n");
    out
}

fn more(number: usize) -> String {
    match number.saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}
