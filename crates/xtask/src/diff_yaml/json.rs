//! Random JSON values, for the writer alone.

use serde_json::{Map, Number, Value};

use super::scalar;
use crate::random::Random;

/// A value of at most `depth` levels.
pub fn value(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 9 };
    match random.below(kinds) {
        0 => Value::Null,
        1 => Value::Bool(random.once_in(2)),
        2 => number(random),
        3..=5 => Value::String(scalar::value(random)),
        6 | 7 => {
            let mut map = Map::new();
            for _ in 0..random.below(5) {
                map.insert(key(random), value(random, depth - 1));
            }
            Value::Object(map)
        }
        _ => (0..random.below(5))
            .map(|_| value(random, depth - 1))
            .collect(),
    }
}

/// Keys whose order depends on digits and letters, and odd ones.
fn key(random: &mut Random) -> String {
    const NEAR: &[&str] = &[
        "a",
        "b",
        "a1",
        "a2",
        "a10",
        "a01",
        "a1b",
        "a10b",
        "A",
        "B",
        "_a",
        "1",
        "2",
        "10",
        "01",
        "1a",
        "a-1",
        "a.1",
        "a_1",
        "a/1",
        "é",
        "ab",
        "aB",
        "a1.5",
        "a9223372036854775808",
    ];
    if random.once_in(3) {
        scalar::value(random)
    } else {
        (random.pick(NEAR)).to_owned()
    }
}

fn number(random: &mut Random) -> Value {
    let bits = random.bits();
    match random.below(5) {
        0 => Value::from(bits % 1000),
        1 => Value::from(bits),
        2 => Value::from(bits.cast_signed()),
        3 => finite(f64::from_bits(bits)),
        _ => {
            let exponent = i32::try_from(random.below(50)).unwrap_or(0) - 25;
            let digits = (bits % 100_000) as f64;
            finite(digits * 10f64.powi(exponent))
        }
    }
}

fn finite(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::from(0), Value::Number)
}
