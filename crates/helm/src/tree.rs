//! Between YAML's trees and values, as Go does it by way of a JSON text.

use gotmpl::Value;
use gotmpl::strconv::parse_float;
use yaml::{FileId, Node, Tag};

use crate::data::Data;
use crate::json;

/// Trees that nest deeper go by way of the text, which has Go's words for them.
pub(crate) const DEEPEST: usize = 200;

/// A node in JSON's form as data: all numbers are floats.
pub(crate) fn data(node: &Node) -> Data {
    match &node.value {
        yaml::Value::Mapping(entries) => {
            let entry = |entry: &yaml::Entry| {
                let key = entry.key.as_str().unwrap_or_default();
                (key.as_bytes().into(), data(&entry.value))
            };
            Data::Map(entries.iter().map(entry).collect())
        }
        yaml::Value::Sequence(items) => Data::List(items.iter().map(data).collect()),
        yaml::Value::Scalar(text) => match node.tag {
            Tag::Null => Data::Null,
            Tag::Bool => Data::Bool(node.as_bool().unwrap_or_default()),
            Tag::Int | Tag::Float => match parse_float(text.as_bytes()) {
                Some(number) => Data::Float(number),
                None => Data::text(text),
            },
            _ => Data::text(text),
        },
    }
}

/// Whether a node nests at most so deep.
pub(crate) fn is_within(node: &Node, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    node.items().iter().all(|item| is_within(item, below))
        && node
            .entries()
            .iter()
            .all(|entry| is_within(&entry.value, below))
}

/// What [`yaml::from_json`] gives for the JSON text of a value; `None` for what
/// only the text can tell.
pub(crate) fn node(value: &Value) -> Option<Node> {
    at(value, 0)
}

fn at(value: &Value, depth: usize) -> Option<Node> {
    if depth > DEEPEST {
        return None;
    }
    Some(match value {
        Value::Nil => Node::null(),
        Value::Bool(truth) => Node::bool(*truth),
        Value::Int(number, _) => Node::int(*number),
        Value::String(text) => Node::string(std::str::from_utf8(text).ok()?),
        Value::Float(number) if number.is_finite() => number_of(*number)?,
        Value::List(list) if list.is_nil() => Node::null(),
        Value::List(list) => {
            let items = list.items().iter().map(|item| at(item, depth + 1));
            Node::seq(items.collect::<Option<Vec<Node>>>()?)
        }
        Value::Map(map) if map.is_nil() => Node::null(),
        Value::Map(map) => {
            let entries = map.entries();
            let mut made = Vec::with_capacity(entries.len());
            for (key, item) in &entries {
                made.push((std::str::from_utf8(key).ok()?, at(item, depth + 1)?));
            }
            Node::map(made)
        }
        _ => return None,
    })
}

/// Beyond this, Go writes whole floats with an exponent or digits that are not
/// theirs.
const WHOLE: f64 = 9_007_199_254_740_992.0;

fn number_of(number: f64) -> Option<Node> {
    // Most numbers are whole. Zero may have a sign.
    #[allow(clippy::cast_possible_truncation)]
    if number.fract() == 0.0 && number.abs() < WHOLE && number != 0.0 {
        return Some(Node::int(number as i64));
    }
    let text = json::write(&Value::Float(number), json::Style::default()).ok()?;
    yaml::from_json(&text, FileId::NONE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_not_needed() {
        for text in [
            r#"{"a":[1,2.5,-0,0,1e21,9007199254740993,1e-7,true,null,"é\n<"],"b":{}}"#,
            r#"[[],{"x":"yes","y":"1"},-12,100000000000000000000]"#,
        ] {
            let value = json::read(text).unwrap();
            let by_text = json::write(&value, json::Style::default()).unwrap();
            let by_text = yaml::from_json(&by_text, FileId::NONE).unwrap();
            let node = node(&value).unwrap();
            assert_eq!(yaml::emit_v2(&node), yaml::emit_v2(&by_text), "{text}");
            assert_eq!(node, by_text, "{text}");
            let back = data(&by_text).to_value();
            assert_eq!(data(&by_text), Data::of(&back));
            assert_eq!(Data::of(&back), Data::of(&value), "{text}");
        }
        let odd = Value::String(gotmpl::value::Str::from(&b"\xff"[..]));
        assert!(node(&odd).is_none());
    }
}
