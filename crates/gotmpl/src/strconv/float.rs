//! Writing floats as Go does: shortest or with a precision, in each form.

/// The forms of `strconv.FormatFloat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatForm {
    /// `d.dde±dd`
    Exponent,
    /// `dd.dd`
    Fixed,
    /// The exponent form for large and small numbers, else the fixed one.
    General,
    /// `dp±dd`, a decimal mantissa and a binary exponent.
    Binary,
    /// `0xd.dp±dd`
    Hex,
}

/// A number in a form, with `precision` digits or as many as tell it apart
/// from all others. `single` numbers were float32.
pub fn format_float(
    number: f64,
    form: FloatForm,
    precision: Option<usize>,
    single: bool,
) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match form {
        FloatForm::Exponent => {
            exponent(&digits(number, precision.map(|p| p + 1), single), precision)
        }
        FloatForm::Fixed => fixed(number, precision, single),
        FloatForm::General => general(number, precision, single),
        FloatForm::Binary => binary(number, single),
        FloatForm::Hex => hex(number, precision, single),
    }
}

/// Decimal digits of a number: `0.d1d2d3… · 10^point`.
struct Digits {
    negative: bool,
    digits: Vec<u8>,
    point: i32,
}

/// No float has more significant digits than this.
const MOST: usize = 800;

/// The shortest digits that tell the number apart, or `count` rounded ones.
fn digits(number: f64, count: Option<usize>, single: bool) -> Digits {
    let text = match count {
        None if single => format!("{:e}", number as f32),
        None => format!("{number:e}"),
        Some(count) => format!("{number:.*e}", count.clamp(1, MOST) - 1),
    };
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let zero = digits.iter().all(|digit| *digit == b'0');
    Digits {
        negative: number.is_sign_negative(),
        digits: if zero { Vec::new() } else { digits },
        point: if zero {
            0
        } else {
            power.parse().unwrap_or(0) + 1
        },
    }
}

/// `precision` digits behind the point, or all there are.
fn exponent(number: &Digits, precision: Option<usize>) -> String {
    let mut out = String::new();
    if number.negative {
        out.push('-');
    }
    let digit = |at: usize| char::from(number.digits.get(at).copied().unwrap_or(b'0'));
    out.push(digit(0));
    let behind = precision.unwrap_or(number.digits.len().saturating_sub(1));
    if behind > 0 {
        out.push('.');
        out.extend((1..=behind).map(digit));
    }
    let power = if number.digits.is_empty() {
        0
    } else {
        number.point - 1
    };
    let sign = if power < 0 { '-' } else { '+' };
    out.push_str(&format!("e{sign}{:02}", power.unsigned_abs()));
    out
}

fn fixed(number: f64, precision: Option<usize>, single: bool) -> String {
    match precision {
        None => fixed_digits(&digits(number, None, single), None),
        Some(precision) => {
            let mut text = format!("{number:.*}", precision.min(MOST + 400));
            if precision > MOST + 400 {
                text.extend(std::iter::repeat_n('0', precision - MOST - 400));
            }
            text
        }
    }
}

/// The digits with a point, and `behind` of them behind it.
fn fixed_digits(number: &Digits, behind: Option<usize>) -> String {
    let mut out = String::new();
    if number.negative {
        out.push('-');
    }
    let point = number.point;
    let digit = |at: i32| {
        let at = usize::try_from(at).ok();
        char::from(
            at.and_then(|at| number.digits.get(at))
                .copied()
                .unwrap_or(b'0'),
        )
    };
    if point > 0 {
        out.extend((0..point).map(digit));
    } else {
        out.push('0');
    }
    let all = i32::try_from(number.digits.len()).unwrap_or(i32::MAX) - point;
    let behind = behind.map_or(all, |behind| i32::try_from(behind).unwrap_or(i32::MAX));
    if behind > 0 {
        out.push('.');
        out.extend((point..point.saturating_add(behind)).map(digit));
    }
    out
}

fn general(number: f64, precision: Option<usize>, single: bool) -> String {
    let count = precision.map(|precision| precision.max(1));
    let mut digits = digits(number, count, single);
    if count.is_some() {
        while digits.digits.last() == Some(&b'0') {
            digits.digits.pop();
        }
    }
    let has = digits.digits.len();
    let point = digits.point;
    let mut limit = count.unwrap_or(6);
    if count.is_some() && limit > has && has as i64 >= i64::from(point) {
        limit = has;
    }
    let power = i64::from(point) - 1;
    if power < -4 || power >= limit as i64 {
        let behind = count.map_or(has, |count| count.min(has)).saturating_sub(1);
        return exponent(&digits, Some(behind));
    }
    let behind = usize::try_from(has as i64 - i64::from(point)).unwrap_or(0);
    fixed_digits(&digits, Some(behind))
}

/// Sign, mantissa with its hidden bit, and the exponent of its lowest bit.
fn parts(number: f64, single: bool) -> (bool, u64, i64) {
    let (bits, width, bias) = if single {
        (u64::from((number as f32).to_bits()), 23, 127)
    } else {
        (number.to_bits(), 52, 1023)
    };
    let mask = if single { 0xff } else { 0x7ff };
    let mut mantissa = bits & ((1 << width) - 1);
    let mut power = (bits >> width & mask) as i64;
    if power == 0 {
        power = 1;
    } else {
        mantissa |= 1 << width;
    }
    (number.is_sign_negative(), mantissa, power - bias - width)
}

fn binary(number: f64, single: bool) -> String {
    let (negative, mantissa, power) = parts(number, single);
    let sign = if negative { "-" } else { "" };
    format!("{sign}{mantissa}p{power:+}")
}

fn hex(number: f64, precision: Option<usize>, single: bool) -> String {
    let (negative, mut mantissa, mut power) = parts(number, single);
    if mantissa == 0 {
        power = 0;
    } else {
        // The leading 1 at bit 60, so that fifteen digits stand behind it.
        let shift = i64::from(mantissa.leading_zeros()) - 3;
        mantissa <<= shift;
        power += 60 - shift;
    }
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let shift = 60 - precision * 4;
        let rest = mantissa & ((1 << shift) - 1);
        mantissa >>= shift;
        let half = 1u64 << (shift - 1);
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        mantissa <<= shift;
        if mantissa >> 61 != 0 {
            mantissa >>= 1;
            power += 1;
        }
    }
    let mut out = String::from(if negative { "-0x" } else { "0x" });
    out.push(if mantissa >> 60 == 0 { '0' } else { '1' });
    let all = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let behind = match precision {
        None => all.trim_end_matches('0').to_owned(),
        Some(precision) => all
            .chars()
            .chain(std::iter::repeat('0'))
            .take(precision)
            .collect(),
    };
    if !behind.is_empty() {
        out.push('.');
        out.push_str(&behind);
    }
    let sign = if power < 0 { '-' } else { '+' };
    out.push_str(&format!("p{sign}{:02}", power.unsigned_abs()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn general(number: f64) -> String {
        format_float(number, FloatForm::General, None, false)
    }

    #[test]
    fn shortest_general_form() {
        assert_eq!(general(1_000_000.0), "1e+06");
        assert_eq!(general(123_456_789.0), "1.23456789e+08");
        assert_eq!(general(100_000.0), "100000");
        assert_eq!(general(0.0001), "0.0001");
        assert_eq!(general(0.00001), "1e-05");
        assert_eq!(general(-0.0), "-0");
        assert_eq!(general(3.0), "3");
    }

    #[test]
    fn forms_with_precision() {
        let form = |number, form, precision| format_float(number, form, Some(precision), false);
        assert_eq!(form(2.5, FloatForm::Fixed, 0), "2");
        assert_eq!(form(1234.5678, FloatForm::Exponent, 2), "1.23e+03");
        assert_eq!(form(100_000.0, FloatForm::General, 3), "1e+05");
        assert_eq!(form(0.0, FloatForm::Exponent, 2), "0.00e+00");
        assert_eq!(form(1.0, FloatForm::Hex, 2), "0x1.00p+00");
        assert_eq!(
            format_float(1.0, FloatForm::Binary, None, false),
            "4503599627370496p-52"
        );
        assert_eq!(
            format_float(0.1f32.into(), FloatForm::General, None, true),
            "0.1"
        );
    }
}
