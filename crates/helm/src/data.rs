//! Values that threads share: what charts and releases hold before a render
//! makes values of its own from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;
use gotmpl::value::types::{ANY_MAP, ANY_SLICE};
use gotmpl::value::{List, Map, Str};

/// A tree as YAML files give it to Helm: all numbers are floats unless a
/// `--set` made them integers.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Data {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// `int64`
    Int(i64),
    /// `float64`
    Float(f64),
    /// A text.
    String(Arc<[u8]>),
    /// A list.
    List(Vec<Data>),
    /// A map.
    Map(BTreeMap<Arc<[u8]>, Data>),
}

impl Data {
    /// A text.
    pub fn text(text: &str) -> Self {
        Data::String(Arc::from(text.as_bytes()))
    }

    /// An empty map.
    pub fn map() -> Self {
        Data::Map(BTreeMap::new())
    }

    /// The entry of a map.
    pub fn get(&self, key: &str) -> Option<&Data> {
        match self {
            Data::Map(entries) => entries.get(key.as_bytes()),
            _ => None,
        }
    }

    /// The text of an entry; empty where there is none.
    pub fn text_at(&self, key: &str) -> String {
        match self.get(key) {
            Some(Data::String(text)) => String::from_utf8_lossy(text).into_owned(),
            _ => String::new(),
        }
    }

    /// The items of an entry that is a list.
    pub fn items_at(&self, key: &str) -> &[Data] {
        match self.get(key) {
            Some(Data::List(items)) => items,
            _ => &[],
        }
    }

    /// Sets an entry of a map; what is none stays as it is.
    pub fn set(&mut self, key: &str, value: Data) {
        if let Data::Map(entries) = self {
            entries.insert(Arc::from(key.as_bytes()), value);
        }
    }

    /// Values of a render: a deep copy, texts shared.
    pub fn to_value(&self) -> Value {
        match self {
            Data::Null => Value::Nil,
            Data::Bool(truth) => Value::Bool(*truth),
            Data::Int(number) => Value::int64(*number),
            Data::Float(number) => Value::Float(*number),
            Data::String(text) => Value::String(Str::from(text.clone())),
            Data::List(items) => {
                List::new(&ANY_SLICE, items.iter().map(Data::to_value).collect()).into()
            }
            Data::Map(_) => self.to_map().into(),
        }
    }

    /// A map of a render; an empty one for what is none.
    pub fn to_map(&self) -> Map {
        match self {
            Data::Map(entries) => {
                let entry =
                    |(key, item): (&Arc<[u8]>, &Data)| (Str::from(key.clone()), item.to_value());
                Map::with(&ANY_MAP, entries.iter().map(entry).collect())
            }
            _ => Map::new(&ANY_MAP),
        }
    }

    /// What a value of a render holds, as far as it is data.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Bool(truth) => Data::Bool(*truth),
            Value::Int(number, _) => Data::Int(*number),
            Value::Uint(number, _) => Data::Int(i64::try_from(*number).unwrap_or(i64::MAX)),
            Value::Float(number) => Data::Float(*number),
            Value::Float32(number) => Data::Float(f64::from(*number)),
            Value::String(text) => Data::String(Arc::from(text.bytes())),
            Value::List(list) => Data::List(list.items().iter().map(Data::of).collect()),
            Value::Map(map) => {
                let entry = |(key, item): (Str, Value)| (Arc::from(key.bytes()), Data::of(&item));
                Data::Map(map.entries().into_iter().map(entry).collect())
            }
            _ => Data::Null,
        }
    }
}
