//! The functions of charts' templates: those of sprig 3.3, without `env` and
//! `expandenv`, and Helm's own.
//!
//! What Go answers at random or by the clock is a placeholder here that is
//! the same in every run; [`Unstable`] tells who asked.

mod cases;
mod cast;
mod crypto;
mod dates;
mod defaults;
mod dicts;
mod hashes;
mod lists;
mod math;
mod merge;
mod paths;
mod pretty;
mod regexes;
mod serial;
mod strings;
pub(crate) mod templates;
mod toml;
mod unstable;
mod urls;
mod versions;

use gotmpl::value::types::SliceType;
use gotmpl::value::{IntKind, List, Type};
use gotmpl::{Args, Context, Failure, Functions, Value};

pub(crate) use paths::clean as clean_path;
pub(crate) use serial::to_yaml;
pub use templates::Rendering;
pub use unstable::Unstable;

/// What a function gives.
pub(crate) type Answer = Result<Value, Failure>;

/// Adds all functions.
pub fn add(all: &mut Functions) {
    strings::add(all);
    cases::add(all);
    lists::add(all);
    dicts::add(all);
    math::add(all);
    defaults::add(all);
    serial::add(all);
    pretty::add(all);
    toml::add(all);
    regexes::add(all);
    dates::add(all);
    paths::add(all);
    urls::add(all);
    hashes::add(all);
    crypto::add(all);
    versions::add(all);
    unstable::add(all);
    templates::add(all);
}

const TEXT: Type = Type::String;
const ANY: Type = Type::Any;

/// Adds a function of texts that gives a text.
fn text_of(
    all: &mut Functions,
    name: &str,
    params: &[Type],
    body: impl Fn(&Args<'_>) -> String + Send + Sync + 'static,
) {
    all.add(name, params, move |cx, args| made(cx, body(&args)));
}

/// A text that was made, counted.
fn made(cx: &mut Context<'_>, text: impl Into<gotmpl::value::Str>) -> Answer {
    let text = text.into();
    cx.charge(text.len())?;
    Ok(Value::String(text))
}

/// The elements of a slice of any type, each a value of its own.
fn elements(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(list) => Some(list.items().to_vec()),
        Value::Bytes(bytes) => {
            let byte = |byte: &u8| Value::Uint(u64::from(*byte), gotmpl::value::UintKind::Uint8);
            Some(bytes.iter().map(byte).collect())
        }
        _ => None,
    }
}

/// A list of so many elements, counted.
fn list_of(cx: &mut Context<'_>, ty: &'static SliceType, items: Vec<Value>) -> Answer {
    cx.steps(items.len() as u64)?;
    Ok(Value::List(List::new(ty, items)))
}

/// Go's name of a value's kind.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nil => "invalid",
        Value::Bytes(_) | Value::List(_) => "slice",
        Value::Map(_) => "map",
        Value::Func(_) => "func",
        Value::Object(object) if object.type_name().starts_with('*') => "ptr",
        Value::Object(_) => "struct",
        Value::Int(_, IntKind::Month | IntKind::Weekday) => "int",
        Value::Int(_, IntKind::Duration) => "int64",
        other => other.type_name(),
    }
}

/// A value as text, as sprig's `toString` has it.
pub(crate) fn text(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.to_vec(),
        Value::Bytes(bytes) => bytes.to_vec(),
        other => gotmpl::fmt::sprint_one(other),
    }
}
