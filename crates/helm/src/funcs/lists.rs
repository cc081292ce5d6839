//! Lists.

use gotmpl::value::types::{ANY_SLICE, ANY_SLICE_SLICE, STRING_SLICE};
use gotmpl::value::{List, Type};
use gotmpl::{Failure, Functions, Value};

use super::strings::texts;
use super::{ANY, cast, defaults, elements, kind, list_of, text};

/// The elements of a list, or Go's complaint.
fn items(value: &Value, doing: &str) -> Result<Vec<Value>, Failure> {
    match value {
        // What Go's reflection says of nil.
        Value::Nil => {
            Err("runtime error: invalid memory address or nil pointer dereference".into())
        }
        value => {
            elements(value).ok_or_else(|| format!("Cannot {doing} type {}", kind(value)).into())
        }
    }
}

/// Adds a function and its `must` twin.
fn both(
    all: &mut Functions,
    name: &str,
    params: &[Type],
    variadic: bool,
    body: fn(&mut gotmpl::Context<'_>, gotmpl::Args<'_>) -> super::Answer,
) {
    let mut capital = name.chars();
    let first = capital
        .next()
        .map(|c| c.to_ascii_uppercase())
        .unwrap_or_default();
    for name in [name.to_owned(), format!("must{first}{}", capital.as_str())] {
        match variadic {
            true => all.add_variadic(&name, params, body),
            false => all.add(&name, params, body),
        }
    }
}

pub(super) fn add(all: &mut Functions) {
    for name in ["list", "tuple"] {
        all.add_variadic(name, &[ANY], |cx, args| {
            list_of(cx, &ANY_SLICE, args.all().to_vec())
        });
    }
    ends(all);
    growing(all);
    choosing(all);
    all.add("sortAlpha", &[ANY], |cx, args| {
        let value = args.get(0);
        let mut sorted: Vec<Vec<u8>> = match elements(value) {
            Some(_) => texts(value).items().iter().map(text).collect(),
            None => vec![text(value)],
        };
        sorted.sort();
        list_of(
            cx,
            &STRING_SLICE,
            sorted.into_iter().map(Value::string).collect(),
        )
    });
    both(all, "reverse", &[ANY], false, |cx, args| {
        let mut reversed = items(args.get(0), "find reverse on")?;
        reversed.reverse();
        list_of(cx, &ANY_SLICE, reversed)
    });
    both(all, "chunk", &[Type::INT, ANY], false, |cx, args| {
        let items = items(args.get(1), "chunk")?;
        let chunk = |chunk: &[Value]| Value::List(List::new(&ANY_SLICE, chunk.to_vec()));
        // Go's arithmetic gives an answer for some sizes below zero, too.
        let below = args.int(0).min(0).unsigned_abs();
        let size = match (args.int(0), items.len() as u64) {
            (size @ 1.., _) => usize::try_from(size).ok(),
            (..=-2, 1) => Some(1),
            (..=-1, len) if (2..=below.saturating_add(1)).contains(&len) => {
                return list_of(cx, &ANY_SLICE_SLICE, Vec::new());
            }
            _ => None,
        };
        let size = size.ok_or("runtime error: makeslice: len out of range")?;
        list_of(
            cx,
            &ANY_SLICE_SLICE,
            items.chunks(size).map(chunk).collect(),
        )
    });
}

fn ends(all: &mut Functions) {
    both(all, "first", &[ANY], false, |_, args| {
        Ok(items(args.get(0), "find first on")?
            .into_iter()
            .next()
            .unwrap_or_default())
    });
    both(all, "last", &[ANY], false, |_, args| {
        Ok(items(args.get(0), "find last on")?
            .pop()
            .unwrap_or_default())
    });
    both(all, "rest", &[ANY], false, |cx, args| {
        let items = items(args.get(0), "find rest on")?;
        match items.split_first() {
            Some((_, rest)) => list_of(cx, &ANY_SLICE, rest.to_vec()),
            None => Ok(Value::List(List::nil(&ANY_SLICE))),
        }
    });
    both(all, "initial", &[ANY], false, |cx, args| {
        let items = items(args.get(0), "find initial on")?;
        match items.split_last() {
            Some((_, initial)) => list_of(cx, &ANY_SLICE, initial.to_vec()),
            None => Ok(Value::List(List::nil(&ANY_SLICE))),
        }
    });
    both(all, "slice", &[ANY, ANY], true, |_, args| {
        let value = args.get(0);
        let len = items(value, "slice").map_err(|_| {
            Failure::from(format!(
                "list should be type of slice or array but {}",
                kind(value)
            ))
        })?;
        let len = len.len();
        if len == 0 {
            return Ok(Value::Nil);
        }
        let bound = |at: usize, usual: i64| match args.len() > at {
            true => cast::int(args.get(at)),
            false => usual,
        };
        let (from, to) = (
            bound(1, 0),
            bound(2, i64::try_from(len).unwrap_or_default()),
        );
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let part = match (value, range) {
            (Value::List(list), Some((from, to))) => list.slice(from, to).map(Value::List),
            (Value::Bytes(bytes), Some((from, to))) => bytes.get(from..to).map(Value::bytes),
            _ => None,
        };
        part.ok_or_else(|| "reflect.Value.Slice: slice index out of bounds".into())
    });
}

fn growing(all: &mut Functions) {
    for name in ["append", "push"] {
        both(all, name, &[ANY, ANY], false, |cx, mut args| {
            let mut items = items(args.get(0), "push on")?;
            items.push(args.take(1));
            list_of(cx, &ANY_SLICE, items)
        });
    }
    both(all, "prepend", &[ANY, ANY], false, |cx, mut args| {
        let mut items = items(args.get(0), "prepend on")?;
        items.insert(0, args.take(1));
        list_of(cx, &ANY_SLICE, items)
    });
    all.add_variadic("concat", &[ANY], |cx, args| {
        let mut joined = Vec::new();
        for list in args.all() {
            if matches!(list, Value::Nil) {
                let message = "runtime error: invalid memory address or nil pointer dereference";
                return Err(message.into());
            }
            joined.extend(elements(list).ok_or_else(|| {
                Failure::from(format!("Cannot concat type {} as list", kind(list)))
            })?);
        }
        match joined.is_empty() {
            true => Ok(Value::List(List::nil(&ANY_SLICE))),
            false => list_of(cx, &ANY_SLICE, joined),
        }
    });
}

fn choosing(all: &mut Functions) {
    both(all, "compact", &[ANY], false, |cx, args| {
        let mut items = items(args.get(0), "compact on")?;
        items.retain(|item| !defaults::is_empty(item));
        list_of(cx, &ANY_SLICE, items)
    });
    both(all, "uniq", &[ANY], false, |cx, args| {
        let mut kept: Vec<Value> = Vec::new();
        for item in items(args.get(0), "find uniq on")? {
            cx.steps(kept.len() as u64)?;
            if !kept.iter().any(|known| defaults::deep_equal(&item, known)) {
                kept.push(item);
            }
        }
        list_of(cx, &ANY_SLICE, kept)
    });
    both(all, "without", &[ANY, ANY], true, |cx, args| {
        let mut items = items(args.get(0), "find without on")?;
        let omitted = args.rest(1);
        items.retain(|item| !omitted.iter().any(|one| defaults::deep_equal(item, one)));
        list_of(cx, &ANY_SLICE, items)
    });
    both(all, "has", &[ANY, ANY], false, |_, args| {
        if matches!(args.get(1), Value::Nil) {
            return Ok(Value::Bool(false));
        }
        let items = items(args.get(1), "find has on")?;
        let found = items
            .iter()
            .any(|item| defaults::deep_equal(args.get(0), item));
        Ok(Value::Bool(found))
    });
}
