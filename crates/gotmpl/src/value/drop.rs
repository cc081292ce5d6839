//! Taking deep values apart without the stack.

use super::Value;

/// Drops values whose depth a template chose: what only they hold is emptied
/// one by one instead of recursively.
pub(super) fn unlink(values: impl IntoIterator<Item = Value>) {
    let mut open: Vec<Value> = Vec::new();
    let add = |open: &mut Vec<Value>, value: Value| {
        if matches!(value, Value::List(_) | Value::Map(_)) {
            open.push(value);
        }
    };
    for value in values {
        add(&mut open, value);
    }
    while let Some(mut value) = open.pop() {
        let inner = match &mut value {
            Value::List(list) => list.take_unshared(),
            Value::Map(map) => map.take_unshared(),
            _ => Vec::new(),
        };
        for value in inner {
            add(&mut open, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::value::{List, Map, Str, Value};

    #[test]
    fn depth_costs_no_stack() {
        let mut value = Value::Nil;
        for at in 0..300_000 {
            value = if at % 2 == 0 {
                Value::List(List::from_iter([value]))
            } else {
                Value::Map(Map::from_iter([(Str::from("k"), value)]))
            };
        }
        drop(value);
    }
}
