//! The order of keys in go-yaml's output: digits count as numbers.

use std::cmp::Ordering;

use crate::Entry;

/// Sorts entries as go-yaml does. Its order is not total (`01` < `1x` < `0x`
/// and back), so a sort that insists on one must not be used; starting from
/// the order of bytes makes the result a function of the keys alone.
pub(super) fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    if sorted.is_sorted_by(|a, b| key(a) < key(b) && compare(key(a), key(b)).is_lt()) {
        return sorted;
    }
    sorted.sort_by_key(|entry| key(entry));
    let mut width = 1;
    while width < sorted.len() {
        for start in (0..sorted.len()).step_by(2 * width) {
            let end = (start + 2 * width).min(sorted.len());
            if let Some(run) = sorted.get_mut(start..end) {
                merge(run, width);
            }
        }
        width *= 2;
    }
    sorted
}

/// Merges two sorted runs that stand side by side, the first `width` long.
fn merge<'a>(run: &mut [&'a Entry], width: usize) {
    let Some((first, second)) = run.split_at_checked(width) else {
        return;
    };
    let (mut first, mut second) = (first, second);
    let mut merged: Vec<&'a Entry> = Vec::with_capacity(run.len());
    while let ([a, rest_a @ ..], [b, rest_b @ ..]) = (first, second) {
        if compare(key(b), key(a)).is_lt() {
            merged.push(b);
            second = rest_b;
        } else {
            merged.push(a);
            first = rest_a;
        }
    }
    merged.extend(first);
    merged.extend(second);
    run.copy_from_slice(&merged);
}

fn key(entry: &Entry) -> &str {
    entry.key.text().map_or("", |text| text)
}

/// Compares two keys as go-yaml v2 sorts them: letters behind everything else,
/// runs of digits by their value.
fn compare(a: &str, b: &str) -> Ordering {
    // Two keys that agree up to a place are decided there.
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let mut at = shared;
    while !a.is_char_boundary(at) || !b.is_char_boundary(at) {
        at -= 1;
    }
    let (Some(rest_a), Some(rest_b)) = (a.get(at..), b.get(at..)) else {
        return a.cmp(b);
    };
    let (Some(ca), Some(cb)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return rest_a.chars().count().cmp(&rest_b.chars().count());
    };
    let (letter_a, letter_b) = (is_letter(ca), is_letter(cb));
    if letter_a && letter_b {
        return ca.cmp(&cb);
    }
    if letter_a || letter_b {
        return if letter_b {
            Ordering::Less
        } else {
            Ordering::Greater
        };
    }
    let prefix = a.get(..at).unwrap_or_default();
    let start = i64::from((ca == '0' || cb == '0') && ends_in_nonzero_digits(prefix));
    let (number_a, length_a) = number(start, rest_a);
    let (number_b, length_b) = number(start, rest_b);
    number_a
        .cmp(&number_b)
        .then(length_a.cmp(&length_b))
        .then(ca.cmp(&cb))
}

/// Where the decimal digits of other scripts begin; ten each.
const ZEROS: &[u32] = &[
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50,
    0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// A letter: what Unicode calls alphabetic, but for letter-like numbers.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !c.is_numeric()
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && is_foreign_digit(u32::from(c)))
}

fn is_foreign_digit(code: u32) -> bool {
    let after = ZEROS.partition_point(|zero| *zero <= code);
    let zero = after.checked_sub(1).and_then(|at| ZEROS.get(at));
    zero.is_some_and(|zero| code - zero < 10)
}

/// Whether the digits before a zero make it part of a larger number.
fn ends_in_nonzero_digits(prefix: &str) -> bool {
    prefix
        .chars()
        .rev()
        .take_while(|c| is_digit(*c))
        .any(|c| c != '0')
}

/// The value of the digits at the start, continued from `start`, and how many
/// there are.
fn number(start: i64, text: &str) -> (i64, usize) {
    let digits = text.chars().take_while(|c| is_digit(*c));
    digits.fold((start, 0), |(value, count), c| {
        let digit = i64::from(u32::from(c)) - i64::from(u32::from('0'));
        (value.wrapping_mul(10).wrapping_add(digit), count + 1)
    })
}
