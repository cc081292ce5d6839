//! Values as numbers, whatever they are; what is none is 0.

use gotmpl::Value;
use gotmpl::strconv::{parse_float, parse_int};

/// As `int64`.
pub(super) fn int(value: &Value) -> i64 {
    match value {
        Value::Int(number, _) => *number,
        Value::Uint(number, _) => *number as i64,
        Value::Float(number) => truncated(*number),
        Value::Float32(number) => truncated(f64::from(*number)),
        Value::Bool(truth) => i64::from(*truth),
        Value::String(text) => parse_int(whole(text), 0).unwrap_or_default(),
        _ => 0,
    }
}

/// As `float64`.
pub(super) fn float(value: &Value) -> f64 {
    match value {
        Value::Int(number, _) => *number as f64,
        Value::Uint(number, _) => *number as f64,
        Value::Float(number) => *number,
        Value::Float32(number) => f64::from(*number),
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::String(text) => parse_float(text).unwrap_or_default(),
        _ => 0.0,
    }
}

/// As amd64 converts: what does not fit is the least integer.
fn truncated(number: f64) -> i64 {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    if fits { number as i64 } else { i64::MIN }
}

/// A number without `.000` behind it.
fn whole(text: &[u8]) -> &[u8] {
    let zeros = text.iter().rev().take_while(|byte| **byte == b'0').count();
    let (rest, _) = text.split_at(text.len() - zeros);
    match rest.strip_suffix(b".") {
        Some(whole) if zeros > 0 => whole,
        _ => text,
    }
}
