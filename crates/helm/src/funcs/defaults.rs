//! Emptiness, equality and choices.

use gotmpl::value::Type;
use gotmpl::{Failure, Functions, Value};

use super::ANY;

/// Nil, zero, or without elements.
pub(crate) fn is_empty(value: &Value) -> bool {
    !value.is_true()
}

pub(super) fn add(all: &mut Functions) {
    all.add_variadic("default", &[ANY, ANY], |_, mut args| {
        let given = args.len() > 1 && !is_empty(args.get(1));
        Ok(args.take(usize::from(given)))
    });
    all.add("empty", &[ANY], |_, args| {
        Ok(Value::Bool(is_empty(args.get(0))))
    });
    all.add_variadic("coalesce", &[ANY], |_, args| {
        Ok(args
            .all()
            .iter()
            .find(|value| !is_empty(value))
            .cloned()
            .unwrap_or_default())
    });
    all.add_variadic("all", &[ANY], |_, args| {
        Ok(Value::Bool(!args.all().iter().any(is_empty)))
    });
    all.add_variadic("any", &[ANY], |_, args| {
        Ok(Value::Bool(!args.all().iter().all(is_empty)))
    });
    all.add("ternary", &[ANY, ANY, Type::Bool], |_, mut args| {
        let at = usize::from(!args.bool(2));
        Ok(args.take(at))
    });
    all.add("fail", &[super::TEXT], |_, args| {
        Err(Failure::tagged("fail", args.text(0)))
    });
    all.add("deepEqual", &[ANY, ANY], |_, args| {
        Ok(Value::Bool(deep_equal(args.get(0), args.get(1))))
    });
}

/// Values nest no deeper in comparisons.
const DEEPEST: usize = 250;

/// Equal through and through, types included.
pub(super) fn deep_equal(a: &Value, b: &Value) -> bool {
    equal(a, b, 0)
}

fn equal(a: &Value, b: &Value, depth: usize) -> bool {
    if depth > DEEPEST || a.type_name() != b.type_name() {
        return false;
    }
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a, _), Value::Int(b, _)) => a == b,
        (Value::Uint(a, _), Value::Uint(b, _)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Float32(a), Value::Float32(b)) => a == b,
        (Value::Complex(a), Value::Complex(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            let items = || a.items().iter().zip(b.items());
            a.is_nil() == b.is_nil()
                && a.items().len() == b.items().len()
                && items().all(|(a, b)| equal(a, b, depth + 1))
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.is_same(b) {
                return true;
            }
            let (first, second) = (a.entries(), b.entries());
            let same = |((key, a), (other, b)): (&(_, Value), &(_, Value))| {
                key == other && equal(a, b, depth + 1)
            };
            a.is_nil() == b.is_nil()
                && first.len() == second.len()
                && first.iter().zip(&second).all(same)
        }
        (Value::Object(a), Value::Object(b)) => {
            std::rc::Rc::ptr_eq(&a.0, &b.0) || b.equals(&*a.0) == Some(true)
        }
        _ => false,
    }
}
