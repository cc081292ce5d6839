//! Values under a verb.

use crate::value::{List, Map, Obj, UintKind, Value, is_pointer};

use super::flags::{Flags, Integer};

/// Values nest no deeper than this in print: a map can hold itself.
const DEEPEST: usize = 200;

/// Prints values to a buffer under flags.
pub(crate) struct Printer<'o> {
    pub out: &'o mut Vec<u8>,
    pub flags: Flags,
    /// A wrong verb is being reported: values show as they are.
    reporting: bool,
}

impl<'o> Printer<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Printer {
            out,
            flags: Flags::default(),
            reporting: false,
        }
    }

    fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// One argument under a verb.
    pub fn argument(&mut self, value: &Value, verb: char) {
        match (value, verb) {
            (Value::Nil, 'T' | 'v') => self.flags.pad(self.out, b"<nil>"),
            (Value::Nil, _) => self.wrong_verb(value, verb),
            (_, 'T') => self.flags.string(self.out, value.type_name().as_bytes()),
            (_, 'p') => self.pointer(value, verb),
            _ => self.value(value, verb, 0),
        }
    }

    /// A value, `depth` levels inside the argument.
    fn value(&mut self, value: &Value, verb: char, depth: usize) {
        if depth > DEEPEST {
            self.write("...");
            return;
        }
        let plain_bytes = depth == 0 && matches!(value, Value::Bytes(_));
        if verb == 'w' && !plain_bytes {
            return self.wrong_verb(value, verb);
        }
        match value {
            Value::Nil if self.flags.sharp_v => self.write("interface {}(nil)"),
            Value::Nil => self.write("<nil>"),
            Value::Bool(truth) => match verb {
                't' | 'v' => {
                    let text: &[u8] = if *truth { b"true" } else { b"false" };
                    self.flags.pad(self.out, text);
                }
                _ => self.wrong_verb(value, verb),
            },
            Value::Int(number, kind) => {
                if self.asks_for_text(verb)
                    && let Some(text) = kind.text(*number)
                {
                    return self.string(value, text.as_bytes(), verb);
                }
                let integer = Integer {
                    negative: *number < 0,
                    magnitude: number.unsigned_abs(),
                };
                self.integer(value, integer, true, verb);
            }
            Value::Uint(number, _) => {
                let integer = Integer {
                    negative: false,
                    magnitude: *number,
                };
                self.integer(value, integer, false, verb);
            }
            Value::Float(number) => self.float(value, *number, false, verb),
            Value::Float32(number) => self.float(value, f64::from(*number), true, verb),
            Value::Complex(parts) => self.complex(value, **parts, verb),
            Value::String(text) => self.string(value, text, verb),
            Value::Bytes(bytes) => self.bytes(value, bytes, verb, depth),
            Value::List(list) => self.list(list, verb, depth),
            Value::Map(map) => self.map(map, verb, depth),
            Value::Object(object) => self.object(value, object, verb, depth),
            Value::Func(_) => self.pointer(value, verb),
        }
    }

    /// A verb that the value's type does not know.
    fn wrong_verb(&mut self, value: &Value, verb: char) {
        let before = std::mem::replace(&mut self.reporting, true);
        self.write("%!");
        crate::unicode::push(self.out, verb);
        self.write("(");
        match value {
            Value::Nil => self.write("<nil>"),
            _ => {
                self.write(value.type_name());
                self.write("=");
                if before {
                    self.write("...");
                } else {
                    self.value(value, 'v', 0);
                }
            }
        }
        self.write(")");
        self.reporting = before;
    }

    fn integer(&mut self, value: &Value, number: Integer, signed: bool, verb: char) {
        // Runes and code points take the number's bits, whatever its sign.
        let bits = match value {
            Value::Int(number, _) => *number as u64,
            _ => number.magnitude,
        };
        let mut flags = self.flags;
        match verb {
            'v' if flags.sharp_v && !signed => {
                flags.sharp = true;
                flags.integer(self.out, number, 16, 'v');
            }
            'v' | 'd' => flags.integer(self.out, number, 10, verb),
            'b' => flags.integer(self.out, number, 2, verb),
            'o' | 'O' => flags.integer(self.out, number, 8, verb),
            'x' | 'X' => flags.integer(self.out, number, 16, verb),
            'c' => flags.rune(self.out, bits),
            'q' => flags.quoted_rune(self.out, bits),
            'U' => flags.unicode(self.out, bits),
            _ => self.wrong_verb(value, verb),
        }
    }

    fn float(&mut self, value: &Value, number: f64, single: bool, verb: char) {
        match verb {
            'v' => self.flags.float(self.out, number, single, 'g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => self.flags.float(self.out, number, single, verb, None),
            'f' | 'e' | 'E' => self.flags.float(self.out, number, single, verb, Some(6)),
            'F' => self.flags.float(self.out, number, single, 'f', Some(6)),
            _ => self.wrong_verb(value, verb),
        }
    }

    fn complex(&mut self, value: &Value, parts: (f64, f64), verb: char) {
        if !matches!(
            verb,
            'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E'
        ) {
            return self.wrong_verb(value, verb);
        }
        self.write("(");
        self.float(value, parts.0, false, verb);
        let plus = std::mem::replace(&mut self.flags.plus, true);
        self.float(value, parts.1, false, verb);
        self.flags.plus = plus;
        self.write("i)");
    }

    fn string(&mut self, value: &Value, text: &[u8], verb: char) {
        match verb {
            'v' if self.flags.sharp_v => self.flags.quoted(self.out, text),
            'v' | 's' => self.flags.string(self.out, text),
            'x' | 'X' => self.flags.hex(self.out, text, verb == 'X'),
            'q' => self.flags.quoted(self.out, text),
            _ => self.wrong_verb(value, verb),
        }
    }

    fn bytes(&mut self, value: &Value, bytes: &[u8], verb: char, depth: usize) {
        match verb {
            's' | 'x' | 'X' | 'q' => return self.string(value, bytes, verb),
            'v' if self.flags.sharp_v => {
                self.write(if depth == 0 { "[]byte{" } else { "[]uint8{" });
            }
            'w' if self.flags.sharp_v => self.write("[]uint8{"),
            _ => self.write("["),
        }
        for (at, byte) in bytes.iter().enumerate() {
            self.between(at);
            let byte = Value::Uint(u64::from(*byte), UintKind::Uint8);
            self.value(&byte, verb, depth + 1);
        }
        self.write(if self.flags.sharp_v { "}" } else { "]" });
    }

    fn between(&mut self, at: usize) {
        if at > 0 {
            self.write(if self.flags.sharp_v { ", " } else { " " });
        }
    }

    fn list(&mut self, list: &List, verb: char, depth: usize) {
        let sharp = self.flags.sharp_v;
        if sharp {
            self.write(list.ty().name);
            if list.is_nil() {
                return self.write("(nil)");
            }
        }
        self.write(if sharp { "{" } else { "[" });
        for (at, item) in list.items().iter().enumerate() {
            self.between(at);
            self.value(item, verb, depth + 1);
        }
        self.write(if sharp { "}" } else { "]" });
    }

    fn map(&mut self, map: &Map, verb: char, depth: usize) {
        let sharp = self.flags.sharp_v;
        if sharp {
            self.write(map.ty().name);
            if map.is_nil() {
                return self.write("(nil)");
            }
        }
        self.write(if sharp { "{" } else { "map[" });
        let mut at = 0;
        map.each(|key, item| {
            self.between(at);
            at += 1;
            self.value(&Value::String(key.clone()), verb, depth + 1);
            self.write(":");
            self.value(item, verb, depth + 1);
        });
        self.write(if sharp { "}" } else { "]" });
    }

    /// Go prints what a `String` or `Error` method gives.
    fn asks_for_text(&self, verb: char) -> bool {
        !self.reporting && !self.flags.sharp_v && matches!(verb, 'v' | 's' | 'x' | 'X' | 'q')
    }

    fn object(&mut self, value: &Value, object: &Obj, verb: char, depth: usize) {
        if self.asks_for_text(verb)
            && let Some(text) = object.text()
        {
            return self.string(value, &text, verb);
        }
        let sharp = self.flags.sharp_v;
        if sharp
            && !self.reporting
            && let Some(text) = object.go_text()
        {
            return self.flags.pad(self.out, &text);
        }
        if is_pointer(&**object) {
            if depth > 0 {
                return self.pointer(value, verb);
            }
            self.write("&");
        }
        if sharp {
            self.write(object.type_name().trim_start_matches('*'));
        }
        self.write("{");
        for (at, name) in object.fields().iter().enumerate() {
            self.between(at);
            if sharp || self.flags.plus_v {
                self.write(name);
                self.write(":");
            }
            let field = object.field(name).unwrap_or_default();
            self.value(&field, verb, depth + 1);
        }
        self.write("}");
    }

    /// Where a value is. Addresses differ from run to run in Go, too.
    fn pointer(&mut self, value: &Value, verb: char) {
        let address = match value {
            Value::Map(map) => map.address(),
            Value::List(list) => list.address(),
            Value::Func(func) => func.address(),
            Value::Object(object) if is_pointer(&**object) => {
                std::rc::Rc::as_ptr(&object.0).cast::<u8>() as usize
            }
            Value::Bytes(bytes) => bytes.as_ptr() as usize,
            _ => return self.wrong_verb(value, verb),
        };
        let number = Integer {
            negative: false,
            magnitude: address as u64,
        };
        let mut flags = self.flags;
        match verb {
            'v' if flags.sharp_v => {
                self.write("(");
                self.write(value.type_name());
                self.write(")(");
                flags.sharp = true;
                flags.integer(self.out, number, 16, 'v');
                self.write(")");
            }
            'v' | 'p' => {
                flags.sharp = !flags.sharp;
                flags.integer(self.out, number, 16, 'v');
            }
            'b' | 'o' | 'd' | 'x' | 'X' => self.integer(value, number, false, verb),
            _ => self.wrong_verb(value, verb),
        }
    }
}
