//! Reading numbers as Go's `strconv` does.

/// A signed integer in a base, or, for base 0, with Go's prefixes and
/// underscores. Nothing if it is none or does not fit.
pub fn parse_int(text: &[u8], base: u32) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let number = i128::from(parse_uint(digits, base)?);
    i64::try_from(if negative { -number } else { number }).ok()
}

/// An unsigned integer, likewise; signs are refused.
pub fn parse_uint(text: &[u8], base: u32) -> Option<u64> {
    let (base, digits, prefixed) = match (base, text) {
        (0, [b'0', b'x' | b'X', rest @ ..]) if !rest.is_empty() => (16, rest, true),
        (0, [b'0', b'b' | b'B', rest @ ..]) if !rest.is_empty() => (2, rest, true),
        (0, [b'0', b'o' | b'O', rest @ ..]) if !rest.is_empty() => (8, rest, true),
        (0, [b'0', rest @ ..]) => (8, rest, true),
        (0, _) => (10, text, true),
        (2..=36, _) => (base, text, false),
        _ => return None,
    };
    if text.is_empty() {
        return None;
    }
    let mut number = 0u64;
    for digit in digits {
        if *digit == b'_' && prefixed {
            continue;
        }
        let digit = char::from(*digit).to_digit(base)?;
        number = number
            .checked_mul(u64::from(base))?
            .checked_add(u64::from(digit))?;
    }
    underscores_fit(text).then_some(number)
}

/// So many digits a float holds exactly.
const EXACT: usize = 15;

/// A float: decimal or hexadecimal, with underscores, or `inf`, `nan`.
/// Nothing if it is none or too large.
pub fn parse_float(text: &[u8]) -> Option<f64> {
    let (negative, body) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    // Most numbers are small and whole.
    if (1..=EXACT).contains(&body.len()) && body.iter().all(u8::is_ascii_digit) {
        let digit = |number: f64, byte: &u8| number * 10.0 + f64::from(byte - b'0');
        let magnitude = body.iter().fold(0.0, digit);
        return Some(if negative { -magnitude } else { magnitude });
    }
    let magnitude = match body.to_ascii_lowercase().as_slice() {
        b"inf" | b"infinity" => f64::INFINITY,
        b"nan" if body.len() == text.len() => f64::NAN,
        [b'0', b'x', rest @ ..] => hexadecimal(rest, text)?,
        lower => decimal(lower, text)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn decimal(lower: &[u8], text: &[u8]) -> Option<f64> {
    let known = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'_' | b'e' | b'+' | b'-');
    if !lower.iter().all(known) || !underscores_fit(text) {
        return None;
    }
    let plain: Vec<u8> = lower.iter().copied().filter(|byte| *byte != b'_').collect();
    let number: f64 = std::str::from_utf8(&plain).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// `hex.hexp±d`, behind its prefix.
fn hexadecimal(body: &[u8], text: &[u8]) -> Option<f64> {
    if !underscores_fit(text) {
        return None;
    }
    let at = body.iter().position(|byte| *byte == b'p')?;
    let (mantissa, exponent) = (body.get(..at)?, body.get(at + 1..)?);
    let exponent: Vec<u8> = exponent.iter().copied().filter(|b| *b != b'_').collect();
    let digits = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+"));
    let digits = digits.unwrap_or(&exponent);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0i64, |size, digit| {
        (size * 10 + i64::from(digit - b'0')).min(100_000)
    });
    let mut power = if exponent.starts_with(b"-") {
        -size
    } else {
        size
    };
    let (mut value, mut sticky, mut dot, mut any) = (0u128, false, false, false);
    for byte in mantissa {
        match byte {
            b'_' => {}
            b'.' if !dot => dot = true,
            _ => {
                let digit = char::from(*byte).to_digit(16)?;
                any = true;
                if value >> 120 == 0 {
                    value = value << 4 | u128::from(digit);
                    power -= if dot { 4 } else { 0 };
                } else {
                    sticky |= digit != 0;
                    power += if dot { 0 } else { 4 };
                }
            }
        }
    }
    any.then(|| scale(value, sticky, power)).flatten()
}

/// `value · 2^power`, rounded half to even; nothing beyond the largest float.
fn scale(value: u128, sticky: bool, power: i64) -> Option<f64> {
    if value == 0 {
        return Some(0.0);
    }
    // Bits that a float can hold at this size: fewer below 2^-1022.
    let top = i64::from(127 - value.leading_zeros()) + power;
    let keep = (top + 1075).clamp(0, 53);
    let drop = i64::from(128 - value.leading_zeros()) - keep;
    let (mut mantissa, mut power) = (value, power);
    if drop > 0 {
        let (half, rest) = match drop {
            1..=127 => (1u128 << (drop - 1), value & ((1u128 << drop) - 1)),
            128 => (1u128 << 127, value),
            _ => return Some(0.0),
        };
        mantissa = if drop >= 128 { 0 } else { value >> drop };
        power += drop;
        if rest > half || rest == half && (sticky || mantissa & 1 == 1) {
            mantissa += 1;
        }
    }
    let mut number = mantissa as f64;
    while power > 0 && number.is_finite() {
        let step = power.min(1000);
        number *= 2f64.powi(i32::try_from(step).ok()?);
        power -= step;
    }
    while power < 0 && number != 0.0 {
        let step = (-power).min(1000);
        number /= 2f64.powi(i32::try_from(step).ok()?);
        power += step;
    }
    number.is_finite().then_some(number)
}

/// Underscores stand only between digits, or between a base prefix and a
/// digit.
fn underscores_fit(text: &[u8]) -> bool {
    if !text.contains(&b'_') {
        return true;
    }
    let body = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let body = body.unwrap_or(text).to_ascii_lowercase();
    let hex = body.starts_with(b"0x");
    let prefixed = hex || body.starts_with(b"0b") || body.starts_with(b"0o");
    let (mut digit_before, mut open) = (prefixed, false);
    for byte in body.get(if prefixed { 2 } else { 0 }..).unwrap_or_default() {
        let digit = byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit();
        match byte {
            b'_' if !digit_before => return false,
            b'_' => (digit_before, open) = (false, true),
            _ if digit => (digit_before, open) = (true, false),
            _ if open => return false,
            _ => digit_before = false,
        }
    }
    !open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(parse_int(b"-0x1F", 0), Some(-31));
        assert_eq!(parse_int(b"0_7", 0), Some(7));
        assert_eq!(parse_int(b"1__2", 0), None);
        assert_eq!(parse_int(b"08", 0), None);
        assert_eq!(parse_int(b"08", 10), Some(8));
        assert_eq!(parse_int(b"-9223372036854775808", 0), Some(i64::MIN));
        assert_eq!(parse_int(b"9223372036854775808", 0), None);
        assert_eq!(parse_uint(b"0b_1_0", 0), Some(2));
        assert_eq!(parse_int(b"", 0), None);
        assert_eq!(parse_int(b"0x", 0), None);
    }

    #[test]
    fn floats() {
        assert_eq!(parse_float(b"1_000.5"), Some(1000.5));
        assert_eq!(parse_float(b"+0x1.ep+2"), Some(7.5));
        assert_eq!(parse_float(b"0x1p-1074"), Some(5e-324));
        assert_eq!(parse_float(b"0x1p-1075"), Some(0.0));
        assert_eq!(parse_float(b"0x1.8p-1074"), Some(1e-323));
        assert_eq!(parse_float(b"1e400"), None);
        assert_eq!(parse_float(b"0x1"), None);
        assert_eq!(parse_float(b"-inf"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_float(b"."), None);
        assert_eq!(parse_float(b"1e"), None);
    }
}
