//! The text of assignments, rune by rune.

use gotmpl::value::Str;

/// A text and how far it was read.
pub(super) struct Runes {
    runes: Vec<char>,
    at: usize,
}

/// A word, and the rune that ended it; none at the end of the text.
pub(super) type Word = (Vec<char>, Option<char>);

impl Runes {
    /// Bytes that are no UTF-8 count as U+FFFD.
    pub fn new(text: &[u8]) -> Self {
        let runes = Str::from(text).text().chars().collect();
        Runes { runes, at: 0 }
    }

    pub fn peek(&self) -> Option<char> {
        self.runes.get(self.at).copied()
    }

    pub fn next(&mut self) -> Option<char> {
        let rune = self.peek()?;
        self.at += 1;
        Some(rune)
    }

    /// Reads a rune if it is the given one.
    pub fn eat(&mut self, rune: char) -> bool {
        let is = self.peek() == Some(rune);
        self.at += usize::from(is);
        is
    }

    /// Reads up to one of the given runes, and past it. With `escapes` a
    /// backslash takes the meaning of the rune after it.
    pub fn until(&mut self, ends: &str, escapes: bool) -> Word {
        let mut word = Vec::new();
        loop {
            match self.next() {
                Some('\\') if escapes => match self.next() {
                    Some(rune) => word.push(rune),
                    None => return (word, None),
                },
                Some(rune) if ends.contains(rune) => return (word, Some(rune)),
                Some(rune) => word.push(rune),
                None => return (word, None),
            }
        }
    }

    /// All that was not read yet.
    pub fn rest(&self) -> String {
        self.runes
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    /// Goes past so many bytes of the rest.
    pub fn skip_bytes(&mut self, mut bytes: usize) {
        while bytes > 0 {
            let Some(rune) = self.next() else {
                return;
            };
            bytes = bytes.saturating_sub(rune.len_utf8());
        }
    }

    /// Reads spaces and a comma behind them: true where that was all, or the
    /// text has ended.
    pub fn blank(&mut self) -> bool {
        loop {
            match self.peek() {
                Some(rune) if rune.is_whitespace() => self.at += 1,
                Some(',') => {
                    self.at += 1;
                    return true;
                }
                Some(_) => return false,
                None => return true,
            }
        }
    }
}
