//! Findings as one page without scripts or outside parts.

use std::fmt::Write;

use lint::Severity;

use crate::document::directory;
use crate::escape::{html as escape, xml, xml_lines};
use crate::story::{self, Story};
use crate::summary::{bootstrap, components};
use crate::text::severity_name;
use crate::wording::count;
use crate::{Judged, Run};

const STYLE: &str = include_str!("html.css");

/// The run as an HTML page. Errors and warnings are open, notes are folded.
pub fn html(run: &Run<'_>) -> String {
    let stories = Story::all(run);
    let of = |severity| story::count_of(&stories, severity);
    let mut out = String::new();
    let totals = format!(
        "{}, {}, {}",
        count(of(Severity::Error), "error"),
        count(of(Severity::Warning), "warning"),
        count(of(Severity::Info), "note")
    );
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>fluxlint: {totals}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>fluxlint</h1>\n<p class=\"totals\">{totals}</p>\n",
    );
    entrypoints(&mut out, run);
    for notice in &run.notices {
        let _ = writeln!(out, "<p class=\"notice\">{}</p>", escape(&notice.message));
    }
    let known: usize = run.judged.iter().map(|judged| judged.left_out).sum();
    if known > 0 {
        let known = count(known, "finding");
        let _ = writeln!(out, "<p>{known} left out by the baseline</p>");
    }
    for story in &stories {
        told(&mut out, story);
    }
    let _ = write!(
        out,
        "<footer>fluxlint {}, {}, {:.2} s</footer>\n</body>\n</html>\n",
        xml(run.version),
        count(run.judged.len(), "entrypoint"),
        run.elapsed.as_secs_f64()
    );
    out
}

fn entrypoints(out: &mut String, run: &Run<'_>) {
    out.push_str(
        "<table>\n<thead><tr><th>entrypoint</th><th>errors</th><th>warnings</th>\
         <th>rendered</th><th>bootstrap</th></tr></thead>\n<tbody>\n",
    );
    for (world, judged) in run.repository.worlds.iter().zip(&run.judged) {
        let timing = bootstrap(judged).unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            xml(&directory(&world.entrypoint)),
            number(judged, Severity::Error),
            number(judged, Severity::Warning),
            xml(&components(&world.components)),
            xml(timing.strip_prefix("bootstrap: ").unwrap_or(&timing)),
        );
    }
    out.push_str("</tbody>\n</table>\n");
}

fn number(judged: &Judged, severity: Severity) -> usize {
    let findings = judged.findings.iter();
    findings.filter(|f| f.severity == severity).count()
}

fn told(out: &mut String, story: &Story) {
    let severity = severity_name(story.severity);
    let open = match story.severity {
        Severity::Info => "",
        _ => " open",
    };
    let number = match story.len() {
        1 => String::new(),
        number => format!(" ({number} ×)"),
    };
    let _ = writeln!(
        out,
        "<details class=\"{severity}\"{open}>\n<summary><b>{severity} {} {}</b>{number}: {}</summary>",
        story.rule,
        story.name,
        escape(&story.message)
    );
    if let Some(excerpt) = &story.excerpt {
        let _ = writeln!(out, "<pre>{}</pre>", xml_lines(excerpt));
    }
    out.push_str("<ul>\n");
    for (label, names) in &story.about {
        let names: Vec<String> = names
            .iter()
            .map(|name| format!("<code>{}</code>", xml(name)))
            .collect();
        let _ = writeln!(out, "<li>{label}: {}</li>", names.join(", "));
    }
    for reason in &story.reasons {
        let _ = writeln!(out, "<li>{}</li>", escape(reason));
    }
    if let Some(help) = &story.help {
        let _ = writeln!(out, "<li class=\"help\">{}</li>", escape(help));
    }
    for other in &story.others {
        let _ = writeln!(out, "<li>also: {}</li>", escape(other));
    }
    out.push_str("</ul>\n</details>\n");
}
