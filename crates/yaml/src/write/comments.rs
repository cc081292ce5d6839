//! Comments on their way into the text. go-yaml v3 keeps those of a node until it
//! comes to a place where it writes such ones, which is not always the node's own.

use super::out::Out;
use crate::{Comments, Text};

/// Comments that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub head: Text,
    pub line: Text,
    pub foot: Text,
    /// What stands below the key before and all of its value.
    pub tail: Text,
    /// What stands behind a key.
    pub key_line: Text,
}

impl Pending {
    /// Notes the comments of a node that begins. A scalar begins and ends at once.
    pub(super) fn begin(&mut self, comments: &Comments, is_scalar: bool) {
        set(&mut self.head, comments.head());
        if is_scalar {
            self.end(comments);
        }
    }

    /// Notes the comments of a node that ends.
    pub(super) fn end(&mut self, comments: &Comments) {
        set(&mut self.line, comments.line());
        set(&mut self.foot, comments.foot());
    }

    /// Notes what stands below the key before and its value.
    pub(super) fn tail(&mut self, tail: &str) {
        set(&mut self.tail, tail);
    }

    /// Whether something is to stand behind what comes next.
    pub(super) fn follows(&self) -> bool {
        !(self.line.is_empty() && self.foot.is_empty() && self.tail.is_empty())
    }
}

fn set(into: &mut Text, text: &str) {
    if !text.is_empty() {
        *into = text.into();
    }
}

impl Out {
    /// Writes what stands above what comes next.
    pub(super) fn comment_above(&mut self, indent: i32) {
        let tail = std::mem::take(&mut self.pending.tail);
        if !tail.is_empty() {
            self.indent(indent);
            self.comment(&tail, indent);
            self.foot_indent = Some(indent.max(0));
        }
        let head = std::mem::take(&mut self.pending.head);
        if !head.is_empty() {
            self.indent(indent);
            self.comment(&head, indent);
        }
    }

    /// Writes what stands behind what was written. Tells whether there was any.
    pub(super) fn comment_behind(&mut self, indent: i32) -> bool {
        let line = std::mem::take(&mut self.pending.line);
        if line.is_empty() {
            return false;
        }
        self.separate();
        self.comment(&line, indent);
        true
    }

    /// Writes what stands below what was written.
    pub(super) fn comment_below(&mut self, indent: i32) {
        let foot = std::mem::take(&mut self.pending.foot);
        if !foot.is_empty() {
            self.indent(indent);
            self.comment(&foot, indent);
            self.foot_indent = Some(indent.max(0));
        }
    }

    fn comment(&mut self, text: &str, indent: i32) {
        let mut at_break = false;
        let mut is_marked = false;
        for c in text.chars() {
            if super::analyze::is_break(c) {
                self.write_break(c);
                at_break = true;
                is_marked = false;
                continue;
            }
            if at_break {
                self.indent(indent);
            }
            if !is_marked && c != '#' {
                self.put('#');
                self.put(' ');
            }
            is_marked = true;
            self.put(c);
            self.indention = false;
            at_break = false;
        }
        if !at_break {
            self.put_break();
        }
        self.whitespace = true;
    }
}
