//! Number constants, which take the type of the place they stand in.

use crate::strconv::{parse_float, parse_int, parse_uint, quote, unquote_char};

/// A constant, as every kind of number it can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Number {
    /// As it is written.
    pub text: Box<str>,
    pub int: Option<i64>,
    pub uint: Option<u64>,
    pub float: Option<f64>,
    pub complex: Option<(f64, f64)>,
}

/// What a constant is where no type is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ideal {
    Int(i64),
    Float(f64),
    Complex(f64, f64),
    /// An integer that `int` cannot hold.
    Overflow,
}

impl Number {
    /// A character constant, quotes included.
    pub fn from_char(text: &str) -> Result<Self, String> {
        let body = text.as_bytes().get(1..).unwrap_or_default();
        let (number, rest) = unquote_char(body, b'\'', &mut Vec::new()).ok_or("invalid syntax")?;
        if rest != b"'" {
            return Err(format!("malformed character constant: {text}"));
        }
        Ok(Number {
            text: text.into(),
            int: Some(i64::from(number)),
            uint: Some(u64::from(number)),
            float: Some(f64::from(number)),
            complex: None,
        })
    }

    /// A constant with a real and an imaginary part.
    pub fn from_complex(text: &str) -> Result<Self, String> {
        let bytes = text.as_bytes();
        let parts = (1..bytes.len())
            .rev()
            .filter(|at| matches!(bytes.get(*at), Some(b'+' | b'-')))
            .filter_map(|at| text.split_at_checked(at))
            .find_map(|(real, imaginary)| {
                let real = parse_float(real.as_bytes())?;
                let imaginary = imaginary.strip_suffix('i')?;
                Some((real, parse_float(imaginary.as_bytes())?))
            });
        let complex = parts.ok_or("syntax error scanning complex number")?;
        Ok(Number::complex(text, complex))
    }

    /// Any other constant.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let bytes = text.as_bytes();
        if let Some(number) = text.strip_suffix('i')
            && let Some(imaginary) = parse_float(number.as_bytes())
        {
            return Ok(Number::complex(text, (0.0, imaginary)));
        }
        let mut number = Number {
            text: text.into(),
            int: parse_int(bytes, 0),
            uint: parse_uint(bytes, 0),
            ..Number::default()
        };
        if number.int == Some(0) {
            // -0, and +0, which is no unsigned literal.
            number.uint = Some(0);
        }
        number.float = match (number.int, number.uint) {
            (Some(int), _) => Some(int as f64),
            (None, Some(uint)) => Some(uint as f64),
            (None, None) => parse_float(bytes),
        };
        let Some(float) = number.float else {
            return Err(format!("illegal number syntax: {}", quote(bytes)));
        };
        if number.int.is_none() && number.uint.is_none() {
            if !text.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", quote(bytes)));
            }
            number.int = whole(float);
            number.uint = whole_unsigned(float);
        }
        Ok(number)
    }

    fn complex(text: &str, complex: (f64, f64)) -> Self {
        let float = (complex.1 == 0.0).then_some(complex.0);
        Number {
            text: text.into(),
            int: float.and_then(whole),
            uint: float.and_then(whole_unsigned),
            float,
            complex: Some(complex),
        }
    }

    /// What it is where no type is asked for.
    pub fn ideal(&self) -> Ideal {
        if let Some((real, imaginary)) = self.complex {
            return Ideal::Complex(real, imaginary);
        }
        let text = self.text.as_ref();
        let hex = text.starts_with("0x") || text.starts_with("0X");
        let hex = hex && text.len() > 2 && !text.contains(['p', 'P']);
        let floats = !hex && !text.starts_with('\'') && text.contains(['.', 'e', 'E', 'p', 'P']);
        match (self.float, self.int) {
            (Some(float), _) if floats => Ideal::Float(float),
            (_, Some(int)) => Ideal::Int(int),
            _ => Ideal::Overflow,
        }
    }
}

/// A float as the integer it is, by the conversions of amd64.
fn whole(float: f64) -> Option<i64> {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    (fits && float.trunc() == float).then_some(float as i64)
}

fn whole_unsigned(float: f64) -> Option<u64> {
    let fits = (0.0..18_446_744_073_709_551_616.0).contains(&float);
    (fits && float.trunc() == float).then_some(float as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_what_they_can_be() {
        let number = Number::from_text("1e3").unwrap();
        assert_eq!((number.int, number.uint), (Some(1000), Some(1000)));
        assert_eq!(number.ideal(), Ideal::Float(1000.0));
        assert_eq!(Number::from_text("0xef").unwrap().ideal(), Ideal::Int(0xef));
        assert_eq!(Number::from_char("'.'").unwrap().ideal(), Ideal::Int(46));
        assert_eq!(
            Number::from_complex("-1.2+4.2i").unwrap().complex,
            Some((-1.2, 4.2))
        );
        assert_eq!(
            Number::from_complex("1e-3-2e+4i").unwrap().complex,
            Some((1e-3, -2e4))
        );
        assert_eq!(
            Number::from_text("18446744073709551615").unwrap().ideal(),
            Ideal::Overflow
        );
        assert!(
            Number::from_text("18446744073709551616")
                .unwrap_err()
                .starts_with("integer overflow")
        );
        assert!(Number::from_text("1_").is_err());
        assert!(Number::from_char("'xx'").is_err());
    }
}
