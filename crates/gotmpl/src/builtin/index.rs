//! `index`, `slice` and `len`.

use crate::error::Failure;
use crate::exec::Operand;
use crate::value::{List, Str, Type, UintKind, Value};

/// An element, and elements of it.
pub(super) fn index(args: &[Operand]) -> Result<Operand, Failure> {
    let Some((item, indexes)) = args.split_first() else {
        return Ok(Operand::NONE);
    };
    // The value itself is seen without its interface; elements are not.
    let mut item = item.clone().unboxed();
    if item.is_none() {
        return Err("index of untyped nil".into());
    }
    for at in indexes {
        item = element(&item, &at.value)?;
    }
    Ok(item)
}

fn element(item: &Operand, at: &Value) -> Result<Operand, Failure> {
    match &item.value {
        Value::List(list) => {
            let at = position(at, list.items().len())?;
            match list.items().get(at) {
                Some(value) => Ok(Operand::element(value.clone(), list.is_boxed())),
                None => Err(outside("slice")),
            }
        }
        Value::String(text) => byte(text, at, "string"),
        Value::Bytes(bytes) => byte(bytes, at, "slice"),
        Value::Map(map) => {
            let key = match at {
                Value::String(key) => key,
                Value::Nil => return Err("value is nil; should be of type string".into()),
                other => {
                    let ty = other.type_name();
                    return Err(format!("value has type {ty}; should be string").into());
                }
            };
            let value = map.get(key).unwrap_or_else(|| Value::zero(map.ty().elem));
            Ok(Operand::element(value, map.is_boxed()))
        }
        Value::Nil if item.boxed => Err("index of nil pointer".into()),
        Value::Nil => Err("index of untyped nil".into()),
        other => {
            let ty = other.type_name();
            Err(format!("can't index item of type {ty}").into())
        }
    }
}

fn byte(bytes: &[u8], at: &Value, kind: &str) -> Result<Operand, Failure> {
    match bytes.get(position(at, bytes.len())?) {
        Some(byte) => {
            let byte = Value::Uint(u64::from(*byte), UintKind::Uint8);
            Ok(Operand::plain(byte))
        }
        None => Err(outside(kind)),
    }
}

/// Go's reflection says this of the index that is just behind the end.
fn outside(kind: &str) -> Failure {
    format!("reflect: {kind} index out of range").into()
}

/// An index that may be as large as `capacity`.
fn position(at: &Value, capacity: usize) -> Result<usize, Failure> {
    let number = match at {
        Value::Int(number, _) => *number,
        Value::Uint(number, _) => *number as i64,
        Value::Nil => return Err("cannot index slice/array with nil".into()),
        other => {
            let ty = other.type_name();
            return Err(format!("cannot index slice/array with type {ty}").into());
        }
    };
    usize::try_from(number)
        .ok()
        .filter(|at| *at <= capacity)
        .ok_or_else(|| format!("index out of range: {number}").into())
}

/// A part of a string or slice.
pub(super) fn slice(args: &[Operand]) -> Result<Value, Failure> {
    let Some((item, indexes)) = args.split_first() else {
        return Ok(Value::Nil);
    };
    let item = &item.value;
    if matches!(item, Value::Nil) {
        return Err("slice of untyped nil".into());
    }
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()).into());
    }
    let (len, capacity) = match item {
        Value::String(_) if indexes.len() == 3 => {
            return Err("cannot 3-index slice a string".into());
        }
        Value::String(text) => (text.len(), text.len()),
        Value::Bytes(bytes) => (bytes.len(), bytes.len()),
        Value::List(list) => (list.items().len(), list.capacity()),
        other => {
            let ty = other.type_name();
            return Err(format!("can't slice item of type {ty}").into());
        }
    };
    let mut bounds = [0, len, capacity];
    for (bound, at) in bounds.iter_mut().zip(indexes) {
        if at.boxed {
            // Indexes are not looked at through their interface here.
            return Err("cannot index slice/array with type interface {}".into());
        }
        *bound = position(&at.value, capacity)?;
    }
    let [from, to, end] = bounds;
    for (low, high) in [(from, to), (to, end)] {
        if low > high {
            return Err(format!("invalid slice index: {low} > {high}").into());
        }
    }
    Ok(match item {
        Value::String(text) => Value::String(Str::from(part(text, from, to))),
        Value::Bytes(bytes) => Value::bytes(part(bytes, from, to)),
        Value::List(list) if indexes.len() == 3 => {
            // The third index ends what is behind the slice.
            let visible = list.slice(from, end).unwrap_or_else(|| list.clone());
            let owned = List::new(list.ty(), visible.items().to_vec());
            Value::List(owned.slice(0, to - from).unwrap_or(owned))
        }
        Value::List(list) => Value::List(list.slice(from, to).unwrap_or_else(|| list.clone())),
        _ => Value::Nil,
    })
}

fn part(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    bytes.get(from..to).unwrap_or_default()
}

/// How many elements, entries or bytes a value has.
pub(super) fn length(item: &Operand) -> Result<Value, Failure> {
    if item.is_none() {
        // What Go's reflection says of no value at all.
        return Err("reflect: call of reflect.Value.Type on zero Value".into());
    }
    let len = match &item.value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.items().len(),
        Value::Map(map) => map.len(),
        Value::Nil => return Err("len of nil pointer".into()),
        other => {
            let ty = other.ty().map_or("<nil>", Type::name);
            return Err(format!("len of type {ty}").into());
        }
    };
    Ok(Value::int(i64::try_from(len).unwrap_or(i64::MAX)))
}
