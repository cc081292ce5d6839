//! Format strings: `printf`.

use crate::unicode;
use crate::value::Value;

use super::flags::Flags;
use super::print::Printer;

/// Widths and precisions beyond this count as none.
const LARGEST: i64 = 1_000_000;

/// `fmt.Sprintf`: a format string filled with values. Mistakes show in the
/// text, as `%!d(string=a)`.
pub fn sprintf(format: &[u8], values: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len() + 16);
    let mut printer = Printer::new(&mut out);
    let mut state = State {
        format,
        at: 0,
        values,
        next: 0,
        reordered: false,
        index_is_good: true,
    };
    while state.directive(&mut printer) {}
    if !state.reordered && state.next < values.len() {
        state.extra(&mut printer);
    }
    out
}

struct State<'t> {
    format: &'t [u8],
    at: usize,
    values: &'t [Value],
    /// The argument that the next verb takes.
    next: usize,
    /// An argument was chosen by its index.
    reordered: bool,
    /// All indexes of this directive were good.
    index_is_good: bool,
}

impl State<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    /// Copies text and prints one directive. False at the end.
    fn directive(&mut self, printer: &mut Printer<'_>) -> bool {
        self.index_is_good = true;
        let rest = self.format.get(self.at..).unwrap_or_default();
        let text = memchr::memchr(b'%', rest).unwrap_or(rest.len());
        printer
            .out
            .extend_from_slice(rest.get(..text).unwrap_or_default());
        self.at += text;
        if self.peek().is_none() {
            return false;
        }
        self.at += 1;
        printer.flags = Flags::default();
        if self.simple(printer) {
            return true;
        }
        let mut after_index = self.index();
        after_index = self.width(printer, after_index);
        if self.peek() == Some(b'.') && self.at + 1 < self.format.len() {
            self.at += 1;
            if after_index {
                self.index_is_good = false;
            }
            after_index = self.index();
            after_index = self.precision(printer, after_index);
        }
        if !after_index {
            self.index();
        }
        self.verb(printer)
    }

    /// Flags, and a verb right behind them.
    fn simple(&mut self, printer: &mut Printer<'_>) -> bool {
        while let Some(byte) = self.peek() {
            let flags = &mut printer.flags;
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                b'a'..=b'z' => {
                    let Some(value) = self.values.get(self.next) else {
                        return false;
                    };
                    self.print(printer, value, char::from(byte));
                    self.at += 1;
                    return true;
                }
                _ => return false,
            }
            self.at += 1;
        }
        false
    }

    fn width(&mut self, printer: &mut Printer<'_>, after_index: bool) -> bool {
        if self.peek() == Some(b'*') {
            self.at += 1;
            match self.argument_number() {
                Some(width) => {
                    if width < 0 {
                        printer.flags.minus = true;
                        printer.flags.zero = false;
                    }
                    printer.flags.width = usize::try_from(width.unsigned_abs()).ok();
                }
                None => printer.out.extend_from_slice(b"%!(BADWIDTH)"),
            }
            return false;
        }
        printer.flags.width = self.number();
        if after_index && printer.flags.width.is_some() {
            self.index_is_good = false;
        }
        after_index
    }

    fn precision(&mut self, printer: &mut Printer<'_>, after_index: bool) -> bool {
        if self.peek() == Some(b'*') {
            self.at += 1;
            let number = self.argument_number();
            printer.flags.precision = number.and_then(|number| usize::try_from(number).ok());
            if printer.flags.precision.is_none() {
                printer.out.extend_from_slice(b"%!(BADPREC)");
            }
            return false;
        }
        printer.flags.precision = Some(self.number().unwrap_or(0));
        after_index
    }

    fn verb(&mut self, printer: &mut Printer<'_>) -> bool {
        let rest = self.format.get(self.at..).unwrap_or_default();
        let (verb, width) = unicode::decode(rest);
        if width == 0 {
            printer.out.extend_from_slice(b"%!(NOVERB)");
            return false;
        }
        self.at += width;
        if verb == '%' {
            printer.out.push(b'%');
        } else if !self.index_is_good {
            complain(printer, verb, "(BADINDEX)");
        } else if let Some(value) = self.values.get(self.next) {
            self.print(printer, value, verb);
        } else {
            complain(printer, verb, "(MISSING)");
        }
        true
    }

    fn print(&mut self, printer: &mut Printer<'_>, value: &Value, verb: char) {
        if matches!(verb, 'v' | 'w') {
            let flags = &mut printer.flags;
            flags.sharp_v = std::mem::take(&mut flags.sharp);
            flags.plus_v = std::mem::take(&mut flags.plus);
        }
        printer.argument(value, verb);
        self.next += 1;
    }

    /// A decimal number, if one stands here. One that is too large stops the
    /// directive's text.
    fn number(&mut self) -> Option<usize> {
        let (mut number, mut any) = (0i64, false);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            if number > LARGEST {
                self.at = self.format.len();
                return None;
            }
            number = number * 10 + i64::from(digit - b'0');
            any = true;
            self.at += 1;
        }
        any.then(|| usize::try_from(number).ok()).flatten()
    }

    /// The next argument as a width or precision.
    fn argument_number(&mut self) -> Option<i64> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        let number = match value {
            Value::Int(number, _) => *number,
            Value::Uint(number, _) => i64::try_from(*number).ok()?,
            _ => return None,
        };
        (-LARGEST..=LARGEST).contains(&number).then_some(number)
    }

    /// An argument index `[n]`, if one stands here: the next argument.
    fn index(&mut self) -> bool {
        if self.peek() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let rest = self.format.get(self.at + 1..).unwrap_or_default();
        let close = if rest.len() < 2 {
            None
        } else {
            memchr::memchr(b']', rest)
        };
        let Some(close) = close else {
            self.index_is_good = false;
            self.at += 1;
            return false;
        };
        let digits = rest.get(..close).unwrap_or_default();
        self.at += close + 2;
        match index(digits) {
            None => {
                self.index_is_good = false;
                false
            }
            Some(number) if (1..=self.values.len()).contains(&number) => {
                self.next = number - 1;
                true
            }
            Some(_) => {
                self.index_is_good = false;
                true
            }
        }
    }

    /// Arguments that no verb took.
    fn extra(&self, printer: &mut Printer<'_>) {
        printer.flags = Flags::default();
        printer.out.extend_from_slice(b"%!(EXTRA ");
        let extra = self.values.get(self.next..).unwrap_or_default();
        for (at, value) in extra.iter().enumerate() {
            if at > 0 {
                printer.out.extend_from_slice(b", ");
            }
            if !matches!(value, Value::Nil) {
                printer.out.extend_from_slice(value.type_name().as_bytes());
                printer.out.push(b'=');
            }
            printer.argument(value, 'v');
        }
        printer.out.push(b')');
    }
}

fn index(digits: &[u8]) -> Option<usize> {
    let mut number = 0i64;
    for digit in digits {
        if number > LARGEST || !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    (!digits.is_empty())
        .then(|| usize::try_from(number).ok())
        .flatten()
}

fn complain(printer: &mut Printer<'_>, verb: char, what: &str) {
    printer.out.extend_from_slice(b"%!");
    unicode::push(printer.out, verb);
    printer.out.extend_from_slice(what.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{List, Map, Str};

    fn text(format: &str, values: &[Value]) -> String {
        String::from_utf8(sprintf(format.as_bytes(), values)).unwrap()
    }

    fn pair() -> Value {
        Value::List(List::from_iter([
            Value::int(1),
            Value::from("b"),
            Value::Nil,
        ]))
    }

    #[test]
    fn verbs() {
        assert_eq!(
            text("%d|%5d|%-5d|%05d|%+d", &[7, 7, 7, 7, 7].map(Value::int)),
            "7|    7|7    |00007|+7"
        );
        assert_eq!(
            text(
                "%x|%#X|%o|%b|%c|%q|%U",
                &[255, 255, 8, 5, 65, 65, 65].map(Value::int)
            ),
            "ff|0XFF|10|101|A|'A'|U+0041"
        );
        assert_eq!(
            text(
                "%s|%q|%x|%5s|%.1s",
                &["a", "a\n", "hi", "a", "éa"].map(Value::from)
            ),
            "a|\"a\\n\"|6869|    a|é"
        );
        assert_eq!(
            text("%v %d", &[pair(), pair()]),
            "[1 b <nil>] [1 %!d(string=b) <nil>]"
        );
        assert_eq!(
            text("%#v", &[pair()]),
            "[]interface {}{1, \"b\", interface {}(nil)}"
        );
        let map = Value::Map(Map::from_iter([(Str::from("k"), Value::Float(1e6))]));
        assert_eq!(
            text("%v|%T|%#v", &[map.clone(), map.clone(), map]),
            "map[k:1e+06]|map[string]interface {}|map[string]interface {}{\"k\":1e+06}"
        );
        assert_eq!(
            text("%6.2f|%e|%g", &[3.24159, 1e6, 1e6].map(Value::Float)),
            "  3.24|1.000000e+06|1e+06"
        );
    }

    #[test]
    fn mistakes_show() {
        assert_eq!(text("%d", &[]), "%!d(MISSING)");
        assert_eq!(text("%d", &[Value::from("a")]), "%!d(string=a)");
        assert_eq!(
            text("a", &[Value::int(1), Value::Nil]),
            "a%!(EXTRA int=1, <nil>)"
        );
        assert_eq!(text("%", &[]), "%!(NOVERB)");
        assert_eq!(text("%[3]d", &[Value::int(1)]), "%!d(BADINDEX)");
        assert_eq!(text("%[2]d %[1]d", &[Value::int(1), Value::int(2)]), "2 1");
        assert_eq!(
            text("%*d", &[Value::from("x"), Value::int(1)]),
            "%!(BADWIDTH)1"
        );
        assert_eq!(text("%s", &[Value::Nil]), "%!s(<nil>)");
        assert_eq!(text("%!", &[]), "%!!(MISSING)");
    }
}
