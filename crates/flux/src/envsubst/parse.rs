//! From text to expressions.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A stretch of text, or an expression.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Bytes that stay as they are. Of `$$` only the second is one.
    Text(Range<usize>),
    /// `${…}`.
    Expression(Expression<'a>),
}

/// `${…}`: a variable and what is done with its value.
#[derive(Debug, PartialEq, Eq)]
pub struct Expression<'a> {
    /// From `$` to `}`.
    pub range: Range<usize>,
    /// The variable.
    pub name: &'a str,
    /// The operator as written, empty for the plain value; `#` without
    /// arguments is the length.
    pub operator: &'a str,
    /// What the operator works with.
    pub arguments: Vec<Argument<'a>>,
}

/// One argument of an operator, or for defaults one stretch of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Argument<'a> {
    /// Text, escapes undone.
    Text(Cow<'a, str>),
    /// A nested expression.
    Expression(Expression<'a>),
}

/// What is wrong with an expression, in upstream's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An operator without what it needs, or the wrong end.
    BadSubstitution,
    /// A name that is followed by neither an operator nor a brace.
    MissingClosingBrace,
    /// No name after the brace.
    VariableName,
    /// An empty or unfinished argument.
    Argument,
    /// Deeper nesting than is taken here.
    TooDeep,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Problem::BadSubstitution => "bad substitution",
            Problem::MissingClosingBrace => "missing closing brace",
            Problem::VariableName => "unable to parse variable name",
            Problem::Argument => "unable to parse substitution within function",
            Problem::TooDeep => "expressions nest too deeply",
        })
    }
}

/// A text that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub problem: Problem,
    /// The outermost expression that holds it, up to where reading stopped.
    pub range: Range<usize>,
}

/// Expressions within one another.
const MAX_DEPTH: usize = 200;

/// Splits a text into what stays and what is expanded. Like upstream, reading
/// ends at a zero byte.
pub fn parse(text: &str) -> Result<Vec<Part<'_>>, ParseError> {
    let end = memchr::memchr(0, text.as_bytes()).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default();
    let mut reader = Reader { text, at: 0 };
    let mut parts = Vec::new();
    let mut plain = 0;
    let mut seek = 0;
    while let Some(found) = text
        .get(seek..)
        .and_then(|rest| memchr::memchr(b'$', rest.as_bytes()))
    {
        let dollar = seek + found;
        match text.as_bytes().get(dollar + 1) {
            Some(b'$') => {
                push_text(&mut parts, plain..dollar);
                plain = dollar + 1;
                seek = dollar + 2;
            }
            Some(b'{') => {
                push_text(&mut parts, plain..dollar);
                reader.at = dollar + 2;
                match reader.expression(dollar, 0) {
                    Ok(expression) => parts.push(Part::Expression(expression)),
                    Err(problem) => {
                        let range = dollar..reader.at;
                        return Err(ParseError { problem, range });
                    }
                }
                plain = reader.at;
                seek = reader.at;
            }
            _ => seek = dollar + 1,
        }
    }
    push_text(&mut parts, plain..text.len());
    Ok(parts)
}

fn push_text(parts: &mut Vec<Part<'_>>, range: Range<usize>) {
    if !range.is_empty() {
        parts.push(Part::Text(range));
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes characters while `accept` says so, at most `most` of them.
    fn take(&mut self, most: usize, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest
            .chars()
            .take(most)
            .take_while(|c| accept(*c))
            .map(char::len_utf8)
            .sum();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn close(&mut self, otherwise: Problem) -> Result<(), Problem> {
        match self.peek() {
            Some('}') => {
                self.at += 1;
                Ok(())
            }
            _ => Err(otherwise),
        }
    }

    /// Reads on behind `${`, through the brace that closes it.
    fn expression(&mut self, dollar: usize, depth: usize) -> Result<Expression<'a>, Problem> {
        if depth > MAX_DEPTH {
            return Err(Problem::TooDeep);
        }
        let mut expression = Expression {
            range: dollar..dollar,
            name: "",
            operator: "",
            arguments: Vec::new(),
        };
        if self.peek() == Some('#') {
            expression.operator = self.take(1, |c| c == '#');
            expression.name = self.take(usize::MAX, is_name);
            if expression.name.is_empty() {
                return Err(Problem::BadSubstitution);
            }
            self.close(Problem::BadSubstitution)?;
        } else {
            expression.name = self.take(usize::MAX, is_name);
            if expression.name.is_empty() {
                return Err(Problem::VariableName);
            }
            self.operation(&mut expression, depth)?;
        }
        expression.range.end = self.at;
        Ok(expression)
    }

    fn operation(&mut self, into: &mut Expression<'a>, depth: usize) -> Result<(), Problem> {
        match self.peek() {
            Some(':') => match self.rest().chars().nth(1) {
                Some('=' | '-' | '?' | '+') => self.default(into, 2, depth),
                Some(next) if next.is_ascii() => self.slice(into, depth),
                // Upstream's look ahead goes back by the width of what it saw.
                _ => Err(Problem::BadSubstitution),
            },
            Some('=') => self.default(into, 1, depth),
            Some(',' | '^') => {
                into.operator = self.take(2, |c| matches!(c, ',' | '^'));
                self.close(Problem::BadSubstitution)
            }
            Some('/') => self.replacement(into, depth),
            Some('#') => self.removal(into, '#', depth),
            Some('%') => self.removal(into, '%', depth),
            _ => self.close(Problem::MissingClosingBrace),
        }
    }

    /// `${v=d}`, `${v:-d}` and their like.
    fn default(
        &mut self,
        into: &mut Expression<'a>,
        length: usize,
        depth: usize,
    ) -> Result<(), Problem> {
        into.operator = self.take(length, |c| c.is_ascii());
        while self.peek() != Some('}') {
            let argument = self.argument(|c| c == '}', false, depth)?;
            into.arguments.push(argument);
        }
        self.close(Problem::BadSubstitution)
    }

    /// `${v:position}` and `${v:position:length}`.
    fn slice(&mut self, into: &mut Expression<'a>, depth: usize) -> Result<(), Problem> {
        into.operator = self.take(1, |c| c == ':');
        let position = self.argument(|c| matches!(c, ':' | '}'), false, depth)?;
        into.arguments.push(position);
        if self.peek() == Some('}') {
            return self.close(Problem::BadSubstitution);
        }
        if self.take(usize::MAX, |c| c == ':').is_empty() {
            return Err(Problem::BadSubstitution);
        }
        let length = self.argument(|c| c == '}', false, depth)?;
        into.arguments.push(length);
        self.close(Problem::BadSubstitution)
    }

    /// `${v#p}`, `${v##p}`, `${v%p}` and `${v%%p}`.
    fn removal(
        &mut self,
        into: &mut Expression<'a>,
        sign: char,
        depth: usize,
    ) -> Result<(), Problem> {
        into.operator = self.take(2, |c| c == sign);
        let pattern = self.argument(|c| c == '}', false, depth)?;
        into.arguments.push(pattern);
        self.close(Problem::BadSubstitution)
    }

    /// `${v/a/b}` and its like. What is looked for ends at a slash only, even
    /// if that stands far behind the brace.
    fn replacement(&mut self, into: &mut Expression<'a>, depth: usize) -> Result<(), Problem> {
        let start = self.at;
        self.take(1, |c| c == '/');
        self.take(1, |c| matches!(c, '/' | '#' | '%'));
        into.operator = self.text.get(start..self.at).unwrap_or_default();
        let old = self.argument(|c| c == '/', true, depth)?;
        into.arguments.push(old);
        if self.take(usize::MAX, |c| c == '/').is_empty() {
            return Err(Problem::BadSubstitution);
        }
        if self.peek() != Some('}') {
            let new = self.argument(|c| c == '}', true, depth)?;
            into.arguments.push(new);
        }
        self.close(Problem::BadSubstitution)
    }

    /// A nested expression, or text up to one, up to the end, or up to a
    /// character that ends it. Never empty. With `escapes`, `$$`, `\/` and `\\`
    /// stand for their second character.
    fn argument(
        &mut self,
        ends: fn(char) -> bool,
        escapes: bool,
        depth: usize,
    ) -> Result<Argument<'a>, Problem> {
        let start = self.at;
        if self.rest().starts_with("${") {
            self.at += 2;
            let nested = self.expression(start, depth + 1)?;
            return Ok(Argument::Expression(nested));
        }
        let mut undone = String::new();
        let mut copied = start;
        while let Some(c) = self.peek() {
            let rest = self.rest();
            if rest.starts_with("${") {
                break;
            }
            if escapes && ["$$", "\\/", "\\\\"].iter().any(|e| rest.starts_with(e)) {
                undone.push_str(self.text.get(copied..self.at).unwrap_or_default());
                copied = self.at + 1;
                self.at += 2;
            } else if ends(c) {
                break;
            } else {
                self.at += c.len_utf8();
            }
        }
        if self.at == start {
            return Err(Problem::Argument);
        }
        let last = self.text.get(copied..self.at).unwrap_or_default();
        Ok(Argument::Text(if copied == start {
            Cow::Borrowed(last)
        } else {
            undone.push_str(last);
            Cow::Owned(undone)
        }))
    }
}

/// Letters and digits as Go's unicode package has them, and the underscore.
fn is_name(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    static LETTER_OR_DIGIT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[\p{L}\p{Nd}]$").ok());
    let mut buffer = [0; 4];
    LETTER_OR_DIGIT
        .as_ref()
        .is_some_and(|class| class.is_match(c.encode_utf8(&mut buffer)))
}
