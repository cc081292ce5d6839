//! Values of assignments.

use std::sync::Arc;

use super::Form;
use super::place::{Assigner, Stop};
use crate::data::Data;

/// A value, and whether the text has ended before it.
pub(super) enum Read {
    Value(Data),
    /// Nothing is left: the value is empty.
    Nothing,
}

impl Assigner<'_> {
    /// The value behind a `=`.
    pub fn value(&mut self) -> Result<Read, Stop> {
        match self.form {
            Form::Literal => {
                let (word, _) = self.runes.until("", false);
                Ok(Read::Value(text(&word)))
            }
            Form::Json => self.json().map(Read::Value),
            Form::Typed | Form::Text => match self.runes.peek() {
                None => Ok(Read::Nothing),
                Some('{') => self.list().map(Read::Value),
                Some(_) => {
                    let (word, _) = self.runes.until(",", true);
                    self.scalar(&word).map(Read::Value)
                }
            },
        }
    }

    fn json(&mut self) -> Result<Data, Stop> {
        if self.runes.blank() {
            return Ok(Data::Null);
        }
        let (value, length) = crate::json::read_first(&self.runes.rest()).map_err(Stop::Fault)?;
        self.runes.skip_bytes(length);
        self.runes.blank();
        Ok(Data::of(&value))
    }

    fn list(&mut self) -> Result<Data, Stop> {
        self.runes.eat('{');
        let mut items = Vec::new();
        loop {
            let (word, end) = self.runes.until(",}", true);
            match end {
                None => return Err(Stop::fault("list must terminate with '}'")),
                Some('}') => {
                    self.runes.eat(',');
                    items.push(self.scalar(&word)?);
                    return Ok(Data::List(items));
                }
                Some(_) => items.push(self.scalar(&word)?),
            }
        }
    }

    fn scalar(&mut self, word: &[char]) -> Result<Data, Stop> {
        if let Some(read) = &mut self.read {
            let name: String = word.iter().collect();
            let bytes = read(&name).map_err(Stop::Fault)?;
            return Ok(Data::String(Arc::from(bytes)));
        }
        match self.form {
            Form::Typed => Ok(typed(word)),
            _ => Ok(text(word)),
        }
    }
}

fn text(word: &[char]) -> Data {
    Data::text(&word.iter().collect::<String>())
}

/// What a word looks like.
fn typed(word: &[char]) -> Data {
    let word: String = word.iter().collect();
    // Go folds the long s, too.
    let folded = word.to_ascii_lowercase().replace('\u{17f}', "s");
    match folded.as_str() {
        "true" => Data::Bool(true),
        "false" => Data::Bool(false),
        "null" => Data::Null,
        "0" => Data::Int(0),
        _ if word.starts_with('0') => Data::text(&word),
        _ => match word.parse() {
            Ok(number) => Data::Int(number),
            Err(_) => Data::text(&word),
        },
    }
}
