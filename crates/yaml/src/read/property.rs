//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::chars::{is_blank, is_blank_or_end, is_line_end, is_word, width};
use super::scanner::{Scan, Scanner};
use super::token::Kind;

/// Characters a tag may hold besides words and `%` escapes.
const TAG_MARKS: &[u8] = b";/?:@&=+$,.!~*'()[]";
/// Digits of a version number.
const VERSION_DIGITS: usize = 2;

impl<'a> Scanner<'a> {
    fn word_end(&self, mut at: usize) -> usize {
        while self.src.get(at).copied().is_some_and(is_word) {
            at += 1;
        }
        at
    }

    fn skip_blanks(&mut self) {
        while is_blank(self.here(0)) {
            self.pos += 1;
        }
    }

    /// Reads `&name` or `*name`.
    pub(super) fn anchor_or_alias(&mut self, alias: bool) -> Scan<()> {
        let start = self.pos;
        let end = self.word_end(start + 1);
        let name = self.slice(start + 1, end);
        self.pos = end;
        let ended = is_blank_or_end(self.src, end)
            || matches!(
                self.here(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !ended {
            let problem = "did not find expected alphabetic or numeric character";
            return Err(self.refusal(Some(start), problem));
        }
        let kind = if alias {
            Kind::Alias(name)
        } else {
            Kind::Anchor(name)
        };
        self.scalar_token(kind, start, end);
        Ok(())
    }

    /// Reads `!name`, `!!name`, `!handle!name`, `!<uri>` or `!`.
    pub(super) fn tag(&mut self) -> Scan<()> {
        let start = self.pos;
        let (handle, suffix) = if self.here(1) == b'<' {
            self.pos += 2;
            let suffix = self.tag_uri("", start)?;
            if self.here(0) != b'>' {
                return Err(self.refusal(Some(start), "did not find the expected '>'"));
            }
            self.pos += 1;
            ("", suffix)
        } else {
            self.short_tag(start)?
        };
        if !is_blank_or_end(self.src, self.pos) {
            let problem = "did not find expected whitespace or line break";
            return Err(self.refusal(Some(start), problem));
        }
        let end = self.pos;
        self.scalar_token(Kind::Tag { handle, suffix }, start, end);
        Ok(())
    }

    fn short_tag(&mut self, start: usize) -> Scan<(&'a str, Cow<'a, str>)> {
        let handle = self.tag_handle(false, start)?;
        if handle.len() > 1 && handle.ends_with('!') {
            return Ok((handle, self.tag_uri("", start)?));
        }
        let suffix = self.tag_uri(handle, start)?;
        if suffix.is_empty() {
            // The lone `!`.
            return Ok(("", handle.into()));
        }
        Ok((handle.get(..1).unwrap_or_default(), suffix))
    }

    /// Reads `!`, `!word` or `!word!`.
    fn tag_handle(&mut self, directive: bool, start: usize) -> Scan<&'a str> {
        if self.here(0) != b'!' {
            return Err(self.refusal(Some(start), "did not find expected '!'"));
        }
        let begin = self.pos;
        self.pos = self.word_end(begin + 1);
        if self.here(0) == b'!' {
            self.pos += 1;
        } else if directive && self.pos != begin + 1 {
            return Err(self.refusal(Some(start), "did not find expected '!'"));
        }
        Ok(self.slice(begin, self.pos))
    }

    /// Reads the characters of a tag, behind those of `head` but its `!`.
    fn tag_uri(&mut self, head: &'a str, start: usize) -> Scan<Cow<'a, str>> {
        let begin = self.pos;
        let mut decoded: Option<Vec<u8>> = None;
        loop {
            let byte = self.here(0);
            if byte == b'%' {
                let before = self.src.get(begin..self.pos).unwrap_or_default();
                let mut bytes = decoded.take().unwrap_or_else(|| before.to_vec());
                self.uri_escape(start, &mut bytes)?;
                decoded = Some(bytes);
            } else if is_word(byte) || TAG_MARKS.contains(&byte) {
                if let Some(bytes) = &mut decoded {
                    bytes.push(byte);
                }
                self.pos += 1;
            } else {
                break;
            }
        }
        if self.pos == begin && head.is_empty() {
            return Err(self.refusal(Some(start), "did not find expected tag URI"));
        }
        let head = head.get(1..).unwrap_or_default();
        match decoded {
            None if head.is_empty() => Ok(self.slice(begin, self.pos).into()),
            // Head and tail are neighbours in the text.
            None => Ok(self.slice(begin - head.len(), self.pos).into()),
            Some(bytes) => Ok((head.to_owned() + &String::from_utf8_lossy(&bytes)).into()),
        }
    }

    /// Reads one character written as `%XX` octets.
    fn uri_escape(&mut self, start: usize, into: &mut Vec<u8>) -> Scan<()> {
        let mut left = 0;
        loop {
            let digit = |offset| char::from(self.here(offset)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.here(0), digit(1), digit(2)) else {
                return Err(self.refusal(Some(start), "did not find URI escaped octet"));
            };
            let octet = u8::try_from(high * 16 + low).unwrap_or_default();
            if left == 0 {
                left = width(octet);
                if left == 0 {
                    let problem = "found an incorrect leading UTF-8 octet";
                    return Err(self.refusal(Some(start), problem));
                }
            } else if octet & 0xC0 != 0x80 {
                let problem = "found an incorrect trailing UTF-8 octet";
                return Err(self.refusal(Some(start), problem));
            }
            into.push(octet);
            self.pos += 3;
            left -= 1;
            if left == 0 {
                return Ok(());
            }
        }
    }

    /// Reads a `%YAML` or `%TAG` line.
    pub(super) fn directive(&mut self) -> Scan<Kind<'a>> {
        let start = self.pos;
        let end = self.word_end(start + 1);
        let name = self.slice(start + 1, end);
        self.pos = end;
        if name.is_empty() {
            return Err(self.refusal(Some(start), "could not find expected directive name"));
        }
        if !is_blank_or_end(self.src, end) {
            let problem = "found unexpected non-alphabetical character";
            return Err(self.refusal(Some(start), problem));
        }
        let kind = match name {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_definition(start)?,
            _ => return Err(self.refusal(Some(start), "found unknown directive name")),
        };
        self.skip_blanks();
        if self.here(0) == b'#' {
            self.skip_line_rest();
        }
        if !is_line_end(self.src, self.pos) {
            let problem = "did not find expected comment or line break";
            return Err(self.refusal(Some(start), problem));
        }
        let len = self.break_here();
        if len > 0 {
            self.take_break(len);
        }
        Ok(kind)
    }

    fn version(&mut self, start: usize) -> Scan<Kind<'a>> {
        self.skip_blanks();
        let major = self.version_number(start)?;
        if self.here(0) != b'.' {
            let problem = "did not find expected digit or '.' character";
            return Err(self.refusal(Some(start), problem));
        }
        self.pos += 1;
        let minor = self.version_number(start)?;
        Ok(Kind::Version { major, minor })
    }

    fn version_number(&mut self, start: usize) -> Scan<u8> {
        let begin = self.pos;
        let mut value = 0;
        while self.here(0).is_ascii_digit() {
            if self.pos - begin == VERSION_DIGITS {
                let problem = "found extremely long version number";
                return Err(self.refusal(Some(start), problem));
            }
            value = value * 10 + (self.here(0) - b'0');
            self.pos += 1;
        }
        if self.pos == begin {
            return Err(self.refusal(Some(start), "did not find expected version number"));
        }
        Ok(value)
    }

    fn tag_definition(&mut self, start: usize) -> Scan<Kind<'a>> {
        self.skip_blanks();
        let handle = self.tag_handle(true, start)?;
        if !is_blank(self.here(0)) {
            return Err(self.refusal(Some(start), "did not find expected whitespace"));
        }
        self.skip_blanks();
        let prefix = self.tag_uri("", start)?;
        if !is_blank_or_end(self.src, self.pos) {
            let problem = "did not find expected whitespace or line break";
            return Err(self.refusal(Some(start), problem));
        }
        Ok(Kind::TagHandle { handle, prefix })
    }
}
