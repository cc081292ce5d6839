//! Flags, width and precision, and how they pad text and numbers.

use crate::strconv::{FloatForm, Quote, can_backquote, format_float};
use crate::unicode;

/// What stands between `%` and the verb.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub width: Option<usize>,
    pub precision: Option<usize>,
    pub minus: bool,
    pub plus: bool,
    pub sharp: bool,
    pub space: bool,
    pub zero: bool,
    /// `%+v`
    pub plus_v: bool,
    /// `%#v`
    pub sharp_v: bool,
}

/// An integer to print: sign and magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Integer {
    pub negative: bool,
    pub magnitude: u64,
}

impl Flags {
    /// Adds a text filled up to the width.
    pub fn pad(self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = match self.width {
            None | Some(0) => 0,
            Some(width) => width.saturating_sub(unicode::count(text)),
        };
        if self.minus {
            out.extend_from_slice(text);
            self.fill(out, missing);
        } else {
            self.fill(out, missing);
            out.extend_from_slice(text);
        }
    }

    /// Adds so much padding: zeros only to the left.
    fn fill(self, out: &mut Vec<u8>, count: usize) {
        let byte = if self.zero && !self.minus { b'0' } else { b' ' };
        out.resize(out.len() + count, byte);
    }

    fn without_zeros(self) -> Self {
        Flags {
            zero: false,
            ..self
        }
    }

    /// The first runes of a text, as many as the precision says.
    fn truncated(self, text: &[u8]) -> &[u8] {
        let Some(most) = self.precision else {
            return text;
        };
        let len = unicode::runes(text).take(most).map(|(_, b)| b.len()).sum();
        text.get(..len).unwrap_or(text)
    }

    /// A text as it is.
    pub fn string(self, out: &mut Vec<u8>, text: &[u8]) {
        self.pad(out, self.truncated(text));
    }

    /// A text in quotes.
    pub fn quoted(self, out: &mut Vec<u8>, text: &[u8]) {
        let text = self.truncated(text);
        if self.sharp && can_backquote(text) {
            self.pad(out, &[b"`", text, b"`"].concat());
            return;
        }
        let quote = Quote {
            ascii: self.plus,
            ..Quote::DOUBLE
        };
        self.pad(out, &quote.apply(text));
    }

    /// The bytes of a text in hexadecimal.
    pub fn hex(self, out: &mut Vec<u8>, bytes: &[u8], upper: bool) {
        let bytes = self
            .precision
            .and_then(|most| bytes.get(..most))
            .unwrap_or(bytes);
        if bytes.is_empty() {
            if let Some(width) = self.width {
                self.fill(out, width);
            }
            return;
        }
        let prefix: &[u8] = match (self.sharp, upper) {
            (false, _) => b"",
            (true, false) => b"0x",
            (true, true) => b"0X",
        };
        let mut text = prefix.to_vec();
        for (at, byte) in bytes.iter().enumerate() {
            if self.space && at > 0 {
                text.push(b' ');
                text.extend_from_slice(prefix);
            }
            let digits: &[u8; 16] = if upper { UPPER } else { LOWER };
            text.extend([
                digits[usize::from(byte >> 4)],
                digits[usize::from(byte & 15)],
            ]);
        }
        self.pad(out, &text);
    }

    /// An integer in a base.
    pub fn integer(self, out: &mut Vec<u8>, number: Integer, base: u64, verb: char) {
        let signed = number.negative || self.plus || self.space;
        let least = match self.precision {
            Some(0) if number.magnitude == 0 => {
                self.without_zeros().fill(out, self.width.unwrap_or(0));
                return;
            }
            Some(precision) => precision,
            None if self.zero && !self.minus => self
                .width
                .map_or(0, |width| width.saturating_sub(usize::from(signed))),
            None => 0,
        };
        let digits = digits(number.magnitude, base, verb == 'X');
        let mut text = Vec::with_capacity(digits.len().max(least) + 4);
        text.extend(match (number.negative, self.plus, self.space) {
            (true, ..) => Some(b'-'),
            (_, true, _) => Some(b'+'),
            (_, _, true) => Some(b' '),
            _ => None,
        });
        let zeros = least.saturating_sub(digits.len());
        let leading_zero = zeros > 0 || digits.first() == Some(&b'0');
        let prefix: &[u8] = match (verb, base, self.sharp) {
            ('O', 8, true) if !leading_zero => b"0o0",
            ('O', ..) => b"0o",
            (_, 2, true) => b"0b",
            (_, 8, true) if !leading_zero => b"0",
            (_, 16, true) if verb == 'X' => b"0X",
            (_, 16, true) => b"0x",
            _ => b"",
        };
        text.extend_from_slice(prefix);
        text.resize(text.len() + zeros, b'0');
        text.extend_from_slice(&digits);
        self.without_zeros().pad(out, &text);
    }

    /// A number as a rune.
    pub fn rune(self, out: &mut Vec<u8>, number: u64) {
        let mut text = Vec::new();
        unicode::push(&mut text, unicode::rune(number));
        self.pad(out, &text);
    }

    /// A number as a rune in quotes.
    pub fn quoted_rune(self, out: &mut Vec<u8>, number: u64) {
        let quote = Quote {
            ascii: self.plus,
            ..Quote::SINGLE
        };
        self.pad(out, &quote.rune(unicode::rune(number)));
    }

    /// A number as `U+0041`, with `#` followed by the rune.
    pub fn unicode(self, out: &mut Vec<u8>, number: u64) {
        let least = self.precision.unwrap_or(4).max(4);
        let mut text = format!("U+{number:0least$X}").into_bytes();
        let rune = u32::try_from(number).ok().and_then(char::from_u32);
        if let Some(rune) = rune.filter(|rune| self.sharp && unicode::is_print(*rune)) {
            text.extend_from_slice(format!(" '{rune}'").as_bytes());
        }
        self.without_zeros().pad(out, &text);
    }

    /// A float by a verb, with so much precision if the flags say none.
    pub fn float(
        self,
        out: &mut Vec<u8>,
        number: f64,
        single: bool,
        verb: char,
        least: Option<usize>,
    ) {
        let precision = self.precision.or(least);
        let form = match verb.to_ascii_lowercase() {
            'e' => FloatForm::Exponent,
            'f' => FloatForm::Fixed,
            'b' => FloatForm::Binary,
            'x' => FloatForm::Hex,
            _ => FloatForm::General,
        };
        let mut text = format_float(number, form, precision, single);
        if verb.is_ascii_uppercase() && number.is_finite() {
            text.make_ascii_uppercase();
        }
        let (sign, body) = match text.as_bytes() {
            [sign @ (b'-' | b'+'), body @ ..] => (*sign, body),
            body => (b'+', body),
        };
        let mut body = body.to_vec();
        let sign = if self.space && sign == b'+' && !self.plus {
            b' '
        } else {
            sign
        };
        let shown = self.plus || sign != b'+';
        if !number.is_finite() {
            let bare = body.first() == Some(&b'N') && !self.space && !self.plus;
            // An infinity shows its sign, plus or not, only if asked to.
            let shown = shown && !bare;
            if shown {
                body.insert(0, sign);
            }
            self.without_zeros().pad(out, &body);
            return;
        }
        if self.sharp && verb != 'b' {
            self.keep_point(&mut body, verb, precision);
        }
        if !shown {
            self.pad(out, &body);
            return;
        }
        let len = body.len() + 1;
        if self.zero && !self.minus && self.width.is_some_and(|width| width > len) {
            out.push(sign);
            self.fill(out, self.width.unwrap_or(0) - len);
            out.extend_from_slice(&body);
            return;
        }
        body.insert(0, sign);
        self.pad(out, &body);
    }

    /// `#`: the decimal point and, for `%g`, the zeros at the end stay.
    fn keep_point(self, body: &mut Vec<u8>, verb: char, precision: Option<usize>) {
        let hex = matches!(verb, 'x' | 'X');
        let mut missing = match verb {
            'v' | 'g' | 'G' | 'x' => precision.unwrap_or(6),
            _ => 0,
        };
        let ends = |byte: &u8| match byte {
            b'p' | b'P' => true,
            b'e' | b'E' => !hex,
            _ => false,
        };
        let tail = match body.iter().position(ends) {
            Some(at) => body.split_off(at),
            None => Vec::new(),
        };
        let point = body.contains(&b'.');
        let counted = body.iter().skip_while(|byte| matches!(byte, b'0' | b'.'));
        missing = missing.saturating_sub(counted.filter(|byte| **byte != b'.').count());
        if !point {
            if body.as_slice() == b"0" {
                missing = missing.saturating_sub(1);
            }
            body.push(b'.');
        }
        body.resize(body.len() + missing, b'0');
        body.extend(tail);
    }
}

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn digits(number: u64, base: u64, upper: bool) -> Vec<u8> {
    let text = match base {
        2 => format!("{number:b}"),
        8 => format!("{number:o}"),
        16 if upper => format!("{number:X}"),
        16 => format!("{number:x}"),
        _ => number.to_string(),
    };
    text.into_bytes()
}
