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

/// Lines of comments with nothing but blanks between, as far as they are read.
struct Run {
    /// The comment that is open.
    text: Text,
    start: Mark,
    /// Where the blanks before it begin.
    scan: usize,
    /// The token it belongs to, should it turn out to stand below one.
    token: usize,
    /// A comment that begins in this line stands below the token.
    foot_line: Option<u32>,
    /// No empty line was met.
    is_close: bool,
    /// The line before is empty.
    behind_empty: bool,
}

impl Run {
    /// Adds a line of a comment.
    fn add_line(&mut self, line: &str, start: Mark) {
        if self.text.is_empty() {
            self.start = start;
        } else {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.behind_empty = false;
    }

    /// A line ends before anything stands in it, or a flow collection does. Gives the
    /// comment before if that shows it to stand below something.
    fn end_line(
        &mut self,
        closes_flow: bool,
        ends_text: bool,
        indent: i32,
        at: usize,
    ) -> Option<Comment> {
        let dedented = self.start.column - 1 < indent;
        let begins_below = Some(self.start.line) == self.foot_line;
        let is_foot = closes_flow || (self.is_close && (begins_below || dedented));
        let mut foot = None;
        if !self.text.is_empty() && (closes_flow || !self.behind_empty) {
            if is_foot {
                let token = if dedented { self.start.at } else { self.token };
                foot = self.close(Role::Foot, token, at);
            } else if !ends_text {
                self.text.push('\n');
            }
        }
        if !closes_flow && !ends_text {
            (self.is_close, self.behind_empty) = (false, true);
        }
        foot
    }

    /// Ends the comment that is open.
    fn close(&mut self, role: Role, token: usize, end: usize) -> Option<Comment> {
        if self.text.is_empty() {
            return None;
        }
        let comment = Comment {
            role,
            text: std::mem::take(&mut self.text),
            scan: self.scan,
            token,
            start: self.start,
            end,
        };
        (self.scan, self.token) = (end, end);
        Some(comment)
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
    pub(super) fn take_comments(&mut self, scan: usize, from: u32) {
        if self.dialect == Dialect::V2 {
            return self.skip_line_rest();
        }
        let mut run = self.run(scan, from);
        let (mut line, mut column) = (self.line, self.column());
        let mut ahead = 0;
        while ahead < REACH {
            let at = self.pos + ahead;
            column += 1;
            let indent = self.indent.max(0);
            let c = byte(self.src, at);
            if is_blank(c) {
                ahead += 1;
                continue;
            }
            let closes_flow = self.flow() > 0 && (c == b']' || c == b'}');
            if closes_flow || is_line_end(self.src, at) {
                let foot = run.end_line(closes_flow, c == 0, indent, at);
                self.waiting.ahead.extend(foot);
                if break_len(self.src, at) == 0 {
                    break;
                }
                (line, column) = (line + 1, 0);
                ahead += 1;
                continue;
            }
            // What stands at another depth follows something else.
            if column - 1 < indent && column != run.start.column {
                let foot = run.close(Role::Foot, run.token, at);
                self.waiting.ahead.extend(foot);
            }
            if c != b'#' {
                break;
            }
            self.skip_to(at);
            self.skip_line_rest();
            run.add_line(self.slice(at, self.pos), Mark { at, line, column });
            (line, column) = (self.line, 0);
            // The break behind the comment counts for nothing.
            ahead = 1;
        }
        let end = (self.pos + ahead).saturating_sub(1);
        let head = run.close(Role::Head, run.start.at, end);
        self.waiting.ahead.extend(head);
    }

    /// Comment lines from here on, none of them read yet.
    fn run(&mut self, scan: usize, from: u32) -> Run {
        let (token, is_value) = self.token_before();
        let newlines = self.newlines();
        let is_below = newlines == 0 && self.column() > 1;
        let foot_line = (self.line + 1 + u32::from(is_below)).saturating_sub(newlines);
        Run {
            text: Text::new(),
            start: Mark::default(),
            scan,
            token,
            foot_line: Some(foot_line).filter(|_| from > 0 && !is_value),
            is_close: newlines <= 1,
            behind_empty: false,
        }
    }

    /// Skips blanks and line breaks up to an offset.
    fn skip_to(&mut self, at: usize) {
        while self.pos < at {
            match self.break_here() {
                0 => self.pos += 1,
                len => self.take_break(len),
            }
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
            self.waiting.ahead.push_back(Comment {
                role: Role::Line,
                text: self.slice(at, self.pos).into(),
                scan: 0,
                token,
                start,
                end: 0,
            });
        }
    }
}
