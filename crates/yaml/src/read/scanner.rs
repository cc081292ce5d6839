//! Text to tokens.
//!
//! Two things make YAML's tokens depend on what follows them: a key is only
//! known as one when its `:` arrives, and the reader behind kyaml looks two
//! tokens ahead (for comments), so that an error there comes before an error
//! of the grammar here. Both are kept: tokens wait in a queue, and the places
//! where a key could have begun are remembered, one per flow level.

use std::collections::VecDeque;

use super::chars::{break_len, byte, is_blank, is_blank_or_end};
use super::comments::Waiting;
use super::token::{Dialect, Kind, Refusal, Token};

/// A key has its `:` within this many characters, on one line.
const KEY_REACH: usize = 1024;
/// Nesting at which Go's scanner gives up.
const MAX_NESTING: usize = crate::Limits::GO_DEPTH;

/// A place where a key without `?` may have begun.
#[derive(Clone, Copy, Debug, Default)]
struct KeyStart {
    /// It may still turn out to be one.
    possible: bool,
    /// Its absence is an error: it stands where block keys stand.
    required: bool,
    /// The queue waits for it. A flow collection that was closed without any
    /// key of its own takes this from the level below: upstream does, and its
    /// older reader therefore never sees that `[]: x` has a key.
    listed: bool,
    /// Number of its first token since the start.
    token: usize,
    at: usize,
    line: u32,
    column: i32,
}

/// The scanner's state.
pub(crate) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) src: &'a [u8],
    pub(super) pos: usize,
    pub(super) line: u32,
    line_start: usize,
    /// Columns count characters; in ASCII text bytes will do.
    pub(super) ascii: bool,
    /// The last place a column was counted for, and that column.
    counted: (usize, usize),
    pub(super) dialect: Dialect,
    pub(super) indent: i32,
    indents: Vec<i32>,
    pub(super) key_allowed: bool,
    /// Up to where each line loses its first character: upstream looks for a byte
    /// order mark at the start of its buffer, whatever is in front of it, so a
    /// second mark at the start of the text takes one of every line.
    pub(super) eats_until: usize,
    /// The place of a mark near the end of the text, see [`late_mark`].
    late_mark: Option<usize>,
    /// One per flow level; never empty.
    keys: Vec<KeyStart>,
    pub(super) queue: VecDeque<Token<'a>>,
    pub(super) waiting: Waiting,
    /// Tokens handed out.
    taken: usize,
    /// The next token is final.
    ready: bool,
}

pub(super) type Scan<T> = Result<T, Refusal>;

/// The place of a byte order mark with two characters behind it. Where upstream
/// wants to see more than is left, it moves what is left to the start of its
/// buffer; a mark that stands there then takes the first character of each line.
fn late_mark(text: &str) -> Option<usize> {
    let (at, mark) = text.char_indices().rev().nth(2)?;
    (mark == '\u{FEFF}').then_some(at)
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Self {
        let pos = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        Scanner {
            text,
            src: text.as_bytes(),
            pos,
            line: 0,
            line_start: pos,
            ascii: text.get(pos..).is_some_and(str::is_ascii),
            counted: (pos, 0),
            dialect,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            eats_until: match text.get(pos..) {
                Some(rest) if pos > 0 && rest.starts_with('\u{FEFF}') => pos + super::input::PIECE,
                _ => 0,
            },
            late_mark: late_mark(text),
            keys: vec![KeyStart::default()],
            queue: VecDeque::with_capacity(16),
            waiting: Waiting::default(),
            taken: 0,
            ready: false,
        }
    }

    /// Notes that upstream looks four characters ahead from here.
    #[inline]
    pub(super) fn look_ahead(&mut self) {
        if let Some(mark) = self.late_mark
            && self.pos >= mark
        {
            let stands_first = self.pos == mark;
            self.eats_until = if stands_first { self.src.len() } else { 0 };
        }
    }

    /// The next token, without taking it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Scan<&Token<'a>> {
        if !self.ready {
            self.fill()?;
        }
        match self.queue.front() {
            Some(token) => Ok(token),
            None => Err(self.nothing()),
        }
    }

    #[cold]
    fn nothing(&self) -> Refusal {
        self.refusal(None, "unknown problem parsing YAML content")
    }

    /// Takes the next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Scan<Token<'a>> {
        self.peek()?;
        self.ready = false;
        self.taken += 1;
        match self.queue.pop_front() {
            Some(token) => Ok(token),
            None => Err(self.nothing()),
        }
    }

    #[inline(never)]
    fn fill(&mut self) -> Scan<()> {
        let ahead = match self.dialect {
            Dialect::V2 => 0,
            Dialect::V3 => 2,
        };
        while self.queue.len() <= ahead || self.head_may_be_key()? {
            self.scan_token()?;
        }
        self.ready = true;
        if !self.waiting.is_empty()
            && let Some(token) = self.queue.front()
        {
            self.waiting.reach(&token.kind, token.start);
        }
        Ok(())
    }

    /// Whether a key may begin at the head of the queue, so that tokens may
    /// still have to go before it.
    fn head_may_be_key(&mut self) -> Scan<bool> {
        let first = match self.keys.as_slice() {
            [only] if only.token == self.taken => 0,
            [_] => return Ok(false),
            keys => keys.partition_point(|key| key.token < self.taken),
        };
        let same = self.keys.iter().skip(first);
        let listed = same
            .take_while(|key| key.token == self.taken)
            .position(|key| key.listed);
        match listed {
            Some(offset) => self.key_is_open(first + offset),
            None => Ok(false),
        }
    }

    /// Whether the key start of a level can still become a key.
    fn key_is_open(&mut self, level: usize) -> Scan<bool> {
        let Some(key) = self.keys.get(level).copied() else {
            return Ok(false);
        };
        if !key.possible {
            return Ok(false);
        }
        if key.line == self.line && self.within_reach(key.at) {
            return Ok(true);
        }
        if key.required {
            return Err(self.missing_colon(key));
        }
        if let Some(key) = self.keys.get_mut(level) {
            key.possible = false;
        }
        Ok(false)
    }

    fn within_reach(&self, from: usize) -> bool {
        let bytes = self.pos - from.min(self.pos);
        if self.ascii || bytes <= KEY_REACH {
            return bytes <= KEY_REACH;
        }
        let between = self.src.get(from..self.pos).unwrap_or_default();
        between.iter().filter(|byte| **byte & 0xC0 != 0x80).count() <= KEY_REACH
    }

    fn missing_colon(&self, key: KeyStart) -> Refusal {
        let mut refusal = self.refusal(Some(key.at), "could not find expected ':'");
        refusal.context = Some(key.at);
        refusal
    }

    /// Notes that a key may begin here.
    fn note_key(&mut self) -> Scan<()> {
        if !self.key_allowed {
            return Ok(());
        }
        let column = self.column();
        self.drop_key()?;
        let key = KeyStart {
            possible: true,
            required: self.flow() == 0 && self.indent == column,
            listed: true,
            token: self.taken + self.queue.len(),
            at: self.pos,
            line: self.line,
            column,
        };
        if let Some(last) = self.keys.last_mut() {
            *last = key;
        }
        Ok(())
    }

    /// Gives up the key start of this flow level.
    fn drop_key(&mut self) -> Scan<()> {
        let Some(key) = self.keys.last().copied() else {
            return Ok(());
        };
        if !key.possible {
            return Ok(());
        }
        if key.required {
            return Err(self.missing_colon(key));
        }
        if let Some(last) = self.keys.last_mut() {
            last.possible = false;
            last.listed = false;
        }
        Ok(())
    }

    /// How many flow collections are open.
    pub(super) fn flow(&self) -> usize {
        self.keys.len() - 1
    }

    /// The column of the position, in characters from 0.
    pub(super) fn column(&mut self) -> i32 {
        let column = if self.ascii {
            self.pos - self.line_start
        } else {
            let (at, before) = if self.counted.0 >= self.line_start && self.counted.0 <= self.pos {
                self.counted
            } else {
                (self.line_start, 0)
            };
            let since = self.src.get(at..self.pos).unwrap_or_default();
            let chars = since.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
            self.counted = (self.pos, before + chars);
            before + chars
        };
        i32::try_from(column).unwrap_or(i32::MAX)
    }

    pub(super) fn at_line_start(&self) -> bool {
        self.pos == self.line_start
    }

    /// Steps over a line break of `len` bytes.
    pub(super) fn take_break(&mut self, len: usize) {
        self.pos += len;
        self.line += 1;
        self.line_start = self.pos;
    }

    pub(super) fn here(&self, offset: usize) -> u8 {
        byte(self.src, self.pos + offset)
    }

    pub(super) fn break_here(&self) -> usize {
        break_len(self.src, self.pos)
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn refusal(&self, context: Option<usize>, problem: &'static str) -> Refusal {
        Refusal {
            problem: problem.into(),
            context,
            at: self.pos,
            scanner: true,
            limit: false,
        }
    }

    /// A refusal that names the position only.
    fn refusal_here(&self, problem: &'static str) -> Refusal {
        self.refusal(Some(self.pos), problem)
    }

    fn push(&mut self, kind: Kind<'a>, start: usize, end: usize) {
        self.queue.push_back(Token { kind, start, end });
    }

    /// Puts a token before the one with number `number`, or at the end when
    /// that one has been handed out already.
    fn insert(&mut self, number: Option<usize>, kind: Kind<'a>, at: usize) {
        let token = Token {
            kind,
            start: at,
            end: at,
        };
        match number.and_then(|number| number.checked_sub(self.taken)) {
            Some(index) if index <= self.queue.len() => self.queue.insert(index, token),
            _ => self.queue.push_back(token),
        }
    }

    /// Opens a block collection when the column is deeper than the current.
    fn open_block(
        &mut self,
        column: i32,
        number: Option<usize>,
        kind: Kind<'a>,
        at: usize,
    ) -> Scan<()> {
        if self.flow() > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_NESTING {
            let context = self.keys.last().map(|key| key.at);
            return Err(self.too_deep(context));
        }
        self.insert(number, kind, at);
        Ok(())
    }

    fn too_deep(&self, context: Option<usize>) -> Refusal {
        let mut refusal = self.refusal(context, "exceeded max depth of 10000");
        refusal.limit = true;
        refusal
    }

    /// Closes the block collections deeper than `column`.
    fn close_blocks(&mut self, column: i32, at: usize) {
        if self.flow() > 0 || self.indent <= column {
            return;
        }
        // One before the first character, which no comment can stand at.
        let mut reach = at.saturating_sub(1);
        let mut at = at;
        while self.indent > column {
            if !self.waiting.is_empty()
                && let Some(found) = self.waiting.end_of_block(reach, self.indent)
            {
                (reach, at) = (found, found);
            }
            self.push(Kind::BlockEnd { reach }, at, at);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Appends the next token, with the tokens it implies.
    fn scan_token(&mut self) -> Scan<()> {
        let before = self.pos;
        self.skip_to_token();
        let column = self.column();
        let closing = match self.dialect {
            Dialect::V2 => self.pos,
            Dialect::V3 => before,
        };
        self.close_blocks(column, closing);
        let first = self.here(0);
        if first == 0 {
            return self.end_of_stream();
        }
        if column == 0 {
            if first == b'%' {
                return self.directive_line();
            }
            if self.document_marker() {
                let kind = if first == b'-' {
                    Kind::DocumentStart
                } else {
                    Kind::DocumentEnd
                };
                return self.document_line(kind);
            }
        }
        // What follows an indicator belongs to what stands before it.
        let indicates = match first {
            b':' => self.flow() == 0,
            b',' => self.flow() > 0,
            _ => false,
        };
        let token = match indicates {
            true => self.queue.back().map_or(self.pos, |before| before.start),
            false => self.pos,
        };
        let on_break = self.content_token(first, column)?;
        if self.dialect == Dialect::V3 && !on_break {
            self.take_line_comment(token);
        }
        Ok(())
    }

    /// Whether `---` or `...` stands here, alone.
    pub(super) fn document_marker(&self) -> bool {
        matches!(
            (self.here(0), self.here(1), self.here(2)),
            (b'-', b'-', b'-') | (b'.', b'.', b'.')
        ) && is_blank_or_end(self.src, self.pos + 3)
    }

    /// Scans a token that is part of a document. Tells whether its last
    /// character was a line break.
    fn content_token(&mut self, first: u8, column: i32) -> Scan<bool> {
        let lone = is_blank_or_end(self.src, self.pos + 1);
        let flow = self.flow() > 0;
        match first {
            b'[' => self.flow_open(Kind::FlowSequence)?,
            b'{' => self.flow_open(Kind::FlowMapping)?,
            b']' => self.flow_close(Kind::FlowSequenceEnd)?,
            b'}' => self.flow_close(Kind::FlowMappingEnd)?,
            b',' => self.comma()?,
            b'-' if lone => {
                self.item(column)?;
                // A comment behind a lone `-` belongs to what follows.
                return Ok(true);
            }
            b'?' if flow || lone => self.explicit_key(column)?,
            b':' if flow || lone => self.value(column)?,
            b'*' | b'&' => {
                self.note_key()?;
                self.key_allowed = false;
                self.anchor_or_alias(first == b'*')?;
            }
            b'!' => {
                self.note_key()?;
                self.key_allowed = false;
                self.tag()?;
            }
            b'|' | b'>' if !flow => {
                self.drop_key()?;
                self.key_allowed = true;
                return self.block_scalar(first == b'|');
            }
            b'\'' | b'"' => {
                self.note_key()?;
                self.key_allowed = false;
                self.quoted_scalar(first == b'\'')?;
            }
            _ if self.plain_starts(first, flow) => {
                self.note_key()?;
                self.key_allowed = false;
                return self.plain_scalar();
            }
            _ => return Err(self.refusal_here("found character that cannot start any token")),
        }
        Ok(false)
    }

    /// Whether a plain scalar may begin with this character. In flow
    /// collections upstream is stricter than the specification.
    fn plain_starts(&self, first: u8, flow: bool) -> bool {
        match first {
            b'-' => !is_blank(self.here(1)),
            b'?' | b':' => !flow && !is_blank_or_end(self.src, self.pos + 1),
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
            | b'"' | b'%' | b'@' | b'`' => false,
            _ => !is_blank_or_end(self.src, self.pos),
        }
    }

    fn end_of_stream(&mut self) -> Scan<()> {
        // The end counts as the start of a line; an offset behind the text
        // stands for that when lines are counted.
        if !self.at_line_start() {
            self.line += 1;
            self.pos = self.src.len() + 1;
            self.line_start = self.pos;
        }
        let at = self.pos;
        self.close_blocks(-1, at);
        self.drop_key()?;
        self.key_allowed = false;
        self.push(Kind::StreamEnd, at, at);
        Ok(())
    }

    fn directive_line(&mut self) -> Scan<()> {
        let at = self.pos;
        self.close_blocks(-1, at);
        self.drop_key()?;
        self.key_allowed = false;
        let kind = self.directive()?;
        let end = self.pos;
        self.push(kind, at, end);
        Ok(())
    }

    fn document_line(&mut self, kind: Kind<'a>) -> Scan<()> {
        let at = self.pos;
        self.close_blocks(-1, at);
        self.drop_key()?;
        self.key_allowed = false;
        self.pos += 3;
        self.push(kind, at, at + 3);
        Ok(())
    }

    /// Appends a token of one character.
    fn indicator(&mut self, kind: Kind<'a>) {
        let at = self.pos;
        self.pos += 1;
        self.push(kind, at, at + 1);
    }

    fn flow_open(&mut self, kind: Kind<'a>) -> Scan<()> {
        self.note_key()?;
        self.keys.push(KeyStart {
            token: self.taken + self.queue.len(),
            at: self.pos,
            line: self.line,
            ..KeyStart::default()
        });
        if self.flow() > MAX_NESTING {
            return Err(self.too_deep(Some(self.pos)));
        }
        self.key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn flow_close(&mut self, kind: Kind<'a>) -> Scan<()> {
        self.drop_key()?;
        if self.keys.len() > 1
            && let Some(closed) = self.keys.pop()
            && let Some(outer) = self.keys.last_mut()
            && outer.token == closed.token
        {
            outer.listed = false;
        }
        self.key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn comma(&mut self) -> Scan<()> {
        self.drop_key()?;
        self.key_allowed = true;
        self.indicator(Kind::Comma);
        Ok(())
    }

    fn item(&mut self, column: i32) -> Scan<()> {
        if self.flow() == 0 {
            if !self.key_allowed {
                return Err(
                    self.refusal_here("block sequence entries are not allowed in this context")
                );
            }
            self.open_block(column, None, Kind::BlockSequence, self.pos)?;
        }
        self.drop_key()?;
        self.key_allowed = true;
        self.indicator(Kind::Item);
        Ok(())
    }

    fn explicit_key(&mut self, column: i32) -> Scan<()> {
        if self.flow() == 0 {
            if !self.key_allowed {
                return Err(self.refusal_here("mapping keys are not allowed in this context"));
            }
            self.open_block(column, None, Kind::BlockMapping, self.pos)?;
        }
        self.drop_key()?;
        self.key_allowed = self.flow() == 0;
        self.indicator(Kind::Key);
        Ok(())
    }

    fn value(&mut self, column: i32) -> Scan<()> {
        let level = self.flow();
        if self.key_is_open(level)? {
            let key = self.keys.last().copied().unwrap_or_default();
            self.insert(Some(key.token), Kind::Key, key.at);
            self.open_block(key.column, Some(key.token), Kind::BlockMapping, key.at)?;
            if let Some(last) = self.keys.last_mut() {
                last.possible = false;
                last.listed = false;
            }
            self.key_allowed = false;
        } else {
            if level == 0 {
                if !self.key_allowed {
                    return Err(self.refusal_here("mapping values are not allowed in this context"));
                }
                self.open_block(column, None, Kind::BlockMapping, self.pos)?;
            }
            self.key_allowed = level == 0;
        }
        self.indicator(Kind::Value);
        Ok(())
    }

    pub(super) fn scalar_token(&mut self, kind: Kind<'a>, start: usize, end: usize) {
        self.push(kind, start, end);
    }
}
