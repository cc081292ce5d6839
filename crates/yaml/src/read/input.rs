//! Bytes to text, and what no YAML text may hold.

use std::borrow::Cow;

use crate::{Error, ErrorKind, FileId, Span};

/// Upstream reads its input in pieces of this many bytes; a character it
/// refuses is met when its piece is read, not when it is reached.
pub(super) const PIECE: usize = 512;
const FORBIDDEN: &str = "control characters are not allowed";

/// Bytes of a file as text: UTF-8, or UTF-16 with a byte order mark, which is
/// dropped. Offsets of spans count from the text's start, behind the mark.
///
/// # Errors
///
/// When the bytes are no text, with go-yaml's words.
pub fn decode(bytes: &[u8], file: FileId) -> Result<Cow<'_, str>, Error> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, file),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, file),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, file),
        _ => utf8(bytes, file),
    }
}

fn refused(cause: &str, file: FileId, at: usize) -> Error {
    Error::new(ErrorKind::Input, cause, Span::new(file, at, at))
}

fn utf8(bytes: &[u8], file: FileId) -> Result<Cow<'_, str>, Error> {
    let error = match str::from_utf8(bytes) {
        Ok(text) => return Ok(text.into()),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let rest = bytes.get(at..).unwrap_or_default();
    let width = match rest.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return Err(refused("invalid leading UTF-8 octet", file, at)),
    };
    let trailing = rest.iter().skip(1).take(width - 1);
    let good = trailing.take_while(|byte| **byte & 0xC0 == 0x80).count();
    if rest.len() < width {
        return Err(refused("incomplete UTF-8 octet sequence", file, at));
    }
    if good < width - 1 {
        return Err(refused("invalid trailing UTF-8 octet", file, at));
    }
    let short = match rest {
        [0xC0 | 0xC1, ..] => true,
        [0xE0, second, ..] => *second < 0xA0,
        [0xF0, second, ..] => *second < 0x90,
        _ => false,
    };
    let cause = if short {
        "invalid length of a UTF-8 sequence"
    } else {
        "invalid Unicode character"
    };
    Err(refused(cause, file, at))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, file: FileId) -> Result<Cow<'static, str>, Error> {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [a, b] => unit([*a, *b]),
        _ => 0,
    });
    let mut text = String::with_capacity(bytes.len() / 2);
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(c) => text.push(c),
            Err(error) => {
                let cause = match error.unpaired_surrogate() {
                    0xDC00.. => "unexpected low surrogate area",
                    _ => "expected low surrogate area",
                };
                return Err(refused(cause, file, text.len()));
            }
        }
    }
    if bytes.len() % 2 == 1 {
        return Err(refused("incomplete UTF-16 character", file, text.len()));
    }
    Ok(text.into())
}

/// A character that stops the reader, and up to where the text is read before
/// that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub at: usize,
    /// Start of the piece that holds it.
    pub piece: usize,
}

impl Stop {
    pub(crate) fn error(&self, file: FileId, base: usize) -> Error {
        refused(FORBIDDEN, file, base + self.at)
    }

    /// Whether the scanner, having come to `position`, has asked for the piece.
    /// In the middle of a token (`refused` there) it looks ahead, up to the
    /// digits of an escape.
    pub(crate) fn met(&self, position: usize, refused: bool) -> bool {
        const ESCAPE: usize = 8;
        let ahead = if refused { ESCAPE } else { 0 };
        position + ahead >= self.piece
    }
}

/// Finds the first character YAML does not allow.
pub(crate) fn stop(text: &str) -> Option<Stop> {
    let at = forbidden(text.as_bytes())?;
    let mut piece = 0;
    loop {
        let mut next = piece + PIECE;
        while !text.is_char_boundary(next.min(text.len())) {
            next -= 1;
        }
        if next > at {
            return Some(Stop { at, piece });
        }
        piece = next;
    }
}

fn forbidden(bytes: &[u8]) -> Option<usize> {
    const LANE: usize = 64;
    let (lanes, rest) = bytes.as_chunks::<LANE>();
    let mut start = 0;
    for lane in lanes {
        // Most lanes are plain text; only the others are looked at closely. All of a
        // lane at once: no early end, so that one instruction takes many bytes.
        let mut odd = 0_u8;
        for byte in lane {
            odd |= u8::from(byte.wrapping_sub(b' ') > b'~' - b' ') & u8::from(*byte != b'\n');
        }
        if odd != 0 {
            let found = (start..start + LANE).find(|at| is_forbidden(bytes, *at));
            if found.is_some() {
                return found;
            }
        }
        start += LANE;
    }
    (start..start + rest.len()).find(|at| is_forbidden(bytes, *at))
}

fn is_forbidden(bytes: &[u8], at: usize) -> bool {
    let byte = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    match byte(0) {
        b'\t' | b'\n' | b'\r' => false,
        0..=0x1F | 0x7F => true,
        0xC2 => byte(1) < 0xA0 && byte(1) != 0x85,
        0xEF => byte(1) == 0xBF && byte(2) >= 0xBE,
        _ => false,
    }
}
