//! Nodes as text again, as error messages quote them.

use super::ast::{Ast, Branch, Id, Kind, Name, Span};
use crate::strconv::quote;

/// Lists and parentheses nest no deeper than this in a message.
const DEEPEST: usize = 300;

/// A node's text. `quoted` shows plain text between quotes.
pub(crate) fn show(ast: &Ast, id: Id, quoted: bool) -> Vec<u8> {
    let mut shower = Shower {
        ast,
        quoted,
        out: Vec::new(),
        depth: 0,
    };
    shower.node(id);
    shower.out
}

/// The text of a list of nodes.
pub(crate) fn show_list(ast: &Ast, list: Span, quoted: bool) -> Vec<u8> {
    let mut shower = Shower {
        ast,
        quoted,
        out: Vec::new(),
        depth: 0,
    };
    shower.list(list);
    shower.out
}

struct Shower<'a> {
    ast: &'a Ast,
    quoted: bool,
    out: Vec<u8>,
    depth: usize,
}

impl Shower<'_> {
    fn write(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    fn list(&mut self, list: Span) {
        for id in self.ast.list(list) {
            self.node(*id);
        }
    }

    fn node(&mut self, id: Id) {
        if self.depth > DEEPEST {
            return self.write("…");
        }
        self.depth += 1;
        let ast = self.ast;
        let node = ast.node(id);
        match &node.kind {
            Kind::Text { end } if self.quoted => {
                self.write(quote(ast.text(node.at, *end)));
            }
            Kind::Text { end } => self.write(ast.text(node.at, *end)),
            Kind::Action(pipe) => {
                self.write("{{");
                self.node(*pipe);
                self.write("}}");
            }
            Kind::If(branch) => self.branch("if", branch),
            Kind::With(branch) => self.branch("with", branch),
            Kind::Range(branch) => self.branch("range", branch),
            Kind::Template { name, pipe } => {
                self.write("{{template ");
                self.write(quote(name));
                if let Some(pipe) = pipe {
                    self.write(" ");
                    self.node(*pipe);
                }
                self.write("}}");
            }
            Kind::Break => self.write("{{break}}"),
            Kind::Continue => self.write("{{continue}}"),
            Kind::Pipe {
                assigns,
                declared,
                commands,
            } => {
                self.pipe(*assigns, *declared, *commands);
            }
            Kind::Command(args) => self.command(*args),
            Kind::Dot => self.write("."),
            Kind::Nil => self.write("nil"),
            Kind::Bool(truth) => self.write(if *truth { "true" } else { "false" }),
            Kind::Number(number) => self.write(number.text.as_bytes()),
            Kind::String { end, .. } => self.write(ast.text(node.at, *end)),
            Kind::Field(fields) => self.fields(fields),
            Kind::Variable { name, fields } => {
                self.write(ast.variable(*name));
                self.fields(fields);
            }
            Kind::Function { name, .. } => self.write(name),
            Kind::Chain { base, fields } => {
                self.operand(*base);
                self.fields(fields);
            }
        }
        self.depth -= 1;
    }

    fn fields(&mut self, fields: &[Name]) {
        for field in fields {
            self.write(".");
            self.write(field);
        }
    }

    fn pipe(&mut self, assigns: bool, declared: Span, commands: Span) {
        for (at, id) in self.ast.list(declared).iter().enumerate() {
            if at > 0 {
                self.write(", ");
            }
            self.node(*id);
        }
        if declared.len > 0 {
            self.write(if assigns { " = " } else { " := " });
        }
        for (at, id) in self.ast.list(commands).iter().enumerate() {
            if at > 0 {
                self.write(" | ");
            }
            self.node(*id);
        }
    }

    fn command(&mut self, args: Span) {
        for (at, id) in self.ast.list(args).iter().enumerate() {
            if at > 0 {
                self.write(" ");
            }
            self.operand(*id);
        }
    }

    /// A node that stands in parentheses if it is a pipeline.
    fn operand(&mut self, id: Id) {
        let inner = matches!(self.ast.node(id).kind, Kind::Pipe { .. });
        if inner {
            self.write("(");
        }
        self.node(id);
        if inner {
            self.write(")");
        }
    }

    fn branch(&mut self, word: &str, branch: &Branch) {
        self.write("{{");
        self.write(word);
        self.write(" ");
        self.node(branch.pipe);
        self.write("}}");
        self.list(branch.list);
        if let Some(otherwise) = branch.otherwise {
            self.write("{{else}}");
            self.list(otherwise);
        }
        self.write("{{end}}");
    }
}
