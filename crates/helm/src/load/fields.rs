//! Structs as Go decodes them from YAML by way of JSON: names of fields by any
//! case, scalars as texts where a field is one, and Go's words for what does
//! not fit.

use gotmpl::strconv::{FloatForm, format_float, parse_float};
use gotmpl::time::Time;
use yaml::{Node, Tag};

use crate::data::Data;
use crate::tree::data;

/// A struct of Go.
pub(super) struct Struct {
    /// The type's name.
    pub name: &'static str,
    /// Fields by the names of JSON and of Go.
    pub fields: &'static [(&'static str, &'static str, Field)],
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Text,
    Bool,
    /// A moment, in RFC 3339.
    Time,
    Texts,
    TextMap,
    /// A list of anything.
    List,
    Structs(&'static Struct),
}

impl Struct {
    /// The struct with no field set. Lists of structs are missing then: they
    /// are not the same as empty ones.
    pub fn zero(&self) -> Data {
        let mut zero = Data::map();
        for (_, go, field) in self.fields {
            match field {
                Field::Text | Field::Time => zero.set(go, Data::text("")),
                Field::Bool => zero.set(go, Data::Bool(false)),
                Field::Texts | Field::List => zero.set(go, Data::List(Vec::new())),
                Field::TextMap => zero.set(go, Data::map()),
                Field::Structs(_) => {}
            }
        }
        zero
    }

    /// Sets the fields that a node has, over those that are known. Fails with
    /// Go's words where one does not fit.
    pub fn decode(&'static self, node: &Node, known: Data) -> Result<Data, String> {
        let mut decoder = Decoder::default();
        let data = decoder.object(self, node, known);
        match decoder.fault {
            None => Ok(data),
            Some(fault) => Err(format!(
                "error unmarshaling JSON: while decoding JSON: {fault}"
            )),
        }
    }
}

impl Struct {
    /// The fields that are set, by the names of JSON.
    pub fn encode(&self, data: &Data) -> Data {
        let mut out = Data::map();
        for (json, go, field) in self.fields {
            let Some(value) = data.get(go).filter(|value| !is_zero(value)) else {
                continue;
            };
            let value = match (field, value) {
                (Field::Structs(known), Data::List(items)) => {
                    Data::List(items.iter().map(|item| known.encode(item)).collect())
                }
                (_, value) => value.clone(),
            };
            out.set(json, value);
        }
        out
    }
}

fn is_zero(data: &Data) -> bool {
    match data {
        Data::Null | Data::Bool(false) => true,
        Data::String(text) => text.is_empty(),
        Data::List(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Remembers the first fault, as Go does.
#[derive(Default)]
struct Decoder {
    fault: Option<String>,
    /// The struct, and the names of fields down to its field.
    place: Option<(&'static str, Vec<&'static str>)>,
}

impl Decoder {
    fn object(&mut self, known: &'static Struct, node: &Node, mut data: Data) -> Data {
        if node.is_null() {
            return data;
        }
        if !node.is_map() {
            self.misfit(node, &format!("v2.{}", known.name));
            return data;
        }
        let above = self.place.take();
        let path = above.as_ref().map_or(&[][..], |(_, path)| path);
        let mut entries: Vec<(&str, &Node)> = node
            .entries()
            .iter()
            .filter_map(|entry| Some((entry.key.as_str()?, &entry.value)))
            .collect();
        entries.sort_by_key(|(key, _)| *key);
        for (key, value) in entries {
            let exact = known.fields.iter().find(|(json, ..)| *json == key);
            let folded = || {
                let mut fields = known.fields.iter();
                fields.find(|(json, ..)| json.eq_ignore_ascii_case(key))
            };
            let Some((json, go, field)) = exact.or_else(folded) else {
                continue;
            };
            let path = path.iter().copied().chain([*json]).collect();
            self.place = Some((known.name, path));
            let before = data.get(go).cloned().unwrap_or_default();
            let after = self.field(*field, value, before);
            data.set(go, after);
        }
        self.place = above;
        data
    }

    fn field(&mut self, field: Field, node: &Node, before: Data) -> Data {
        match field {
            Field::Text => self.text(node, before),
            Field::Bool if node.is_null() => before,
            Field::Bool => match (&node.tag, node.as_bool()) {
                (Tag::Bool, Some(truth)) => Data::Bool(truth),
                _ => self.misfit(node, "bool"),
            },
            Field::Time => self.time(node, before),
            Field::TextMap if node.is_null() => Data::map(),
            Field::TextMap if node.is_map() => {
                let entry = |entry: &yaml::Entry| {
                    let key = entry.key.as_str()?.as_bytes().into();
                    Some((key, self.text(&entry.value, Data::text(""))))
                };
                Data::Map(node.entries().iter().filter_map(entry).collect())
            }
            Field::TextMap => self.misfit(node, "map[string]string"),
            Field::Texts | Field::List if node.is_null() => Data::List(Vec::new()),
            Field::Structs(_) if node.is_null() => Data::Null,
            Field::Texts if node.is_seq() => {
                let items = node.items().iter();
                Data::List(items.map(|item| self.text(item, Data::text(""))).collect())
            }
            Field::Texts => self.misfit(node, "[]string"),
            Field::List if node.is_seq() => Data::List(node.items().iter().map(data).collect()),
            Field::List => self.misfit(node, "[]interface {}"),
            Field::Structs(known) if node.is_seq() => self.structs(known, node, before),
            Field::Structs(known) => self.misfit(node, &format!("[]*v2.{}", known.name)),
        }
    }

    /// Go decodes into the items that a list has already.
    fn structs(&mut self, known: &'static Struct, node: &Node, before: Data) -> Data {
        let before = match before {
            Data::List(items) => items,
            _ => Vec::new(),
        };
        let mut before = before.into_iter();
        let mut items = Vec::new();
        for item in node.items() {
            let old = before.next();
            items.push(match item.is_null() {
                true => Data::Null,
                false => {
                    let old = old.filter(|old| matches!(old, Data::Map(_)));
                    self.object(known, item, old.unwrap_or_else(|| known.zero()))
                }
            });
        }
        Data::List(items)
    }

    /// Numbers and truths are taken as texts.
    fn text(&mut self, node: &Node, before: Data) -> Data {
        let Some(text) = node.text().filter(|_| node.is_scalar()) else {
            return match node.is_null() {
                true => before,
                false => self.misfit(node, "string"),
            };
        };
        match node.tag {
            Tag::Null => before,
            Tag::Float => match parse_float(text.as_bytes()) {
                Some(number) => Data::text(&format_float(number, FloatForm::General, None, false)),
                None => Data::text(text),
            },
            _ => Data::text(text),
        }
    }

    fn time(&mut self, node: &Node, before: Data) -> Data {
        const LAYOUT: &[u8] = b"2006-01-02T15:04:05Z07:00";
        if node.is_null() {
            return before;
        }
        let fault = match node.text() {
            Some(text) if node.tag == Tag::Str => match Time::parse(LAYOUT, text.as_bytes()) {
                Ok(_) => return Data::text(text),
                Err(fault) => fault,
            },
            _ => "Time.UnmarshalJSON: input is not a JSON string".to_owned(),
        };
        self.fault.get_or_insert(fault);
        before
    }

    fn misfit(&mut self, node: &Node, wanted: &str) -> Data {
        let found = match &node.tag {
            _ if node.is_map() => "object",
            _ if node.is_seq() => "array",
            Tag::Int | Tag::Float => "number",
            Tag::Bool => "bool",
            _ => "string",
        };
        let place = match &self.place {
            Some((name, path)) => format!("Go struct field {name}.{}", path.join(".")),
            None => "Go value".to_owned(),
        };
        self.fault.get_or_insert_with(|| {
            format!("json: cannot unmarshal {found} into {place} of type {wanted}")
        });
        Data::Null
    }
}
