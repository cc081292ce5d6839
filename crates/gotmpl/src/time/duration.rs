//! Durations: `1h30m0s`.

use super::quote;

const UNITS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration: its nanoseconds. The error is Go's message.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text.as_bytes()));
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, behind) = rest.split_at(digits(rest));
        let (fraction, behind) = match behind.strip_prefix('.') {
            Some(behind) => behind.split_at(digits(behind)),
            None => ("", behind),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = behind.find(|c: char| c == '.' || c.is_ascii_digit());
        let (unit, after) = behind.split_at(end.unwrap_or(behind.len()));
        if unit.is_empty() {
            return Err(format!(
                "time: missing unit in duration {}",
                quote(text.as_bytes())
            ));
        }
        let Some((_, size)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let unit = quote(unit.as_bytes());
            return Err(format!(
                "time: unknown unit {unit} in duration {}",
                quote(text.as_bytes())
            ));
        };
        let size = size.unsigned_abs();
        let whole: u128 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| invalid())?
        };
        total = whole
            .checked_mul(u128::from(size))
            .and_then(|part| total.checked_add(part))
            .ok_or_else(invalid)?;
        total += fraction_of(fraction, size);
        if total > 1 << 63 {
            return Err(invalid());
        }
        rest = after;
    }
    let signed = i128::try_from(total).map_err(|_| invalid())?;
    i64::try_from(if negative { -signed } else { signed }).map_err(|_| invalid())
}

fn fraction_of(digits: &str, size: u64) -> u128 {
    let (mut number, mut scale) = (0u64, 1f64);
    for digit in digits.bytes().map(|byte| u64::from(byte - b'0')) {
        match number
            .checked_mul(10)
            .and_then(|number| number.checked_add(digit))
        {
            Some(next) if next <= 1 << 63 => {
                number = next;
                scale *= 10.0;
            }
            _ => break,
        }
    }
    (number as f64 * (size as f64 / scale)) as u128
}

/// A duration of nanoseconds as text.
pub fn format_duration(nanos: i64) -> String {
    let size = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    let decimal = |size: u64, unit: u64| {
        let digits = unit.ilog10() as usize;
        let fraction = format!("{:0digits$}", size % unit);
        let fraction = fraction.trim_end_matches('0');
        match fraction {
            "" => (size / unit).to_string(),
            _ if digits == 0 => (size / unit).to_string(),
            _ => format!("{}.{fraction}", size / unit),
        }
    };
    match size {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{size}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", decimal(size, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(size, 1_000_000)),
        _ => {
            let minutes = size / 60_000_000_000;
            let seconds = decimal(size % 60_000_000_000, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_and_write() {
        for (text, nanos) in [
            ("1h30m0s", 5_400_000_000_000),
            ("-1.5s", -1_500_000_000),
            ("2ms", 2_000_000),
            ("1.5µs", 1_500),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(nanos));
            assert_eq!(format_duration(nanos), text);
        }
        assert_eq!(parse_duration("1.5h"), Ok(5_400_000_000_000));
        assert_eq!(parse_duration(".5s"), Ok(500_000_000));
        assert_eq!(
            parse_duration("3").unwrap_err(),
            "time: missing unit in duration \"3\""
        );
        assert_eq!(
            parse_duration("3x").unwrap_err(),
            "time: unknown unit \"x\" in duration \"3x\""
        );
        assert_eq!(
            parse_duration("").unwrap_err(),
            "time: invalid duration \"\""
        );
    }
}
