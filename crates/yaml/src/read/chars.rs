//! Character classes of the reader. Positions beyond the end read as NUL,
//! which the input check keeps out of the text itself.

/// The byte at `at`, NUL behind the end.
#[inline(always)]
pub(crate) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// Space or tab.
#[inline(always)]
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Length in bytes of the line break at `at`; 0 when there is none. A line
/// breaks at LF, CR, CR LF, NEL, LS and PS.
#[inline(always)]
pub(crate) fn break_len(text: &[u8], at: usize) -> usize {
    match byte(text, at) {
        b'\n' => 1,
        b'\r' => 1 + usize::from(byte(text, at + 1) == b'\n'),
        0xC2 if byte(text, at + 1) == 0x85 => 2,
        0xE2 if byte(text, at + 1) == 0x80 && byte(text, at + 2) & 0xFE == 0xA8 => 3,
        _ => 0,
    }
}

/// Blank, line break or end of the text.
#[inline(always)]
pub(crate) fn is_blank_or_end(text: &[u8], at: usize) -> bool {
    let byte = byte(text, at);
    byte == 0 || is_blank(byte) || break_len(text, at) > 0
}

/// Line break or end of the text.
#[inline(always)]
pub(crate) fn is_line_end(text: &[u8], at: usize) -> bool {
    byte(text, at) == 0 || break_len(text, at) > 0
}

/// A character of anchors, handles and directive names.
#[inline(always)]
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Bytes of the character that starts with `lead`.
#[inline(always)]
pub(crate) fn width(lead: u8) -> usize {
    match lead {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}
