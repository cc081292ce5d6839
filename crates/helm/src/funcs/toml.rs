//! TOML as BurntSushi's library writes it: tables behind plain keys, two
//! spaces of indentation for each table around.

use gotmpl::strconv::{FloatForm, format_float};
use gotmpl::time::{Time, Zone};
use gotmpl::value::types::{ANY_MAP, ANY_SLICE, MapType, SliceType};
use gotmpl::value::{List, Map, Str, Type};
use gotmpl::{Failure, Functions, Value};

use super::{ANY, TEXT, kind, made};

/// Values nest no deeper.
const DEEPEST: usize = 200;

/// What an array of tables is to templates.
static TABLES: SliceType = SliceType::of("[]map[string]interface {}", Type::Map(&ANY_MAP));

pub(super) fn add(all: &mut Functions) {
    all.add("toToml", &[ANY], |cx, args| {
        let text = match write(args.get(0)) {
            Err(Refused::Told(message)) => message,
            other => other?,
        };
        made(cx, text)
    });
    all.add("mustToToml", &[ANY], |cx, args| {
        let text = write(args.get(0))?;
        made(cx, text)
    });
    all.add("fromToml", &[TEXT], |_, args| {
        let map = Map::new(&ANY_MAP);
        let text = args.text(0);
        match text.parse::<toml::Table>() {
            Ok(table) => return Ok(read_table(&table, &ANY_MAP).into()),
            Err(error) => {
                let message = Value::from(told(&text, &error));
                map.insert(Str::from_static("Error"), message);
            }
        }
        Ok(map.into())
    });
}

/// Why something is no TOML.
enum Refused {
    /// The library says so.
    Told(String),
    /// Go itself fails.
    Failed(Failure),
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Told(message) => message.into(),
            Refused::Failed(failure) => failure,
        }
    }
}

fn told_error(message: impl Into<String>) -> Refused {
    Refused::Told(message.into())
}

fn write(value: &Value) -> Result<String, Refused> {
    if matches!(value, Value::Nil) {
        let words = "reflect: call of reflect.Value.Type on zero Value";
        return Err(Refused::Failed(words.into()));
    }
    let mut writer = Writer::default();
    writer.value(value)?;
    Ok(String::from_utf8_lossy(&writer.out).into_owned())
}

/// What a value is to TOML.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Nothing,
    Plain,
    Table,
    Tables,
}

fn shape(value: &Value, depth: usize) -> Result<Shape, Refused> {
    if depth > DEEPEST {
        let words = "the value nests too deeply";
        return Err(Refused::Failed(words.into()));
    }
    Ok(match value {
        _ if value.is_nil() => Shape::Nothing,
        Value::Map(_) => Shape::Table,
        Value::List(list) => {
            let mut all_tables = !list.items().is_empty();
            for item in list.items() {
                match shape(item, depth + 1)? {
                    Shape::Nothing => {
                        let words = "toml: cannot encode array with nil element";
                        return Err(told_error(words));
                    }
                    found => all_tables &= found == Shape::Table,
                }
            }
            match all_tables {
                true => Shape::Tables,
                false => Shape::Plain,
            }
        }
        Value::Object(object) if object.as_any().is::<Time>() => Shape::Plain,
        Value::Object(_) => Shape::Table,
        Value::Func(_) | Value::Complex(_) => {
            return Err(told_error(format!("unsupported type: {}", kind(value))));
        }
        _ => Shape::Plain,
    })
}

#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    /// Tables around.
    path: Vec<Vec<u8>>,
}

impl Writer {
    fn text(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    fn new_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
    }

    fn indent(&mut self) {
        for _ in 1..self.path.len() {
            self.text("  ");
        }
    }

    /// A value with the path of its key.
    fn value(&mut self, value: &Value) -> Result<(), Refused> {
        match shape(value, self.path.len())? {
            Shape::Nothing => Ok(()),
            Shape::Plain => self.key_value(value),
            Shape::Table => {
                if self.path.len() == 1 {
                    self.new_line();
                }
                if !self.path.is_empty() {
                    self.header("[", "]");
                }
                self.entries(value)
            }
            Shape::Tables if self.path.is_empty() => Err(told_error(
                "toml: top-level values must be Go maps or structs",
            )),
            Shape::Tables => {
                let items = match value {
                    Value::List(list) => list.items(),
                    _ => &[],
                };
                for item in items {
                    self.new_line();
                    self.header("[[", "]]");
                    self.entries(item)?;
                }
                Ok(())
            }
        }
    }

    fn header(&mut self, open: &str, close: &str) {
        self.indent();
        self.text(open);
        let path: Vec<Vec<u8>> = self.path.iter().map(|key| key_text(key)).collect();
        self.text(path.join(&b'.'));
        self.text(close);
        self.new_line();
    }

    fn key_value(&mut self, value: &Value) -> Result<(), Refused> {
        let Some(key) = self.path.last().map(|key| key_text(key)) else {
            return self.element(value, 0);
        };
        self.indent();
        self.text(key);
        self.text(" = ");
        self.element(value, self.path.len())?;
        self.new_line();
        Ok(())
    }

    fn entries(&mut self, table: &Value) -> Result<(), Refused> {
        let (plain, tables) = parted(table, self.path.len())?;
        for (key, value) in plain.into_iter().chain(tables) {
            if value.is_nil() {
                continue;
            }
            self.path.push(key.to_vec());
            self.value(&value)?;
            self.path.pop();
        }
        Ok(())
    }

    fn element(&mut self, value: &Value, depth: usize) -> Result<(), Refused> {
        match value {
            Value::Bool(truth) => self.text(if *truth { "true" } else { "false" }),
            Value::Int(number, _) => self.text(number.to_string()),
            Value::Uint(number, _) => self.text(number.to_string()),
            Value::Float(number) => self.text(float(*number, false)),
            Value::Float32(number) => self.text(float(f64::from(*number), true)),
            Value::String(text) => self.text(quoted(text.bytes())),
            Value::Bytes(bytes) => {
                let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
                self.text(format!("[{}]", numbers.join(", ")));
            }
            Value::List(list) => {
                self.text("[");
                for (at, item) in list.items().iter().enumerate() {
                    if at > 0 {
                        self.text(", ");
                    }
                    self.element(item, depth + 1)?;
                }
                self.text("]");
            }
            Value::Object(object) if object.as_any().is::<Time>() => {
                if let Some(time) = object.as_any().downcast_ref::<Time>() {
                    self.text(date(time));
                }
            }
            Value::Map(_) | Value::Object(_) => self.inline(value, depth)?,
            Value::Nil | Value::Func(_) | Value::Complex(_) => {
                let words = format!("unexpected type: {}", value.type_name());
                return Err(told_error(words));
            }
        }
        Ok(())
    }

    fn inline(&mut self, table: &Value, depth: usize) -> Result<(), Refused> {
        let (plain, tables) = parted(table, depth)?;
        self.text("{");
        let behind = !tables.is_empty();
        for (entries, more) in [(plain, behind), (tables, false)] {
            let last = entries.len();
            for (at, (key, value)) in entries.iter().enumerate() {
                if value.is_nil() {
                    continue;
                }
                self.text(key_text(key));
                self.text(" = ");
                self.element(value, depth + 1)?;
                if more || at + 1 < last {
                    self.text(", ");
                }
            }
        }
        self.text("}");
        Ok(())
    }
}

type Entries = Vec<(Str, Value)>;

/// The entries of a table: plain ones, and those that are tables.
fn parted(table: &Value, depth: usize) -> Result<(Entries, Entries), Refused> {
    let entries: Entries = match table {
        Value::Map(map) => map.entries(),
        Value::Object(object) => {
            let field = |name: &&'static str| Some((Str::from(*name), object.field(name)?));
            object.fields().iter().filter_map(field).collect()
        }
        _ => Vec::new(),
    };
    let (mut plain, mut tables) = (Vec::new(), Vec::new());
    for (key, value) in entries {
        match shape(&value, depth + 1)? {
            Shape::Table | Shape::Tables => tables.push((key, value)),
            Shape::Plain | Shape::Nothing => plain.push((key, value)),
        }
    }
    Ok((plain, tables))
}

fn key_text(key: &[u8]) -> Vec<u8> {
    let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match !key.is_empty() && key.iter().all(is_bare) {
        true => key.to_vec(),
        false => quoted(key),
    }
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in text {
        match byte {
            b'"' => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            0x08 => out.extend(b"\\b"),
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            0x0c => out.extend(b"\\f"),
            b'\r' => out.extend(b"\\r"),
            0..0x20 | 0x7f => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

fn float(number: f64, is_short: bool) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_nan() {
        return format!("{sign}nan");
    }
    if number.is_infinite() {
        return format!("{sign}inf");
    }
    let text = format_float(number, FloatForm::General, None, is_short);
    match text.contains(['e', '.']) {
        true => text,
        false => format!("{text}.0"),
    }
}

const LOCAL_TIME: &str = "time-local";
const LOCAL_DATE: &str = "date-local";
const LOCAL: &str = "datetime-local";

fn date(time: &Time) -> Vec<u8> {
    let layout: &[u8] = match &*time.zone.name.text() {
        LOCAL => b"2006-01-02T15:04:05.999999999",
        LOCAL_DATE => b"2006-01-02",
        LOCAL_TIME => b"15:04:05.999999999",
        _ => b"2006-01-02T15:04:05.999999999Z07:00",
    };
    time.format(layout)
}

fn read_table(table: &toml::Table, ty: &'static MapType) -> Map {
    let entry = |(key, value): (&String, &toml::Value)| (Str::from(key.as_str()), read(value));
    Map::with(ty, table.iter().map(entry).collect())
}

fn read(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::int64(*number),
        toml::Value::Float(number) => Value::Float(*number),
        toml::Value::Boolean(truth) => Value::Bool(*truth),
        toml::Value::Datetime(date) => read_date(date),
        toml::Value::Table(table) => read_table(table, &ANY_MAP).into(),
        toml::Value::Array(items) => {
            let tables = !items.is_empty() && items.iter().all(toml::Value::is_table);
            let ty = if tables { &TABLES } else { &ANY_SLICE };
            List::new(ty, items.iter().map(read).collect()).into()
        }
    }
}

fn read_date(date: &toml::value::Datetime) -> Value {
    let text = date.to_string().replace('t', "T").replace('z', "Z");
    let (layout, zone): (&[u8], _) = match (date.date, date.time, date.offset) {
        (Some(_), Some(_), Some(_)) => (b"2006-01-02T15:04:05.999999999Z07:00", None),
        (Some(_), Some(_), None) => (b"2006-01-02T15:04:05.999999999", Some(LOCAL)),
        (Some(_), None, _) => (b"2006-01-02", Some(LOCAL_DATE)),
        _ => (b"15:04:05.999999999", Some(LOCAL_TIME)),
    };
    let Ok(time) = Time::parse(layout, text.as_bytes()) else {
        return Value::from(text);
    };
    Value::object(zone.map_or(time.clone(), |name| time.within(Zone::fixed(0, name))))
}

/// What the library says of a text that is no TOML. Only the line, and the
/// commonest message, are worded alike.
fn told(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let last = text.trim_end().lines().last().unwrap_or_default();
    if at >= text.trim_end().len() && !last.contains(['=', '[', '#']) && !last.is_empty() {
        return format!("toml: line {line}: unexpected EOF; expected key separator '='");
    }
    format!("toml: line {line}: {}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        write(&crate::json::read(text).unwrap()).unwrap_or_else(|e| Failure::from(e).to_string())
    }

    #[test]
    fn tables_follow_plain_keys() {
        assert_eq!(
            written(r#"{"b": {"y": {"z": 1.5}, "x": true}, "a b": "q\"\n", "c": null}"#),
            "\"a b\" = \"q\\\"\\n\"\n\n[b]\n  x = true\n  [b.y]\n    z = 1.5\n"
        );
        assert_eq!(
            written(r#"{"a": [{"b": 1}, {"b": [1, {"c": "d", "e": {}}]}], "f": []}"#),
            "f = []\n\n[[a]]\n  b = 1.0\n\n[[a]]\n  b = [1.0, {c = \"d\", e = {}}]\n"
        );
        assert_eq!(
            written(r#"{"a": [null]}"#),
            "toml: cannot encode array with nil element"
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = "a = 1\nb = 2020-01-02\nc = 2020-01-02T03:04:05.5Z\n\n[d]\n  e = [1.5, 2.0]\n";
        let table = text.parse().unwrap();
        let value = read_table(&table, &ANY_MAP).into();
        assert_eq!(write(&value).unwrap_or_default(), text);
    }
}
