//! Splits a template into tokens.

use memchr::memmem;

use super::token::{Keyword, Kind, Token};
use crate::strconv::quote;
use crate::unicode::{decode, is_digit, is_letter, is_print};

/// A space and `-`, or `-` and a space.
const TRIM: usize = 2;

/// Reads one token after the other.
pub(crate) struct Lexer<'t> {
    source: &'t [u8],
    left: &'t [u8],
    right: &'t [u8],
    /// Host functions of these names hide the keywords.
    plain_break: bool,
    plain_continue: bool,
    /// Where the next token begins, and how far reading got.
    start: usize,
    at: usize,
    inside: bool,
    parens: usize,
    message: String,
}

impl<'t> Lexer<'t> {
    pub fn new(source: &'t [u8], left: &'t [u8], right: &'t [u8]) -> Self {
        Lexer {
            source,
            left,
            right,
            plain_break: false,
            plain_continue: false,
            start: 0,
            at: 0,
            inside: false,
            parens: 0,
            message: String::new(),
        }
    }

    /// Takes `break` and `continue` for function names.
    pub fn plain(mut self, plain_break: bool, plain_continue: bool) -> Self {
        self.plain_break = plain_break;
        self.plain_continue = plain_continue;
        self
    }

    /// What was wrong where the last token is an error.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The next token. Behind an error only errors follow.
    pub fn next(&mut self) -> Token {
        loop {
            let token = match self.inside {
                true => Some(self.action()),
                false => self.text(),
            };
            if let Some(token) = token {
                return token;
            }
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn behind(&self, offset: usize) -> &'t [u8] {
        self.source.get(self.at + offset..).unwrap_or_default()
    }

    fn token(&mut self, kind: Kind) -> Token {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let token = Token {
            kind,
            start: offset(self.start),
            end: offset(self.at),
        };
        self.start = self.at;
        token
    }

    fn error(&mut self, message: impl Into<String>) -> Token {
        self.message = message.into();
        let token = self.token(Kind::Error);
        self.at = self.source.len();
        self.start = self.at;
        token
    }

    /// Text up to an action, or a left delimiter; nothing for a comment.
    fn text(&mut self) -> Option<Token> {
        let Some(length) = memmem::find(self.rest(), self.left) else {
            self.at = self.source.len();
            let kind = match self.at > self.start {
                true => Kind::Text,
                false => Kind::End,
            };
            return Some(self.token(kind));
        };
        if length > 0 {
            self.at += length;
            let behind = self.behind(self.left.len());
            let text = self.source.get(self.start..self.at).unwrap_or_default();
            let kept = match starts_trimming(behind) {
                true => trim_end(text).len(),
                false => text.len(),
            };
            let end = self.at;
            self.at = self.start + kept;
            let token = self.token(Kind::Text);
            self.at = end;
            self.start = end;
            if kept > 0 {
                return Some(token);
            }
        }
        self.left_delimiter()
    }

    fn left_delimiter(&mut self) -> Option<Token> {
        self.at += self.left.len();
        let marker = if starts_trimming(self.rest()) {
            TRIM
        } else {
            0
        };
        if self.behind(marker).starts_with(b"/*") {
            self.at += marker;
            self.start = self.at;
            return self.comment();
        }
        let token = self.token(Kind::LeftDelimiter);
        self.inside = true;
        self.at += marker;
        self.start = self.at;
        self.parens = 0;
        Some(token)
    }

    /// Skips a comment, or says what is wrong with it.
    fn comment(&mut self) -> Option<Token> {
        let Some(length) = memmem::find(self.behind(2), b"*/") else {
            return Some(self.error("unclosed comment"));
        };
        self.at += length + 4;
        let Some(trims) = self.right_delimiter() else {
            return Some(self.error("comment ends before closing delimiter"));
        };
        self.skip_right_delimiter(trims);
        None
    }

    /// Whether a right delimiter stands here, and if so whether it trims.
    fn right_delimiter(&self) -> Option<bool> {
        let rest = self.rest();
        if ends_trimming(rest) && self.behind(TRIM).starts_with(self.right) {
            return Some(true);
        }
        rest.starts_with(self.right).then_some(false)
    }

    fn skip_right_delimiter(&mut self, trims: bool) {
        self.at += self.right.len() + if trims { TRIM } else { 0 };
        if trims {
            let rest = self.rest();
            self.at += rest.len() - trim_start(rest).len();
        }
        self.start = self.at;
    }

    /// A token inside an action.
    fn action(&mut self) -> Token {
        if let Some(trims) = self.right_delimiter() {
            if self.parens > 0 {
                return self.error("unclosed left paren");
            }
            return self.close(trims);
        }
        let (rune, width) = decode(self.rest());
        if width == 0 {
            return self.error("unclosed action");
        }
        if is_space(rune) {
            return self.space();
        }
        if is_word_rune(rune) && !rune.is_ascii_digit() {
            return self.word();
        }
        self.at += width;
        match rune {
            '=' => self.token(Kind::Assign),
            ':' if self.rest().first() == Some(&b'=') => {
                self.at += 1;
                self.token(Kind::Declare)
            }
            ':' => self.error("expected :="),
            '|' => self.token(Kind::Pipe),
            '"' => self.quoted(b'"', Kind::String, "unterminated quoted string"),
            '\'' => self.quoted(b'\'', Kind::CharConstant, "unterminated character constant"),
            '`' => self.raw(),
            '$' => self.name(Kind::Variable, Kind::Variable),
            '.' if self
                .rest()
                .first()
                .is_some_and(|byte| !byte.is_ascii_digit()) =>
            {
                self.name(Kind::Field, Kind::Dot)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.at -= width;
                self.number()
            }
            '(' => {
                self.parens += 1;
                self.token(Kind::LeftParen)
            }
            ')' if self.parens == 0 => self.error("unexpected right paren"),
            ')' => {
                self.parens -= 1;
                self.token(Kind::RightParen)
            }
            _ if rune.is_ascii() && is_print(rune) => self.token(Kind::Char),
            _ => self.error(format!("unrecognized character in action: {}", shown(rune))),
        }
    }

    fn close(&mut self, trims: bool) -> Token {
        if trims {
            self.at += TRIM;
            self.start = self.at;
        }
        self.at += self.right.len();
        let token = self.token(Kind::RightDelimiter);
        self.inside = false;
        if trims {
            let rest = self.rest();
            self.at += rest.len() - trim_start(rest).len();
            self.start = self.at;
        }
        token
    }

    /// Spaces; the last one may belong to a trimming delimiter.
    fn space(&mut self) -> Token {
        let rest = self.rest();
        self.at += rest.len() - trim_start(rest).len();
        let last = self.source.get(self.at - 1..).unwrap_or_default();
        let behind = last.get(TRIM..).unwrap_or_default();
        if ends_trimming(last) && behind.starts_with(self.right) {
            self.at -= 1;
            if self.at == self.start {
                return self.close(true);
            }
        }
        self.token(Kind::Space)
    }

    /// Steps over letters and digits: the rune behind them.
    fn skip_word(&mut self) -> (char, usize) {
        loop {
            let (rune, width) = decode(self.rest());
            if width == 0 || !is_word_rune(rune) {
                return (rune, width);
            }
            self.at += width;
        }
    }

    fn word(&mut self) -> Token {
        let (rune, _) = self.skip_word();
        if !self.at_terminator() {
            return self.error(format!("bad character {}", shown(rune)));
        }
        let word = self.source.get(self.start..self.at).unwrap_or_default();
        let kind = match (word, Keyword::of(word)) {
            (_, Some(Keyword::Break)) if self.plain_break => Kind::Identifier,
            (_, Some(Keyword::Continue)) if self.plain_continue => Kind::Identifier,
            (_, Some(keyword)) => Kind::Keyword(keyword),
            (b"nil", _) => Kind::Nil,
            (b"true" | b"false", _) => Kind::Bool,
            _ => Kind::Identifier,
        };
        self.token(kind)
    }

    /// A field or variable, whose `.` or `$` is read; or that alone.
    fn name(&mut self, kind: Kind, alone: Kind) -> Token {
        if self.at_terminator() {
            return self.token(alone);
        }
        let (rune, width) = self.skip_word();
        if !self.at_terminator() {
            let rune = if width == 0 { '\u{fffd}' } else { rune };
            return self.error(format!("bad character {}", shown(rune)));
        }
        self.token(kind)
    }

    /// What may stand behind a word.
    fn at_terminator(&self) -> bool {
        match self.rest().first() {
            None => true,
            Some(b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'|' | b':' | b')' | b'(') => true,
            Some(_) => self.rest().starts_with(self.right),
        }
    }

    fn quoted(&mut self, mark: u8, kind: Kind, message: &str) -> Token {
        loop {
            let byte = self.rest().first().copied();
            self.at += usize::from(byte.is_some());
            match byte {
                Some(b'\\') => {
                    let escaped = self.rest().first().copied();
                    self.at += usize::from(escaped.is_some());
                    if matches!(escaped, None | Some(b'\n')) {
                        return self.error(message);
                    }
                }
                None | Some(b'\n') => return self.error(message),
                Some(byte) if byte == mark => return self.token(kind),
                Some(_) => {}
            }
        }
    }

    fn raw(&mut self) -> Token {
        match memchr::memchr(b'`', self.rest()) {
            Some(length) => {
                self.at += length + 1;
                self.token(Kind::RawString)
            }
            None => self.error("unterminated raw quoted string"),
        }
    }

    fn number(&mut self) -> Token {
        let mut whole = self.scan_number();
        let mut kind = Kind::Number;
        if whole && matches!(self.rest().first(), Some(b'+' | b'-')) {
            kind = Kind::Complex;
            whole = self.scan_number() && self.source.get(self.at - 1) == Some(&b'i');
        }
        if whole {
            return self.token(kind);
        }
        let read = self.source.get(self.start..self.at).unwrap_or_default();
        self.error(format!("bad number syntax: {}", quote(read)))
    }

    fn accept(&mut self, bytes: &[u8]) -> bool {
        let found = self.rest().first().is_some_and(|byte| bytes.contains(byte));
        self.at += usize::from(found);
        found
    }

    fn accept_run(&mut self, bytes: &[u8]) {
        while self.accept(bytes) {}
    }

    /// Steps over what looks like a number; whether a letter or digit that
    /// does not belong to it follows.
    fn scan_number(&mut self) -> bool {
        const DECIMAL: &[u8] = b"0123456789_";
        const HEX: &[u8] = b"0123456789abcdefABCDEF_";
        self.accept(b"+-");
        let mut digits = DECIMAL;
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = HEX;
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        self.accept_run(digits);
        if self.accept(b".") {
            self.accept_run(digits);
        }
        let exponent: &[u8] = match digits {
            DECIMAL => b"eE",
            HEX => b"pP",
            _ => b"",
        };
        if self.accept(exponent) {
            self.accept(b"+-");
            self.accept_run(DECIMAL);
        }
        self.accept(b"i");
        let (rune, width) = decode(self.rest());
        if width > 0 && is_word_rune(rune) {
            self.at += width;
            return false;
        }
        true
    }
}

/// A rune as messages show it: `U+0023 '#'`.
fn shown(rune: char) -> String {
    let number = u32::from(rune);
    match is_print(rune) {
        true => format!("U+{number:04X} '{rune}'"),
        false => format!("U+{number:04X}"),
    }
}

fn is_space(rune: char) -> bool {
    matches!(rune, ' ' | '\t' | '\r' | '\n')
}

fn is_word_rune(rune: char) -> bool {
    rune == '_' || is_letter(rune) || is_digit(rune)
}

fn is_space_byte(byte: &u8) -> bool {
    is_space(char::from(*byte))
}

fn starts_trimming(text: &[u8]) -> bool {
    matches!(text, [b'-', space, ..] if is_space_byte(space))
}

fn ends_trimming(text: &[u8]) -> bool {
    matches!(text, [space, b'-', ..] if is_space_byte(space))
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !is_space_byte(byte));
    text.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space_byte(byte));
    text.get(start.unwrap_or(text.len())..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<(Kind, String)> {
        let mut lexer = Lexer::new(source.as_bytes(), b"{{", b"}}");
        let mut words = Vec::new();
        loop {
            let token = lexer.next();
            let text = source.get(token.start as usize..token.end as usize);
            match token.kind {
                Kind::End => return words,
                Kind::Error => {
                    words.push((Kind::Error, lexer.message().to_owned()));
                    return words;
                }
                _ => words.push((token.kind, text.unwrap_or_default().to_owned())),
            }
        }
    }

    fn texts(source: &str) -> Vec<String> {
        words(source).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn trims_at_delimiters() {
        assert_eq!(texts("a \n{{- 3 -}}\n b"), ["a", "{{", "3", "}}", "b"]);
        assert_eq!(texts("a {{- /* c */ -}} b"), ["a", "b"]);
        assert_eq!(texts("{{x  -}} b"), ["{{", "x", " ", "}}", "b"]);
        assert_eq!(texts("{{-3}}"), ["{{", "-3", "}}"]);
    }

    #[test]
    fn numbers_and_names() {
        assert_eq!(
            texts("{{1+2i 0x1.e_fp4}}"),
            ["{{", "1+2i", " ", "0x1.e_fp4", "}}"]
        );
        assert_eq!(
            texts("{{.x.y $a.b}}"),
            ["{{", ".x", ".y", " ", "$a", ".b", "}}"]
        );
        assert_eq!(words("{{.}}")[1].0, Kind::Dot);
        assert_eq!(words("{{.2}}")[1].0, Kind::Number);
    }

    #[test]
    fn errors() {
        let last = |source: &str| texts(source).pop().unwrap_or_default();
        assert_eq!(last("{{"), "unclosed action");
        assert_eq!(last("{{\"\n\"}}"), "unterminated quoted string");
        assert_eq!(last("{{3k}}"), "bad number syntax: \"3k\"");
        assert_eq!(last("{{(3}}"), "unclosed left paren");
        assert_eq!(last("{{3)}}"), "unexpected right paren");
        assert_eq!(
            last("{{\u{1}}}"),
            "unrecognized character in action: U+0001"
        );
        assert_eq!(last("{{/* */ }}"), "comment ends before closing delimiter");
        assert_eq!(last("{{a#}}"), "bad character U+0023 '#'");
    }
}
