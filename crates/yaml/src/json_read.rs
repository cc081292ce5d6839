//! JSON text to a tree.

use ecow::EcoVec;
use rustc_hash::FxHashMap;

use crate::decode::number_node;
use crate::{Entry, Error, ErrorKind, FileId, Limits, Node, Span, Text, Value};

/// Reads a JSON text as Go's encoding/json does: numbers keep their text, of
/// equal keys the last counts, keys keep their order.
///
/// # Errors
///
/// When the text is no JSON value, or nests deeper than the default limit.
pub fn from_json(text: &str, file: FileId) -> Result<Node, Error> {
    let mut reader = Reader {
        text,
        src: text.as_bytes(),
        at: 0,
        file,
        depth: Limits::default().depth,
    };
    reader.blanks();
    let node = reader.value()?;
    reader.blanks();
    if reader.at < reader.src.len() {
        return Err(reader.unexpected("after top-level value"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    src: &'a [u8],
    at: usize,
    file: FileId,
    depth: usize,
}

/// A collection that is being read.
struct Open {
    start: usize,
    held: Held,
}

enum Held {
    Items(EcoVec<Node>),
    Fields(Fields),
}

/// An object so far, and the key whose value comes next.
struct Fields {
    key: Node,
    entries: EcoVec<Entry>,
    places: FxHashMap<Text, usize>,
}

impl Fields {
    /// Of equal keys the last counts.
    fn add(&mut self, value: Node) {
        let key = std::mem::replace(&mut self.key, Node::null());
        let name = key.text().cloned().unwrap_or_default();
        let entry = Entry { key, value };
        let place = self.places.entry(name).or_insert(self.entries.len());
        match self.entries.make_mut().get_mut(*place) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
}

impl Open {
    fn finish(self) -> Node {
        match self.held {
            Held::Items(items) => {
                let mut node = Node::seq([]);
                node.value = Value::Sequence(items);
                node
            }
            Held::Fields(fields) => {
                let mut node = Node::map::<Text>([]);
                node.value = Value::Mapping(fields.entries);
                node
            }
        }
    }
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while matches!(self.src.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn error(&self, cause: impl Into<Text>) -> Error {
        let span = Span::new(self.file, self.at, self.at);
        Error::new(ErrorKind::Syntax, cause, span).prefixed("")
    }

    fn unexpected(&self, place: &str) -> Error {
        match self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            None => self.error("unexpected end of JSON input"),
            Some(c) => self.error(format!("invalid character '{c}' {place}")),
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    /// Reads a value. The stack is its own: JSON nests as deep as it likes.
    fn value(&mut self) -> Result<Node, Error> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.blanks();
            let start = self.at;
            let mut node = match self.src.get(self.at) {
                Some(b'{') => match self.open_object(start)? {
                    Some(object) => {
                        self.nest(&mut open, object)?;
                        continue;
                    }
                    None => Node::map::<Text>([]),
                },
                Some(b'[') => match self.open_array(start) {
                    Some(array) => {
                        self.nest(&mut open, array)?;
                        continue;
                    }
                    None => Node::seq([]),
                },
                _ => self.scalar()?,
            }
            .at(self.span(start));
            loop {
                let Some(mut inner) = open.pop() else {
                    return Ok(node);
                };
                if self.add(&mut inner, node)? {
                    open.push(inner);
                    break;
                }
                let start = inner.start;
                node = inner.finish().at(self.span(start));
            }
        }
    }

    fn nest(&self, open: &mut Vec<Open>, inner: Open) -> Result<(), Error> {
        if open.len() >= self.depth {
            return Err(self.error("exceeded max depth"));
        }
        open.push(inner);
        Ok(())
    }

    fn scalar(&mut self) -> Result<Node, Error> {
        match self.src.get(self.at) {
            Some(b'"') => Ok(Node::string(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Node::bool(true)),
            Some(b'f') => self.word("false", Node::bool(false)),
            Some(b'n') => self.word("null", Node::null()),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    /// Enters `[`, unless the array is empty.
    fn open_array(&mut self, start: usize) -> Option<Open> {
        self.at += 1;
        self.blanks();
        if self.src.get(self.at) == Some(&b']') {
            self.at += 1;
            return None;
        }
        Some(Open {
            start,
            held: Held::Items(EcoVec::new()),
        })
    }

    /// Enters `{` and reads the first key, unless the object is empty.
    fn open_object(&mut self, start: usize) -> Result<Option<Open>, Error> {
        self.at += 1;
        self.blanks();
        if self.src.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(None);
        }
        let key = self.key()?;
        Ok(Some(Open {
            start,
            held: Held::Fields(Fields {
                key,
                entries: EcoVec::new(),
                places: FxHashMap::default(),
            }),
        }))
    }

    /// Reads `"key":`.
    fn key(&mut self) -> Result<Node, Error> {
        self.blanks();
        if self.src.get(self.at) != Some(&b'"') {
            return Err(self.unexpected("looking for beginning of object key string"));
        }
        let start = self.at;
        let key = Node::string(self.string()?).at(self.span(start));
        self.blanks();
        if self.src.get(self.at) != Some(&b':') {
            return Err(self.unexpected("after object key"));
        }
        self.at += 1;
        Ok(key)
    }

    /// Adds a value and reads up to the next; tells whether there is one.
    fn add(&mut self, open: &mut Open, node: Node) -> Result<bool, Error> {
        let close = match &mut open.held {
            Held::Items(items) => {
                items.push(node);
                b']'
            }
            Held::Fields(fields) => {
                fields.add(node);
                b'}'
            }
        };
        self.blanks();
        match (self.src.get(self.at), &mut open.held) {
            (Some(b','), Held::Items(_)) => self.at += 1,
            (Some(b','), Held::Fields(fields)) => {
                self.at += 1;
                fields.key = self.key()?;
            }
            (Some(byte), _) if *byte == close => {
                self.at += 1;
                return Ok(false);
            }
            (_, Held::Items(_)) => return Err(self.unexpected("after array element")),
            (_, Held::Fields(_)) => return Err(self.unexpected("after object key:value pair")),
        }
        Ok(true)
    }

    fn word(&mut self, word: &str, node: Node) -> Result<Node, Error> {
        for (index, expected) in word.bytes().enumerate() {
            if self.src.get(self.at) != Some(&expected) {
                let expected = char::from(expected);
                let place = format!("in literal {word} (expecting '{expected}')");
                return Err(match index {
                    0 => self.unexpected("looking for beginning of value"),
                    _ => self.unexpected(&place),
                });
            }
            self.at += 1;
        }
        Ok(node)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.src.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Node, Error> {
        let start = self.at;
        self.at += usize::from(self.src.get(self.at) == Some(&b'-'));
        if self.src.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else if !self.digits() {
            return Err(self.unexpected("in numeric literal"));
        }
        if self.src.get(self.at) == Some(&b'.') {
            self.at += 1;
            if !self.digits() {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
        }
        if matches!(self.src.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.src.get(self.at), Some(b'+' | b'-')));
            if !self.digits() {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        Ok(number_node(text.to_owned()))
    }

    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut value = String::new();
        loop {
            let start = self.at;
            while let Some(byte) = self.src.get(self.at) {
                if matches!(byte, b'"' | b'\\' | 0..=0x1F) {
                    break;
                }
                self.at += 1;
            }
            value.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.src.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(value);
                }
                Some(b'\\') => self.escape(&mut value)?,
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self, value: &mut String) -> Result<(), Error> {
        self.at += 1;
        let c = match self.src.get(self.at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0C',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(value),
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.at += 1;
        value.push(c);
        Ok(())
    }

    /// Reads `uXXXX`; halves of a pair that do not fit become U+FFFD.
    fn unicode(&mut self, value: &mut String) -> Result<(), Error> {
        let high = self.hex()?;
        if (0xD800..0xDC00).contains(&high) && self.src.get(self.at..self.at + 2) == Some(b"\\u") {
            let back = self.at;
            self.at += 1;
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            self.at = back;
        }
        value.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, Error> {
        self.at += 1;
        let mut code = 0;
        for _ in 0..4 {
            let digit = self
                .src
                .get(self.at)
                .and_then(|byte| char::from(*byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}
