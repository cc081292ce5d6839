//! Templates on typed data, for both engines.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotmpl::regexp::Regexp;
use gotmpl::time::{self, Time, Zone};
use gotmpl::value::types::{ANY_MAP, ANY_SLICE, INT_SLICE, MapType, STRING_MAP, STRING_SLICE};
use gotmpl::value::{IntKind, List, Map, SliceType, Str, Type, UintKind};
use gotmpl::{Args, Context, Failure, Functions, Limits, MissingKey, Templates, Value};
use serde::Serialize;
use serde_json::Value as Json;

use super::{Native, Render};

/// One set of templates to execute. `oracle/README.md` describes the fields.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Case {
    /// Names and texts; the first is executed.
    pub templates: Vec<(String, String)>,
    /// A typed value.
    pub data: Json,
    /// What a missing key stands for.
    #[serde(rename = "missingKey")]
    pub missing_key: &'static str,
    /// Only parse and print.
    pub show: bool,
    /// Only parse and say whether there is anything to execute.
    pub empty: bool,
    /// What actions stand between.
    pub delims: (String, String),
}

impl Case {
    /// A text to execute on a typed value.
    pub fn new(name: &str, text: &str, data: Json) -> Self {
        Case {
            templates: vec![(name.to_owned(), text.to_owned())],
            data,
            ..Case::default()
        }
    }
}

impl Render for Native {
    fn render(&self, cases: &[Case]) -> Vec<Result<String, String>> {
        cases.iter().map(native).collect()
    }
}

fn native(case: &Case) -> Result<String, String> {
    let missing_key = match case.missing_key {
        "zero" => MissingKey::Zero,
        "error" => MissingKey::Error,
        _ => MissingKey::Invalid,
    };
    let mut set = Templates::new(FUNCTIONS.clone())
        .missing_key(missing_key)
        .delimiters(&case.delims.0, &case.delims.1);
    for (name, text) in &case.templates {
        set.parse(name, text).map_err(|e| e.to_string())?;
    }
    let name = case.templates.first().map_or("", |(name, _)| name);
    if case.show {
        return Ok(set.show(name, false).unwrap_or_default());
    }
    if case.empty {
        return Ok(set.is_empty(name).unwrap_or(true).to_string());
    }
    let limits = Limits {
        bytes: 1 << 20,
        ..Limits::default()
    };
    let output = set.execute(name, typed(&case.data), &limits);
    Ok(printable(&output.map_err(|e| e.to_string())?.text))
}

/// A text as JSON can hold it.
fn printable(text: &[u8]) -> String {
    match std::str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("base64:{}", STANDARD.encode(text)),
    }
}

static INT_MAP: MapType = MapType::of("map[string]int", Type::INT);
static BOOLS: SliceType = SliceType::of("[]bool", Type::Bool);
static ARRAY: SliceType = SliceType::of("[3]int", Type::INT);
static INT_MAPS: SliceType = SliceType::of("[]map[string]int", Type::Map(&INT_MAP));

/// The value that typed JSON stands for.
pub fn typed(json: &Json) -> Value {
    let name = json.get("t").and_then(Json::as_str).unwrap_or("nil");
    of_type(name, json.get("v").unwrap_or(&Json::Null))
}

/// A value of a named type.
pub fn of_type(name: &str, json: &Json) -> Value {
    let text = || json.as_str().unwrap_or_default();
    let list = |ty, elem: &str| match json.as_array() {
        Some(items) => List::new(ty, items.iter().map(|item| of_type(elem, item)).collect()),
        None => List::nil(ty),
    };
    let map = |ty, elem: &str| match json.as_object() {
        Some(entries) => {
            let entry =
                |(key, item): (&String, &Json)| (Str::from(key.as_str()), of_type(elem, item));
            Map::with(ty, entries.iter().map(entry).collect::<BTreeMap<_, _>>())
        }
        None => Map::nil(ty),
    };
    let int = |kind| Value::Int(json.as_i64().unwrap_or_default(), kind);
    let uint = |kind| Value::Uint(json.as_u64().unwrap_or_default(), kind);
    match name {
        "bool" => Value::Bool(json.as_bool().unwrap_or_default()),
        "int" => int(IntKind::Int),
        "int8" => int(IntKind::Int8),
        "int16" => int(IntKind::Int16),
        "int32" => int(IntKind::Int32),
        "int64" => int(IntKind::Int64),
        "uint" => uint(UintKind::Uint),
        "uint8" => uint(UintKind::Uint8),
        "uint16" => uint(UintKind::Uint16),
        "uint32" => uint(UintKind::Uint32),
        "uint64" => uint(UintKind::Uint64),
        "float32" => Value::Float32(json.as_f64().unwrap_or_default() as f32),
        "float64" => Value::Float(json.as_f64().unwrap_or_default()),
        "complex128" => {
            let part = |at: usize| json.get(at).and_then(Json::as_f64).unwrap_or_default();
            Value::Complex(Rc::new((part(0), part(1))))
        }
        "string" => Value::from(text()),
        "base64" => Value::string(STANDARD.decode(text()).unwrap_or_default()),
        "[]byte" => Value::bytes(STANDARD.decode(text()).unwrap_or_default()),
        "[]int" => list(&INT_SLICE, "int").into(),
        "[3]int" => list(&ARRAY, "int").into(),
        "[]bool" => list(&BOOLS, "bool").into(),
        "[]string" => list(&STRING_SLICE, "string").into(),
        "[]map[string]int" => list(&INT_MAPS, "map[string]int").into(),
        "map[string]int" => map(&INT_MAP, "int").into(),
        "map[string]string" => map(&STRING_MAP, "string").into(),
        "list" => list(&ANY_SLICE, "typed").into(),
        "map" => map(&ANY_MAP, "typed").into(),
        "typed" => typed(json),
        "fixture" => super::super::conformance::fixture::value(json),
        _ => Value::Nil,
    }
}

/// The functions of the oracle's `template.go`.
static FUNCTIONS: LazyLock<Arc<Functions>> = LazyLock::new(|| Arc::new(functions()));

fn same(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Value, Failure> {
    Ok(args.take(0))
}

fn functions() -> Functions {
    const UINT64: Type = Type::Uint(UintKind::Uint64);
    let mut all = Functions::new();
    all.add("typeOf", &[Type::Any], |_, args| {
        Ok(Value::from(args.get(0).type_name()))
    });
    all.add("same", &[Type::Any], same);
    all.add("int", &[Type::INT], same);
    all.add("int64", &[Type::INT64], same);
    all.add("uint8", &[Type::Uint(UintKind::Uint8)], same);
    all.add("uint64", &[UINT64], same);
    all.add("complex", &[Type::Complex], same);
    all.add("float", &[Type::Float64], same);
    all.add("bool", &[Type::Bool], same);
    all.add("text", &[Type::String], same);
    all.add("upper", &[Type::String], |_, args| {
        Ok(Value::from(args.text(0).to_uppercase()))
    });
    all.add("contains", &[Type::String, Type::String], |_, args| {
        let (text, part) = (args.bytes(0), args.bytes(1));
        let found = part.is_empty() || text.windows(part.len()).any(|window| window == part);
        Ok(Value::Bool(found))
    });
    lists(&mut all);
    times(&mut all);
    expressions(&mut all);
    all.add("dict", &[Type::String, Type::Any], |_, mut args| {
        let value = args.take(1);
        Ok(Map::from_iter([(args.string(0), value)]).into())
    });
    all.add("get", &[Type::DICT, Type::String], |_, args| {
        let found = args.map(0).and_then(|map| map.get(args.bytes(1)));
        Ok(found.unwrap_or_default())
    });
    all.add(
        "set",
        &[Type::DICT, Type::String, Type::Any],
        |_, mut args| {
            let value = args.take(2);
            match args.map(0) {
                Some(map) if map.is_nil() => Err("assignment to entry in nil map".into()),
                Some(map) => {
                    map.insert(args.string(1), value);
                    Ok(map.clone().into())
                }
                None => Ok(Value::Nil),
            }
        },
    );
    all.add_variadic("count", &[Type::String, Type::INT], |_, args| {
        let count = args.bytes(0).len() + args.rest(1).len();
        Ok(Value::int(i64::try_from(count).unwrap_or_default()))
    });
    all.add("fail", &[Type::String], |_, args| {
        Err(args.text(0).into_owned().into())
    });
    all.add("null", &[], |_, _| Ok(Value::Nil));
    all
}

fn lists(all: &mut Functions) {
    all.add_variadic("list", &[Type::Any], |_, args| {
        Ok(of_items(&ANY_SLICE, args.all()))
    });
    all.add_variadic("strings", &[Type::String], |_, args| {
        Ok(of_items(&STRING_SLICE, args.all()))
    });
    all.add_variadic("ints", &[Type::INT], |_, args| {
        Ok(of_items(&INT_SLICE, args.all()))
    });
    all.add("first", &[Type::LIST], |_, args| {
        let items = args.list(0).map(List::items).unwrap_or_default();
        Ok(items.first().cloned().unwrap_or_default())
    });
    all.add("join", &[Type::String, Type::STRINGS], |_, args| {
        let items = args.list(1).map(List::items).unwrap_or_default();
        let parts: Vec<&[u8]> = items
            .iter()
            .map(|item| match item {
                Value::String(text) => text.bytes(),
                _ => b"",
            })
            .collect();
        Ok(Value::string(parts.join(args.bytes(0))))
    });
}

fn of_items(ty: &'static SliceType, items: &[Value]) -> Value {
    List::new(ty, items.to_vec()).into()
}

fn times(all: &mut Functions) {
    let params = [Type::String, Type::INT, Type::INT, Type::INT, Type::String];
    all.add("timeFormat", &params, |_, args| {
        let nanos = u32::try_from(args.int(2)).map_err(|e| e.to_string())?;
        let offset = i32::try_from(args.int(3)).map_err(|e| e.to_string())?;
        let zone = Zone::fixed(offset, args.string(4));
        let time = Time::from_unix(args.int(1), nanos).within(zone);
        Ok(Value::string(time.format(args.bytes(0))))
    });
    all.add("timeParse", &[Type::String, Type::String], |_, args| {
        let time = Time::parse(args.bytes(0), args.bytes(1))?;
        let shown = time.format(b"2006-01-02T15:04:05.999999999Z07:00:00 MST");
        Ok(Value::string(shown))
    });
    all.add("duration", &[Type::String], |_, args| {
        let nanos = time::parse_duration(&args.text(0))?;
        Ok(Value::from(format!(
            "{} {nanos}",
            time::format_duration(nanos)
        )))
    });
    all.add("durationText", &[Type::INT], |_, args| {
        Ok(Value::from(time::format_duration(args.int(0))))
    });
}

fn expressions(all: &mut Functions) {
    const TEXT: Type = Type::String;
    all.add("regexMatch", &[TEXT, TEXT], |_, args| {
        let regexp = Regexp::new(&args.text(0))?;
        Ok(Value::Bool(regexp.is_match(args.bytes(1))))
    });
    all.add("regexFind", &[TEXT, TEXT, Type::INT], |_, args| {
        let regexp = Regexp::new(&args.text(0))?;
        let found = regexp.find_all(args.bytes(1), args.int(2));
        let text = |range| Str::from(args.bytes(1).get(range).unwrap_or_default());
        Ok(found.into_iter().map(text).collect::<List>().into())
    });
    all.add("regexReplace", &[TEXT, TEXT, TEXT], |_, args| {
        let regexp = Regexp::new(&args.text(0))?;
        Ok(Value::string(
            regexp.replace_all(args.bytes(1), args.bytes(2)),
        ))
    });
    all.add("regexSplit", &[TEXT, TEXT, Type::INT], |_, args| {
        let regexp = Regexp::new(&args.text(0))?;
        let parts = regexp.split(args.bytes(1), args.int(2));
        Ok(parts.into_iter().map(Str::from).collect::<List>().into())
    });
    all.add("regexQuote", &[TEXT], |_, args| {
        Ok(Value::string(gotmpl::regexp::quote_meta(args.bytes(0))))
    });
}
