//! Offsets to the lines upstream prints.

use super::chars::break_len;
use super::token::{Dialect, Refusal};
use crate::{Error, ErrorKind, FileId, Span};

/// Line breaks before `offset`. An offset behind the text stands for the end
/// of the stream, which upstream puts on a line of its own.
pub(crate) fn line_of(text: &str, offset: usize) -> u32 {
    let src = text.as_bytes();
    let mut line = 0;
    let mut start = 0;
    let mut at = 0;
    while at < offset.min(src.len()) {
        match break_len(src, at) {
            0 => at += 1,
            len => {
                line += 1;
                at += len;
                start = at;
            }
        }
    }
    line + u32::from(offset > src.len() && start < src.len())
}

/// The error for a refusal. `base` is the text's offset in its file.
pub(crate) fn error(
    refusal: Refusal,
    text: &str,
    dialect: Dialect,
    file: FileId,
    base: usize,
) -> Error {
    let context = refusal.context.map_or(0, |at| line_of(text, at));
    let problem = line_of(text, refusal.at);
    let (first, second) = match dialect {
        Dialect::V2 => (problem, context),
        Dialect::V3 => (context, problem),
    };
    let line = if first != 0 { first } else { second };
    let counts = refusal.scanner && (dialect == Dialect::V3 || first != 0);
    let line = if line == 0 {
        0
    } else {
        line + u32::from(counts)
    };
    let kind = if refusal.limit {
        ErrorKind::Limit
    } else {
        ErrorKind::Syntax
    };
    let at = refusal.at.min(text.len());
    let span = Span::new(file, base + at, base + at);
    Error::new(kind, refusal.problem.as_ref(), span).on_line(line)
}
