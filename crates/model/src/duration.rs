//! Durations as Go writes them.

use crate::Duration;

/// Nanoseconds of a Go duration (`1h30m`, `1.5s`, `250ms`). `None` when it does
/// not parse, is negative or does not fit.
pub fn duration(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text == "0" {
        return Some(0);
    }
    if text.is_empty() {
        return None;
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = split_at(rest, |c| !c.is_ascii_digit() && c != '.');
        let (unit, after) = split_at(after, |c| c.is_ascii_digit() || c == '.');
        total = total.checked_add(quantity(number, unit_nanoseconds(unit)?)?)?;
        rest = after;
    }
    i64::try_from(total).ok().map(|_| total)
}

/// Splits before the first character that ends the leading part.
fn split_at(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

fn unit_nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// A decimal number of units, fractions of a nanosecond cut off.
fn quantity(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut value = whole.checked_mul(unit)?;
    let mut scale = unit;
    for digit in fraction.chars() {
        let digit = u64::from(digit.to_digit(10)?);
        value =
            value.checked_add(u64::try_from(u128::from(digit) * u128::from(scale) / 10).ok()?)?;
        scale /= 10;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_go_reads_them() {
        let second = 1_000_000_000;
        assert_eq!(duration("30s"), Some(30 * second));
        assert_eq!(duration("1h30m"), Some(5400 * second));
        assert_eq!(duration("1.5h"), Some(5400 * second));
        assert_eq!(duration("10m0s"), Some(600 * second));
        assert_eq!(duration("250ms"), Some(250_000_000));
        assert_eq!(duration("0"), Some(0));
        assert_eq!(duration("0s"), Some(0));
        assert_eq!(duration(".5s"), Some(second / 2));
        assert_eq!(duration("10"), None);
        assert_eq!(duration("5d"), None);
        assert_eq!(duration("."), None);
        assert_eq!(duration("-1m"), None);
        assert_eq!(duration("9999999h"), None);
        assert_eq!(duration(""), None);
    }
}
