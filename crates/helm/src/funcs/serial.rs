//! JSON and YAML. Helm's own `toJson` and `fromJson` take the place of
//! sprig's.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use gotmpl::value::types::{ANY_MAP, ANY_SLICE};
use gotmpl::value::{List, Map, Str};
use gotmpl::{Args, Context, Failure, Functions, Value};
use yaml::FileId;

use super::templates::Rendering;
use super::{ANY, TEXT, made};
use crate::data::Data;
use crate::json::{self, Style};
use crate::tree;

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
    all.add("fromYaml", &[TEXT], |cx, args| {
        Ok(object(from_yaml(cx, &args), DECODING))
    });
    all.add("fromYamlArray", &[TEXT], |cx, args| {
        Ok(array(from_yaml(cx, &args), DECODING))
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
    let told = |e: yaml::Error| Failure::from(e.to_string());
    let node = match tree::node(value) {
        Some(node) => node,
        None => yaml::from_json(&json::write(value, HTML)?, FileId::NONE).map_err(told)?,
    };
    let text = yaml::json_to_yaml(&node).map_err(told)?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// What a text says. Charts ask again and again for what the same helpers give:
/// it is read once a render.
fn from_yaml(cx: &Context<'_>, args: &Args) -> Result<Value, String> {
    let host = cx.host::<Rendering>();
    if let Some(host) = &host
        && let Some(known) = host.read.get(args.bytes(0))
    {
        return Ok(known);
    }
    let node = yaml::sigs_to_json(&args.text(0), FileId::NONE, false)
        .map_err(|e| format!("error converting YAML to JSON: {e}"))?;
    if !tree::is_within(&node, tree::DEEPEST) {
        return json::read(&yaml::to_json(&node));
    }
    let data = tree::data(&node);
    let value = data.to_value();
    if let Some(host) = &host {
        host.read.keep(args.bytes(0), data);
    }
    Ok(value)
}

/// Bytes of the texts that one render keeps what they say of.
const KEPT: usize = 4 << 20;

/// What texts say that were read in a render.
#[derive(Debug, Default)]
pub(crate) struct Read {
    known: RefCell<HashMap<Box<[u8]>, Data>>,
    bytes: Cell<usize>,
}

impl Read {
    /// A copy of its own: templates change what they are given.
    fn get(&self, text: &[u8]) -> Option<Value> {
        self.known.borrow().get(text).map(Data::to_value)
    }

    fn keep(&self, text: &[u8], data: Data) {
        let bytes = self.bytes.get() + text.len();
        if bytes <= KEPT {
            self.bytes.set(bytes);
            self.known.borrow_mut().insert(text.into(), data);
        }
    }
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
