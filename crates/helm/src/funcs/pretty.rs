//! `toYamlPretty`: values as go-yaml v3 writes Go's, with lists indented below
//! their keys.

use std::cmp::Ordering;

use gotmpl::time::Time;
use gotmpl::{Functions, Value};
use yaml::{Node, Style, Tag, Tagging};

use super::{ANY, made};

/// Values nest no deeper.
const DEEPEST: usize = 200;

pub(super) fn add(all: &mut Functions) {
    all.add("toYamlPretty", &[ANY], |cx, args| {
        let node = node(args.get(0), 0);
        let text = node.map(|node| yaml::emit_v3_indented(&node));
        let mut text = text.unwrap_or_default();
        if text.ends_with('\n') {
            text.pop();
        }
        made(cx, text)
    });
}

fn node(value: &Value, depth: usize) -> Option<Node> {
    if depth > DEEPEST {
        return None;
    }
    Some(match value {
        Value::Nil => Node::null(),
        Value::Bool(truth) => Node::bool(*truth),
        Value::Int(number, _) => Node::int(*number),
        Value::Uint(number, _) => plain(Tag::Int, &number.to_string()),
        Value::Float(number) => float(&yaml::float_text(*number)),
        Value::Float32(number) => {
            let text = gotmpl::strconv::format_float(
                f64::from(*number),
                gotmpl::strconv::FloatForm::General,
                None,
                true,
            );
            float(&text)
        }
        Value::String(text) => string(text.bytes()),
        Value::Bytes(bytes) => Node::seq(bytes.iter().map(|byte| Node::int(i64::from(*byte)))),
        Value::List(list) => {
            let items = list.items().iter().map(|item| node(item, depth + 1));
            Node::seq(items.collect::<Option<Vec<_>>>()?)
        }
        Value::Map(map) => {
            let mut entries = map.entries();
            entries.sort_by(|(a, _), (b, _)| by_key(&a.text(), &b.text()));
            let mut out = Node::map::<&str>([]);
            let mapping = out.entries_mut()?;
            for (key, item) in entries {
                mapping.push(yaml::Entry {
                    key: string(key.bytes()),
                    value: node(&item, depth + 1)?,
                });
            }
            out
        }
        Value::Object(object) => match object.as_any().downcast_ref::<Time>() {
            Some(time) => {
                let text = time.format(b"2006-01-02T15:04:05.999999999Z07:00");
                plain(Tag::Timestamp, &String::from_utf8_lossy(&text))
            }
            None => {
                let fields = object.fields().iter();
                let field = |name: &&'static str| {
                    let value = object.field(name).unwrap_or_default();
                    Some((name.to_lowercase(), node(&value, depth + 1)?))
                };
                Node::map(fields.map(field).collect::<Option<Vec<_>>>()?)
            }
        },
        Value::Func(_) | Value::Complex(_) => return None,
    })
}

/// A float without a fraction reads as an integer.
fn float(text: &str) -> Node {
    let text = match text {
        "+Inf" => ".inf",
        "-Inf" => "-.inf",
        "NaN" => ".nan",
        text => text,
    };
    plain(yaml::plain_tag(text), text)
}

fn plain(tag: Tag, text: &str) -> Node {
    Node {
        tag,
        ..Node::string(text)
    }
}

fn string(bytes: &[u8]) -> Node {
    let Ok(text) = std::str::from_utf8(bytes) else {
        use base64::Engine as _;
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        return Node {
            tag: Tag::Binary,
            tagging: Tagging::Written,
            ..Node::string(text)
        };
    };
    let mut node = Node::string(text);
    if !text.contains('\n') && (is_old_bool(text) || is_base_60(text)) {
        node.style = Style::DoubleQuoted;
    }
    node
}

/// What YAML 1.1 takes for a truth.
fn is_old_bool(text: &str) -> bool {
    const WORDS: &[&str] = &["y", "yes", "on", "n", "no", "off"];
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let mut rest = text.chars().skip(1);
    let first = text.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    let lower = rest.clone().all(|c| c.is_ascii_lowercase());
    let upper = first && rest.all(|c| c.is_ascii_uppercase());
    is_word && (lower || upper)
}

/// What YAML 1.1 takes for a number of minutes and seconds.
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        matches!(bytes, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
    };
    let mut rest = parts.peekable();
    rest.peek().is_some()
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(is_digit)
        && rest.all(is_part)
        && fraction.chars().all(is_digit)
}

/// The order of keys: letters behind all else, but before it where a digit is
/// before both; digits by their value.
fn by_key(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (Some(x), Some(y)) = (a.get(shared), b.get(shared)) else {
        return a.len().cmp(&b.len());
    };
    let before = a.get(..shared).unwrap_or_default();
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(y),
        (false, false) => {}
        (x_is, _) => {
            let digits = before.last().is_some_and(|c| c.is_numeric());
            return match digits == x_is {
                true => Ordering::Less,
                false => Ordering::Greater,
            };
        }
    }
    // A zero behind other digits is a digit of their number.
    let behind = before.iter().rev().take_while(|c| c.is_ascii_digit());
    let inner = (*x == '0' || *y == '0') && behind.into_iter().any(|c| *c != '0');
    let number = |text: &[char]| {
        let rest = text.get(shared..).unwrap_or_default();
        let digits = rest.iter().map_while(|c| c.to_digit(10));
        digits.fold((i64::from(inner), 0), |(number, count), digit| {
            let number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
            (number, count + 1)
        })
    };
    number(&a).cmp(&number(&b)).then_with(|| x.cmp(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str) -> String {
        let value = crate::json::read(json).unwrap();
        yaml::emit_v3_indented(&node(&value, 0).unwrap())
    }

    #[test]
    fn lists_are_indented() {
        assert_eq!(
            written(r#"{"b": [1, {"c": [2]}], "a": "x\ny\n", "d": [[3]], "e": {}}"#),
            "a: |\n  x\n  y\nb:\n  - 1\n  - c:\n      - 2\nd:\n  - - 3\ne: {}\n"
        );
    }

    #[test]
    fn texts_that_look_like_more_are_quoted() {
        assert_eq!(
            written(r#"["yes", "1:30", "1", "null", "yEs", "", "a b", "~"]"#),
            "- \"yes\"\n- \"1:30\"\n- \"1\"\n- \"null\"\n- yEs\n- \"\"\n- a b\n- \"~\"\n"
        );
    }

    #[test]
    fn keys_are_in_order() {
        let mut keys = ["b", "a10", "a2", "a", "1", "a-b", "ab", "A"];
        keys.sort_by(|a, b| by_key(a, b));
        assert_eq!(keys, ["1", "A", "a", "a-b", "a2", "a10", "ab", "b"]);
    }
}
