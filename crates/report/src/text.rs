//! Findings for people.

use std::fmt::Write;

use annotate_snippets::Renderer;
use anstyle::{AnsiColor, Style};
use lint::{Detail, Severity};
use yaml::{Location, Sources};

use crate::Run;
use crate::document::directory;
use crate::excerpt::Excerpts;
use crate::group::{Family, Group, families};
use crate::order::placed;
use crate::summary::summary;
use crate::wording::clean;

/// How many names of a long list are shown.
const NAMES: usize = 5;

/// How many reasons of a finding are shown.
const DETAILS: usize = 7;

/// How text is made.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// Show findings of severity info, and list all that are alike.
    pub verbose: bool,
    /// Leave the summary out.
    pub quiet: bool,
    /// The width of the terminal in columns.
    pub width: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            verbose: false,
            quiet: false,
            width: 200,
        }
    }
}

/// The run as text with ANSI colours; strip them where they are not wanted.
pub fn text(run: &Run<'_>, options: TextOptions) -> String {
    let texts = &run.repository.texts;
    let all = run.judged.iter();
    let all = all.flat_map(|judged| placed(&judged.findings, texts));
    let families = families(all.collect());
    let mut printer = Printer {
        out: String::new(),
        texts,
        excerpts: Excerpts::new(texts, Renderer::styled().term_width(options.width)),
        options,
        several_entrypoints: run.judged.len() > 1,
    };
    for notice in &run.notices {
        printer.notice(&notice.message, notice.span);
    }
    let is_info = |family: &Family<'_>| family.first.first.finding.severity == Severity::Info;
    for family in &families {
        if options.verbose || !is_info(family) {
            printer.family(family);
        }
    }
    if !options.quiet {
        printer.out.push_str(&summary(run, &families, options));
    }
    printer.out
}

struct Printer<'a> {
    out: String,
    texts: &'a Sources,
    excerpts: Excerpts<'a>,
    options: TextOptions,
    several_entrypoints: bool,
}

impl Printer<'_> {
    fn notice(&mut self, message: &str, span: Option<yaml::Span>) {
        let style = severity_style(Severity::Warning);
        let _ = writeln!(self.out, "{style}warning{style:#}: {}", clean(message));
        if let Some(location) = span.and_then(|span| self.texts.location(span)) {
            let _ = writeln!(self.out, "  --> {}", place(&location));
        }
        self.out.push('\n');
    }

    fn family(&mut self, family: &Family<'_>) {
        let group = &family.first;
        let finding = group.first.finding;
        let style = severity_style(finding.severity);
        let bold = Style::new().bold();
        let _ = writeln!(
            self.out,
            "{style}{}[{}] {}{style:#}{bold}: {}{bold:#}",
            severity_name(finding.severity),
            finding.rule,
            finding.name,
            clean(&finding.message),
        );
        let margin = match &group.first.location {
            Some(location) => self.source(location, finding.severity),
            None => 2,
        };
        self.about(group, margin);
        self.details(&finding.details, margin);
        if let Some(help) = &finding.help {
            self.remark(margin, "help", &clean(help));
        }
        self.others(&family.others, margin);
        self.out.push('\n');
    }

    /// Who else the same holds for.
    fn others(&mut self, others: &[Group<'_>], margin: usize) {
        let shown = match self.options.verbose {
            true => others.len(),
            false => NAMES,
        };
        for group in others.iter().take(shown) {
            let finding = group.first.finding;
            let component = group.components.first().map(ToString::to_string);
            let object = finding.object.as_ref().map(ToString::to_string);
            let mut about: Vec<_> = component.into_iter().chain(object).collect();
            about.extend(
                group
                    .first
                    .location
                    .as_ref()
                    .map(|at| format!("[{}]", place(at))),
            );
            self.remark(margin, "also", &clean(&about.join(" ")));
        }
        if others.len() > shown {
            let more = format!("{} more like it (-v lists them)", others.len() - shown);
            self.remark(margin, "also", &more);
        }
    }

    /// The source of a place; returns the margin of what follows.
    fn source(&mut self, location: &Location, severity: Severity) -> usize {
        let Some(excerpt) = self.excerpts.at(location, severity) else {
            return 2;
        };
        self.out.push_str(&excerpt);
        self.out.push('\n');
        location.line.to_string().len() + 1
    }

    /// Component, object and entrypoints.
    fn about(&mut self, group: &Group<'_>, margin: usize) {
        let names: Vec<_> = group.components.iter().map(ToString::to_string).collect();
        match names.as_slice() {
            [] => {}
            [name] => self.remark(margin, "component", &clean(name)),
            names => self.remark(margin, "components", &clean(&list(names))),
        }
        if let Some(object) = &group.first.finding.object {
            self.remark(margin, "object", &clean(&object.to_string()));
        }
        if self.several_entrypoints {
            let names: Vec<_> = group
                .entrypoints
                .iter()
                .map(|name| directory(name))
                .collect();
            let label = if names.len() == 1 {
                "entrypoint"
            } else {
                "entrypoints"
            };
            self.remark(margin, label, &clean(&list(&names)));
        }
    }

    /// Reasons; the middle of a long list is left out.
    fn details(&mut self, details: &[Detail], margin: usize) {
        let (head, tail) = match details.len() > DETAILS && !self.options.verbose {
            true => details.split_at(DETAILS - 1),
            false => (details, Default::default()),
        };
        for detail in head {
            self.detail(detail, margin);
        }
        if let [left_out @ .., last] = tail {
            let more = format!("{} more (-v lists them)", left_out.len());
            self.remark(margin, "note", &more);
            self.detail(last, margin);
        }
    }

    fn detail(&mut self, detail: &Detail, margin: usize) {
        self.remark(margin, "note", &reason(detail, self.texts));
    }

    fn remark(&mut self, margin: usize, label: &str, message: &str) {
        let (blue, bold) = (
            AnsiColor::BrightBlue.on_default().bold(),
            Style::new().bold(),
        );
        let _ = writeln!(
            self.out,
            "{:margin$}{blue}={blue:#} {bold}{label}{bold:#}: {message}",
            ""
        );
    }
}

fn list(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(NAMES)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// One reason in a line, with its component and its place.
pub(crate) fn reason(detail: &Detail, texts: &Sources) -> String {
    let location = detail.span.and_then(|span| texts.location(span));
    let mut message = clean(&detail.message).into_owned();
    if let Some(component) = &detail.component
        && !message.contains(&component.to_string())
    {
        let _ = write!(message, " ({})", clean(&component.to_string()));
    }
    if let Some(location) = &location {
        let _ = write!(message, " [{}]", place(location));
    }
    message
}

pub(crate) fn place(location: &Location) -> String {
    format!(
        "{}:{}:{}",
        clean(&location.file),
        location.line,
        location.column
    )
}

pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

pub(crate) fn severity_style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::BrightRed,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::BrightBlue,
    };
    color.on_default().bold()
}
