//! JSON and YAML. Helm's own `toJson` and `fromJson` take the place of
//! sprig's.

use gotmpl::value::types::{ANY_MAP, ANY_SLICE};
use gotmpl::value::{List, Map, Str};
use gotmpl::{Failure, Functions, Value};
use yaml::FileId;

use super::{ANY, TEXT, made};
use crate::json::{self, Style};

const HTML: Style = Style {
    html: true,
    pretty: false,
};
const PRETTY: Style = Style {
    html: true,
    pretty: true,
};

/// What the YAML route says before a message of JSON's.
const DECODING: &str = "error unmarshaling JSON: while decoding JSON: ";

pub(super) fn add(all: &mut Functions) {
    writing(all, "toJson", |value| json::write(value, HTML));
    writing(all, "toPrettyJson", |value| json::write(value, PRETTY));
    writing(all, "toYaml", to_yaml);
    for name in ["toRawJson", "mustToRawJson"] {
        all.add(name, &[ANY], |cx, args| {
            let text = json::write(args.get(0), Style::default())?;
            made(cx, text)
        });
    }
    all.add("mustFromJson", &[TEXT], |_, args| {
        Ok(json::read(&args.text(0))?)
    });
    all.add("fromJson", &[TEXT], |_, args| {
        Ok(object(json::read(&args.text(0)), ""))
    });
    all.add("fromJsonArray", &[TEXT], |_, args| {
        Ok(array(json::read(&args.text(0)), ""))
    });
    all.add("fromYaml", &[TEXT], |_, args| {
        Ok(object(from_yaml(&args.text(0)), DECODING))
    });
    all.add("fromYamlArray", &[TEXT], |_, args| {
        Ok(array(from_yaml(&args.text(0)), DECODING))
    });
}

/// Adds a writer that gives nothing on failure, and its `must` twin.
fn writing(all: &mut Functions, name: &str, write: fn(&Value) -> Result<String, Failure>) {
    all.add(name, &[ANY], move |cx, args| {
        let text = write(args.get(0)).unwrap_or_default();
        made(cx, text)
    });
    let must = format!("mustT{}", name.strip_prefix('t').unwrap_or(name));
    all.add(&must, &[ANY], move |cx, args| {
        let text = write(args.get(0))?;
        made(cx, text)
    });
}

/// YAML as Kubernetes' tools write it.
pub(crate) fn to_yaml(value: &Value) -> Result<String, Failure> {
    let json = json::write(value, HTML)?;
    let told = |e: yaml::Error| Failure::from(e.to_string());
    let node = yaml::from_json(&json, FileId::NONE).map_err(told)?;
    let text = yaml::json_to_yaml(&node).map_err(told)?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

fn from_yaml(text: &str) -> Result<Value, String> {
    let node = yaml::sigs_to_json(text, FileId::NONE, false)
        .map_err(|e| format!("error converting YAML to JSON: {e}"))?;
    json::read(&yaml::to_json(&node))
}

/// What was read where a map is wanted. An error is an entry of the map.
fn object(read: Result<Value, String>, route: &str) -> Value {
    let map = Map::new(&ANY_MAP);
    let error = match read {
        Ok(Value::Map(map)) => return map.into(),
        Ok(Value::Nil) => return map.into(),
        Ok(other) => wrong_type(&other, "map[string]interface {}", route),
        Err(error) => error,
    };
    map.insert(Str::from_static("Error"), Value::from(error));
    map.into()
}

/// What was read where a list is wanted.
fn array(read: Result<Value, String>, route: &str) -> Value {
    let error = match read {
        Ok(Value::List(list)) => return list.into(),
        Ok(Value::Nil) => return Value::List(List::nil(&ANY_SLICE)),
        Ok(other) => wrong_type(&other, "[]interface {}", route),
        Err(error) => error,
    };
    List::from_iter([Value::from(error)]).into()
}

fn wrong_type(value: &Value, ty: &str, route: &str) -> String {
    let kind = match value {
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::List(_) => "array",
        Value::Map(_) => "object",
        _ => "number",
    };
    format!("{route}json: cannot unmarshal {kind} into Go value of type {ty}")
}
