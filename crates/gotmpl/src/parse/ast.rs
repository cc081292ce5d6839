//! The parsed form: one arena of nodes a text, shared by the templates that
//! the text defines.

use std::sync::Arc;

use super::number::Number;

/// A node, by its place in the arena.
pub(crate) type Id = u32;

/// A run of children in [`Ast::children`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub start: u32,
    pub len: u32,
}

/// A name or text constant. Threads share it.
pub(crate) type Name = Arc<[u8]>;

/// A node and where it stands in the text: the byte that errors name.
#[derive(Debug)]
pub(crate) struct Node {
    pub at: u32,
    pub kind: Kind,
}

/// A control structure's parts.
#[derive(Debug)]
pub(crate) struct Branch {
    pub pipe: Id,
    pub list: Span,
    pub otherwise: Option<Span>,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Text from the node's place up to `end`.
    Text {
        end: u32,
    },
    Action(Id),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template {
        name: Name,
        pipe: Option<Id>,
    },
    Break,
    Continue,
    Pipe {
        assigns: bool,
        declared: Span,
        commands: Span,
    },
    Command(Span),
    Dot,
    Nil,
    Bool(bool),
    Number(Box<Number>),
    /// A text constant whose literal ends at `end`.
    String {
        text: Name,
        end: u32,
    },
    Field(Box<[Name]>),
    /// A variable by the number of its name, and fields of it.
    Variable {
        name: u32,
        fields: Box<[Name]>,
    },
    Function {
        name: Name,
        callee: Callee,
    },
    Chain {
        base: Id,
        fields: Box<[Name]>,
    },
}

/// What a function's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Builtin(crate::builtin::Builtin),
    /// A function of the host, by its place in [`crate::Functions`].
    Host(u32),
}

/// The nodes of one text.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    /// The name of the template that was parsed.
    pub name: Arc<str>,
    pub source: Arc<[u8]>,
    pub nodes: Vec<Node>,
    pub children: Vec<Id>,
    /// Names of variables; `$` is the first.
    pub variables: Vec<Name>,
}

/// The number of `$`.
pub(crate) const ROOT: u32 = 0;

impl Ast {
    pub fn node(&self, id: Id) -> &Node {
        static NOTHING: Node = Node {
            at: 0,
            kind: Kind::Nil,
        };
        // Ids come from the arena itself, so there always is one.
        self.nodes.get(id as usize).unwrap_or(&NOTHING)
    }

    pub fn list(&self, span: Span) -> &[Id] {
        let start = span.start as usize;
        let end = start + span.len as usize;
        self.children.get(start..end).unwrap_or_default()
    }

    /// The text between two places.
    pub fn text(&self, start: u32, end: u32) -> &[u8] {
        let range = start as usize..end as usize;
        self.source.get(range).unwrap_or_default()
    }

    pub fn variable(&self, name: u32) -> &[u8] {
        self.variables.get(name as usize).map_or(b"", |name| name)
    }

    /// The line of a place, from 1, and its column in bytes, from 0.
    pub fn line_column(&self, at: u32) -> (usize, usize) {
        let before = self.text(0, at);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        (line, before.len() - start)
    }

    /// Nothing but space, comments and definitions.
    pub fn is_empty(&self, list: Span) -> bool {
        self.list(list).iter().all(|id| {
            let node = self.node(*id);
            match node.kind {
                Kind::Text { end } => {
                    let text = crate::unicode::text(self.text(node.at, end));
                    text.trim().is_empty()
                }
                _ => false,
            }
        })
    }

    pub fn push(&mut self, at: u32, kind: Kind) -> Id {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { at, kind });
        id
    }

    pub fn push_list(&mut self, ids: &[Id]) -> Span {
        let start = u32::try_from(self.children.len()).unwrap_or(u32::MAX);
        self.children.extend_from_slice(ids);
        let len = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        Span { start, len }
    }
}
