//! What stands between tokens: blanks, comments, line breaks.

use memchr::memchr2;

use super::chars::is_line_end;
use super::scanner::Scanner;

impl Scanner<'_> {
    /// Skips blanks, comments and line breaks.
    pub(super) fn skip_to_token(&mut self) {
        let (from, line) = (self.pos, self.line);
        loop {
            if self.pos < self.eats_until {
                self.eat_first();
            }
            self.skip_spaces();
            while self.here(0) == b'\t' && (self.flow() > 0 || !self.key_allowed) {
                self.pos += 1;
                self.skip_spaces();
            }
            if !self.waiting.is_empty() {
                self.settle_comment();
            }
            if self.here(0) == b'#' {
                self.take_comments(from, line);
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
}
