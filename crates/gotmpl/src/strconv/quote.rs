//! Quoted strings: `%q` and the literals of templates.

use crate::unicode;

/// How to quote.
#[derive(Clone, Copy)]
pub(crate) struct Quote {
    /// The quote, which is escaped inside.
    pub mark: u8,
    /// All beyond ASCII is escaped.
    pub ascii: bool,
}

/// A text between double quotes; what cannot be seen is escaped.
pub fn quote(bytes: &[u8]) -> String {
    lossless(Quote::DOUBLE.apply(bytes))
}

/// As [`quote`], with all beyond ASCII escaped.
pub fn quote_ascii(bytes: &[u8]) -> String {
    let quote = Quote {
        ascii: true,
        ..Quote::DOUBLE
    };
    lossless(quote.apply(bytes))
}

/// Quoted text is always UTF-8: other bytes are escaped in it.
fn lossless(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

impl Quote {
    pub(crate) const DOUBLE: Quote = Quote {
        mark: b'"',
        ascii: false,
    };
    pub(crate) const SINGLE: Quote = Quote {
        mark: b'\'',
        ascii: false,
    };

    /// The text between quotes.
    pub(crate) fn apply(self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 2);
        out.push(self.mark);
        for (rune, bytes) in unicode::runes(bytes) {
            match bytes {
                [byte] if rune == unicode::ERROR => {
                    out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
                }
                _ => self.push(&mut out, rune),
            }
        }
        out.push(self.mark);
        out
    }

    /// One rune between quotes.
    pub(crate) fn rune(self, rune: char) -> Vec<u8> {
        let mut out = vec![self.mark];
        self.push(&mut out, rune);
        out.push(self.mark);
        out
    }

    fn push(self, out: &mut Vec<u8>, rune: char) {
        if rune == char::from(self.mark) || rune == '\\' {
            out.push(b'\\');
            unicode::push(out, rune);
            return;
        }
        if (rune.is_ascii() || !self.ascii) && unicode::is_print(rune) {
            unicode::push(out, rune);
            return;
        }
        let short = match rune {
            '\x07' => "\\a",
            '\x08' => "\\b",
            '\x0c' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\x0b' => "\\v",
            _ => "",
        };
        let number = u32::from(rune);
        let escape = match number {
            _ if !short.is_empty() => short.to_owned(),
            0..=0x1f | 0x7f => format!("\\x{number:02x}"),
            0..=0xffff => format!("\\u{number:04x}"),
            _ => format!("\\U{number:08x}"),
        };
        out.extend_from_slice(escape.as_bytes());
    }
}

/// A text that can stand between backquotes as it is.
pub(crate) fn can_backquote(bytes: &[u8]) -> bool {
    unicode::runes(bytes).all(|(rune, bytes)| match rune {
        unicode::ERROR => bytes.len() > 1,
        '\u{feff}' | '`' | '\x7f' => false,
        '\t' => true,
        _ => rune >= ' ',
    })
}

/// The text of a literal in double quotes, backquotes or (one rune) single
/// quotes; nothing if it is none.
pub fn unquote(literal: &[u8]) -> Option<Vec<u8>> {
    let (&mark, rest) = literal.split_first()?;
    let (&last, body) = rest.split_last()?;
    if mark != last {
        return None;
    }
    match mark {
        b'`' => {
            let plain = !body.contains(&b'`');
            plain.then(|| body.iter().copied().filter(|b| *b != b'\r').collect())
        }
        b'"' | b'\'' => {
            if body.contains(&b'\n') {
                return None;
            }
            let mut out = Vec::with_capacity(body.len());
            let mut rest = body;
            let mut count = 0;
            while !rest.is_empty() {
                rest = unquote_char(rest, mark, &mut out)?.1;
                count += 1;
            }
            (mark == b'"' || count == 1).then_some(out)
        }
        _ => None,
    }
}

/// Reads one rune or escape of a literal in `mark` quotes: its number and
/// what is behind it. What it stands for is added to `out`.
pub(crate) fn unquote_char<'t>(
    text: &'t [u8],
    mark: u8,
    out: &mut Vec<u8>,
) -> Option<(u32, &'t [u8])> {
    let (&first, rest) = text.split_first()?;
    if first == mark {
        return None;
    }
    if first != b'\\' {
        let (rune, width) = unicode::decode(text);
        let (bytes, rest) = text.split_at_checked(width)?;
        match rune {
            // A broken byte reads as the error rune, and is written as such.
            unicode::ERROR => unicode::push(out, rune),
            _ => out.extend_from_slice(bytes),
        }
        return Some((u32::from(rune), rest));
    }
    let (&kind, rest) = rest.split_first()?;
    let mut byte = |number: u32, rest: &'t [u8]| {
        out.push(u8::try_from(number).ok()?);
        Some((number, rest))
    };
    match kind {
        b'a' => byte(0x07, rest),
        b'b' => byte(0x08, rest),
        b'f' => byte(0x0c, rest),
        b'n' => byte(0x0a, rest),
        b'r' => byte(0x0d, rest),
        b't' => byte(0x09, rest),
        b'v' => byte(0x0b, rest),
        b'\\' => byte(0x5c, rest),
        b'\'' | b'"' if kind == mark => byte(u32::from(kind), rest),
        b'x' => {
            let (number, rest) = digits(rest, 2, 16)?;
            byte(number, rest)
        }
        b'0'..=b'7' => {
            let (number, rest) = digits(text.get(1..)?, 3, 8)?;
            byte(number, rest)
        }
        b'u' | b'U' => {
            let (number, rest) = digits(rest, if kind == b'u' { 4 } else { 8 }, 16)?;
            unicode::push(out, char::from_u32(number)?);
            Some((number, rest))
        }
        _ => None,
    }
}

fn digits(text: &[u8], count: usize, base: u32) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let mut number = 0u32;
    for digit in digits {
        number = number.checked_mul(base)? + char::from(*digit).to_digit(base)?;
    }
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_go() {
        assert_eq!(quote("a\"é\n\u{200b}".as_bytes()), r#""a\"é\n\u200b""#);
        assert_eq!(quote(b"\xff\x00\x7f"), r#""\xff\x00\x7f""#);
        assert_eq!(quote_ascii("é😀".as_bytes()), r#""\u00e9\U0001f600""#);
    }

    #[test]
    fn unquotes_as_go() {
        assert_eq!(
            unquote(br#""a\t\x41\101\u00e9""#).unwrap(),
            "a\tAAé".as_bytes()
        );
        assert_eq!(unquote(b"`a\r\nb`").unwrap(), b"a\nb");
        assert_eq!(unquote(b"'x'").unwrap(), b"x");
        assert!(unquote(br#""\'""#).is_none());
        assert!(unquote(br#""\ud800""#).is_none());
        assert!(unquote(br#""\400""#).is_none());
        assert!(unquote(b"'xy'").is_none());
    }
}
