//! Fields, keys and methods: `.a.b`.

use super::call::Target;
use super::eval::Given;
use super::machine::{Eval, Machine};
use super::operand::Operand;
use crate::parse::ast::{Id, Name};
use crate::strconv::quote;
use crate::template::MissingKey;
use crate::value::{Map, Method, Obj, Value};

impl Machine<'_> {
    /// Follows fields from a value. The last one may be a method that takes
    /// the arguments.
    pub(super) fn chain(
        &mut self,
        mut receiver: Operand,
        fields: &[Name],
        node: Id,
        given: Given<'_>,
    ) -> Eval {
        let Some((last, before)) = fields.split_last() else {
            return Ok(receiver);
        };
        for field in before {
            receiver = self.field(receiver, field, node, Given::NONE)?;
        }
        self.field(receiver, last, node, given)
    }

    fn field(&mut self, receiver: Operand, name: &Name, node: Id, given: Given<'_>) -> Eval {
        if let Value::Nil = receiver.value {
            return self.field_of_nil(receiver.boxed, name);
        }
        match &receiver.value {
            Value::Map(map) => {
                if let Some(method) = find(map.ty().methods, name) {
                    return self.method(&receiver.value, method, name, node, given);
                }
                if !given.is_empty() {
                    let name = crate::unicode::text(name);
                    return Err(format!("{name} is not a method but has arguments").into());
                }
                match map.get(name) {
                    Some(value) => Ok(Operand::element(value, map.is_boxed())),
                    None => self.missing(map, name),
                }
            }
            Value::List(list) => match find(list.ty().methods, name) {
                Some(method) => self.method(&receiver.value, method, name, node, given),
                None => Err(no_field(name, &receiver)),
            },
            Value::Object(object) => self.field_of_object(&receiver, object, name, node, given),
            Value::Int(_, kind) => match find(kind.methods(), name) {
                Some(method) => self.method(&receiver.value, method, name, node, given),
                None => Err(no_field(name, &receiver)),
            },
            _ => Err(no_field(name, &receiver)),
        }
    }

    /// No value has no fields, which is fine; an interface that holds nil is
    /// an error.
    fn field_of_nil(&self, boxed: bool, name: &[u8]) -> Eval {
        if boxed {
            let name = crate::unicode::text(name);
            return Err(format!("nil pointer evaluating interface {{}}.{name}").into());
        }
        match self.set.missing() {
            MissingKey::Error => Err(format!("nil data; no entry for key {}", quote(name)).into()),
            _ => Ok(Operand::NONE),
        }
    }

    fn missing(&self, map: &Map, name: &[u8]) -> Eval {
        match self.set.missing() {
            MissingKey::Invalid => Ok(Operand::NONE),
            MissingKey::Zero => {
                let zero = Value::zero(map.ty().elem);
                Ok(Operand::element(zero, map.is_boxed()))
            }
            MissingKey::Error => Err(format!("map has no entry for key {}", quote(name)).into()),
        }
    }

    fn field_of_object(
        &mut self,
        receiver: &Operand,
        object: &Obj,
        name: &Name,
        node: Id,
        given: Given<'_>,
    ) -> Eval {
        if let Some(method) = find(object.methods(), name) {
            return self.method(&receiver.value, method, name, node, given);
        }
        let text = crate::unicode::text(name);
        match object.field(&text) {
            Some(_) if !given.is_empty() => {
                Err(format!("{text} has arguments but cannot be invoked as function").into())
            }
            Some(value) => Ok(Operand::plain(value)),
            None => Err(no_field(name, receiver)),
        }
    }

    fn method(
        &mut self,
        receiver: &Value,
        method: &'static Method,
        name: &Name,
        node: Id,
        given: Given<'_>,
    ) -> Eval {
        let target = Target::Method(receiver, method);
        self.call(target, name, node, given)
    }
}

fn find(methods: &'static [Method], name: &[u8]) -> Option<&'static Method> {
    methods.iter().find(|method| method.name.as_bytes() == name)
}

fn no_field(name: &[u8], receiver: &Operand) -> crate::error::Failure {
    let name = crate::unicode::text(name);
    let ty = receiver.type_name();
    format!("can't evaluate field {name} in type {ty}").into()
}
