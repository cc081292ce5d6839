//! Pipelines, commands and operands.

use std::sync::Arc;

use super::ast::{Callee, Id, Kind as Node, Name};
use super::number::Number;
use super::parser::{Fault, Parser};
use super::show;
use super::token::{Kind, Token};
use crate::builtin::Builtin;
use crate::strconv::{quote, unquote};

/// Parentheses nest no deeper. Go's own limit is 10000, which it can afford
/// because its stack grows.
const DEEPEST: usize = 200;

impl Parser<'_> {
    /// A pipeline up to `end`, which is taken.
    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Id, Fault> {
        let at = self.peek_word().start;
        let (assigns, declared) = self.declarations(context)?;
        let mut commands = Vec::new();
        loop {
            let token = self.next_word();
            match token.kind {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.give_back(token);
                    commands.push(self.command()?);
                }
                _ => return Err(self.unexpected(token, context)),
            }
        }
        self.check_stages(&commands, context)?;
        let declared = self.ast.push_list(&declared);
        let commands = self.ast.push_list(&commands);
        let pipe = Node::Pipe {
            assigns,
            declared,
            commands,
        };
        Ok(self.ast.push(at, pipe))
    }

    /// `$x :=`, `$x =`, and in a range `$x, $y :=`.
    fn declarations(&mut self, context: &str) -> Result<(bool, Vec<Id>), Fault> {
        let mut declared = Vec::new();
        loop {
            let variable = self.peek_word();
            if variable.kind != Kind::Variable {
                return Ok((false, declared));
            }
            self.next_word();
            let behind = self.next();
            let next = match behind.kind {
                Kind::Space => self.next_word(),
                _ => behind,
            };
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    declared.push(self.declare(variable));
                    return Ok((next.kind == Kind::Assign, declared));
                }
                Kind::Char if self.text(next) == b"," => {
                    declared.push(self.declare(variable));
                    if context != "range" || declared.len() >= 2 {
                        return Err(format!("too many declarations in {context}"));
                    }
                    let more = self.peek_word().kind;
                    if !matches!(
                        more,
                        Kind::Variable | Kind::RightDelimiter | Kind::RightParen
                    ) {
                        return Err("range can only initialize variables".to_owned());
                    }
                }
                _ => {
                    self.give_back(next);
                    if behind.kind == Kind::Space {
                        self.give_back(behind);
                    }
                    self.give_back(variable);
                    return Ok((false, declared));
                }
            }
        }
    }

    fn declare(&mut self, token: Token) -> Id {
        let name = self.variable_number(self.text(token));
        self.known.push(name);
        let fields = Box::default();
        self.ast.push(token.start, Node::Variable { name, fields })
    }

    fn variable_number(&mut self, name: &[u8]) -> u32 {
        let names = &mut self.ast.variables;
        let known = names.iter().position(|known| &**known == name);
        let at = known.unwrap_or_else(|| {
            names.push(Arc::from(name));
            names.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Only what can take an argument may stand behind the first stage.
    fn check_stages(&self, commands: &[Id], context: &str) -> Result<(), Fault> {
        if commands.is_empty() {
            return Err(format!("missing value for {context}"));
        }
        for (at, id) in commands.iter().enumerate().skip(1) {
            let Node::Command(args) = self.ast.node(*id).kind else {
                continue;
            };
            let first = self.ast.list(args).first();
            let constant = first.is_some_and(|id| {
                matches!(
                    self.ast.node(*id).kind,
                    Node::Bool(_) | Node::Dot | Node::Nil | Node::Number(_) | Node::String { .. }
                )
            });
            if constant {
                let stage = at + 1;
                return Err(format!("non executable command in pipeline stage {stage}"));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Id, Fault> {
        let at = self.peek_word().start;
        let mut args = Vec::new();
        loop {
            self.peek_word();
            args.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::RightDelimiter | Kind::RightParen => {
                    self.give_back(token);
                    break;
                }
                Kind::Pipe => break,
                _ => return Err(self.unexpected(token, "operand")),
            }
        }
        if args.is_empty() {
            return Err("empty command".to_owned());
        }
        let args = self.ast.push_list(&args);
        Ok(self.ast.push(at, Node::Command(args)))
    }

    /// A term with the fields behind it.
    fn operand(&mut self) -> Result<Option<Id>, Fault> {
        let Some(term) = self.term()? else {
            return Ok(None);
        };
        let at = self.peek().start;
        let mut fields: Vec<Name> = Vec::new();
        while self.peek().kind == Kind::Field {
            let token = self.next();
            fields.push(self.field_name(token));
        }
        if fields.is_empty() {
            return Ok(Some(term));
        }
        let joined = |first: &[Name]| {
            first
                .iter()
                .cloned()
                .chain(fields.iter().cloned())
                .collect()
        };
        let node = match &self.ast.node(term).kind {
            Node::Field(first) => Node::Field(joined(first)),
            Node::Variable { name, .. } => Node::Variable {
                name: *name,
                fields: fields.into(),
            },
            Node::Bool(_) | Node::String { .. } | Node::Number(_) | Node::Nil | Node::Dot => {
                let term = quote(&show::show(&self.ast, term, false));
                return Err(format!("unexpected . after term {term}"));
            }
            _ => Node::Chain {
                base: term,
                fields: fields.into(),
            },
        };
        Ok(Some(self.ast.push(at, node)))
    }

    fn field_name(&self, token: Token) -> Name {
        Arc::from(self.text(token).get(1..).unwrap_or_default())
    }

    fn term(&mut self) -> Result<Option<Id>, Fault> {
        let token = self.next_word();
        let text = self.text(token);
        let node = match token.kind {
            Kind::Identifier => self.function(text)?,
            Kind::Dot => Node::Dot,
            Kind::Nil => Node::Nil,
            Kind::Variable => self.variable(text)?,
            Kind::Field => Node::Field(Box::from([self.field_name(token)])),
            Kind::Bool => Node::Bool(text == b"true"),
            Kind::CharConstant | Kind::Complex | Kind::Number => number(token.kind, text)?,
            Kind::LeftParen => {
                if self.parens >= DEEPEST {
                    return Err("max expression depth exceeded".to_owned());
                }
                self.parens += 1;
                let pipe = self.pipeline("parenthesized pipeline", Kind::RightParen)?;
                self.parens -= 1;
                return Ok(Some(pipe));
            }
            Kind::String | Kind::RawString => {
                let text = unquote(text).ok_or("invalid syntax")?;
                Node::String {
                    text: Arc::from(text),
                    end: token.end,
                }
            }
            _ => {
                self.give_back(token);
                return Ok(None);
            }
        };
        Ok(Some(self.ast.push(token.start, node)))
    }

    fn function(&self, name: &[u8]) -> Result<Node, Fault> {
        let callee = match self.settings.functions.find(name) {
            Some(index) => Callee::Host(index),
            None => match Builtin::of(name) {
                Some(builtin) => Callee::Builtin(builtin),
                None => return Err(format!("function {} not defined", quote(name))),
            },
        };
        Ok(Node::Function {
            name: Arc::from(name),
            callee,
        })
    }

    fn variable(&mut self, name: &[u8]) -> Result<Node, Fault> {
        let number = self.variable_number(name);
        if !self.known.contains(&number) {
            return Err(format!("undefined variable {}", quote(name)));
        }
        Ok(Node::Variable {
            name: number,
            fields: Box::default(),
        })
    }
}

fn number(kind: Kind, text: &[u8]) -> Result<Node, Fault> {
    let text = crate::unicode::text(text);
    let number = match kind {
        Kind::CharConstant => Number::from_char(&text)?,
        Kind::Complex => Number::from_complex(&text)?,
        _ => Number::from_text(&text)?,
    };
    Ok(Node::Number(Box::new(number)))
}
