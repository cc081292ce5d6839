//! Numbers as Go's strconv and encoding/json read and print them.

/// Why a text is no integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntError {
    Syntax,
    Range,
}

/// An integer of 64 bits with sign, in base `radix`; 0 means by prefix, where
/// a leading zero is octal. Go's `strconv.ParseInt`.
pub(crate) fn parse_int(text: &str, radix: u32) -> Result<i64, IntError> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'+') => (false, text.get(1..)),
        Some(b'-') => (true, text.get(1..)),
        _ => (false, Some(text)),
    };
    let magnitude = parse_uint(digits.unwrap_or_default(), radix)?;
    let signed = i128::from(magnitude) * if negative { -1 } else { 1 };
    i64::try_from(signed).map_err(|_| IntError::Range)
}

/// An integer of 64 bits without sign. Go's `strconv.ParseUint`.
pub(crate) fn parse_uint(text: &str, radix: u32) -> Result<u64, IntError> {
    if text.is_empty() {
        return Err(IntError::Syntax);
    }
    let (radix, digits) = if radix == 0 {
        by_prefix(text)
    } else {
        (radix, text)
    };
    let mut value = 0_u64;
    let mut overflow = false;
    for character in digits.chars() {
        let digit = character.to_digit(radix).ok_or(IntError::Syntax)?;
        let next = value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(digit)));
        match next {
            Some(next) => value = next,
            None => overflow = true,
        }
        if overflow {
            // Go stops at the overflow; what follows is not looked at.
            return Err(IntError::Range);
        }
    }
    Ok(value)
}

fn by_prefix(text: &str) -> (u32, &str) {
    let Some(rest) = text.strip_prefix('0') else {
        return (10, text);
    };
    let radix = match rest.as_bytes() {
        [b'b' | b'B', _, ..] => 2,
        [b'o' | b'O', _, ..] => 8,
        [b'x' | b'X', _, ..] => 16,
        _ => return (8, rest),
    };
    (radix, rest.get(1..).unwrap_or_default())
}

/// Whether the text has the form of a float in YAML:
/// sign, digits with an optional point, exponent.
pub(crate) fn has_float_form(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits_from = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits_from(start);
    let mut at = whole;
    if bytes.get(at) == Some(&b'.') {
        at = digits_from(at + 1);
        if whole == start && at == whole + 1 {
            return false;
        }
    } else if whole == start {
        return false;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let end = digits_from(at);
        if end == at {
            return false;
        }
        at = end;
    }
    at == bytes.len()
}

/// The float a text of float form stands for; `None` when it is out of range.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Decimal digits and exponent of the shortest text that reads back as the
/// same float: 0.d₁d₂… × 10^point.
fn shortest(scientific: &str) -> (String, i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    (digits, exponent + 1)
}

/// The shortest form that reads back as the value, in scientific notation. Of two
/// that are equally near Go takes the one with the even digit at the end.
fn scientific_form(value: f64) -> String {
    // Shorter forms are nearer than any other of their length.
    let even = |text: &str| text.parse() == Ok(value);
    even_at_a_tie(format!("{value:e}"), 14, value, even)
}

/// [`scientific_form`] of a float of 32 bits.
fn scientific_form_32(value: f32) -> String {
    let even = |text: &str| text.parse() == Ok(value);
    even_at_a_tie(format!("{value:e}"), 6, f64::from(value), even)
}

/// A shortest form, or the even one as near as it that `reads` back as the value.
/// Forms of fewer than `least` places behind the point have none beside them.
fn even_at_a_tie(form: String, least: usize, value: f64, reads: impl Fn(&str) -> bool) -> String {
    let (mantissa, exponent) = form.split_once('e').unwrap_or((&form, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, rest)| rest.len());
    let odd = mantissa.ends_with(['1', '3', '5', '7', '9']);
    if !odd || places < least {
        return form;
    }
    // A tie has exactly one digit more: a five.
    let exact = format!("{value:.40e}");
    let (whole, _) = exact.split_once('e').unwrap_or((&exact, ""));
    let (kept, rest) = whole.split_at_checked(places + 2).unwrap_or((whole, ""));
    let tie = rest
        .strip_prefix('5')
        .is_some_and(|rest| rest.bytes().all(|b| b == b'0'));
    let even = format!("{kept}e{exponent}");
    if tie && !kept.ends_with(['1', '3', '5', '7', '9']) && reads(&even) {
        even
    } else {
        form
    }
}

fn scientific(digits: &str, point: i32, least_exponent_digits: usize) -> String {
    let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
    let exponent = point - 1;
    let sign = if exponent < 0 { '-' } else { '+' };
    let dot = if rest.is_empty() { "" } else { "." };
    let exponent = exponent.unsigned_abs();
    format!("{first}{dot}{rest}e{sign}{exponent:0least_exponent_digits$}")
}

fn positional(digits: &str, point: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or_default());
    if point <= 0 {
        return format!("0.{}{digits}", zeros(-point));
    }
    if point >= count {
        return format!("{digits}{}", zeros(point - count));
    }
    let (whole, fraction) = usize::try_from(point)
        .ok()
        .and_then(|at| digits.split_at_checked(at))
        .unwrap_or((digits, ""));
    format!("{whole}.{fraction}")
}

fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "" }
}

/// `%g` with the shortest precision: what Go's YAML prints.
pub(crate) fn format_g(value: f64) -> String {
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return format!("{}{}", sign(value < 0.0), ".inf");
    }
    format_g_text(&scientific_form(value.abs()), value.is_sign_negative())
}

/// [`format_g`] after rounding to 32 bits, as sigs.k8s.io/yaml prints keys.
pub(crate) fn format_g32(value: f64) -> String {
    #[allow(clippy::cast_possible_truncation)]
    let narrow = value as f32;
    if narrow.is_nan() || narrow.is_infinite() {
        return format_g(f64::from(narrow));
    }
    format_g_text(&scientific_form_32(narrow.abs()), narrow.is_sign_negative())
}

fn format_g_text(text: &str, negative: bool) -> String {
    let (digits, point) = shortest(text);
    let sign = sign(negative);
    if digits == "0" {
        return format!("{sign}0");
    }
    if (-3..=6).contains(&point) {
        format!("{sign}{}", positional(&digits, point))
    } else {
        format!("{sign}{}", scientific(&digits, point, 2))
    }
}

/// A float as Go's encoding/json prints it; `None` for NaN and infinities.
pub(crate) fn format_json(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let (digits, point) = shortest(&scientific_form(value.abs()));
    let sign = sign(value.is_sign_negative());
    if digits == "0" {
        return Some(format!("{sign}0"));
    }
    // Outside of 1e-6..1e21 the exponent form is used.
    if (-5..=21).contains(&point) {
        Some(format!("{sign}{}", positional(&digits, point)))
    } else {
        Some(format!("{sign}{}", scientific(&digits, point, 1)))
    }
}
