//! Objects that upstream takes through generic values.

use ecow::{EcoString, EcoVec};
use yaml::{Node, Style, Tag, Value};

/// Gives the scalars of a canonical node the form in which upstream prints generic
/// values, which it then reads again: numbers the text of the float they are, texts
/// their style.
pub(crate) fn printed(node: &mut Node) {
    match &mut node.value {
        Value::Scalar(text) => {
            if matches!(node.tag, Tag::Int | Tag::Float)
                && let Ok(value) = text.parse::<f64>()
            {
                let printed = EcoString::from(yaml::float_text(value));
                node.tag = yaml::plain_tag(&printed);
                *text = printed;
            } else if node.tag == Tag::Str {
                node.style = printed_style(text);
            }
        }
        Value::Sequence(items) => EcoVec::make_mut(items).iter_mut().for_each(printed),
        Value::Mapping(entries) => EcoVec::make_mut(entries)
            .iter_mut()
            .for_each(|entry| printed(&mut entry.value)),
    }
}

/// Gives a canonical node the styles that its JSON text has.
pub(crate) fn printed_as_json(node: &mut Node) {
    match &mut node.value {
        Value::Scalar(_) => {
            if node.tag == Tag::Str {
                node.style = Style::DoubleQuoted;
            }
        }
        Value::Sequence(items) => {
            node.style = Style::Flow;
            items.make_mut().iter_mut().for_each(printed_as_json);
        }
        Value::Mapping(entries) => {
            node.style = Style::Flow;
            for entry in entries.make_mut() {
                entry.key.style = Style::DoubleQuoted;
                printed_as_json(&mut entry.value);
            }
        }
    }
}

/// The style in which a text is printed.
fn printed_style(text: &str) -> Style {
    let word = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'_');
    // Words but for those that mean something else.
    if text.len() > 5 && text.bytes().all(word) {
        return Style::Plain;
    }
    if !text.contains('\n') && yaml::was_no_string(text) {
        return Style::DoubleQuoted;
    }
    match yaml::emit_v3(&Node::string(text)).as_bytes().first() {
        Some(b'"') => Style::DoubleQuoted,
        Some(b'\'') => Style::SingleQuoted,
        Some(b'|') => Style::Literal,
        _ => Style::Plain,
    }
}
