//! Maps.

use gotmpl::value::types::{ANY_MAP, ANY_SLICE, STRING_SLICE};
use gotmpl::value::{List, Map, Str, Type};
use gotmpl::{Args, Failure, Functions, Value};

use super::{ANY, TEXT, list_of, merge, text};

/// A map that may be written.
fn writable<'a>(args: &'a Args<'_>, at: usize) -> Result<&'a Map, Failure> {
    match args.map(at) {
        Some(map) if map.is_nil() => Err("assignment to entry in nil map".into()),
        Some(map) => Ok(map),
        None => Err("no map".into()),
    }
}

fn map_at<'a>(args: &'a Args<'_>, at: usize) -> Result<&'a Map, Failure> {
    args.map(at).ok_or_else(|| "no map".into())
}

pub(super) fn add(all: &mut Functions) {
    all.add_variadic("dict", &[ANY], |_, args| {
        let map = Map::new(&ANY_MAP);
        for pair in args.all().chunks(2) {
            if let Some((key, rest)) = pair.split_first() {
                let value = rest.first().cloned().unwrap_or_else(|| Value::from(""));
                map.insert(Str::from(text(key)), value);
            }
        }
        Ok(map.into())
    });
    all.add("get", &[Type::DICT, TEXT], |_, args| {
        let found = map_at(&args, 0)?.get(args.bytes(1));
        Ok(found.unwrap_or_else(|| Value::from("")))
    });
    all.add("set", &[Type::DICT, TEXT, ANY], |_, mut args| {
        let value = args.take(2);
        writable(&args, 0)?.insert(args.string(1), value);
        Ok(args.take(0))
    });
    all.add("unset", &[Type::DICT, TEXT], |_, mut args| {
        map_at(&args, 0)?.remove(args.bytes(1));
        Ok(args.take(0))
    });
    all.add("hasKey", &[Type::DICT, TEXT], |_, args| {
        Ok(Value::Bool(map_at(&args, 0)?.contains(args.bytes(1))))
    });
    all.add_variadic("pluck", &[TEXT, Type::DICT], |cx, args| {
        let found = (1..args.len()).filter_map(|at| args.map(at)?.get(args.bytes(0)));
        let found = found.collect();
        list_of(cx, &ANY_SLICE, found)
    });
    parts(all);
    merge::add(all);
    all.add_variadic("dig", &[ANY], |_, args| dig(&args));
    for name in ["deepCopy", "mustDeepCopy"] {
        all.add(name, &[ANY], |cx, args| {
            if matches!(args.get(0), Value::Nil) {
                return Err("reflect: call of reflect.Value.Type on zero Value".into());
            }
            let mut count = 0;
            let copy = copy(args.get(0), 0, &mut count)?;
            cx.steps(count)?;
            Ok(copy)
        });
    }
}

fn parts(all: &mut Functions) {
    // Go gives keys and values in any order; here they are sorted by key.
    all.add_variadic("keys", &[Type::DICT], |cx, args| {
        let maps = (0..args.len()).filter_map(|at| args.map(at));
        let keys = maps.flat_map(Map::keys).map(Value::String).collect();
        list_of(cx, &STRING_SLICE, keys)
    });
    all.add("values", &[Type::DICT], |cx, args| {
        let entries = map_at(&args, 0)?.entries();
        list_of(
            cx,
            &ANY_SLICE,
            entries.into_iter().map(|(_, value)| value).collect(),
        )
    });
    all.add_variadic("pick", &[Type::DICT, TEXT], |_, args| {
        let picked = Map::new(&ANY_MAP);
        for at in 1..args.len() {
            if let Some(value) = map_at(&args, 0)?.get(args.bytes(at)) {
                picked.insert(args.string(at), value);
            }
        }
        Ok(picked.into())
    });
    all.add_variadic("omit", &[Type::DICT, TEXT], |_, args| {
        let entries = map_at(&args, 0)?.entries().into_iter();
        let kept =
            entries.filter(|(key, _)| (1..args.len()).all(|at| args.bytes(at) != key.bytes()));
        Ok(kept.collect::<Map>().into())
    });
}

fn dig(args: &Args<'_>) -> super::Answer {
    let count = args.len();
    if count < 3 {
        return Err("dig needs at least three arguments".into());
    }
    let conversion = |value: &Value, ty: &str| {
        let name = if matches!(value, Value::Nil) {
            "nil"
        } else {
            value.type_name()
        };
        Failure::from(format!(
            "interface conversion: interface {{}} is {name}, not {ty}"
        ))
    };
    let mut keys = Vec::new();
    for key in args.all().iter().take(count - 2) {
        match key {
            Value::String(key) => keys.push(key.clone()),
            other => return Err(conversion(other, "string")),
        }
    }
    let mut value = args.get(count - 1).clone();
    for key in keys {
        let map = match &value {
            Value::Map(map) if !map.ty().named && matches!(map.ty().elem, Type::Any) => map,
            other => return Err(conversion(other, "map[string]interface {}")),
        };
        match map.get(&key) {
            Some(step) => value = step,
            None => return Ok(args.get(count - 2).clone()),
        }
    }
    Ok(value)
}

/// Values nest no deeper.
const DEEPEST: usize = 250;

/// A value that shares nothing with its original.
pub(super) fn copy(value: &Value, depth: usize, count: &mut u64) -> Result<Value, Failure> {
    if depth > DEEPEST {
        return Err("the value nests too deeply".into());
    }
    *count += 1;
    Ok(match value {
        Value::List(list) if !list.is_nil() => {
            let items = list.items().iter();
            let items: Result<_, _> = items.map(|item| copy(item, depth + 1, count)).collect();
            Value::List(List::new(list.ty(), items?))
        }
        Value::Map(map) if !map.is_nil() => {
            let copied = Map::new(map.ty());
            for (key, item) in map.entries() {
                copied.insert(key, copy(&item, depth + 1, count)?);
            }
            Value::Map(copied)
        }
        other => other.clone(),
    })
}
