//! Pipelines and what stands in them.

use std::rc::Rc;

use super::machine::{Eval, Machine};
use super::operand::Operand;
use crate::parse::ast::{Id, Kind};
use crate::parse::number::{Ideal, Number};
use crate::parse::show;
use crate::value::{Str, Type, Value};

/// The arguments of a command: its own nodes, and the value of the stage
/// before it.
pub(super) struct Given<'a> {
    pub nodes: &'a [Id],
    pub last: Option<Operand>,
}

impl Given<'_> {
    pub const NONE: Given<'static> = Given {
        nodes: &[],
        last: None,
    };

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.last.is_none()
    }
}

impl Machine<'_> {
    /// The value of a pipeline.
    pub(super) fn pipeline(&mut self, id: Id) -> Eval {
        Ok(self.pipeline_declaring(id)?.0)
    }

    /// The value of a pipeline, and whether variables take it.
    pub(super) fn pipeline_declaring(&mut self, id: Id) -> Eval<(Operand, bool)> {
        self.at = id;
        self.run.deeper()?;
        let result = self.stages(id);
        self.run.nesting -= 1;
        result
    }

    fn stages(&mut self, id: Id) -> Eval<(Operand, bool)> {
        let ast = self.ast();
        let Kind::Pipe {
            assigns,
            declared,
            commands,
        } = &ast.node(id).kind
        else {
            return Ok((Operand::NONE, false));
        };
        let mut value = None;
        for command in ast.list(*commands) {
            value = Some(self.command(*command, value.take())?.unboxed());
        }
        let value = value.unwrap_or_default();
        for variable in ast.list(*declared) {
            match assigns {
                true => self.assign(*variable, value.clone())?,
                false => self.declare(*variable, value.clone()),
            }
        }
        Ok((value, declared.len > 0))
    }

    fn command(&mut self, id: Id, last: Option<Operand>) -> Eval {
        let ast = self.ast();
        let Kind::Command(args) = ast.node(id).kind else {
            return Ok(Operand::NONE);
        };
        let Some((first, nodes)) = ast.list(args).split_first() else {
            return Ok(Operand::NONE);
        };
        let given = Given { nodes, last };
        match &ast.node(*first).kind {
            Kind::Field(fields) => {
                self.at = *first;
                self.chain(self.dot.clone(), fields, *first, given)
            }
            Kind::Chain { .. } => self.chained(*first, given),
            Kind::Variable { .. } => self.variable_node(*first, given),
            Kind::Function { name, callee } => {
                self.at = *first;
                self.function(*callee, name, id, given)
            }
            Kind::Pipe { .. } => {
                self.no_arguments(*first, &given)?;
                self.pipeline(*first)
            }
            _ => {
                self.at = *first;
                self.no_arguments(*first, &given)?;
                self.constant(*first)
            }
        }
    }

    /// What is no function cannot take arguments.
    fn no_arguments(&self, first: Id, given: &Given<'_>) -> Eval<()> {
        if given.is_empty() {
            return Ok(());
        }
        let node = self.shown(first);
        Err(format!("can't give argument to non-function {node}").into())
    }

    pub(super) fn shown(&self, id: Id) -> String {
        crate::unicode::text(&show(self.ast(), id, false)).into_owned()
    }

    /// The dot or a constant.
    fn constant(&mut self, id: Id) -> Eval {
        match &self.ast().node(id).kind {
            Kind::Dot => Ok(self.dot.clone()),
            Kind::Bool(truth) => Ok(Operand::plain(Value::Bool(*truth))),
            Kind::Number(number) => self.number(id, number),
            Kind::String { text, .. } => Ok(Operand::plain(Value::String(Str::from(text.clone())))),
            Kind::Nil => Err("nil is not a command".into()),
            _ => Err("can't evaluate command".into()),
        }
    }

    fn number(&mut self, id: Id, number: &Number) -> Eval {
        self.at = id;
        Ok(Operand::plain(match number.ideal() {
            Ideal::Int(number) => Value::int(number),
            Ideal::Float(number) => Value::Float(number),
            Ideal::Complex(real, imaginary) => Value::Complex(Rc::new((real, imaginary))),
            Ideal::Overflow => return Err(format!("{} overflows int", number.text).into()),
        }))
    }

    fn variable_node(&mut self, id: Id, given: Given<'_>) -> Eval {
        self.at = id;
        let Kind::Variable { name, fields } = &self.ast().node(id).kind else {
            return Ok(Operand::NONE);
        };
        let value = self.variable(*name)?.clone();
        if fields.is_empty() {
            self.no_arguments(id, &given)?;
            return Ok(value);
        }
        self.chain(value, fields, id, given)
    }

    fn chained(&mut self, id: Id, given: Given<'_>) -> Eval {
        self.at = id;
        let Kind::Chain { base, fields } = &self.ast().node(id).kind else {
            return Ok(Operand::NONE);
        };
        let base = *base;
        let value = match &self.ast().node(base).kind {
            Kind::Pipe { .. } => self.pipeline(base)?,
            Kind::Function { name, callee } => {
                self.at = base;
                self.function(*callee, name, base, Given::NONE)?
            }
            Kind::Nil => {
                let node = self.shown(id);
                return Err(format!("indirection through explicit nil in {node}").into());
            }
            _ => self.constant(base)?,
        };
        // The node for messages stays the last one evaluated.
        self.chain(value, fields, id, given)
    }

    /// An argument of a type.
    pub(super) fn argument(&mut self, id: Id, ty: Type) -> Eval {
        self.at = id;
        let value = match &self.ast().node(id).kind {
            Kind::Dot => self.dot.clone(),
            Kind::Nil if ty.can_be_nil() => {
                let zero = Value::zero(ty);
                return Ok(Operand::element(zero, matches!(ty, Type::Any)));
            }
            Kind::Nil => return Err(format!("cannot assign nil to {ty}").into()),
            Kind::Field(fields) => self.chain(self.dot.clone(), fields, id, Given::NONE)?,
            Kind::Variable { .. } => self.variable_node(id, Given::NONE)?,
            Kind::Pipe { .. } => self.pipeline(id)?,
            Kind::Function { name, callee } => self.function(*callee, name, id, Given::NONE)?,
            Kind::Chain { .. } => self.chained(id, Given::NONE)?,
            _ => return self.literal(id, ty),
        };
        checked(value, ty)
    }

    /// A constant as a value of a type.
    fn literal(&mut self, id: Id, ty: Type) -> Eval {
        let kind = &self.ast().node(id).kind;
        let number = match kind {
            Kind::Number(number) => Some(&**number),
            _ => None,
        };
        let (value, expected) = match ty {
            Type::Any | Type::Raw => return self.constant(id),
            Type::Bool => match kind {
                Kind::Bool(truth) => (Some(Value::Bool(*truth)), ""),
                _ => (None, "bool"),
            },
            Type::String => match kind {
                Kind::String { text, .. } => (Some(Value::String(Str::from(text.clone()))), ""),
                _ => (None, "string"),
            },
            Type::Int(kind) => (
                number.and_then(|n| n.int).map(|n| Value::Int(n, kind)),
                "integer",
            ),
            Type::Uint(kind) => (
                number.and_then(|n| n.uint).map(|n| Value::Uint(n, kind)),
                "unsigned integer",
            ),
            Type::Float64 => (number.and_then(|n| n.float).map(Value::Float), "float"),
            Type::Float32 => (
                number
                    .and_then(|n| n.float)
                    .map(|n| Value::Float32(n as f32)),
                "float",
            ),
            Type::Complex => (
                number
                    .and_then(|n| n.complex)
                    .map(|parts| Value::Complex(Rc::new(parts))),
                "complex",
            ),
            Type::Slice(_) | Type::Map(_) | Type::Host(_) | Type::Func(_) => {
                let node = self.shown(id);
                return Err(format!("can't handle {node} for arg of type {ty}").into());
            }
        };
        match value {
            Some(value) => Ok(Operand::plain(value)),
            None => {
                let node = self.shown(id);
                Err(format!("expected {expected}; found {node}").into())
            }
        }
    }
}

/// A value where one of a type is asked for.
pub(super) fn checked(value: Operand, ty: Type) -> Eval {
    if value.is_none() {
        return match ty.can_be_nil() {
            true => Ok(Operand::element(Value::zero(ty), matches!(ty, Type::Any))),
            false => Err(format!("invalid value; expected {ty}").into()),
        };
    }
    if matches!(ty, Type::Any | Type::Raw) {
        return Ok(value);
    }
    let got = match value.value.ty() {
        Some(got) if ty.takes(got) => return Ok(value.unboxed()),
        Some(got) => got.name(),
        None => "interface {}",
    };
    // A pointer stands for what it points to.
    if got.strip_prefix('*') == Some(ty.name()) {
        return Ok(value.unboxed());
    }
    Err(format!("wrong type for value; expected {ty}; got {got}").into())
}
