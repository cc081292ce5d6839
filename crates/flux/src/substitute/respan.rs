//! Giving a re-read object the places of the one it was printed from.

use yaml::{Node, Span, Value};

/// Copies places, and what is known to be unknown, from `old` to `new`. Both
/// have their keys sorted. What `old` has no counterpart for gets the place of
/// what it came from.
pub(super) fn respan(old: &Node, new: &mut Node) {
    new.span = old.span;
    match (&old.value, &mut new.value) {
        (Value::Mapping(old_entries), Value::Mapping(new_entries)) => {
            let mut olds = old_entries.iter().peekable();
            for new in new_entries.make_mut() {
                let key = new.key.text();
                while olds.peek().is_some_and(|old| old.key.text() < key) {
                    olds.next();
                }
                match olds.peek().filter(|old| old.key.text() == key) {
                    Some(old) => {
                        new.key.span = old.key.span;
                        respan(&old.value, &mut new.value);
                    }
                    None => {
                        let place = renamed(old, new.key.text().map_or("", |text| text));
                        cover(place, &mut new.key);
                        cover(place, &mut new.value);
                    }
                }
            }
        }
        (Value::Sequence(olds), Value::Sequence(news)) => {
            for (at, new) in news.make_mut().iter_mut().enumerate() {
                match olds.get(at) {
                    Some(old) => respan(old, new),
                    None => cover(old.span, new),
                }
            }
        }
        (Value::Scalar(_), Value::Scalar(_)) => new.unknown |= old.unknown,
        // A value that grew into a collection, or a collection's end.
        _ => cover(old.span, new),
    }
}

/// The place of the key that became `key`: the only one with an expression, or
/// the mapping.
fn renamed(old: &Node, key: &str) -> Span {
    let mut candidates = old
        .entries()
        .iter()
        .filter(|entry| entry.key.text().is_some_and(|text| text.contains('$')));
    match (candidates.next(), candidates.next()) {
        (Some(only), None) if !only.key.span.is_none() && !key.is_empty() => only.key.span,
        _ => old.span,
    }
}

/// Gives a whole tree one place.
fn cover(place: Span, node: &mut Node) {
    node.span = place;
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items
            .make_mut()
            .iter_mut()
            .for_each(|item| cover(place, item)),
        Value::Mapping(entries) => entries.make_mut().iter_mut().for_each(|entry| {
            cover(place, &mut entry.key);
            cover(place, &mut entry.value);
        }),
    }
}
