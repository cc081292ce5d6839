//! Which node a comment belongs to, as go-yaml v3 decides it: by blank lines,
//! by columns and by how far it has looked ahead.

use std::collections::VecDeque;

use super::chars::{break_len, byte, is_blank, is_line_end};
use super::scanner::Scanner;
use super::token::{Dialect, Kind};
use crate::{Comments, Text};

/// Blanks the comment look-ahead crosses.
const REACH: usize = 512;

/// A place in the text. Columns of comments that stand alone count from 1, others
/// from 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pub at: usize,
    pub line: u32,
    pub column: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Head,
    Line,
    Foot,
}

/// A comment that waits for the token it belongs to.
#[derive(Clone, Debug)]
struct Comment {
    role: Role,
    text: Text,
    /// Where the blanks before it begin.
    scan: usize,
    /// The token it belongs to is the first that begins here or later.
    token: usize,
    start: Mark,
    end: usize,
}

/// Comments of the text so far that no node has yet.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Their tokens were not looked at yet.
    ahead: VecDeque<Comment>,
    /// Those of the tokens since the last node.
    head: Text,
    line: Text,
    foot: Text,
    /// One of these is not empty.
    any: bool,
}

impl Waiting {
    /// Whether none waits for a token.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ahead.is_empty()
    }

    /// Notes that a token is looked at, which begins at `start`.
    #[cold]
    pub(super) fn reach(&mut self, kind: &Kind<'_>, start: usize) {
        let start = match kind {
            Kind::BlockEnd { reach } => *reach,
            _ => start,
        };
        while let Some(comment) = self.ahead.front() {
            let is_end = matches!(kind, Kind::BlockEnd { .. });
            if start < comment.token || (comment.role == Role::Head && is_end) {
                return;
            }
            let into = match comment.role {
                Role::Head => &mut self.head,
                Role::Line => &mut self.line,
                Role::Foot => &mut self.foot,
            };
            if !into.is_empty() {
                into.push('\n');
            }
            into.push_str(&comment.text);
            self.any = true;
            self.ahead.pop_front();
        }
    }

    /// The comments of the node that begins or ends here.
    #[inline]
    pub(super) fn take(&mut self) -> Comments {
        match self.any {
            true => self.taken(),
            false => Comments::NONE,
        }
    }

    #[cold]
    fn taken(&mut self) -> Comments {
        self.any = false;
        let take = std::mem::take::<Text>;
        Comments::new(
            take(&mut self.head),
            take(&mut self.line),
            take(&mut self.foot),
        )
    }

    /// How long the comment before the next node is so far.
    pub(super) fn head_len(&self) -> usize {
        self.head.len()
    }

    /// The first `len` bytes of the comment before the next node, which a
    /// collection that begins with that node has instead.
    pub(super) fn take_stem(&mut self, len: usize) -> Comments {
        let head = std::mem::take(&mut self.head);
        let stem = head.get(..len).unwrap_or_default();
        self.head = head.get(len + 1..).unwrap_or_default().into();
        Comments::new(stem.into(), Text::new(), Text::new())
    }

    /// What of the comment before the first node belongs to the document: all
    /// above its last empty line.
    pub(super) fn take_above(&mut self) -> Text {
        let head = self.head.as_str();
        let bytes = head.as_bytes();
        let last = bytes.len().saturating_sub(1);
        let cut = (1..bytes.len()).rev().find_map(|at| {
            let is_cut =
                bytes.get(at) == Some(&b'\n') && (at == last || bytes.get(at - 1) == Some(&b'\n'));
            is_cut.then_some((if at == last { at } else { at - 1 }, at + 1))
        });
        let Some((end, next)) = cut else {
            return Text::new();
        };
        let above = head.get(..end).unwrap_or_default().into();
        self.head = head.get(next..).unwrap_or_default().into();
        above
    }

    /// What stands below a document.
    pub(super) fn take_below(&mut self) -> Text {
        self.any = false;
        self.line = Text::new();
        let head = std::mem::take(&mut self.head);
        let foot = std::mem::take(&mut self.foot);
        if foot.is_empty() { head } else { foot }
    }

    /// Where the block ends that a comment follows: at the first of the comments
    /// that stand as deep as the block did.
    pub(super) fn end_of_block(&self, from: usize, indent: i32) -> Option<usize> {
        let mut stop = from;
        let mut found = None;
        for comment in self.ahead.iter().rev() {
            let end = match comment.role {
                Role::Line => 0,
                Role::Head | Role::Foot => comment.end,
            };
            if end < stop {
                break;
            }
            if comment.start.column == indent + 1 {
                found = Some(comment.start.at);
            }
            stop = comment.scan;
        }
        found
    }

    /// A comment behind a key whose list begins on the next line is one before the
    /// first item.
    pub(super) fn line_to_head(&mut self, here: Mark) {
        if let Some(comment) = self.ahead.back_mut()
            && comment.role == Role::Line
        {
            comment.role = Role::Head;
            if comment.start.line + 1 == here.line {
                comment.token = here.at;
            }
        }
    }
}

impl Scanner<'_> {
    pub(super) fn mark(&mut self) -> Mark {
        Mark {
            at: self.pos,
            line: self.line,
            column: self.column(),
        }
    }

    /// Where the last token begins, but for a comma, and whether it is a `:`.
    fn token_before(&self) -> (usize, bool) {
        let mut last = self.queue.iter().rev();
        let token = match (last.next(), last.next()) {
            (Some(comma), Some(before)) if comma.kind == Kind::Comma => Some(before),
            (last, _) => last,
        };
        token.map_or((0, false), |token| (token.start, token.kind == Kind::Value))
    }

    /// Settles what a comment before the position is once it is seen that content
    /// follows.
    #[cold]
    pub(super) fn settle_comment(&mut self) {
        let mut last = self.queue.iter().rev().map(|token| &token.kind);
        let begins_list =
            last.next() == Some(&Kind::Item) && last.next() == Some(&Kind::BlockSequence);
        if begins_list && self.break_here() == 0 {
            let here = self.mark();
            self.waiting.line_to_head(here);
        }
    }

    /// Line breaks since the last character that is no blank.
    fn newlines(&self) -> u32 {
        let before = self.slice(0, self.pos);
        let blank = |c: char| {
            matches!(
                c,
                ' ' | '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
            )
        };
        let kept = before.trim_end_matches(blank).len();
        let (mut at, mut count) = (kept, 0);
        while at < self.pos {
            match break_len(self.src, at) {
                0 => at += 1,
                len => {
                    count += 1;
                    at += len;
                }
            }
        }
        count
    }

    /// Takes the comment here and, in the newer reader, all that follow it with
    /// nothing but blanks between. `scan` is where those before it begin, in the line
    /// `from`.
    pub(super) fn take_comments(&mut self, mut scan: usize, from: u32) {
        if self.dialect == Dialect::V2 {
            return self.skip_line_rest();
        }
        let (mut token, is_value) = self.token_before();
        let newlines = self.newlines();
        let mut next_indent = self.indent.max(0);
        let mut recent_empty = false;
        let mut first_empty = newlines <= 1;
        let mut line = self.line;
        let mut column = self.column();
        // A foot begins in this line.
        let mut foot_line = None;
        if from > 0 {
            let below = newlines == 0 && column > 1;
            foot_line = Some((self.line + 1 + u32::from(below)).saturating_sub(newlines));
        }
        let mut start = Mark::default();
        let mut text = Text::new();
        let mut ahead = 0;
        while ahead < REACH {
            let at = self.pos + ahead;
            column += 1;
            let c = byte(self.src, at);
            if is_blank(c) {
                ahead += 1;
                continue;
            }
            let closes_flow = self.flow() > 0 && (c == b']' || c == b'}');
            if closes_flow || is_line_end(self.src, at) {
                let begins_foot = Some(start.line) == foot_line && !is_value;
                let dedented = start.column - 1 < next_indent;
                let is_foot = closes_flow || (first_empty && (begins_foot || dedented));
                if !text.is_empty() && (closes_flow || !recent_empty) {
                    if is_foot {
                        let owner = if dedented { start.at } else { token };
                        self.add(Role::Foot, &mut text, scan, owner, start, at);
                        (scan, token) = (at, at);
                    } else if c != 0 {
                        text.push('\n');
                    }
                }
                if break_len(self.src, at) == 0 {
                    break;
                }
                first_empty = false;
                recent_empty = true;
                column = 0;
                line += 1;
                ahead += 1;
                continue;
            }
            let other_indent = column - 1 < next_indent && column != start.column;
            if !text.is_empty() && other_indent {
                self.add(Role::Foot, &mut text, scan, token, start, at);
                (scan, token) = (at, at);
            }
            if c != b'#' {
                break;
            }
            if text.is_empty() {
                start = Mark { at, line, column };
            } else {
                text.push('\n');
            }
            recent_empty = false;
            while self.pos < at {
                match self.break_here() {
                    0 => self.pos += 1,
                    len => self.take_break(len),
                }
            }
            self.skip_line_rest();
            text.push_str(self.slice(at, self.pos));
            column = 0;
            line = self.line;
            next_indent = self.indent.max(0);
            // The break behind the comment counts for nothing.
            ahead = 1;
        }
        if !text.is_empty() {
            let end = (self.pos + ahead).saturating_sub(1);
            self.add(Role::Head, &mut text, scan, start.at, start, end);
        }
    }

    /// Takes the comment that follows a token on its line; it belongs to the token
    /// that begins at `token`.
    pub(super) fn take_line_comment(&mut self, token: usize) {
        let found = (self.pos..self.pos + REACH)
            .find(|at| !is_blank(byte(self.src, *at)))
            .filter(|at| byte(self.src, *at) == b'#');
        let Some(at) = found else {
            return;
        };
        self.pos = at;
        let start = self.mark();
        self.skip_line_rest();
        if self.dialect == Dialect::V3 {
            let mut text = self.slice(at, self.pos).into();
            self.add(Role::Line, &mut text, 0, token, start, 0);
        }
    }

    fn add(
        &mut self,
        role: Role,
        text: &mut Text,
        scan: usize,
        token: usize,
        start: Mark,
        end: usize,
    ) {
        self.waiting.ahead.push_back(Comment {
            role,
            text: std::mem::take(text),
            scan,
            token,
            start,
            end,
        });
    }
}
