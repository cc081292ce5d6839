//! Decimal arithmetic of the float functions: exact but for division, which
//! keeps sixteen digits behind the point.

use gotmpl::strconv::{FloatForm, format_float, parse_float};

/// `mantissa · 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// Digits behind the point of a quotient.
const DIGITS: i32 = 16;

impl Decimal {
    /// The shortest decimal that is the float.
    pub fn from_float(number: f64) -> Option<Self> {
        let text = format_float(number, FloatForm::Exponent, None, false);
        let (mantissa, exponent) = text.split_once('e')?;
        let behind = mantissa
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len());
        Some(Decimal {
            mantissa: mantissa.replace('.', "").parse().ok()?,
            exponent: exponent.parse::<i32>().ok()? - i32::try_from(behind).ok()?,
        })
    }

    /// The float nearest to it.
    pub fn to_float(self) -> f64 {
        let text = format!("{}e{}", self.mantissa, self.exponent);
        parse_float(text.as_bytes()).unwrap_or_default()
    }

    /// The same number with a smaller exponent.
    fn rescaled(self, exponent: i32) -> Option<i128> {
        let shift = u32::try_from(self.exponent - exponent).ok()?;
        self.mantissa.checked_mul(10i128.checked_pow(shift)?)
    }

    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        Some((
            self.rescaled(exponent)?,
            other.rescaled(exponent)?,
            exponent,
        ))
    }

    pub fn add(self, other: Self) -> Option<Self> {
        let (a, b, exponent) = self.aligned(other)?;
        let mantissa = a.checked_add(b)?;
        Some(Decimal { mantissa, exponent })
    }

    pub fn sub(self, other: Self) -> Option<Self> {
        let mantissa = other.mantissa.checked_neg()?;
        self.add(Decimal { mantissa, ..other })
    }

    pub fn mul(self, other: Self) -> Option<Self> {
        Some(Decimal {
            mantissa: self.mantissa.checked_mul(other.mantissa)?,
            exponent: self.exponent.checked_add(other.exponent)?,
        })
    }

    /// It is the other one some whole number of times.
    pub fn is_multiple_of(self, other: Self) -> Option<bool> {
        let (number, of, _) = self.aligned(other)?;
        Some(number.checked_rem(of)? == 0)
    }

    /// Rounded half away from zero.
    pub fn div(self, other: Self) -> Option<Self> {
        let shift = self.exponent - other.exponent + DIGITS;
        let (mut above, mut below) = (self.mantissa, other.mantissa);
        match u32::try_from(shift) {
            Ok(shift) => above = above.checked_mul(10i128.checked_pow(shift)?)?,
            Err(_) => below = below.checked_mul(10i128.checked_pow(shift.unsigned_abs())?)?,
        }
        let mut mantissa = above.checked_div(below)?;
        let rest = above.checked_rem(below)?.unsigned_abs();
        if rest.checked_mul(2)? >= below.unsigned_abs() {
            mantissa += if (above < 0) == (below < 0) { 1 } else { -1 };
        }
        Some(Decimal {
            mantissa,
            exponent: -DIGITS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_quotients_rounded() {
        let decimal = |number| Decimal::from_float(number).unwrap();
        assert_eq!(decimal(0.1).add(decimal(0.2)).unwrap().to_float(), 0.3);
        assert_eq!(
            decimal(1.0).div(decimal(3.0)).unwrap().to_float(),
            0.333_333_333_333_333_3
        );
        assert_eq!(decimal(2.4).mul(decimal(1.2)).unwrap().to_float(), 2.88);
        assert_eq!(decimal(-1.0).div(decimal(8.0)).unwrap().to_float(), -0.125);
        assert!(decimal(1.0).div(decimal(0.0)).is_none());
    }
}
