//! Patterns of Go in the words of the `regex` crate.
//!
//! Differences: Go's `\d`, `\s`, `\w` and `\b` are ASCII; `[a&&b]`, `[[a]]`
//! and `[a~~b]` are plain classes; `\Q…\E`, octal escapes and braces that
//! repeat nothing are known; repetitions do not stack.

/// What is wrong with a pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub what: &'static str,
    /// The part of the pattern it is about.
    pub part: String,
}

/// Groups nest no deeper.
const DEEPEST: usize = 250;
/// Repetitions count no higher.
const MOST: u32 = 1000;

/// A pattern as the `regex` crate wants it.
pub(super) fn translate(pattern: &str) -> Result<String, Fault> {
    let mut translator = Translator {
        pattern,
        rest: pattern,
        out: String::with_capacity(pattern.len() + 8),
        operand: false,
        repeated: None,
        open: 0,
        names: Vec::new(),
    };
    while !translator.rest.is_empty() {
        translator.step()?;
    }
    match translator.open {
        0 => Ok(translator.out),
        _ => Err(fault("missing closing )", pattern)),
    }
}

struct Translator<'p> {
    pattern: &'p str,
    rest: &'p str,
    out: String,
    /// Something stands before that can be repeated.
    operand: bool,
    /// The repetition right before.
    repeated: Option<&'p str>,
    open: usize,
    names: Vec<&'p str>,
}

fn fault(what: &'static str, part: impl Into<String>) -> Fault {
    Fault {
        what,
        part: part.into(),
    }
}

impl<'p> Translator<'p> {
    /// What was read since `before` was the rest.
    fn since(&self, before: &'p str) -> &'p str {
        let len = before.len() - self.rest.len();
        before.get(..len).unwrap_or(before)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn step(&mut self) -> Result<(), Fault> {
        let before = self.rest;
        let mut repetition = None;
        match self.bump() {
            None => {}
            Some('(') => self.group(before)?,
            Some('|') => {
                self.out.push('|');
                self.operand = false;
            }
            Some(')') => {
                if self.open == 0 {
                    return Err(fault("unexpected )", self.pattern));
                }
                self.open -= 1;
                self.out.push(')');
                self.operand = true;
            }
            Some('[') => {
                self.class(before)?;
                self.operand = true;
            }
            Some('\\') => self.escape(before)?,
            Some(mark @ ('*' | '+' | '?')) => {
                self.out.push(mark);
                repetition = Some(self.repeat(before)?);
            }
            Some('{') => match self.counts() {
                Some((least, most)) => {
                    self.count(before, least, most)?;
                    repetition = Some(self.repeat(before)?);
                }
                None => self.literal('{'),
            },
            Some(c @ ('^' | '$' | '.')) => {
                self.out.push(c);
                self.operand = true;
            }
            Some(c) => self.literal(c),
        }
        self.repeated = repetition;
        Ok(())
    }

    fn literal(&mut self, c: char) {
        push_literal(&mut self.out, c);
        self.operand = true;
    }

    /// Checks a repetition that was read: the text from it on.
    fn repeat(&mut self, before: &'p str) -> Result<&'p str, Fault> {
        if self.eat("?") {
            self.out.push('?');
        }
        if let Some(last) = self.repeated {
            let len = last.len() - self.rest.len();
            let part = last.get(..len).unwrap_or(last);
            return Err(fault("invalid nested repetition operator", part));
        }
        if !self.operand {
            let part = self.since(before);
            return Err(fault("missing argument to repetition operator", part));
        }
        Ok(before)
    }

    fn count(&mut self, before: &'p str, least: u32, most: Option<u32>) -> Result<(), Fault> {
        let bad = least > MOST || most.is_some_and(|most| most > MOST || most < least);
        if bad {
            return Err(fault("invalid repeat count", self.since(before)));
        }
        let written = self.since(before);
        let text = match (written.contains(','), most) {
            (false, _) => format!("{{{least}}}"),
            (true, None) => format!("{{{least},}}"),
            (true, Some(most)) => format!("{{{least},{most}}}"),
        };
        self.out.push_str(&text);
        Ok(())
    }

    /// `n}`, `n,}` or `n,m}`: least and most, or nothing if it is none.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (body, rest) = self.rest.split_once('}')?;
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let plain = plain && (text.len() == 1 || !text.starts_with('0'));
            plain.then(|| text.parse().unwrap_or(MOST + 1))
        };
        let counts = match body.split_once(',') {
            None => {
                let count = number(body)?;
                (count, Some(count))
            }
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        self.rest = rest;
        Some(counts)
    }

    fn group(&mut self, before: &'p str) -> Result<(), Fault> {
        self.operand = false;
        if !self.eat("?") {
            self.out.push('(');
            return self.enter();
        }
        if self.eat("P<") || self.eat("<") {
            let Some((name, rest)) = self.rest.split_once('>') else {
                return Err(fault("invalid named capture", before));
            };
            self.rest = rest;
            let word = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
            if name.is_empty() || !name.bytes().all(word) {
                return Err(fault("invalid named capture", self.since(before)));
            }
            if self.names.contains(&name) {
                return Err(fault("duplicate capture group name", name));
            }
            self.names.push(name);
            // A name that the engine would not take gets a letter before it.
            let numeric = name.starts_with(|c: char| c.is_ascii_digit());
            let prefix = if numeric { "_" } else { "" };
            self.out.push_str(&format!("(?P<{prefix}{name}>"));
            return self.enter();
        }
        let (mut minus, mut any) = (false, false);
        loop {
            match self.bump() {
                Some('i' | 'm' | 's' | 'U') => any = true,
                Some('-') if !minus => (minus, any) = (true, false),
                Some(end @ (':' | ')')) if !minus || any => {
                    self.out.push('(');
                    self.out
                        .push_str(self.since(before).get(1..).unwrap_or_default());
                    return match end {
                        ':' => self.enter(),
                        _ => Ok(()),
                    };
                }
                None => return Err(fault("missing argument to repetition operator", "?")),
                _ => {
                    return Err(fault(
                        "invalid or unsupported Perl syntax",
                        self.since(before),
                    ));
                }
            }
        }
    }

    fn enter(&mut self) -> Result<(), Fault> {
        self.open += 1;
        match self.open > DEEPEST {
            true => Err(fault("expression nests too deeply", self.pattern)),
            false => Ok(()),
        }
    }

    fn escape(&mut self, before: &'p str) -> Result<(), Fault> {
        self.operand = true;
        match self.peek() {
            Some('A') => self.replace("\\A"),
            Some('z') => self.replace("\\z"),
            Some('b') => self.replace("(?-u:\\b)"),
            Some('B') => self.replace("(?-u:\\B)"),
            Some('C') => {
                self.bump();
                return Err(fault("invalid escape sequence", self.since(before)));
            }
            Some('Q') => {
                self.bump();
                let (text, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
                self.rest = rest;
                self.operand = !text.is_empty();
                for c in text.chars() {
                    push_literal(&mut self.out, c);
                }
            }
            Some(c @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) => self.replace(perl(c)),
            Some('p' | 'P') => {
                let class = self.unicode(before)?;
                self.out.push_str(&class);
            }
            _ => {
                let c = self.char_escape(before)?;
                push_literal(&mut self.out, c);
            }
        }
        Ok(())
    }

    fn replace(&mut self, text: &str) {
        self.bump();
        self.out.push_str(text);
    }

    /// `\pN`, `\p{Name}` and their opposites, behind the backslash.
    fn unicode(&mut self, before: &'p str) -> Result<String, Fault> {
        let mut negated = self.bump() == Some('P');
        let name = match self.bump() {
            Some('{') => {
                let Some((name, rest)) = self.rest.split_once('}') else {
                    return Err(fault("invalid character class range", before));
                };
                self.rest = rest;
                name.to_owned()
            }
            Some(c) => c.to_string(),
            None => return Err(fault("invalid character class range", before)),
        };
        let name = match name.strip_prefix('^') {
            Some(name) => {
                negated = !negated;
                name
            }
            None => &name,
        };
        let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let letter = if negated { 'P' } else { 'p' };
        let class = format!("\\{letter}{{{name}}}");
        let known = !name.is_empty() && name.chars().all(word) && regex::Regex::new(&class).is_ok();
        match known {
            true => Ok(class),
            false => Err(fault("invalid character class range", self.since(before))),
        }
    }

    /// An escape that stands for one character, behind the backslash.
    fn char_escape(&mut self, before: &'p str) -> Result<char, Fault> {
        let invalid = |this: &Self| fault("invalid escape sequence", this.since(before));
        let Some(c) = self.bump() else {
            return Err(fault("trailing backslash at end of expression", ""));
        };
        Ok(match c {
            'a' => '\x07',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '1'..='7' if !self.peek().is_some_and(|c| c.is_digit(8)) => return Err(invalid(self)),
            '0'..='7' => {
                let mut number = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    number = number * 8 + digit;
                    self.bump();
                }
                char::from_u32(number).ok_or_else(|| invalid(self))?
            }
            'x' => {
                let digits = match self.eat("{") {
                    true => {
                        let Some((digits, rest)) = self.rest.split_once('}') else {
                            self.rest = "";
                            return Err(invalid(self));
                        };
                        self.rest = rest;
                        digits
                    }
                    false => {
                        let (digits, rest) =
                            self.rest.split_at_checked(2).unwrap_or((self.rest, ""));
                        self.rest = rest;
                        if digits.len() < 2 {
                            return Err(invalid(self));
                        }
                        digits
                    }
                };
                let hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let number = u32::from_str_radix(digits, 16).ok().filter(|_| hex);
                number
                    .and_then(char::from_u32)
                    .ok_or_else(|| invalid(self))?
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => c,
            _ => return Err(invalid(self)),
        })
    }

    /// A class behind its bracket.
    fn class(&mut self, before: &'p str) -> Result<(), Fault> {
        let negated = self.eat("^");
        self.out.push_str(if negated { "[^" } else { "[" });
        let mut first = true;
        while first || self.peek() != Some(']') {
            let start = self.rest;
            if start.is_empty() {
                return Err(fault("missing closing ]", before));
            }
            first = false;
            if start.starts_with("[:")
                && let Some(end) = start.get(2..).and_then(|text| text.find(":]"))
            {
                let (name, rest) = start.split_at(end + 4);
                if !is_posix(name) {
                    return Err(fault("invalid character class range", name));
                }
                self.rest = rest;
                self.out.push_str(name);
                continue;
            }
            if let Some(escape) = start.strip_prefix('\\') {
                let next = escape.chars().next();
                if let Some(c @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) = next {
                    self.rest = escape.get(1..).unwrap_or_default();
                    self.out.push_str(perl(c));
                    continue;
                }
                if matches!(next, Some('p' | 'P')) {
                    self.rest = escape;
                    let class = self.unicode(start)?;
                    self.out.push_str(&class);
                    continue;
                }
            }
            self.range(before, start)?;
        }
        self.bump();
        self.out.push(']');
        Ok(())
    }

    /// One character of a class, or a range of them.
    fn range(&mut self, class: &'p str, start: &'p str) -> Result<(), Fault> {
        let low = self.class_char(class)?;
        let mut high = low;
        let range = self
            .rest
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with(']'));
        if let Some(rest) = range.filter(|rest| !rest.is_empty()) {
            self.rest = rest;
            high = self.class_char(class)?;
            if high < low {
                return Err(fault("invalid character class range", self.since(start)));
            }
        }
        self.out.push_str(&format!(
            "\\x{{{:x}}}-\\x{{{:x}}}",
            u32::from(low),
            u32::from(high)
        ));
        Ok(())
    }

    fn class_char(&mut self, class: &'p str) -> Result<char, Fault> {
        let before = self.rest;
        match self.bump() {
            None => Err(fault("missing closing ]", class)),
            Some('\\') => self.char_escape(before),
            Some(c) => Ok(c),
        }
    }
}

/// Perl's classes: of ASCII.
fn perl(letter: char) -> &'static str {
    match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => "[\\t\\n\\x0c\\r ]",
        'S' => "[^\\t\\n\\x0c\\r ]",
        'w' => "[0-9A-Za-z_]",
        _ => "[^0-9A-Za-z_]",
    }
}

/// `[:name:]` or `[:^name:]`.
fn is_posix(class: &str) -> bool {
    const NAMES: &[&str] = &[
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    let name = class.trim_start_matches("[:").trim_end_matches(":]");
    NAMES.contains(&name.strip_prefix('^').unwrap_or(name))
}

fn push_literal(out: &mut String, c: char) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::super::Regexp;

    fn matches(pattern: &str, text: &str) -> bool {
        Regexp::new(pattern).unwrap().is_match(text.as_bytes())
    }

    #[test]
    fn classes_are_ascii() {
        assert!(!matches(r"^\d$", "٣"));
        assert!(!matches(r"^\w$", "é"));
        assert!(matches(r"^[\w-]+$", "a-b"));
        assert!(matches(r"[a&&b]", "&"));
        assert!(matches(r"^[[a]$", "["));
        assert!(matches(r"^[]a]+$", "]a"));
        assert!(matches(r"^[^\d\s]$", "x"));
        assert!(matches(r"\Q.*\E", "a.*") && !matches(r"\Q.*\E", "ab"));
        assert!(matches(r"^\101\x42\x{43}$", "ABC"));
        assert!(matches("^a{,2}$", "a{,2}") && matches("a{", "a{"));
        assert!(matches(r"^\p{Greek}\pL\p{^L}$", "αa1"));
    }

    #[test]
    fn faults_are_gos() {
        let fails = |pattern: &str, message: &str| {
            let error = Regexp::new(pattern).unwrap_err();
            assert_eq!(
                error,
                format!("error parsing regexp: {message}"),
                "{pattern}"
            );
        };
        fails("a**", "invalid nested repetition operator: `**`");
        fails("*", "missing argument to repetition operator: `*`");
        fails("(a", "missing closing ): `(a`");
        fails("a)", "unexpected ): `a)`");
        fails("[a", "missing closing ]: `[a`");
        fails("[z-a]", "invalid character class range: `z-a`");
        fails("x{1001}", "invalid repeat count: `{1001}`");
        fails("(?x)a", "invalid or unsupported Perl syntax: `(?x`");
        fails(r"\8", "invalid escape sequence: `\\8`");
        fails(r"\p{Nope}", "invalid character class range: `\\p{Nope}`");
        fails("[[:foo:]]", "invalid character class range: `[:foo:]`");
        fails("a\\", "trailing backslash at end of expression: ``");
    }
}
