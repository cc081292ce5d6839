//! What a range goes through.

use std::rc::Rc;

use super::machine::Eval;
use super::operand::Operand;
use crate::fmt::sprint_one;
use crate::value::{IntKind, List, Pairs, Str, UintKind, Value};

/// The values of a range that are still to come.
pub(crate) enum Items {
    Nothing,
    Ints {
        next: i64,
        end: i64,
        kind: IntKind,
    },
    Uints {
        next: u64,
        end: u64,
        kind: UintKind,
    },
    List {
        list: List,
        next: usize,
    },
    Bytes {
        bytes: Rc<Str>,
        next: usize,
    },
    /// The entries as they were when the range began.
    Map {
        entries: std::vec::IntoIter<(Str, Value)>,
        boxed: bool,
    },
    Iterator {
        items: Box<std::iter::Peekable<Pairs>>,
        pairs: bool,
    },
}

impl Items {
    /// What a value has to go through. `pairs`: two variables take it.
    pub fn of(value: Value, pairs: bool) -> Eval<Self> {
        let counted = matches!(value, Value::Int(..) | Value::Uint(..));
        if counted && pairs {
            let text = sprint_one(&value);
            let text = crate::unicode::text(&text);
            return Err(format!("can't use {text} to iterate over more than one variable").into());
        }
        Ok(match value {
            Value::Nil => Items::Nothing,
            Value::Int(end, kind) => Items::Ints { next: 0, end, kind },
            Value::Uint(end, kind) => Items::Uints { next: 0, end, kind },
            Value::List(list) => Items::List { list, next: 0 },
            Value::Bytes(bytes) => Items::Bytes { bytes, next: 0 },
            Value::Map(map) => Items::Map {
                boxed: map.is_boxed(),
                entries: map.entries().into_iter(),
            },
            Value::Func(ref func) => match func.iterate() {
                Some((false, _)) if pairs => {
                    let text = sprint_one(&value);
                    let text = crate::unicode::text(&text);
                    return Err(
                        format!("can't use {text} iterate over more than one variable").into(),
                    );
                }
                Some((_, items)) => {
                    let items: Pairs = items;
                    let mut items = items.peekable();
                    match items.peek().is_some() {
                        true => Items::Iterator {
                            items: Box::new(items),
                            pairs,
                        },
                        false => Items::Nothing,
                    }
                }
                None => return Err(refuse(&value)),
            },
            value => return Err(refuse(&value)),
        })
    }

    /// There is nothing to go through at all.
    pub fn is_empty(&self) -> bool {
        match self {
            Items::Nothing => true,
            Items::Ints { next, end, .. } => next >= end,
            Items::Uints { next, end, .. } => next >= end,
            Items::List { list, .. } => list.items().is_empty(),
            Items::Bytes { bytes, .. } => bytes.is_empty(),
            Items::Map { entries, .. } => entries.as_slice().is_empty(),
            Items::Iterator { .. } => false,
        }
    }

    /// The next index or key, and value.
    pub fn next(&mut self) -> Option<(Operand, Operand)> {
        match self {
            Items::Nothing => None,
            Items::Ints { next, end, kind } => {
                let number = *next;
                *next += 1;
                (number < *end).then(|| (Operand::NONE, Operand::plain(Value::Int(number, *kind))))
            }
            Items::Uints { next, end, kind } => {
                let number = *next;
                *next += 1;
                (number < *end).then(|| (Operand::NONE, Operand::plain(Value::Uint(number, *kind))))
            }
            Items::List { list, next } => {
                let item = list.items().get(*next)?.clone();
                let index = index(*next);
                *next += 1;
                Some((index, Operand::element(item, list.is_boxed())))
            }
            Items::Bytes { bytes, next } => {
                let byte = u64::from(*bytes.get(*next)?);
                let index = index(*next);
                *next += 1;
                Some((index, Operand::plain(Value::Uint(byte, UintKind::Uint8))))
            }
            Items::Map { entries, boxed } => {
                let (key, value) = entries.next()?;
                let key = Operand::plain(Value::String(key));
                Some((key, Operand::element(value, *boxed)))
            }
            Items::Iterator { items, pairs } => {
                let (first, second) = items.next()?;
                let first = Operand::plain(first);
                match second {
                    Some(second) if *pairs => Some((first, Operand::plain(second))),
                    // One variable takes the first of a pair.
                    _ => Some((Operand::NONE, first)),
                }
            }
        }
    }
}

fn index(at: usize) -> Operand {
    Operand::plain(Value::int(i64::try_from(at).unwrap_or(i64::MAX)))
}

fn refuse(value: &Value) -> crate::error::Failure {
    let text = sprint_one(value);
    let text = crate::unicode::text(&text);
    format!("range can't iterate over {text}").into()
}
