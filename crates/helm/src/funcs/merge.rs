//! Merging maps: `merge` fills what is missing or empty, `mergeOverwrite`
//! replaces. Maps in both are merged; what is taken over is shared.

use gotmpl::value::{Map, Type};
use gotmpl::{Failure, Functions, Value};

use super::defaults::is_empty;

/// Maps nest no deeper.
const DEEPEST: usize = 250;

pub(super) fn add(all: &mut Functions) {
    for (name, overwrite) in [
        ("merge", false),
        ("mustMerge", false),
        ("mergeOverwrite", true),
        ("mustMergeOverwrite", true),
    ] {
        all.add_variadic(name, &[Type::DICT, Type::DICT], move |cx, mut args| {
            let mut count = 0;
            for at in 1..args.len() {
                if let (Some(target), Some(source)) = (args.map(0), args.map(at)) {
                    merge(target, source, overwrite, 0, &mut count)?;
                }
            }
            cx.steps(count)?;
            Ok(args.take(0))
        });
    }
}

/// Merges one map into another.
pub(crate) fn merge(
    target: &Map,
    source: &Map,
    overwrite: bool,
    depth: usize,
    count: &mut u64,
) -> Result<(), Failure> {
    if target.is_same(source) {
        return Ok(());
    }
    if depth > DEEPEST {
        return Err("the maps nest too deeply to be merged".into());
    }
    for (key, value) in source.entries() {
        *count += 1;
        if matches!(value, Value::Nil) {
            if overwrite {
                target.insert(key, value);
            }
            continue;
        }
        let known = target.get(&key);
        if let (Some(Value::Map(inner)), Value::Map(value)) = (&known, &value) {
            merge(inner, value, overwrite, depth + 1, count)?;
            if !inner.is_empty() {
                continue;
            }
        }
        let missing = known.as_ref().is_none_or(is_empty_value);
        if overwrite || missing {
            target.insert(key, value);
        }
    }
    Ok(())
}

/// Empty, as merging has it.
fn is_empty_value(value: &Value) -> bool {
    is_empty(value)
}
