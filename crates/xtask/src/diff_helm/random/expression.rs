//! Random expressions.

use serde_json::{Value, json};

use super::functions::{ASTRAY, FUNCTIONS, Kind, literals, paths};
use crate::random::Random;

/// Calls inside calls.
const DEEPEST: usize = 4;

/// An expression that should be of a kind.
pub fn expression(random: &mut Random, kind: Kind, depth: usize) -> Value {
    // Sometimes something else.
    let kind = if random.once_in(150) { 'a' } else { kind };
    if depth >= DEEPEST || random.once_in(4) {
        return match atom(random, kind) {
            // Only an argument can be nil.
            nil if depth < 2 && nil == json!("nil") => json!(".Values.missing"),
            atom => atom,
        };
    }
    let any = matches!(kind, 'a');
    let fits: Vec<&(&str, &str, Kind)> = FUNCTIONS
        .iter()
        .filter(|(_, _, result)| any || *result == kind)
        .collect();
    if fits.is_empty() {
        return atom(random, kind);
    }
    let (name, arguments, _) = fits[random.below(fits.len())];
    // Messages of `fail` end the render: rarely.
    if matches!(*name, "fail" | "required" | "lookup") && !random.once_in(30) {
        return atom(random, kind);
    }
    call(random, name, arguments, depth)
}

fn call(random: &mut Random, name: &str, arguments: &str, depth: usize) -> Value {
    let mut kinds: Vec<Kind> = Vec::new();
    for kind in arguments.chars() {
        match (kind, kinds.last().copied()) {
            ('*', Some(last)) => {
                for _ in 0..random.below(3) {
                    kinds.push(last);
                }
            }
            _ => kinds.push(kind),
        }
    }
    if name == "dict" {
        kinds = (0..random.below(3)).flat_map(|_| ['s', 'a']).collect();
    }
    if random.once_in(300) {
        kinds.pop();
    }
    let mut parts = vec![json!(name)];
    for (at, kind) in kinds.iter().enumerate() {
        let argument = expression(random, *kind, depth + 1);
        // A map that gets to hold itself ends upstream's process.
        let held = at > 0 && (name.starts_with("merge") || name.starts_with("mustMerge"));
        parts.push(match held || (name == "set" && at == 2) {
            true => json!(["deepCopy", argument]),
            false => argument,
        });
    }
    // The last argument can stand before.
    let can = parts.len() > 1 && parts.last() != Some(&json!("nil"));
    if can && random.once_in(3) {
        let last = parts.pop().unwrap_or_default();
        return json!(["|", last, parts]);
    }
    Value::Array(parts)
}

fn atom(random: &mut Random, kind: Kind) -> Value {
    let path = match kind {
        'a' | 's' | 'i' | 'f' | 'b' | 'l' | 'd' => random.once_in(2),
        'x' => random.once_in(6),
        _ => false,
    };
    let text = match path {
        true if random.once_in(60) => random.pick(ASTRAY),
        true => random.pick(paths(kind)),
        false => random.pick(literals(kind)),
    };
    json!(text)
}
