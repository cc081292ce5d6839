//! Characters as Go sees them: runes of byte strings that need not be UTF-8,
//! and the classes of Go's `unicode` package.

mod tables;

/// The rune Go reads where bytes are not UTF-8.
pub(crate) const ERROR: char = '\u{fffd}';

/// The first rune and its width in bytes. Bytes that are no UTF-8 read as
/// [`ERROR`] of width 1; no bytes at all as width 0.
pub(crate) fn decode(bytes: &[u8]) -> (char, usize) {
    let Some(&first) = bytes.first() else {
        return (ERROR, 0);
    };
    let width = match first {
        0..=0x7f => return (char::from(first), 1),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (ERROR, 1),
    };
    let rune = bytes
        .get(..width)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .and_then(|text| text.chars().next());
    rune.map_or((ERROR, 1), |rune| (rune, width))
}

/// The runes of a byte string, each with the bytes it stands for.
pub(crate) fn runes(bytes: &[u8]) -> impl Iterator<Item = (char, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (rune, width) = decode(rest);
        let (bytes, behind) = rest.split_at_checked(width)?;
        rest = behind;
        (width > 0).then_some((rune, bytes))
    })
}

/// A byte string as text: U+FFFD for each byte that is no UTF-8.
pub(crate) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => runes(bytes)
            .map(|(rune, _)| rune)
            .collect::<String>()
            .into(),
    }
}

/// How many runes a byte string has.
pub(crate) fn count(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    runes(bytes).count()
}

/// A rune by number; what is none reads as [`ERROR`].
pub(crate) fn rune(number: u64) -> char {
    u32::try_from(number)
        .ok()
        .and_then(char::from_u32)
        .unwrap_or(ERROR)
}

/// Adds a rune to a byte string.
pub(crate) fn push(out: &mut Vec<u8>, rune: char) {
    out.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A letter (category L).
pub(crate) fn is_letter(rune: char) -> bool {
    if rune.is_ascii() {
        return rune.is_ascii_alphabetic();
    }
    within(tables::LETTER, rune)
}

/// A decimal digit (category Nd).
pub(crate) fn is_digit(rune: char) -> bool {
    if rune.is_ascii() {
        return rune.is_ascii_digit();
    }
    within(tables::DIGIT, rune)
}

/// What Go's quoted strings show as it is.
pub(crate) fn is_print(rune: char) -> bool {
    if rune.is_ascii() {
        return (' '..='~').contains(&rune);
    }
    within(tables::PRINT, rune)
}

fn within(table: &[(u32, u32)], rune: char) -> bool {
    let rune = u32::from(rune);
    let at = table.partition_point(|(_, last)| *last < rune);
    table.get(at).is_some_and(|(first, _)| *first <= rune)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_bytes_are_runes_of_width_one() {
        assert_eq!(decode(b"\xffa"), (ERROR, 1));
        assert_eq!(decode("é!".as_bytes()), ('é', 2));
        assert_eq!(decode(b"\xe2\x82"), (ERROR, 1));
        assert_eq!(decode(b""), (ERROR, 0));
        assert_eq!(count(b"a\xff\xfe"), 3);
    }

    #[test]
    fn classes_are_gos() {
        assert!(is_letter('é') && !is_letter('1') && is_letter('字'));
        assert!(is_digit('٣') && !is_digit('²'));
        assert!(is_print('é') && !is_print('\u{200b}') && !is_print('\u{a0}'));
    }
}
