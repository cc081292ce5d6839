//! The order of keys in go-yaml's output: digits count as numbers.

use std::cmp::Ordering;

/// Compares two keys as go-yaml v2 sorts them: letters behind everything else,
/// runs of digits by their value.
///
/// Not a total order for every input (upstream's is none, either), but it is
/// for keys of letters, digits and punctuation.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
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

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && c.is_alphabetic())
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
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
