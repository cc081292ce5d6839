//! `eq` and the orderings: by the kinds of basic values.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::error::Failure;
use crate::exec::Operand;
use crate::fmt::sprintf;
use crate::value::{Value, is_pointer};

/// Kinds that compare with themselves only, integers apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    None,
    Bool,
    Complex,
    Int,
    Uint,
    Float,
    String,
}

fn basic(value: &Value) -> Basic {
    match value {
        Value::Bool(_) => Basic::Bool,
        Value::Complex(_) => Basic::Complex,
        Value::Int(..) => Basic::Int,
        Value::Uint(..) => Basic::Uint,
        Value::Float(_) | Value::Float32(_) => Basic::Float,
        Value::String(_) => Basic::String,
        _ => Basic::None,
    }
}

fn float(value: &Value) -> f64 {
    match value {
        Value::Float(number) => *number,
        Value::Float32(number) => f64::from(*number),
        _ => 0.0,
    }
}

fn integer(value: &Value) -> i128 {
    match value {
        Value::Int(number, _) => i128::from(*number),
        Value::Uint(number, _) => i128::from(*number),
        _ => 0,
    }
}

fn incompatible(a: &Value, b: &Value) -> Failure {
    let (a, b) = (a.type_name(), b.type_name());
    format!("incompatible types for comparison: {a} and {b}").into()
}

/// The first equals any of the others.
pub(super) fn equal(first: &Value, others: &[Operand]) -> Result<bool, Failure> {
    if others.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in others {
        if equal_one(first, &other.value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal_one(a: &Value, b: &Value) -> Result<bool, Failure> {
    use Basic::{Int, Uint};
    match (basic(a), basic(b)) {
        (Int | Uint, Int | Uint) => Ok(integer(a) == integer(b)),
        (kind, other) if kind != other => match (a, b) {
            (Value::Nil, _) | (_, Value::Nil) => Ok(false),
            _ => Err(incompatible(a, b)),
        },
        (Basic::Float, _) => Ok(float(a) == float(b)),
        _ => match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
            (Value::String(a), Value::String(b)) => Ok(a == b),
            (Value::Complex(a), Value::Complex(b)) => Ok(a == b),
            _ => equal_other(a, b),
        },
    }
}

/// What is no basic value: nil, or the same thing.
fn equal_other(a: &Value, b: &Value) -> Result<bool, Failure> {
    let either_none = matches!(a, Value::Nil) || matches!(b, Value::Nil);
    if !either_none && kind(a) != kind(b) {
        let text = sprintf(
            format!(
                "non-comparable types %s: {}, {}: %v",
                a.type_name(),
                b.type_name()
            )
            .as_bytes(),
            &[a.clone(), b.clone()],
        );
        return Err(crate::unicode::text(&text).into_owned().into());
    }
    if a.is_nil() || b.is_nil() {
        return Ok(a.is_nil() == b.is_nil());
    }
    let same = match (a, b) {
        (Value::Object(a), Value::Object(b)) if is_pointer(&**b) => {
            return Ok(Rc::ptr_eq(&a.0, &b.0));
        }
        (Value::Object(a), Value::Object(b)) => b.equals(&*a.0),
        _ => None,
    };
    same.ok_or_else(|| {
        let format = format!("non-comparable type %s: {}", b.type_name());
        let text = sprintf(format.as_bytes(), std::slice::from_ref(b));
        crate::unicode::text(&text).into_owned().into()
    })
}

/// Kinds of values that are no basic ones.
fn kind(value: &Value) -> u8 {
    match value {
        Value::Bytes(_) | Value::List(_) => 1,
        Value::Map(_) => 2,
        Value::Object(object) if is_pointer(&**object) => 3,
        Value::Object(_) => 4,
        Value::Func(_) => 5,
        _ => 0,
    }
}

/// The first comes before the second.
pub(super) fn less(a: &Value, b: &Value) -> Result<bool, Failure> {
    use Basic::{Int, Uint};
    const BAD: &str = "invalid type for comparison";
    let (kind, other) = (basic(a), basic(b));
    if kind == Basic::None || other == Basic::None {
        return Err(BAD.into());
    }
    match (kind, other) {
        (Int | Uint, Int | Uint) => Ok(integer(a) < integer(b)),
        _ if kind != other => Err(incompatible(a, b)),
        (Basic::Float, _) => Ok(float(a) < float(b)),
        _ => match (a, b) {
            (Value::String(a), Value::String(b)) => Ok(a.cmp(b) == Ordering::Less),
            _ => Err(BAD.into()),
        },
    }
}

/// The first comes before the second, or equals it.
pub(super) fn less_or_equal(a: &Value, b: &Value) -> Result<bool, Failure> {
    Ok(less(a, b)? || equal_one(a, b)?)
}
