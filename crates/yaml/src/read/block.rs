//! Literal and folded block scalars.

use super::chars::{break_len, is_blank, is_line_end};
use super::scalar::Breaks;
use super::scanner::{Scan, Scanner};
use super::token::Kind;
use crate::Style;

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    /// Reads a block scalar. Tells whether it ended behind a line break.
    pub(super) fn block_scalar(&mut self, literal: bool) -> Scan<bool> {
        let start = self.pos;
        let (chomp, increment) = self.block_header(start)?;
        let header_end = self.pos;
        let mut on_break = false;
        let len = self.break_here();
        if len > 0 {
            self.take_break(len);
            on_break = true;
        }
        let mut indent = match increment {
            0 => 0,
            increment => self.indent.max(0) + increment,
        };
        let mut value = String::new();
        let mut trailing = String::new();
        let mut end = header_end;
        on_break |= self.block_breaks(&mut indent, &mut trailing, start)?;
        let mut pending = "";
        let mut led_by_blank = false;
        while self.column() == indent && self.here(0) != 0 {
            let blank = is_blank(self.here(0));
            if !literal && !led_by_blank && !blank && pending == "\n" {
                if trailing.is_empty() {
                    value.push(' ');
                }
            } else {
                value.push_str(pending);
            }
            value.push_str(&trailing);
            trailing.clear();
            led_by_blank = blank;
            let line = self.pos;
            self.skip_line_rest();
            value.push_str(self.slice(line, self.pos));
            end = self.pos;
            let len = break_len(self.src, self.pos);
            on_break = len > 0;
            pending = "";
            if len > 0 {
                pending = Breaks::normalised(self.src, self.pos);
                self.take_break(len);
            }
            on_break |= self.block_breaks(&mut indent, &mut trailing, start)?;
        }
        if chomp != Chomp::Strip {
            value.push_str(pending);
        }
        if chomp == Chomp::Keep {
            value.push_str(&trailing);
        }
        let style = if literal {
            Style::Literal
        } else {
            Style::Folded
        };
        let value = value.into();
        self.scalar_token(Kind::Scalar { value, style }, start, end);
        Ok(on_break)
    }

    /// Reads `|` or `>`, the indicators behind it and a comment.
    fn block_header(&mut self, start: usize) -> Scan<(Chomp, i32)> {
        self.pos += 1;
        let mut chomp = self.chomp_indicator();
        let increment = self.indent_indicator(start)?;
        if increment > 0 && chomp == Chomp::Clip {
            chomp = self.chomp_indicator();
        }
        while is_blank(self.here(0)) {
            self.pos += 1;
        }
        if self.here(0) == b'#' {
            self.take_line_comment(start);
        }
        if !is_line_end(self.src, self.pos) {
            let problem = "did not find expected comment or line break";
            return Err(self.refusal(Some(start), problem));
        }
        Ok((chomp, increment))
    }

    fn chomp_indicator(&mut self) -> Chomp {
        let chomp = match self.here(0) {
            b'+' => Chomp::Keep,
            b'-' => Chomp::Strip,
            _ => return Chomp::Clip,
        };
        self.pos += 1;
        chomp
    }

    /// The digit that gives the indentation, 0 when there is none.
    fn indent_indicator(&mut self, start: usize) -> Scan<i32> {
        let digit = self.here(0);
        if !digit.is_ascii_digit() {
            return Ok(0);
        }
        if digit == b'0' {
            let problem = "found an indentation indicator equal to 0";
            return Err(self.refusal(Some(start), problem));
        }
        self.pos += 1;
        Ok(i32::from(digit - b'0'))
    }

    /// Skips indentation and empty lines, and settles the indentation when it
    /// is not known (0). Tells whether it stopped right behind a break.
    fn block_breaks(&mut self, indent: &mut i32, breaks: &mut String, start: usize) -> Scan<bool> {
        let mut deepest = 0;
        let mut found = false;
        loop {
            let mut column = self.column();
            while (*indent == 0 || column < *indent) && self.here(0) == b' ' {
                self.pos += 1;
                column += 1;
            }
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.here(0) == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.refusal(Some(start), problem));
            }
            let len = self.break_here();
            if len == 0 {
                break;
            }
            breaks.push_str(Breaks::normalised(self.src, self.pos));
            self.take_break(len);
            found = true;
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(found)
    }
}
