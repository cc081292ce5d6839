//! Regular expressions as Go writes them.

use std::fmt::Write as _;

use ecow::eco_format;
use regex::Regex;

use crate::error::Error;

/// Compiles a pattern written for Go. Both engines take nearly the same syntax;
/// where they differ the pattern is rewritten: a brace that begins no repetition
/// is a literal, classes like `\d` mean ASCII only, brackets within a class do
/// not nest, `\Q…\E` quotes. Fails on what Go refuses.
pub fn compile(pattern: &str) -> Result<Regex, Error> {
    let refused = || Error::new(eco_format!("error parsing regexp: invalid: `{pattern}`"));
    let rewritten = Rewriter::new(pattern).run().ok_or_else(refused)?;
    Regex::new(&rewritten).map_err(|_| refused())
}

struct Rewriter<'p> {
    rest: &'p str,
    out: String,
}

impl<'p> Rewriter<'p> {
    fn new(pattern: &'p str) -> Self {
        Rewriter {
            rest: pattern,
            out: String::with_capacity(pattern.len() + 8),
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn run(mut self) -> Option<String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '{' if !begins_repetition(self.rest) => self.out.push_str("\\{"),
                '}' => self.out.push_str(match self.in_repetition() {
                    true => "}",
                    false => "\\}",
                }),
                c => self.out.push(c),
            }
        }
        Some(self.out)
    }

    /// Whether a closing brace ends a repetition that was kept.
    fn in_repetition(&self) -> bool {
        let open = self.out.rfind('{');
        let inside = open.map(|at| (at, self.out.get(at + 1..).unwrap_or_default()));
        inside.is_some_and(|(at, inside)| {
            let escaped = self.out.get(..at).is_some_and(|head| head.ends_with('\\'));
            !escaped
                && !inside.is_empty()
                && inside.bytes().all(|b| b.is_ascii_digit() || b == b',')
        })
    }

    fn escape(&mut self, in_class: bool) -> Option<()> {
        let c = self.next()?;
        let class = |inner: &str| match in_class {
            true => inner.to_owned(),
            false => format!("[{inner}]"),
        };
        match c {
            'd' => self.out.push_str(&class("0-9")),
            's' => self.out.push_str(&class("\\t\\n\\f\\r ")),
            'w' => self.out.push_str(&class("0-9A-Za-z_")),
            'D' => self.out.push_str("[^0-9]"),
            'S' => self.out.push_str("[^\\t\\n\\f\\r ]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            'b' if !in_class => self.out.push_str("(?-u:\\b)"),
            'B' if !in_class => self.out.push_str("(?-u:\\B)"),
            'Q' if !in_class => {
                let (quoted, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
                self.rest = rest;
                self.out.push_str(&regex::escape(quoted));
            }
            // Octal.
            '0'..='7' => {
                let mut value = c.to_digit(8)?;
                if c != '0'
                    && !self
                        .rest
                        .starts_with(['0', '1', '2', '3', '4', '5', '6', '7'])
                {
                    return None;
                }
                for _ in 0..2 {
                    if let Some(digit) = self.rest.chars().next().and_then(|c| c.to_digit(8)) {
                        value = value * 8 + digit;
                        self.next();
                    }
                }
                write!(self.out, "\\x{{{value:x}}}").ok()?;
            }
            c => {
                self.out.push('\\');
                self.out.push(c);
            }
        }
        Some(())
    }

    /// A class in brackets, the first of which was taken.
    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.next();
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let c = self.next()?;
            match c {
                ']' if !first => {
                    self.out.push(']');
                    return Some(());
                }
                '\\' => self.escape(true)?,
                '[' if self.rest.starts_with(':') && self.rest.contains(":]") => {
                    let (name, rest) = self.rest.split_once(":]")?;
                    self.rest = rest;
                    write!(self.out, "[{name}:]").ok()?;
                }
                '[' | ']' | '&' | '~' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                '-' if first || self.rest.starts_with(']') => self.out.push_str("\\-"),
                c => self.out.push(c),
            }
            first = false;
        }
    }
}

/// Whether the text behind a brace makes it a repetition: `2}`, `2,}` or `2,3}`.
fn begins_repetition(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else {
        return false;
    };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).unwrap().is_match(text)
    }

    #[test]
    fn braces_that_repeat_nothing_are_literal() {
        assert!(matches("^{a}$", "{a}"));
        assert!(matches("^a{2}$", "aa"));
        assert!(matches("^a{2,}b{1,2}$", "aaabb"));
        assert!(!matches("^${VAR}/app$", "${VAR}/app"));
        assert!(matches("^[a-z.{}-]*$", "a{b}-c"));
    }

    #[test]
    fn classes_are_ascii_and_do_not_nest() {
        assert!(matches(r"^\d+$", "12"));
        assert!(!matches(r"^\d+$", "\u{661}"));
        assert!(matches(r"^[\w.]+$", "a_1."));
        assert!(matches("^[[a]+$", "[a["));
        assert!(matches("^[]a]+$", "]a"));
        assert!(matches("^[[:alpha:]&&]+$", "a&"));
    }

    #[test]
    fn quoting_and_refusal() {
        assert!(matches(r"^\Qa.b\E.$", "a.bx"));
        assert!(compile("a(").is_err());
        assert!(compile("[a").is_err());
        assert!(compile("a**").is_ok() == regex::Regex::new("a**").is_ok());
    }
}
