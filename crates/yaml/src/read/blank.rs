//! What stands between tokens: blanks, comments, line breaks.

use memchr::memchr2;

use super::chars::{byte, is_blank, is_line_end};
use super::scanner::Scanner;
use super::token::Dialect;

/// Blanks the comment look-ahead crosses.
const COMMENT_REACH: usize = 512;

impl Scanner<'_> {
    /// Skips blanks, comments and line breaks.
    pub(super) fn skip_to_token(&mut self) {
        loop {
            if self.pos < self.eats_until {
                self.eat_first();
            }
            self.skip_spaces();
            while self.here(0) == b'\t' && (self.flow() > 0 || !self.key_allowed) {
                self.pos += 1;
                self.skip_spaces();
            }
            if self.here(0) == b'#' {
                self.skip_comments();
            }
            let len = self.break_here();
            if len == 0 {
                self.look_ahead();
                return;
            }
            self.take_break(len);
            if self.flow() == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Skips the first character of a line, whatever it is.
    #[cold]
    fn eat_first(&mut self) {
        if self.at_line_start()
            && let Some(c) = self
                .text
                .get(self.pos..)
                .and_then(|rest| rest.chars().next())
        {
            self.pos += c.len_utf8();
        }
    }

    /// Skips the comment here. The newer reader takes the comment lines that
    /// follow with it, whatever blanks stand before them.
    fn skip_comments(&mut self) {
        self.skip_line_rest();
        while self.dialect == Dialect::V3 {
            let Some(next) = self.comment_ahead() else {
                return;
            };
            while self.pos < next {
                match self.break_here() {
                    0 => self.pos += 1,
                    len => self.take_break(len),
                }
            }
            self.skip_line_rest();
        }
    }

    /// Where the next comment begins, when only blank lines lie between.
    fn comment_ahead(&self) -> Option<usize> {
        (self.pos + 1..self.pos + COMMENT_REACH)
            .find(|at| {
                !is_blank(byte(self.src, *at)) && !matches!(byte(self.src, *at), b'\n' | b'\r')
            })
            .filter(|at| byte(self.src, *at) == b'#')
    }

    pub(super) fn skip_line_rest(&mut self) {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        if self.ascii {
            self.pos += memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            return;
        }
        while !is_line_end(self.src, self.pos) {
            let rest = self.src.get(self.pos + 1..).unwrap_or_default();
            let step = rest
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2))
                .unwrap_or(rest.len());
            self.pos += 1 + step;
        }
    }

    /// Skips spaces.
    fn skip_spaces(&mut self) {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        self.pos += rest.iter().take_while(|byte| **byte == b' ').count();
    }

    /// Skips a comment that follows a token on its line.
    pub(super) fn trailing_comment(&mut self) {
        let comment = (self.pos..self.pos + COMMENT_REACH)
            .find(|at| !is_blank(byte(self.src, *at)))
            .filter(|at| byte(self.src, *at) == b'#');
        if let Some(at) = comment {
            self.pos = at;
            self.skip_line_rest();
        }
    }
}
