//! Makes JSON that shows a difference as small as it gets.

use serde_json::Value;

/// Steps after which a value is small enough.
const STEPS: usize = 400;

/// The smallest value found that still shows the difference.
pub fn shrink(value: &Value, differs: impl Fn(&Value) -> bool) -> Value {
    smallest(value, false, differs)
}

/// The same for values in which lists are calls: one may be replaced by one of
/// its arguments.
pub fn shrink_calls(value: &Value, differs: impl Fn(&Value) -> bool) -> Value {
    smallest(value, true, differs)
}

fn smallest(value: &Value, calls: bool, differs: impl Fn(&Value) -> bool) -> Value {
    let mut value = value.clone();
    for _ in 0..STEPS {
        let mut smaller = Vec::new();
        removals(&value, calls, &mut smaller);
        // The boldest steps first.
        smaller.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        match smaller.into_iter().find(|(_, smaller)| differs(smaller)) {
            Some((_, smaller)) => value = smaller,
            None => break,
        }
    }
    value
}

/// The value without each of its parts, with the size of what went. Text that
/// is JSON itself (inline patches) loses parts, too.
fn removals(value: &Value, calls: bool, all: &mut Vec<(usize, Value)>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let mut rest = items.clone();
                rest.remove(at);
                all.push((size(item), Value::Array(rest)));
                if calls {
                    all.push((size(value).saturating_sub(size(item)), item.clone()));
                }
                within(item, calls, all, |smaller| {
                    let mut changed = items.clone();
                    changed[at] = smaller;
                    Value::Array(changed)
                });
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                // What has no version is another difference, of no object there is.
                if key == "apiVersion" {
                    continue;
                }
                let mut rest = fields.clone();
                rest.remove(key);
                all.push((size(field), Value::Object(rest)));
                within(field, calls, all, |smaller| {
                    let mut changed = fields.clone();
                    changed.insert(key.clone(), smaller);
                    Value::Object(changed)
                });
            }
        }
        Value::String(text) => {
            if let Ok(inner @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text) {
                within(&inner, calls, all, |smaller| {
                    Value::String(smaller.to_string())
                });
            }
        }
        _ => {}
    }
}

fn within(
    value: &Value,
    calls: bool,
    all: &mut Vec<(usize, Value)>,
    wrap: impl Fn(Value) -> Value,
) {
    let mut inner = Vec::new();
    removals(value, calls, &mut inner);
    all.extend(
        inner
            .into_iter()
            .map(|(size, smaller)| (size, wrap(smaller))),
    );
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shrink;

    #[test]
    fn what_does_not_matter_goes_inside_of_text_too() {
        let value = json!({"a": [1, {"b": "{\"c\":1,\"d\":2}"}], "e": null});
        let small = shrink(&value, |v| v.to_string().contains("c\\\":1"));
        assert_eq!(small, json!({"a": [{"b": "{\"c\":1}"}]}));
    }
}
