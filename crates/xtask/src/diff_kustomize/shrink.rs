//! Makes a tree that shows a difference as small as it gets.

use serde_json::Value;

use super::tree::Tree;

/// Steps after which a tree is small enough.
const STEPS: usize = 400;

/// The smallest tree found that still shows the difference.
pub fn shrink(tree: &Tree, differs: impl Fn(&Tree) -> bool) -> Tree {
    let mut tree = tree.clone();
    for _ in 0..STEPS {
        match candidates(&tree)
            .into_iter()
            .find(|smaller| differs(smaller))
        {
            Some(smaller) => tree = smaller,
            None => break,
        }
    }
    tree
}

/// Trees without one value, the largest values first.
fn candidates(tree: &Tree) -> Vec<Tree> {
    let mut all: Vec<(usize, Tree)> = Vec::new();
    for (path, documents) in tree {
        let whole = Value::Array(documents.clone());
        let mut without = Vec::new();
        removals(&whole, &mut without);
        for (size, smaller) in without {
            let Value::Array(documents) = smaller else {
                continue;
            };
            let mut next = tree.clone();
            if documents.is_empty() {
                next.remove(path);
            } else {
                next.insert(path.clone(), documents);
            }
            all.push((size, next));
        }
    }
    all.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    all.into_iter().map(|(_, tree)| tree).collect()
}

/// The value without each of its parts, with the size of what went. Text that
/// is JSON itself (inline patches) loses parts, too.
fn removals(value: &Value, all: &mut Vec<(usize, Value)>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let mut rest = items.clone();
                rest.remove(at);
                all.push((size(item), Value::Array(rest)));
                within(item, all, |smaller| {
                    let mut changed = items.clone();
                    changed[at] = smaller;
                    Value::Array(changed)
                });
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let mut rest = fields.clone();
                rest.remove(key);
                all.push((size(field), Value::Object(rest)));
                within(field, all, |smaller| {
                    let mut changed = fields.clone();
                    changed.insert(key.clone(), smaller);
                    Value::Object(changed)
                });
            }
        }
        Value::String(text) => {
            if let Ok(inner @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text) {
                within(&inner, all, |smaller| Value::String(smaller.to_string()));
            }
        }
        _ => {}
    }
}

fn within(value: &Value, all: &mut Vec<(usize, Value)>, wrap: impl Fn(Value) -> Value) {
    let mut inner = Vec::new();
    removals(value, &mut inner);
    all.extend(
        inner
            .into_iter()
            .map(|(size, smaller)| (size, wrap(smaller))),
    );
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}
