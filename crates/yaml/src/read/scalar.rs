//! Plain and quoted scalars.

use std::borrow::Cow;

use super::chars::{break_len, byte, is_blank, is_blank_or_end, width};
use super::scanner::{Scan, Scanner};
use super::token::{Kind, Refusal};
use crate::Style;

/// Bytes a plain scalar runs over without a second look.
static PLAIN: [bool; 256] = plain_bytes();

const fn plain_bytes() -> [bool; 256] {
    let mut table = [true; 256];
    let special = b"\0\t\n\r :,?[]{}\xC2\xE2";
    let mut at = 0;
    while at < special.len() {
        table[special[at] as usize] = false;
        at += 1;
    }
    table
}

/// Text of a scalar: a stretch of the source while that will do, a copy as
/// soon as folding or an escape makes it differ.
struct Content<'a> {
    start: usize,
    end: usize,
    copy: Option<String>,
    text: &'a str,
}

impl<'a> Content<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        Content {
            start,
            end: start,
            copy: None,
            text,
        }
    }

    /// Takes the source up to `end`; what was not yet taken before it counts
    /// as content, too.
    fn extend(&mut self, from: usize, end: usize) {
        match &mut self.copy {
            None => self.end = end,
            Some(copy) => copy.push_str(self.text.get(from..end).unwrap_or_default()),
        }
    }

    fn copied(&mut self) -> &mut String {
        let taken = self.text.get(self.start..self.end).unwrap_or_default();
        self.copy.get_or_insert_with(|| taken.to_owned())
    }

    fn finish(self) -> Cow<'a, str> {
        match self.copy {
            Some(copy) => copy.into(),
            None => self
                .text
                .get(self.start..self.end)
                .unwrap_or_default()
                .into(),
        }
    }
}

/// Line breaks between two lines of a scalar.
#[derive(Default)]
pub(super) struct Breaks {
    pub first: &'static str,
    pub rest: String,
}

impl Breaks {
    /// Adds the break at `at`, normalised. LS and PS stay.
    pub(super) fn normalised(text: &[u8], at: usize) -> &'static str {
        match (byte(text, at), byte(text, at + 2)) {
            (0xE2, 0xA8) => "\u{2028}",
            (0xE2, _) => "\u{2029}",
            _ => "\n",
        }
    }

    /// What the breaks become in a folded text.
    fn fold_into(&self, into: &mut String) {
        if self.first != "\n" {
            into.push_str(self.first);
        } else if self.rest.is_empty() {
            into.push(' ');
        }
        into.push_str(&self.rest);
    }
}

impl<'a> Scanner<'a> {
    /// Reads a plain scalar. Tells whether it ended behind a line break.
    pub(super) fn plain_scalar(&mut self) -> Scan<bool> {
        let start = self.pos;
        let indent = self.indent + 1;
        let flow = self.flow() > 0;
        let mut content = Content::new(self.text, start);
        let mut end = start;
        let mut breaks: Option<Breaks> = None;
        loop {
            self.look_ahead();
            if (self.at_line_start() && self.document_marker()) || self.here(0) == b'#' {
                break;
            }
            let begin = self.pos;
            let stop = self.plain_run(flow);
            if stop > begin {
                match breaks.take() {
                    Some(breaks) => {
                        breaks.fold_into(content.copied());
                        content.extend(begin, stop);
                    }
                    // The blanks between belong to the text.
                    None => content.extend(end, stop),
                }
                end = stop;
                self.pos = stop;
            }
            if !is_blank(self.here(0)) && self.break_here() == 0 {
                break;
            }
            self.plain_gap(&mut breaks, start, indent)?;
            if !flow && self.column() < indent {
                break;
            }
        }
        self.scalar_token(
            Kind::Scalar {
                value: content.finish(),
                style: Style::Plain,
            },
            start,
            end,
        );
        if breaks.is_some() {
            self.key_allowed = true;
        }
        Ok(breaks.is_some())
    }

    /// The end of the run of characters that belong to a plain scalar.
    fn plain_run(&self, flow: bool) -> usize {
        let mut at = self.pos;
        loop {
            while self
                .src
                .get(at)
                .is_some_and(|byte| PLAIN[usize::from(*byte)])
            {
                at += 1;
            }
            match byte(self.src, at) {
                b':' if !is_blank_or_end(self.src, at + 1) => at += 1,
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if !flow => at += 1,
                lead @ (0xC2 | 0xE2) if break_len(self.src, at) == 0 => at += width(lead),
                _ => return at,
            }
        }
    }

    /// Skips blanks and breaks inside a plain scalar.
    fn plain_gap(&mut self, breaks: &mut Option<Breaks>, start: usize, indent: i32) -> Scan<()> {
        loop {
            let byte = self.here(0);
            if is_blank(byte) {
                if byte == b'\t' && breaks.is_some() && self.column() < indent {
                    let problem = "found a tab character that violates indentation";
                    return Err(self.refusal(Some(start), problem));
                }
                self.pos += 1;
                continue;
            }
            let len = self.break_here();
            if len == 0 {
                return Ok(());
            }
            self.gather_break(breaks, len);
        }
    }

    fn gather_break(&mut self, breaks: &mut Option<Breaks>, len: usize) {
        let text = Breaks::normalised(self.src, self.pos);
        match breaks {
            None => {
                *breaks = Some(Breaks {
                    first: text,
                    rest: String::new(),
                });
            }
            Some(breaks) => breaks.rest.push_str(text),
        }
        self.take_break(len);
    }

    /// Reads a quoted scalar.
    pub(super) fn quoted_scalar(&mut self, single: bool) -> Scan<()> {
        let start = self.pos;
        let quote = if single { b'\'' } else { b'"' };
        self.pos += 1;
        let mut content = Content::new(self.text, self.pos);
        loop {
            if self.at_line_start() && self.document_marker() {
                return Err(self.refusal(Some(start), "found unexpected document indicator"));
            }
            if self.here(0) == 0 {
                return Err(self.refusal(Some(start), "found unexpected end of stream"));
            }
            let mut breaks = None;
            let escaped_break = self.quoted_run(single, start, &mut content)?;
            if self.here(0) == quote {
                break;
            }
            let blanks = self.pos;
            let blanks_end = self.quoted_gap(escaped_break, &mut breaks);
            match breaks {
                Some(breaks) => breaks.fold_into(content.copied()),
                None if escaped_break => {}
                None => content.extend(blanks, blanks_end),
            }
        }
        self.pos += 1;
        let style = if single {
            Style::SingleQuoted
        } else {
            Style::DoubleQuoted
        };
        let end = self.pos;
        let value = content.finish();
        self.scalar_token(Kind::Scalar { value, style }, start, end);
        Ok(())
    }

    /// Takes characters up to a blank, a break or the closing quote. Tells
    /// whether it stopped behind an escaped line break.
    fn quoted_run(&mut self, single: bool, start: usize, content: &mut Content<'a>) -> Scan<bool> {
        let mut taken = self.pos;
        loop {
            let byte = self.here(0);
            match byte {
                b'\'' if single && self.here(1) == b'\'' => {
                    content.extend(taken, self.pos);
                    content.copied().push('\'');
                    self.pos += 2;
                    taken = self.pos;
                }
                b'\'' if single => break,
                b'"' if !single => break,
                b'\\' if !single => {
                    content.extend(taken, self.pos);
                    let len = break_len(self.src, self.pos + 1);
                    if len > 0 {
                        content.copied();
                        self.pos += 1;
                        self.take_break(len);
                        return Ok(true);
                    }
                    let character = self.escape(start)?;
                    content.copied().push(character);
                    taken = self.pos;
                }
                0 | b' ' | b'\t' | b'\n' | b'\r' => break,
                0xC2 | 0xE2 if self.break_here() > 0 => break,
                _ => self.pos += width(byte).max(1),
            }
        }
        content.extend(taken, self.pos);
        Ok(false)
    }

    /// Skips blanks and breaks inside a quoted scalar; returns where the
    /// blanks before the first break end.
    fn quoted_gap(&mut self, escaped_break: bool, breaks: &mut Option<Breaks>) -> usize {
        let mut blanks_end = self.pos;
        loop {
            if is_blank(self.here(0)) {
                self.pos += 1;
                if breaks.is_none() {
                    blanks_end = self.pos;
                }
                continue;
            }
            let len = self.break_here();
            if len == 0 {
                return blanks_end;
            }
            if escaped_break && breaks.is_none() {
                // Behind an escaped break every further one counts.
                *breaks = Some(Breaks::default());
            }
            self.gather_break(breaks, len);
        }
    }

    /// Reads an escape sequence.
    fn escape(&mut self, start: usize) -> Scan<char> {
        let digits = match self.here(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            other => {
                let Some(character) = simple_escape(other) else {
                    return Err(self.refusal(Some(start), "found unknown escape character"));
                };
                self.pos += 2;
                return Ok(character);
            }
        };
        self.pos += 2;
        let code = self.hex(digits, start)?;
        let Some(character) = char::from_u32(code) else {
            let problem = "found invalid Unicode character escape code";
            return Err(self.refusal(Some(start), problem));
        };
        self.pos += digits;
        Ok(character)
    }

    fn hex(&self, digits: usize, start: usize) -> Result<u32, Refusal> {
        (0..digits).try_fold(0_u32, |code, offset| {
            match char::from(self.here(offset)).to_digit(16) {
                Some(digit) => Ok(code.wrapping_mul(16) | digit),
                None => {
                    let problem = "did not find expected hexdecimal number";
                    Err(self.refusal(Some(start), problem))
                }
            }
        })
    }
}

fn simple_escape(letter: u8) -> Option<char> {
    Some(match letter {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        b' ' => ' ',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
