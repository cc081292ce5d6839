//! Variable expressions as Flux expands them in built objects.
//!
//! The language is a fixed part of the shell's: `${v}`, lengths, letter case,
//! slices, prefix and suffix removal by pattern, replacement and defaults, which
//! may nest. `$$` is a dollar sign, and a dollar sign before anything but a
//! brace is text. The behaviour, errors included, is that of
//! `fluxcd/pkg/envsubst` 1.7.
//!
//! Expansion never stops at an undefined variable: all of them are reported,
//! and the caller decides whether they matter.

mod glob;
mod ops;
mod parse;

use std::borrow::Cow;
use std::ops::Range;

use parse::{Expression, Part};

pub use parse::{ParseError, Problem};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    /// Its text; for an unknown value the marker that stands for it.
    pub text: Cow<'a, str>,
    /// The value cannot be read here.
    pub unknown: bool,
}

impl<'a> Value<'a> {
    /// A value that is known.
    pub fn known(text: &'a str) -> Self {
        Value {
            text: Cow::Borrowed(text),
            unknown: false,
        }
    }
}

/// Gives the value of a variable, or `None` for one that is not defined; told
/// whether the expression has a default for that case.
pub type Lookup<'l, 'v> = dyn Fn(&str, bool) -> Option<Value<'v>> + 'l;

/// A text with its expressions replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The result.
    pub text: String,
    /// Where each stretch of the result comes from, in order, without gaps.
    pub pieces: Vec<Piece>,
    /// Variables without a value and without a default, in the order in which
    /// they were asked for; the empty string went in. A strict expansion fails
    /// with the first of them.
    pub undefined: Vec<Undefined>,
}

/// A stretch of an expanded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the result.
    pub output: Range<usize>,
    /// The bytes it was made from: as many, where it was copied, or an
    /// expression from `$` to `}`.
    pub input: Range<usize>,
    /// Whether an expression made it.
    pub expanded: bool,
    /// Whether an unknown value is in it.
    pub unknown: bool,
}

/// A use of a variable that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The variable.
    pub name: String,
    /// The expression that needs it, from `$` to `}`.
    pub input: Range<usize>,
}

impl Undefined {
    /// What a strict expansion says.
    pub fn message(&self) -> String {
        format!("variable not set (strict mode): {:?}", self.name)
    }
}

/// Why a text could not be expanded, strict or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It does not parse.
    Parse(ParseError),
    /// The expander panics; the controller's reconciliation fails with this
    /// message. The range is the expression.
    Panic(String, Range<usize>),
    /// The result is no UTF-8: a slice cut a character in two. What YAML's reader
    /// says to that, and the expression at fault.
    NotUtf8(&'static str, Range<usize>),
    /// The result, or the work to get it, has no sensible size.
    TooLarge(Range<usize>),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Parse(error) => error.problem.fmt(f),
            Failure::Panic(message, _) => f.write_str(message),
            Failure::NotUtf8(message, _) => write!(f, "YAMLToJSON: yaml: {message}"),
            Failure::TooLarge(_) => f.write_str("the substituted text is too large"),
        }
    }
}

/// Bytes a result may have.
const MAX_OUTPUT: usize = 64 << 20;

/// Expands `text` with the values that `lookup` gives.
pub fn expand(text: &str, lookup: &Lookup<'_, '_>) -> Result<Expansion, Failure> {
    let parts = parse::parse(text).map_err(Failure::Parse)?;
    let mut run = Run {
        lookup,
        undefined: Vec::new(),
        work: ops::Work::default(),
    };
    let mut output: Vec<u8> = Vec::with_capacity(text.len());
    let mut pieces = Vec::new();
    for part in &parts {
        let start = output.len();
        let (input, unknown) = match part {
            Part::Text(range) => {
                output.extend_from_slice(text.get(range.clone()).unwrap_or_default().as_bytes());
                (range.clone(), false)
            }
            Part::Expression(expression) => {
                let made = run.expression(expression)?;
                output.extend_from_slice(&made.bytes);
                (expression.range.clone(), made.unknown)
            }
        };
        if output.len() > MAX_OUTPUT {
            return Err(Failure::TooLarge(input));
        }
        pieces.push(Piece {
            output: start..output.len(),
            input,
            expanded: matches!(part, Part::Expression(_)),
            unknown,
        });
    }
    match String::from_utf8(output) {
        Ok(text) => Ok(Expansion {
            text,
            pieces,
            undefined: run.undefined,
        }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = not_utf8(error.as_bytes().get(at..).unwrap_or_default());
            // The first byte of a cut character is where the trouble begins.
            let piece = pieces.iter().find(|piece| piece.output.end > at);
            Err(Failure::NotUtf8(
                message,
                piece.map_or(0..0, |piece| piece.input.clone()),
            ))
        }
    }
}

/// What YAML's reader says to bytes that begin no character.
fn not_utf8(bytes: &[u8]) -> &'static str {
    let width = match bytes.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    if bytes.len() < width {
        "incomplete UTF-8 octet sequence"
    } else {
        "invalid trailing UTF-8 octet"
    }
}

/// Whether expanding would leave the text as it is, whatever the variables.
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'$', bytes).all(|at| !matches!(bytes.get(at + 1), Some(b'$' | b'{')))
        && memchr::memchr(0, bytes).is_none()
}

struct Run<'a, 'v> {
    lookup: &'a Lookup<'a, 'v>,
    undefined: Vec<Undefined>,
    work: ops::Work,
}

/// What an expression or an argument came to.
struct Made {
    bytes: Vec<u8>,
    unknown: bool,
}

impl Run<'_, '_> {
    fn expression(&mut self, expression: &Expression<'_>) -> Result<Made, Failure> {
        // Arguments come first, needed or not: an undefined variable in a
        // default counts even where the default is not used.
        let mut arguments = Vec::with_capacity(expression.arguments.len());
        for argument in &expression.arguments {
            arguments.push(self.argument(argument)?);
        }
        let defaults = ops::has_default(expression.operator);
        let value = (self.lookup)(expression.name, defaults);
        if value.is_none() && !defaults {
            self.undefined.push(Undefined {
                name: expression.name.to_owned(),
                input: expression.range.clone(),
            });
        }
        let value = value.unwrap_or(Value::known(""));
        // Nothing can be computed from a marker. It may stand for the empty
        // string, but then so may the default be overridden: it stays.
        if value.unknown {
            return Ok(Made {
                bytes: value.text.as_bytes().to_vec(),
                unknown: true,
            });
        }
        if !defaults && let Some(at) = arguments.iter().position(|made| made.unknown) {
            return Ok(arguments.swap_remove(at));
        }
        self.apply(expression, &value.text, &arguments)
    }

    fn apply(
        &mut self,
        expression: &Expression<'_>,
        value: &str,
        arguments: &[Made],
    ) -> Result<Made, Failure> {
        let texts: Vec<&[u8]> = arguments.iter().map(|made| made.bytes.as_slice()).collect();
        let range = || expression.range.clone();
        let bytes = match ops::apply(expression.operator, value, &texts, &mut self.work) {
            Ok(bytes) if bytes.len() <= MAX_OUTPUT => bytes,
            Ok(_) | Err(ops::Failure::TooMuch) => return Err(Failure::TooLarge(range())),
            Err(ops::Failure::Panic(message)) => return Err(Failure::Panic(message, range())),
        };
        // Only a default that took the place of a value can be unknown here.
        Ok(Made {
            bytes,
            unknown: value.is_empty() && arguments.iter().any(|made| made.unknown),
        })
    }

    fn argument(&mut self, argument: &parse::Argument<'_>) -> Result<Made, Failure> {
        match argument {
            parse::Argument::Text(text) => Ok(Made {
                bytes: text.as_bytes().to_vec(),
                unknown: false,
            }),
            parse::Argument::Expression(expression) => self.expression(expression),
        }
    }
}

#[cfg(test)]
mod tests;
