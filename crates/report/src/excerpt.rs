//! The source lines around a place.

use std::collections::HashMap;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use lint::Severity;
use yaml::{FileId, Location, SourceFile, Sources};

use crate::mask::Mask;
use crate::wording::clean;

/// How far above a place the keys that enclose it are looked for, in lines.
const REACH: u32 = 12;

/// A longer line, of a minified file say, is not shown.
const LINE_LIMIT: usize = 100_000;

/// Shows source lines, with what is secret masked.
pub(crate) struct Excerpts<'a> {
    texts: &'a Sources,
    masks: HashMap<FileId, Mask>,
    renderer: Renderer,
}

impl<'a> Excerpts<'a> {
    /// Of these texts, drawn by `renderer`.
    pub fn new(texts: &'a Sources, renderer: Renderer) -> Self {
        Excerpts {
            texts,
            masks: HashMap::new(),
            renderer,
        }
    }

    /// The lines around a place, without a final line break.
    pub fn at(&mut self, location: &Location, severity: Severity) -> Option<String> {
        let file = self.texts.get(location.span.file)?;
        let mask = self.masks.entry(location.span.file);
        let mask = mask.or_insert_with(|| Mask::of(&file.name, &file.text));
        let text = excerpt(&file, location, mask, severity, &self.renderer);
        Some(text.trim_end_matches('\n').into())
    }

    /// The line of a place alone, and whether something of it is masked.
    pub fn line(&mut self, location: &Location) -> Option<(String, bool)> {
        let file: Arc<SourceFile> = self.texts.get(location.span.file)?;
        let line = file.line(location.line)?;
        if line.len() > LINE_LIMIT {
            return None;
        }
        let mask = self.masks.entry(location.span.file);
        let mask = mask.or_insert_with(|| Mask::of(&file.name, &file.text));
        let (line, hidden) = mask.apply((location.line as usize).saturating_sub(1), line);
        Some((line, hidden.is_some()))
    }
}

/// The line of a place with the place marked, and the lines of the keys that
/// enclose it. Ends without a line break.
fn excerpt(
    file: &SourceFile,
    location: &Location,
    mask: &Mask,
    severity: Severity,
    renderer: &Renderer,
) -> String {
    if file
        .line(location.line)
        .is_none_or(|line| line.len() > LINE_LIMIT)
    {
        let (name, line, column) = (clean(&location.file), location.line, location.column);
        return format!("  --> {name}:{line}:{column}");
    }
    let lines = enclosing(file, location.line);
    let first = lines.first().copied().unwrap_or(location.line);
    let mut text = String::new();
    let mut annotations = Vec::new();
    for number in first..=location.line {
        let raw = file.line(number).unwrap_or_default();
        let (line, hidden) = mask.apply(number as usize - 1, raw);
        let start = text.len();
        text.push_str(&line);
        if number == location.line {
            let marked = marked(file, location, raw, &line, hidden);
            annotations.push(primary(start + marked.start..start + marked.end));
        } else if lines.contains(&number) {
            let end = (start + 1).min(text.len()).max(start);
            annotations.push(AnnotationKind::Visible.span(start..end));
        }
        text.push('\n');
    }
    let snippet = Snippet::source(text)
        .line_start(first as usize)
        .path(clean(&location.file).into_owned())
        .annotations(annotations);
    let group = Group::with_level(level(severity)).element(snippet);
    renderer.render(&[group])
}

fn primary<'a>(span: std::ops::Range<usize>) -> Annotation<'a> {
    AnnotationKind::Primary.span(span)
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    }
}

/// The byte range to mark within a shown line; never empty unless the line is.
fn marked(
    file: &SourceFile,
    location: &Location,
    raw: &str,
    line: &str,
    hidden: Option<usize>,
) -> std::ops::Range<usize> {
    let starts = file.line_starts();
    let line_start = starts.get(location.line as usize - 1).copied();
    let line_start = line_start.unwrap_or(location.span.start);
    let start = location.span.start.saturating_sub(line_start) as usize;
    let end = location.span.end.saturating_sub(line_start) as usize;
    // A span of several lines is marked on its first.
    let end = end.min(raw.trim_end().len());
    let (start, end) = match hidden {
        Some(column) if start >= column => (column, line.len()),
        Some(_) => (start, end.min(line.len())),
        None => (start, end),
    };
    let boundary = |at: usize| {
        (0..=at.min(line.len()))
            .rev()
            .find(|at| line.is_char_boundary(*at))
    };
    let start = boundary(start).unwrap_or(0);
    let end = boundary(end).unwrap_or(0).max(start);
    if start < end {
        return start..end;
    }
    let next = line.get(start..).and_then(|rest| rest.chars().next());
    start..start + next.map_or(0, char::len_utf8)
}

/// The lines of the keys that enclose a line, outermost first, within reach.
fn enclosing(file: &SourceFile, target: u32) -> Vec<u32> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let mut depth = indent(file.line(target).unwrap_or_default());
    let mut lines = Vec::new();
    let lowest = target.saturating_sub(REACH).max(1);
    for number in (lowest..target).rev() {
        let line = file.line(number).unwrap_or_default();
        let text = line.trim();
        if text == "---" {
            break;
        }
        if text.is_empty() || text.starts_with('#') || indent(line) >= depth {
            continue;
        }
        depth = indent(line);
        lines.insert(0, number);
        if depth == 0 {
            break;
        }
    }
    lines
}
