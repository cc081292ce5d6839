//! Assignments of the command line, such as `--set a.b[0]=c,d={e,f}`: a name
//! of keys and indexes, and a value that is set there.
//!
//! Errors have Helm's text. After an error the values may hold a part of the
//! assignments, as with Helm; a caller gives them up.

mod place;
mod text;
mod value;

use std::collections::BTreeMap;

use crate::data::Data;
use place::Assigner;
use text::Runes;

/// How the values of assignments are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `--set`: whole numbers, `true`, `false` and `null` are what they look
    /// like, all else is text; `{a,b}` is a list.
    Typed,
    /// `--set-string`: all are texts; `{a,b}` is a list of texts.
    Text,
    /// `--set-json`: JSON; nothing is null.
    Json,
    /// `--set-literal`: one assignment, whose value is the rest as it is.
    Literal,
}

/// Reads the file that stands for a value.
pub type ReadFile<'r> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'r;

/// Sets what a text assigns. Values that are no map become one.
pub fn assign(values: &mut Data, text: &[u8], form: Form) -> Result<(), String> {
    run(values, text, form, None)
}

/// `--set-file`: values are names of files, which hold the texts to set.
pub fn assign_files(values: &mut Data, text: &[u8], read: &mut ReadFile<'_>) -> Result<(), String> {
    run(values, text, Form::Text, Some(read))
}

fn run(
    values: &mut Data,
    text: &[u8],
    form: Form,
    read: Option<&mut ReadFile<'_>>,
) -> Result<(), String> {
    if !matches!(values, Data::Map(_)) {
        *values = Data::Map(BTreeMap::new());
    }
    match values {
        Data::Map(map) => Assigner::new(Runes::new(text), form, read).all(map),
        _ => Ok(()),
    }
}

impl Data {
    /// Sets the value at a path of `--set`'s grammar, read as `--set` reads
    /// values. A value between quotes is a text.
    pub fn set_at_path(&mut self, path: &str, value: &[u8]) -> Result<(), String> {
        let between = |quote: u8| value.first() == Some(&quote) && value.last() == Some(&quote);
        if !between(b'\'') && !between(b'"') {
            return assign(self, &joined(path, value), Form::Typed);
        }
        let is_quote = |byte: &u8| matches!(byte, b'\'' | b'"');
        let start = value.iter().take_while(|byte| is_quote(byte)).count();
        let value = value.get(start..).unwrap_or_default();
        let end = value.iter().rev().take_while(|byte| is_quote(byte)).count();
        let value = value.get(..value.len() - end).unwrap_or_default();
        assign(self, &joined(path, value), Form::Text)
    }

    /// Sets a text, as it is, at a path of `--set`'s grammar.
    pub fn set_text_at_path(&mut self, path: &str, text: &[u8]) -> Result<(), String> {
        let mut escaped = Vec::with_capacity(text.len());
        for byte in text {
            if matches!(byte, b'\\' | b',' | b'[' | b']' | b'{' | b'}') {
                escaped.push(b'\\');
            }
            escaped.push(*byte);
        }
        assign(self, &joined(path, &escaped), Form::Text)
    }
}

fn joined(path: &str, value: &[u8]) -> Vec<u8> {
    [path.as_bytes(), b"=", value].concat()
}

#[cfg(test)]
mod tests;
