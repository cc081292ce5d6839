//! Label selector expressions: `a=b, c in (d, e), !f`.

use ecow::{EcoString, EcoVec, eco_format};

use crate::error::Error;

/// A parsed expression; every requirement must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: EcoString,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Present,
    Absent,
    In(EcoVec<EcoString>),
    NotIn(EcoVec<EcoString>),
    Above(i64),
    Below(i64),
}

impl LabelSelector {
    /// Parses an expression; the empty one selects everything. Fails on a
    /// malformed expression, key or value.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut parser = Parser {
            tokens: tokenize(text),
            at: 0,
        };
        let requirements = parser.requirements()?;
        Ok(LabelSelector { requirements })
    }

    /// Whether labels, looked up by key, satisfy it.
    pub fn matches<'a>(&self, labels: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.test.holds(labels(&requirement.key)))
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|text| text.parse::<i64>().ok());
        match self {
            Test::Present => value.is_some(),
            Test::Absent => value.is_none(),
            Test::In(allowed) => value.is_some_and(|v| allowed.iter().any(|a| a == v)),
            Test::NotIn(denied) => value.is_none_or(|v| denied.iter().all(|d| d != v)),
            Test::Above(limit) => number().is_some_and(|n| n > *limit),
            Test::Below(limit) => number().is_some_and(|n| n < *limit),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Symbol(&'a str),
    End,
}

impl Token<'_> {
    fn text(&self) -> &str {
        match self {
            Token::Word(text) | Token::Symbol(text) => text,
            Token::End => "",
        }
    }
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(first) = rest.chars().next() else {
            tokens.push(Token::End);
            return tokens;
        };
        let length = if is_symbol(first) {
            let double = rest.starts_with("==") || rest.starts_with("!=");
            if double { 2 } else { 1 }
        } else {
            rest.find(|c: char| is_symbol(c) || matches!(c, ' ' | '\t' | '\r' | '\n'))
                .unwrap_or(rest.len())
        };
        let (token, tail) = rest.split_at(length);
        tokens.push(if is_symbol(first) {
            Token::Symbol(token)
        } else {
            Token::Word(token)
        });
        rest = tail;
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirements(&mut self) -> Result<Vec<Requirement>, Error> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token::End => return Ok(requirements),
                Token::Word(_) | Token::Symbol("!") => {}
                other => return Err(found(other, "!, identifier, or 'end of string'")),
            }
            let requirement = self
                .requirement()
                .map_err(|e| e.during("unable to parse requirement"))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Symbol(",") => match self.peek() {
                    Token::Word(_) | Token::Symbol("!") => {}
                    other => return Err(found(other, "identifier after ','")),
                },
                other => return Err(found(other, "',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, Error> {
        let absent = self.peek() == Token::Symbol("!");
        if absent {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(found(other, "identifier")),
        };
        check_key(key)?;
        let ends = matches!(self.peek(), Token::End | Token::Symbol(","));
        let test = match (absent, ends) {
            (true, _) => Test::Absent,
            (false, true) => Test::Present,
            (false, false) => self.test()?,
        };
        let (Test::In(values) | Test::NotIn(values)) = &test else {
            return Ok(Requirement {
                key: key.into(),
                test,
            });
        };
        values
            .iter()
            .try_for_each(|value| check_value(key, value))?;
        Ok(Requirement {
            key: key.into(),
            test,
        })
    }

    fn test(&mut self) -> Result<Test, Error> {
        match self.next() {
            Token::Word("in") => Ok(Test::In(self.values()?)),
            Token::Word("notin") => Ok(Test::NotIn(self.values()?)),
            Token::Symbol("=" | "==") => Ok(Test::In([self.value()?].into())),
            Token::Symbol("!=") => Ok(Test::NotIn([self.value()?].into())),
            Token::Symbol(">") => Ok(Test::Above(self.number()?)),
            Token::Symbol("<") => Ok(Test::Below(self.number()?)),
            other => Err(found(other, "'=', '!=', '==', 'in', notin'")),
        }
    }

    fn value(&mut self) -> Result<EcoString, Error> {
        match self.peek() {
            Token::End | Token::Symbol(",") => Ok(EcoString::new()),
            Token::Word(value) => {
                self.next();
                Ok(value.into())
            }
            other => Err(found(other, "identifier")),
        }
    }

    fn number(&mut self) -> Result<i64, Error> {
        self.value()?
            .parse()
            .map_err(|_| Error::new("for 'Gt', 'Lt' operators, the value must be an integer"))
    }

    /// A list in parentheses; a missing element is the empty value.
    fn values(&mut self) -> Result<EcoVec<EcoString>, Error> {
        match self.next() {
            Token::Symbol("(") => {}
            other => return Err(found(other, "'('")),
        }
        let mut values = EcoVec::new();
        loop {
            let value = match self.peek() {
                Token::Word(value) => {
                    self.next();
                    value
                }
                Token::Symbol("," | ")") => "",
                other => return Err(found(other, "',', or identifier")),
            };
            if !values.iter().any(|known| known == value) {
                values.push(value.into());
            }
            match self.next() {
                Token::Symbol(",") => {}
                Token::Symbol(")") => return Ok(values),
                other => return Err(found(other, "',' or ')'")),
            }
        }
    }
}

fn found(token: Token<'_>, expected: &str) -> Error {
    Error::new(eco_format!(
        "found '{}', expected: {expected}",
        token.text()
    ))
}

/// `name` or `prefix/name`, the form of label keys.
fn check_key(key: &str) -> Result<(), Error> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let valid_prefix = prefix.is_none_or(|prefix| {
        prefix.len() <= 253
            && prefix.split('.').all(|label| {
                is_word(
                    label,
                    |b| b.is_ascii_lowercase() || b.is_ascii_digit(),
                    b"-",
                )
            })
    });
    if valid_prefix && name.len() <= 63 && is_word(name, |b| b.is_ascii_alphanumeric(), b"-_.") {
        return Ok(());
    }
    Err(Error::new(eco_format!(
        "invalid label key {key:?}: it must be [prefix/]name: at most 63 letters, digits, '-', '_' or '.', starting and ending with a letter or digit"
    )))
}

fn check_value(key: &str, value: &str) -> Result<(), Error> {
    if value.is_empty()
        || (value.len() <= 63 && is_word(value, |b| b.is_ascii_alphanumeric(), b"-_."))
    {
        return Ok(());
    }
    Err(Error::new(eco_format!(
        "invalid label value: {value:?}: at key: {key:?}: it must be at most 63 letters, digits, '-', '_' or '.', starting and ending with a letter or digit"
    )))
}

/// Whether a text starts and ends with an `edge` byte and has only those and
/// `inner` bytes.
fn is_word(text: &str, edge: impl Fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    edge(*first) && edge(*last) && bytes.iter().all(|b| edge(*b) || inner.contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        LabelSelector::parse(selector).unwrap().matches(|key| {
            labels
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, v)| *v)
        })
    }

    #[test]
    fn requirements_are_joined_by_and() {
        let labels = [("app", "web"), ("tier", "3"), ("in", "in")];
        assert!(selects("", &labels));
        assert!(selects("app=web,tier", &labels));
        assert!(!selects("app=web,!tier", &labels));
        assert!(selects("app in (api, web), other notin (x)", &labels));
        assert!(selects("tier>2,tier<4", &labels));
        assert!(selects("other!=x", &labels));
        assert!(selects("in in (in)", &labels));
        assert!(!selects("app in ()", &labels));
    }

    #[test]
    fn malformed_expressions_fail() {
        for bad in ["a b", "=", "a=b,", "a in b", "a in (b", "-a", "a=-", "a>b"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }
}
