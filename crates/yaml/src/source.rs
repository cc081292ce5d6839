//! The texts that spans point into.

use std::sync::{Arc, OnceLock, RwLock};

use ecow::EcoString;

/// Names one text in a [`Sources`] table. `FileId::NONE` marks nodes that no
/// text holds (built by a program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// The id of nodes that were made, not read.
    pub const NONE: FileId = FileId(u32::MAX);
}

/// A byte range `start..end` of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// Offset in bytes of the first byte.
    pub start: u32,
    /// Offset in bytes behind the last byte.
    pub end: u32,
}

/// [`Span::NONE`].
impl Default for Span {
    fn default() -> Self {
        Span::NONE
    }
}

impl Span {
    /// The span of nodes that no text holds.
    pub const NONE: Span = Span {
        file: FileId::NONE,
        start: 0,
        end: 0,
    };

    /// A span of `file` from `start` to `end`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span {
            file,
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// Whether the node came from no text.
    pub fn is_none(&self) -> bool {
        self.file == FileId::NONE
    }
}

/// Where a virtual text came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The content of a block scalar: line *n* of the text is line
    /// *n* + 1 of the scalar's span.
    Block(Span),
    /// A text made from other texts, with a segment for each stretch that was
    /// taken over: (`start..end` in this text, the span it came from), sorted
    /// by `start`.
    Segments(Arc<[(u32, u32, Span)]>),
    /// Made as a whole from the node at this span.
    Whole(Span),
}

/// One text of a [`Sources`] table.
#[derive(Debug)]
pub struct SourceFile {
    /// The name people know it by: a path relative to the repository, or a
    /// description for a virtual text.
    pub name: EcoString,
    /// The text itself.
    pub text: Arc<str>,
    /// For a virtual text, what it was made from.
    pub origin: Option<Origin>,
    lines: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// Offsets at which lines start; the first is 0.
    pub fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let mut starts = vec![0];
            starts.extend(
                memchr::memchr_iter(b'\n', self.text.as_bytes())
                    .map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX)),
            );
            starts
        })
    }

    /// Line and column, both counted from 1, of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0);
        let column = self
            .text
            .get(start as usize..offset as usize)
            .map_or(offset.saturating_sub(start), |s| {
                s.chars().count().try_into().unwrap_or(u32::MAX)
            });
        (u32::try_from(line).unwrap_or(u32::MAX), column + 1)
    }

    /// The text of a line, counted from 1, without its line break.
    pub fn line(&self, line: u32) -> Option<&str> {
        let starts = self.line_starts();
        let index = (line as usize).checked_sub(1)?;
        let start = *starts.get(index)? as usize;
        let end = starts
            .get(index + 1)
            .map_or(self.text.len(), |next| *next as usize);
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }
}

/// A place in a file, as people read it. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file's name in its [`Sources`] table.
    pub file: EcoString,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The span of the place in that file.
    pub span: Span,
}

/// All texts of a run. Append-only and shared; adding takes a short lock.
#[derive(Debug, Default)]
pub struct Sources {
    files: RwLock<Vec<Arc<SourceFile>>>,
}

impl Sources {
    /// An empty table.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Adds a text of a real file.
    pub fn add(&self, name: impl Into<EcoString>, text: impl Into<Arc<str>>) -> FileId {
        self.push(name.into(), text.into(), None)
    }

    /// Adds a text that was made from other texts.
    pub fn add_virtual(
        &self,
        name: impl Into<EcoString>,
        text: impl Into<Arc<str>>,
        origin: Origin,
    ) -> FileId {
        self.push(name.into(), text.into(), Some(origin))
    }

    fn push(&self, name: EcoString, text: Arc<str>, origin: Option<Origin>) -> FileId {
        let file = Arc::new(SourceFile {
            name,
            text,
            origin,
            lines: OnceLock::new(),
        });
        let mut files = match self.files.write() {
            Ok(files) => files,
            Err(poisoned) => poisoned.into_inner(),
        };
        let id = FileId(u32::try_from(files.len()).unwrap_or(u32::MAX));
        files.push(file);
        id
    }

    /// The text behind an id.
    pub fn get(&self, id: FileId) -> Option<Arc<SourceFile>> {
        let files = match self.files.read() {
            Ok(files) => files,
            Err(poisoned) => poisoned.into_inner(),
        };
        files.get(id.0 as usize).cloned()
    }

    /// Follows a span through virtual texts to the real file that sets it.
    /// `None` when no text holds it.
    pub fn resolve(&self, mut span: Span) -> Option<Span> {
        // A chain of virtual texts is short; the bound only guards a cycle.
        for _ in 0..16 {
            let file = self.get(span.file)?;
            span = match &file.origin {
                None => return Some(span),
                Some(Origin::Whole(of)) => *of,
                Some(Origin::Block(of)) => self.block_line(&file, span, *of)?,
                Some(Origin::Segments(segments)) => segment(segments, span.start)?,
            };
        }
        None
    }

    /// The place people should look at for a span.
    pub fn location(&self, span: Span) -> Option<Location> {
        let span = self.resolve(span)?;
        let file = self.get(span.file)?;
        let (line, column) = file.line_column(span.start);
        Some(Location {
            file: file.name.clone(),
            line,
            column,
            span,
        })
    }

    /// The span, in the outer file, of the line of a block scalar's content.
    fn block_line(&self, inner: &SourceFile, span: Span, of: Span) -> Option<Span> {
        let outer = self.get(of.file)?;
        let (line, column) = inner.line_column(span.start);
        let (first, _) = outer.line_column(of.start);
        let starts = outer.line_starts();
        // A flow scalar has one line; a block scalar starts below its header.
        let header = outer.text.get(of.start as usize..).unwrap_or("");
        let below = u32::from(header.starts_with(['|', '>']));
        let Some(start) = starts.get((first + line + below) as usize - 2).copied() else {
            return Some(of);
        };
        if start >= of.end {
            return Some(of);
        }
        let text = outer.line(first + line + below - 1).unwrap_or("");
        let indent = text.len() - text.trim_start().len();
        let inner_indent = inner
            .line(line)
            .map_or(0, |l| l.len() - l.trim_start().len());
        let shift = indent.saturating_sub(inner_indent) as u32 + column - 1;
        let length = span.end.saturating_sub(span.start);
        let begin = (start + shift).min(of.end);
        Some(Span {
            file: of.file,
            start: begin,
            end: (begin + length).min(of.end).max(begin),
        })
    }
}

fn segment(segments: &[(u32, u32, Span)], offset: u32) -> Option<Span> {
    let at = segments.partition_point(|(start, _, _)| *start <= offset);
    let (start, end, span) = segments.get(at.checked_sub(1)?)?;
    let inside = offset.saturating_sub(*start);
    if offset >= *end || span.is_none() {
        return Some(*span).filter(|s| !s.is_none());
    }
    // Same length: the stretch was copied, so offsets inside it still hold.
    if end - start == span.end - span.start {
        return Some(Span {
            start: span.start + inside,
            ..*span
        });
    }
    Some(*span)
}
