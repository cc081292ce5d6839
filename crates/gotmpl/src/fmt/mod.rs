//! Go's `fmt`: how values print, with every verb and flag.

mod flags;
mod format;
mod print;

pub use format::sprintf;
pub(crate) use print::Printer;

use crate::value::Value;

/// What a value prints as with `%v`.
pub fn sprint_one(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    print_value(&mut out, value);
    out
}

/// Adds what a value prints as with `%v`.
pub(crate) fn print_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        // Nearly all that templates print.
        Value::String(text) => out.extend_from_slice(text),
        _ => Printer::new(out).argument(value, 'v'),
    }
}

/// `print`: the arguments in a row, with a space between two that are no
/// strings.
pub fn sprint(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut string_before = true;
    for value in values {
        let string = matches!(value, Value::String(_));
        if !string && !string_before {
            out.push(b' ');
        }
        print_value(&mut out, value);
        string_before = string;
    }
    out
}

/// `println`: the arguments with a space between two, and a line end.
pub fn sprintln(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        print_value(&mut out, value);
    }
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_stand_between_what_is_no_string() {
        let values = [
            Value::int(1),
            Value::int(2),
            Value::from("a"),
            Value::int(3),
        ];
        assert_eq!(sprint(&values), b"1 2a3");
        assert_eq!(sprintln(&values), b"1 2 a 3\n");
    }
}
