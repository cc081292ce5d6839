//! Random YAML texts: well-formed on purpose, broken by mutation.

use super::scalar;
use crate::random::Random;

/// A text of one document or several.
pub fn text(random: &mut Random) -> String {
    let mut text = String::new();
    let documents = if random.once_in(6) {
        1 + random.below(3)
    } else {
        1
    };
    for at in 0..documents {
        if at > 0 || random.once_in(10) {
            text.push_str(random.pick(&["---\n", "---\n", "--- # c\n", "...\n---\n", "--- "]));
        }
        let mut writer = Writer {
            random,
            text: String::new(),
            anchors: Vec::new(),
            open: Vec::new(),
        };
        writer.node(0, 3, true);
        text.push_str(&writer.text);
        if !text.ends_with('\n') && !random.once_in(8) {
            text.push('\n');
        }
    }
    if random.once_in(3) {
        text = commented(random, &text);
    }
    if random.once_in(40) {
        text = text.replace('\n', "\r\n");
    }
    if random.once_in(80) {
        text.insert(0, '\u{feff}');
    }
    text
}

/// A text with comments between its lines, set off by empty lines or not.
fn commented(random: &mut Random, text: &str) -> String {
    let mut out = String::new();
    let mut number = 0;
    for line in std::iter::once("").chain(text.split_inclusive('\n')) {
        out.push_str(line);
        let is_start = line.is_empty() || line.ends_with('\n');
        while is_start && random.once_in(4) {
            number += 1;
            let indent = " ".repeat(random.below(7));
            let breaks = random.pick(&["\n", "\n", "\n", "\n\n", "\n \n"]);
            if random.once_in(4) {
                out.push('\n');
            }
            out.push_str(&format!("{indent}# {number}{breaks}"));
        }
    }
    out
}

/// A few small changes to a text.
pub fn mutate(random: &mut Random, text: &str) -> String {
    const CHARS: &[&str] = &[
        " ",
        "  ",
        "\n",
        "\n ",
        "\t",
        ":",
        ": ",
        "- ",
        "-",
        "? ",
        "#",
        " #",
        " # c\n ",
        ",",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "|",
        ">",
        "&a ",
        "*a",
        "!",
        "!!str ",
        "!!binary ",
        "!!int ",
        "!!float ",
        "!<t> ",
        "%",
        "\\",
        "---\n",
        "...\n",
        "<<: ",
        "a",
        "0",
        "~",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\r",
        "\u{0}",
        "é",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let end = (at + random.below(6)).min(chars.len());
                chars.drain(at..end);
            }
            2 => {
                let end = (at + random.below(10)).min(chars.len());
                let copy: Vec<char> = chars.get(at..end).unwrap_or_default().to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            _ => {
                chars.splice(at..at, random.pick(CHARS).chars());
            }
        }
    }
    chars.into_iter().collect()
}

struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// Anchors of nodes that are complete.
    anchors: Vec<String>,
    /// Anchors of nodes that are being written.
    open: Vec<String>,
}

impl Writer<'_> {
    /// A node whose lines are indented by `indent`. `fresh`: the text is at the
    /// start of a line, else behind `key:` or `-`.
    fn node(&mut self, indent: usize, depth: usize, fresh: bool) {
        let outer = std::mem::take(&mut self.open);
        self.content(indent, depth, fresh);
        self.anchors.append(&mut self.open);
        self.open = outer;
    }

    fn content(&mut self, indent: usize, depth: usize, fresh: bool) {
        if depth == 0 || self.random.once_in(3) {
            return self.leaf(indent, fresh);
        }
        match self.random.below(5) {
            0 | 1 => self.block_map(indent, depth, fresh),
            2 | 3 => self.block_seq(indent, depth, fresh),
            _ => {
                self.space(fresh);
                self.properties();
                self.flow(depth);
                self.end_line();
            }
        }
    }

    fn space(&mut self, fresh: bool) {
        if !fresh {
            let wide = self.random.once_in(12);
            self.text.push_str(if wide { "   " } else { " " });
        }
    }

    fn indent(&mut self, width: usize) {
        self.text.extend(std::iter::repeat_n(' ', width));
    }

    fn end_line(&mut self) {
        if self.random.once_in(12) {
            let comment = self
                .random
                .pick(&[" # comment", " #", "  # a: b", "\t# tab", " "]);
            self.text.push_str(comment);
        }
        self.text.push('\n');
        if self.random.once_in(25) {
            let blank =
                self.random
                    .pick(&["\n", "# full line\n", "  # indented\n", "  \n", "\t\n"]);
            self.text.push_str(blank);
        }
    }

    /// Perhaps an anchor and a tag.
    fn properties(&mut self) {
        if self.random.once_in(10) {
            let name = format!("a{}", self.random.below(3));
            self.text.push_str(&format!("&{name} "));
            // An alias inside of its own node takes upstream's process down,
            // so there are few.
            if self.random.once_in(50) {
                self.anchors.push(name);
            } else {
                self.open.push(name);
            }
        }
        if self.random.once_in(20) {
            let tag = self.random.pick(&[
                "!!str ",
                "!!int ",
                "!!float ",
                "!!bool ",
                "!!null ",
                "!!map ",
                "!!seq ",
                "!!binary ",
                "!!timestamp ",
                "!own ",
                "!",
                "!<tag:yaml.org,2002:str> ",
                "!!set ",
                "!!merge ",
            ]);
            self.text.push_str(tag);
        }
    }

    fn block_map(&mut self, indent: usize, depth: usize, fresh: bool) {
        let mut first = fresh;
        if !fresh {
            self.space(false);
            self.properties();
            self.end_line();
        }
        for _ in 0..1 + self.random.below(4) {
            self.indent(if first { 0 } else { indent });
            first = false;
            self.key();
            let inner = indent + 1 + self.random.below(3);
            self.node(inner, depth - 1, false);
        }
    }

    fn key(&mut self) {
        match self.random.below(30) {
            0 => self.text.push_str("? "),
            1 if !self.anchors.is_empty() => {
                let name = self.anchors[self.random.below(self.anchors.len())].clone();
                self.text.push_str(&format!("<<: *{name}\n"));
                return;
            }
            2 => {
                self.properties();
            }
            _ => {}
        }
        let name = if self.random.once_in(4) {
            let value = scalar::value(self.random);
            self.inline(&value)
        } else {
            (self.random.pick(&[
                "a", "b", "c", "name", "kind", "a1", "x-y", "\"q\"", "'s'", "1",
            ]))
            .to_owned()
        };
        self.text.push_str(&name);
        self.text.push(':');
    }

    fn block_seq(&mut self, indent: usize, depth: usize, fresh: bool) {
        // A sequence in a mapping may stand at the key's own indent.
        let indent = if !fresh && indent > 0 && self.random.once_in(2) {
            indent - 1
        } else {
            indent
        };
        if !fresh {
            self.space(false);
            self.properties();
            self.end_line();
        }
        let mut first = fresh;
        for _ in 0..1 + self.random.below(4) {
            self.indent(if first { 0 } else { indent });
            first = false;
            self.text.push('-');
            if self.random.once_in(4) && depth > 1 {
                self.text.push(' ');
                self.block_map(indent + 2, depth - 1, true);
            } else {
                self.node(indent + 2, depth - 1, false);
            }
        }
    }

    fn flow(&mut self, depth: usize) {
        let map = self.random.once_in(2);
        self.text.push(if map { '{' } else { '[' });
        let count = self.random.below(4);
        for at in 0..count {
            if at > 0 {
                let comma = self.random.pick(&[", ", ",", " , ", ",\n  "]);
                self.text.push_str(comma);
            }
            if map || self.random.once_in(10) {
                let value = scalar::value(self.random);
                let key = self.inline(&value);
                self.text.push_str(&key);
                let colon = self.random.pick(&[": ", ": ", ":", " : ", ""]);
                self.text.push_str(colon);
            }
            if depth > 1 && self.random.once_in(4) {
                self.flow(depth - 1);
            } else {
                self.properties();
                let value = scalar::value(self.random);
                let text = self.inline(&value);
                self.text.push_str(&text);
            }
        }
        if self.random.once_in(10) {
            self.text.push(',');
        }
        self.text.push(if map { '}' } else { ']' });
    }

    fn leaf(&mut self, indent: usize, fresh: bool) {
        if self.random.once_in(40) && !fresh {
            return self.text.push('\n');
        }
        self.space(fresh);
        self.properties();
        if !self.anchors.is_empty() && self.random.once_in(6) {
            let name = self.anchors[self.random.below(self.anchors.len())].clone();
            self.text.push_str(&format!("*{name}"));
            return self.end_line();
        }
        let value = scalar::value(self.random);
        if self.random.once_in(4) {
            return self.block_scalar(&value, indent);
        }
        let text = self.inline(&value);
        // Several lines of a plain or quoted scalar need the indent.
        let pad = format!("\n{}", " ".repeat(indent.max(1)));
        self.text.push_str(&text.replace('\n', &pad));
        self.end_line();
    }

    /// A scalar in a style that may or may not suit it.
    fn inline(&mut self, value: &str) -> String {
        match self.random.below(5) {
            0 => format!("'{}'", value.replace('\'', "''")),
            1 => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
            2 => self.escaped(value),
            _ => value.to_owned(),
        }
    }

    /// Double-quoted with escapes.
    fn escaped(&mut self, value: &str) -> String {
        let mut text = String::from("\"");
        for c in value.chars() {
            match c {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                c if c.is_ascii_graphic() || c == ' ' => text.push(c),
                c if u32::from(c) < 0x100 => text.push_str(&format!("\\x{:02x}", u32::from(c))),
                c if u32::from(c) < 0x10000 => text.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => text.push_str(&format!("\\U{:08x}", u32::from(c))),
            }
        }
        if self.random.once_in(8) {
            let escape = self.random.pick(&[
                "\\0", "\\a", "\\e", "\\_", "\\N", "\\L", "\\P", "\\/", "\\ ", "\\\n  ", "\\q",
                "\\x4",
            ]);
            text.push_str(escape);
        }
        text.push('"');
        text
    }

    fn block_scalar(&mut self, value: &str, indent: usize) {
        let header = self.random.pick(&[
            "|", "|", "|-", "|+", ">", ">-", ">+", "|2", "|1-", ">2", ">+1",
        ]);
        self.text.push_str(header);
        self.end_line();
        let width = indent.max(1) + self.random.below(2);
        for line in value.split('\n') {
            if !line.is_empty() {
                self.indent(width);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
        for _ in 0..self.random.below(3).saturating_sub(1) {
            self.text.push('\n');
        }
    }
}
