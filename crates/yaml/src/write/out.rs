//! Text in the making: columns, indentation, and the five ways to write a
//! scalar.

use super::analyze::{Analysis, is_break, is_printable};
use super::comments::Pending;
use crate::Style;

/// Steps of indentation.
pub(crate) const STEP: i32 = 2;

/// The text so far and what the last thing written was.
pub(crate) struct Out {
    pub text: String,
    pub column: usize,
    /// The last thing written separates.
    pub whitespace: bool,
    /// Only indentation and indicators stand on the line.
    pub indention: bool,
    /// Scalars fold behind this column.
    width: usize,
    /// Newer emitter: a line break alone makes a line count as indentation.
    newer: bool,
    /// Comments that are not written yet: of the newer emitter only.
    pub(super) pending: Pending,
    /// The indentation of the comment below something that was written last; a line
    /// as deep is set off from it.
    pub(super) foot_indent: Option<i32>,
}

impl Out {
    pub(crate) fn new(width: usize, newer: bool) -> Self {
        Out {
            text: String::new(),
            column: 0,
            whitespace: true,
            indention: true,
            width,
            newer,
            pending: Pending::default(),
            foot_indent: None,
        }
    }

    pub(super) fn put(&mut self, c: char) {
        self.text.push(c);
        self.column += 1;
    }

    pub(super) fn put_break(&mut self) {
        self.text.push('\n');
        self.column = 0;
        if self.newer {
            self.indention = true;
        }
    }

    /// Writes a line break of the text itself.
    pub(super) fn write_break(&mut self, c: char) {
        self.text.push(c);
        self.column = 0;
        self.indention = true;
    }

    /// Starts a line at `indent`, unless the position is there already.
    pub(crate) fn indent(&mut self, indent: i32) {
        let foot_indent = self.foot_indent.take();
        let is_below = foot_indent == Some(indent.max(0));
        let indent = usize::try_from(indent).unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        if is_below {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        if !self.newer {
            self.indention = true;
        }
    }

    pub(crate) fn separate(&mut self) {
        if !self.whitespace {
            self.put(' ');
        }
    }

    /// Writes an indicator. `spaced`: a blank goes before it. `open`: what
    /// follows needs none. `indents`: it counts as indentation.
    pub(crate) fn indicator(&mut self, indicator: &str, spaced: bool, open: bool, indents: bool) {
        if spaced {
            self.separate();
        }
        self.text.push_str(indicator);
        self.column += indicator.chars().count();
        self.whitespace = open;
        self.indention = self.indention && indents;
    }

    /// Writes a tag's handle and escaped suffix.
    pub(crate) fn tag(&mut self, tag: &str) {
        self.separate();
        let (handle, suffix, close) = if let Some(suffix) = tag.strip_prefix("!!") {
            ("!!", suffix, "")
        } else if let Some(suffix) = tag.strip_prefix('!') {
            ("!", suffix, "")
        } else {
            ("!<", tag, ">")
        };
        self.text.push_str(handle);
        for byte in suffix.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$,.~*'()[]".contains(&byte) {
                self.text.push(char::from(byte));
            } else {
                self.text.push_str(&format!("%{byte:02X}"));
            }
        }
        self.text.push_str(close);
        let written = self.text.rsplit('\n').next().unwrap_or_default();
        self.column = written.chars().count();
        self.whitespace = false;
        self.indention = false;
    }

    /// Writes a scalar in the style chosen by [`choose`].
    pub(crate) fn scalar(&mut self, text: &str, style: Style, indent: i32, breaks: bool) {
        match style {
            Style::SingleQuoted => self.single_quoted(text, indent, breaks),
            Style::DoubleQuoted => self.double_quoted(text, indent, breaks),
            Style::Literal => self.literal(text, indent),
            Style::Folded => self.folded(text, indent),
            Style::Plain | Style::Flow => self.plain(text, indent, breaks),
        }
    }

    fn plain(&mut self, text: &str, indent: i32, breaks: bool) {
        if !self.newer || !text.is_empty() {
            self.separate();
        }
        self.folding(text, indent, breaks, false);
        if !self.newer || !text.is_empty() {
            self.whitespace = false;
        }
        self.indention = false;
    }

    fn single_quoted(&mut self, text: &str, indent: i32, breaks: bool) {
        self.indicator("'", true, false, false);
        self.folding(text, indent, breaks, true);
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    /// The characters of a plain or single-quoted scalar.
    fn folding(&mut self, text: &str, indent: i32, breaks: bool, quoted: bool) {
        if self.fits(text, breaks) && !(quoted && text.contains('\'')) {
            self.text.push_str(text);
            self.column += text.len();
            return;
        }
        let mut after_space = false;
        let mut after_break = false;
        let mut rest = text.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            let next = rest.peek().map(|(_, c)| *c);
            if c == ' ' {
                let inside = !quoted || (at > 0 && next.is_some());
                let fold = breaks && !after_space && self.column > self.width;
                if fold && inside && next != Some(' ') {
                    self.indent(indent);
                } else {
                    self.put(c);
                }
                after_space = true;
            } else if is_break(c) {
                if !after_break && c == '\n' {
                    self.put_break();
                }
                self.write_break(c);
                after_break = true;
            } else {
                if after_break {
                    self.indent(indent);
                }
                if quoted && c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                after_space = false;
                after_break = false;
            }
        }
    }

    /// Whether the text goes on this line as it is.
    fn fits(&self, text: &str, breaks: bool) -> bool {
        (!breaks || self.column.saturating_add(text.len()) <= self.width)
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    }

    fn double_quoted(&mut self, text: &str, indent: i32, breaks: bool) {
        self.indicator("\"", true, false, false);
        // Upstream looks for the byte order mark at the start of the text,
        // whichever character it is about to write.
        let marked = text.starts_with('\u{FEFF}');
        let mut after_space = false;
        let mut rest = text.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            let next = rest.peek().map(|(_, c)| *c);
            if marked || !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
                self.escape(c);
                after_space = false;
            } else if c == ' ' {
                let fold = breaks && !after_space && self.column > self.width;
                if fold && at > 0 && next.is_some() {
                    self.indent(indent);
                    if next == Some(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                after_space = true;
            } else {
                self.put(c);
                after_space = false;
            }
        }
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn escape(&mut self, c: char) {
        let short = match c {
            '\0' => '0',
            '\x07' => 'a',
            '\x08' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\x0B' => 'v',
            '\x0C' => 'f',
            '\r' => 'r',
            '\x1B' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{A0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(c);
                let escaped = match code {
                    0..=0xFF => format!("\\x{code:02X}"),
                    0x100..=0xFFFF => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                self.text.push_str(&escaped);
                self.column += escaped.len();
                return;
            }
        };
        self.put('\\');
        self.put(short);
    }

    /// What stands behind `|` or `>`.
    fn hints(&mut self, text: &str, indent: i32) {
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false, false);
        }
        let mut back = text.chars().rev();
        let hint = match (back.next(), back.next()) {
            (Some(last), _) if !is_break(last) => "-",
            (Some(_), None) => "+",
            (Some(_), Some(before)) if is_break(before) => "+",
            (Some(_), Some(_)) => "",
            (None, _) => "-",
        };
        if !hint.is_empty() {
            self.indicator(hint, false, false, false);
        }
        if !self.comment_behind(indent) {
            self.put_break();
        }
        self.indention = true;
        self.whitespace = true;
    }

    fn literal(&mut self, text: &str, indent: i32) {
        self.indicator("|", true, false, false);
        self.hints(text, indent);
        let mut at_start = true;
        for c in text.chars() {
            if is_break(c) {
                self.write_break(c);
                at_start = true;
            } else {
                if at_start {
                    self.indent(indent);
                }
                self.put(c);
                self.indention = false;
                at_start = false;
            }
        }
    }

    fn folded(&mut self, text: &str, indent: i32) {
        self.indicator(">", true, false, false);
        self.hints(text, indent);
        // Upstream decides about every break by what follows the breaks at
        // the start of the text.
        let first = text.chars().find(|c| !is_break(*c));
        let starts_blank = first.is_none_or(|c| c == ' ' || c == '\t' || c == '\0');
        let mut at_start = true;
        let mut led_by_blank = true;
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if is_break(c) {
                if !at_start && !led_by_blank && c == '\n' && !starts_blank {
                    self.put_break();
                }
                self.write_break(c);
                at_start = true;
                continue;
            }
            if at_start {
                self.indent(indent);
                led_by_blank = c == ' ' || c == '\t';
            }
            let fold = !at_start && c == ' ' && rest.peek() != Some(&' ');
            if fold && self.column > self.width {
                self.indent(indent);
            } else {
                self.put(c);
            }
            self.indention = false;
            at_start = false;
        }
    }
}

/// Where a scalar stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Inside `{…}` or `[…]`.
    pub flow: bool,
    /// A key without `?`.
    pub simple_key: bool,
}

/// The style a scalar is written in when `wanted` was asked for.
pub(crate) fn choose(wanted: Style, text: &str, found: Analysis, context: Context) -> Style {
    let mut style = match wanted {
        Style::Flow => Style::Plain,
        other => other,
    };
    if context.simple_key && found.multiline {
        style = Style::DoubleQuoted;
    }
    if style == Style::Plain {
        let allowed = if context.flow {
            found.flow_plain
        } else {
            found.block_plain
        };
        if !allowed || (text.is_empty() && (context.flow || context.simple_key)) {
            style = Style::SingleQuoted;
        }
    }
    if style == Style::SingleQuoted && !found.single_quoted {
        style = Style::DoubleQuoted;
    }
    if matches!(style, Style::Literal | Style::Folded)
        && (!found.block || context.flow || context.simple_key)
    {
        style = Style::DoubleQuoted;
    }
    style
}
