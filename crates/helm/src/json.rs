//! JSON as Go's `encoding/json` reads and writes it.

use gotmpl::strconv::{FloatForm, format_float, parse_float};
use gotmpl::time::Time;
use gotmpl::value::Object;
use gotmpl::value::types::{ANY_MAP, ANY_SLICE};
use gotmpl::value::{List, Map, Str, Type};
use gotmpl::{Failure, Value};

/// Values nest no deeper.
const DEEPEST: usize = 250;

/// What Go says of a text that ends inside a value.
const ENDED: &str = "unexpected end of JSON input";

/// How to write.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// `<`, `>` and `&` are escaped.
    pub html: bool,
    /// Lines and two spaces a level.
    pub pretty: bool,
}

/// The name by which Go's encoder writes a field; none for one that it leaves
/// out. Only Helm's own version has other names than those of its fields.
fn tagged<'n>(object: &dyn Object, field: &'n str) -> Option<&'n str> {
    if object.type_name() != "version.BuildInfo" {
        return Some(field);
    }
    let empty = matches!(object.field(field), Some(Value::String(text)) if text.is_empty());
    match field {
        "KubeClientVersion" => Some("kube_client_version"),
        _ if empty => None,
        "Version" => Some("version"),
        "GitCommit" => Some("git_commit"),
        "GitTreeState" => Some("git_tree_state"),
        "GoVersion" => Some("go_version"),
        _ => Some(field),
    }
}

/// A value as JSON text.
pub fn write(value: &Value, style: Style) -> Result<String, Failure> {
    let mut writer = Writer {
        out: String::new(),
        style,
    };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    style: Style,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Failure> {
        if depth > DEEPEST {
            return Err("json: the value nests too deeply".into());
        }
        match value {
            Value::Nil => self.out.push_str("null"),
            Value::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Value::Int(number, _) => self.out.push_str(&number.to_string()),
            Value::Uint(number, _) => self.out.push_str(&number.to_string()),
            Value::Float(number) => self.float(*number, false)?,
            Value::Float32(number) => self.float(f64::from(*number), true)?,
            Value::String(text) => self.string(text),
            Value::Bytes(bytes) => {
                use base64::Engine as _;
                let text = base64::engine::general_purpose::STANDARD.encode(bytes.bytes());
                self.string(text.as_bytes());
            }
            Value::List(list) if list.is_nil() => self.out.push_str("null"),
            Value::List(list) => {
                let items = list.items().iter();
                self.open('[');
                for (at, item) in items.enumerate() {
                    self.item(at, depth + 1);
                    self.value(item, depth + 1)?;
                }
                self.close(']', list.items().is_empty(), depth);
            }
            Value::Map(map) if map.is_nil() => self.out.push_str("null"),
            Value::Map(map) => {
                self.open('{');
                let entries = map.entries();
                for (at, (key, item)) in entries.iter().enumerate() {
                    self.item(at, depth + 1);
                    self.string(key);
                    self.out
                        .push_str(if self.style.pretty { ": " } else { ":" });
                    self.value(item, depth + 1)?;
                }
                self.close('}', entries.is_empty(), depth);
            }
            Value::Object(object) => {
                if let Some(time) = object.as_any().downcast_ref::<Time>() {
                    let text = time.format(b"2006-01-02T15:04:05.999999999Z07:00");
                    self.string(&text);
                    return Ok(());
                }
                // What is a text to Go's encoder, too; other objects have fields.
                if object.fields().is_empty()
                    && let Some(text) = object.text()
                {
                    self.string(&text);
                    return Ok(());
                }
                self.open('{');
                let fields = object.fields().iter();
                let named = fields.filter_map(|name| Some((name, tagged(&**object, name)?)));
                for (at, (name, written)) in named.enumerate() {
                    self.item(at, depth + 1);
                    self.string(written.as_bytes());
                    self.out
                        .push_str(if self.style.pretty { ": " } else { ":" });
                    self.value(&object.field(name).unwrap_or_default(), depth + 1)?;
                }
                self.close('}', object.fields().is_empty(), depth);
            }
            Value::Complex(_) | Value::Func(_) => {
                let ty = value.type_name();
                return Err(format!("json: unsupported type: {ty}").into());
            }
        }
        Ok(())
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
    }

    fn item(&mut self, at: usize, depth: usize) {
        if at > 0 {
            self.out.push(',');
        }
        self.line(depth);
    }

    fn close(&mut self, bracket: char, empty: bool, depth: usize) {
        if !empty {
            self.line(depth);
        }
        self.out.push(bracket);
    }

    fn line(&mut self, depth: usize) {
        if self.style.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
    }

    fn float(&mut self, number: f64, single: bool) -> Result<(), Failure> {
        if !number.is_finite() {
            let text = format_float(number, FloatForm::General, None, single);
            return Err(format!("json: unsupported value: {text}").into());
        }
        let size = number.abs();
        let form = match size != 0.0 && !(1e-6..1e21).contains(&size) {
            true => FloatForm::Exponent,
            false => FloatForm::Fixed,
        };
        let text = format_float(number, form, None, single);
        // Exponents of one digit have no zero before it.
        self.out.push_str(&text.replace("e-0", "e-"));
        Ok(())
    }

    fn string(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\x08' => self.out.push_str("\\b"),
                '\x0c' => self.out.push_str("\\f"),
                '<' | '>' | '&' if !self.style.html => self.out.push(c),
                '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
                }
                _ => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}

/// Reads a JSON text: all numbers are `float64`.
pub fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
    };
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(byte) => Err(reader.invalid(byte, "after top-level value")),
    }
}

/// Reads the value that a text begins with: the value, and where it ends. As
/// Go's decoder of streams does.
pub(crate) fn read_first(text: &str) -> Result<(Value, usize), String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
    };
    match reader.value(0) {
        Ok(value) => Ok((value, reader.at)),
        Err(message) if message == ENDED => Err("unexpected EOF".to_owned()),
        Err(message) => Err(message),
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn invalid(&self, byte: u8, place: &str) -> String {
        let shown = match byte {
            b'\'' => "'\\''".to_owned(),
            b'"' => "'\"'".to_owned(),
            _ => {
                let quoted = gotmpl::strconv::quote(&[byte]);
                format!("'{}'", quoted.trim_matches('"'))
            }
        };
        format!("invalid character {shown} {place}")
    }

    fn unexpected(&self, place: &str) -> String {
        match self.peek() {
            Some(byte) => self.invalid(byte, place),
            None => ENDED.to_owned(),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err("exceeded max depth".to_owned());
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::string(self.string()?)),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Nil),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, String> {
        for (at, expected) in word.bytes().enumerate() {
            if self.peek() != Some(expected) {
                let place = format!("in literal {word} (expecting '{}')", char::from(expected));
                let _ = at;
                return Err(self.unexpected(&place));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
            self.digits();
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        parse_float(text).map(Value::Float).ok_or_else(|| {
            let text = String::from_utf8_lossy(text);
            format!("json: cannot unmarshal number {text} into Go value of type float64")
        })
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(List::new(&ANY_SLICE, items).into());
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(List::new(&ANY_SLICE, items).into());
                }
                _ => return Err(self.unexpected("after array element")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.at += 1;
        let map = Map::new(&ANY_MAP);
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(map.into());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            map.insert(Str::from(key), value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(map.into());
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
    }

    /// A string at its opening quote.
    fn string(&mut self) -> Result<Vec<u8>, String> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                return Err(ENDED.to_owned());
            };
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                0..=0x1f => return Err(self.invalid(byte, "in string literal")),
                _ => {
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let first = self.hex()?;
                let c = self.surrogates(first)?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    /// The character that one escape or a pair of them stands for.
    fn surrogates(&mut self, first: u32) -> Result<char, String> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if (0xd800..0xdc00).contains(&first) && rest.starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let number = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(number).unwrap_or('\u{fffd}'));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or('\u{fffd}'))
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut number = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            number = number * 16 + digit;
            self.at += 1;
        }
        Ok(number)
    }
}

/// The type of JSON's objects.
pub const OBJECT: Type = Type::Map(&ANY_MAP);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive() {
        let text = r#"{"a":[1,2.5,1e+21,1e-7,true,null,"é\n\u003c"],"b":{}}"#;
        let html = Style {
            html: true,
            ..Style::default()
        };
        assert_eq!(write(&read(text).unwrap(), html).unwrap(), text);
        let pretty = Style {
            pretty: true,
            ..Style::default()
        };
        assert_eq!(
            write(&read("{\"a\":[1]}").unwrap(), pretty).unwrap(),
            "{\n  \"a\": [\n    1\n  ]\n}"
        );
    }

    #[test]
    fn faults_are_gos() {
        assert_eq!(read("").unwrap_err(), "unexpected end of JSON input");
        assert_eq!(
            read("{a}").unwrap_err(),
            "invalid character 'a' looking for beginning of object key string"
        );
        assert_eq!(
            read("1 2").unwrap_err(),
            "invalid character '2' after top-level value"
        );
        assert!(read("01").is_err() && read("1.").is_err());
    }
}
