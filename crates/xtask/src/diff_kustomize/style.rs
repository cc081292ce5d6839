//! Prints JSON values as YAML in random styles, for readers that must not care.

use std::fmt::Write as _;

use serde_json::Value;

use crate::random::Random;

/// Documents of one file.
pub fn documents(random: &mut Random, documents: &[Value]) -> String {
    let mut text = String::new();
    for (at, document) in documents.iter().enumerate() {
        if at > 0 || random.once_in(8) {
            let separators = ["---\n", "---\n", "--- # next\n", "...\n---\n"];
            // Where nothing has begun nothing can end.
            let usable = if at > 0 { 4 } else { 3 };
            text.push_str(random.pick(&separators[..usable]));
        }
        text.push_str(&document_text(random, document));
    }
    text
}

/// One document, ending with a line break.
pub fn document_text(random: &mut Random, document: &Value) -> String {
    let mut printer = Printer {
        random,
        text: String::new(),
        anchors: Vec::new(),
        next: 0,
    };
    match document {
        Value::Object(map) if !map.is_empty() => printer.map(document, 0),
        Value::Array(items) if !items.is_empty() => printer.list(items, 0),
        _ => {
            printer.text.push_str(&document.to_string());
            printer.text.push('\n');
        }
    }
    printer.text
}

struct Printer<'r> {
    random: &'r mut Random,
    text: String,
    /// Complete nodes that have an anchor, each with its number.
    anchors: Vec<(usize, Value)>,
    /// The number of the next anchor.
    next: usize,
}

impl Printer<'_> {
    /// Entries of a block mapping, each on lines of its own.
    fn map(&mut self, map: &Value, indent: usize) {
        let Some(entries) = map.as_object() else {
            return;
        };
        for (at, (key, value)) in entries.iter().enumerate() {
            // The first entry may stand behind a dash.
            if at > 0 || self.text.ends_with('\n') {
                self.comment(indent);
                self.pad(indent);
            }
            let key = self.key(key);
            self.text.push_str(&key);
            self.text.push(':');
            self.value(value, indent);
        }
    }

    fn list(&mut self, items: &[Value], indent: usize) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 || self.text.ends_with('\n') {
                self.comment(indent);
                self.pad(indent);
            }
            self.text.push('-');
            match item {
                Value::Object(map) if !map.is_empty() && !self.random.once_in(10) => {
                    self.text.push(' ');
                    self.map(item, indent + 2);
                }
                // A list at the dash's own place would be the same list.
                Value::Array(_) => self.value(item, indent + 1),
                _ => self.value(item, indent),
            }
        }
    }

    /// What stands behind a key or a dash, up to the end of its last line.
    fn value(&mut self, value: &Value, indent: usize) {
        let shared = matches!(value, Value::Object(_) | Value::Array(_)) && !is_empty(value);
        let known = self.anchors.iter().find(|(_, known)| known == value);
        if let Some((number, _)) = known
            && shared
            && self.random.once_in(2)
        {
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, " *n{number}");
            return;
        }
        let number = self.next;
        let anchored = shared && known.is_none() && self.random.once_in(12);
        if anchored {
            self.next += 1;
            let _ = write!(self.text, " &n{number}");
        }
        match value {
            Value::Object(_) if shared && !self.random.once_in(10) => {
                self.end("");
                self.map(value, indent + 2);
            }
            Value::Array(items) if shared && !self.random.once_in(6) => {
                self.end("");
                let deeper = self.random.below(2) * 2;
                self.list(items, indent + deeper);
            }
            Value::String(text) => self.string(text, indent),
            Value::Null => {
                let null = self.random.pick(&[" null", " ~", "", " null"]);
                self.end(null);
            }
            _ => self.end(&format!(" {value}")),
        }
        if anchored {
            self.anchors.push((number, value.clone()));
        }
    }

    fn string(&mut self, text: &str, indent: usize) {
        if let Ok(inner @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text)
            && !is_empty(&inner)
            && self.random.once_in(2)
        {
            let text = document_text(self.random, &inner);
            return self.literal(&text, indent);
        }
        let first_line = text.split('\n').next().unwrap_or_default();
        let foldable = text.contains('\n')
            && !first_line.is_empty()
            && !text.starts_with([' ', '\t'])
            && text.chars().all(|c| c == '\n' || !c.is_control());
        if foldable && self.random.once_in(2) {
            return self.literal(text, indent);
        }
        let printed = match self.random.below(4) {
            0 | 1 if is_plain(text) && (self.random.once_in(12) || !is_odd(text)) => {
                text.to_owned()
            }
            2 if text.chars().all(|c| !c.is_control()) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            _ => Value::String(text.to_owned()).to_string(),
        };
        self.end(&format!(" {printed}"));
    }

    fn literal(&mut self, text: &str, indent: usize) {
        let content = text.trim_end_matches('\n');
        let breaks = text.len() - content.len();
        self.text.push_str(match breaks {
            0 => " |-\n",
            1 => " |\n",
            _ => " |+\n",
        });
        for line in content.split('\n') {
            if !line.is_empty() {
                self.pad(indent + 2);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
        for _ in 1..breaks {
            self.text.push('\n');
        }
    }

    fn key(&mut self, key: &str) -> String {
        if is_plain(key) && !is_odd(key) && !self.random.once_in(12) {
            key.to_owned()
        } else {
            Value::String(key.to_owned()).to_string()
        }
    }

    fn end(&mut self, text: &str) {
        self.text.push_str(text);
        if self.random.once_in(25) {
            self.text.push_str(" # note");
        }
        self.text.push('\n');
    }

    fn comment(&mut self, indent: usize) {
        if self.random.once_in(30) {
            let indent = match self.random.once_in(4) {
                true => self.random.below(indent + 1),
                false => indent,
            };
            self.pad(indent);
            let breaks = self.random.pick(&["\n", "\n", "\n", "\n\n"]);
            let _ = write!(self.text, "# note{breaks}");
        }
    }

    fn pad(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

fn is_plain(text: &str) -> bool {
    let first = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '$' | '(');
    let rest = |c: char| c.is_ascii_alphanumeric() || "/._-$()=+@~ ".contains(c);
    text.starts_with(first) && text.chars().all(rest) && !text.ends_with(' ')
}

/// Text that a reader takes for something else than a string.
fn is_odd(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let lower = text.to_ascii_lowercase();
    WORDS.contains(&lower.as_str()) || text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use yaml::{FileId, Limits};

    use super::documents;
    use crate::random::Random;

    #[test]
    fn styles_do_not_change_values_that_look_like_nothing_else() {
        let value = json!({
            "a": [{"b": "c d", "e": null}, [], {}, [1, [true]]],
            "text": "x\n\n y\n", "none": "", "end": "a\n\n",
            "map": {"p": {"q": "r's"}, "p2": {"q": "r's"}},
        });
        for seed in 0..500 {
            let text = documents(&mut Random::new(seed), &[value.clone(), value.clone()]);
            let read = yaml::parse(&text, FileId(0), &Limits::default());
            let read = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(read.len(), 2, "{text}");
            for node in &read {
                let got = yaml::to_json(node);
                let got: serde_json::Value = serde_json::from_str(&got).unwrap();
                assert_eq!(got, value, "{text}");
            }
        }
    }
}
