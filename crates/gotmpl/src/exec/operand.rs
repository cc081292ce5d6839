//! Values as the evaluator holds them.

use crate::value::Value;

/// A value, and whether it is seen through an interface, as elements of
/// `[]interface {}` are. That shows in messages, and tells an interface that
/// holds nil from no value at all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operand {
    pub value: Value,
    pub boxed: bool,
}

impl Operand {
    /// No value at all.
    pub const NONE: Operand = Operand {
        value: Value::Nil,
        boxed: false,
    };

    pub fn plain(value: Value) -> Self {
        Operand {
            value,
            boxed: false,
        }
    }

    pub fn element(value: Value, boxed: bool) -> Self {
        Operand { value, boxed }
    }

    /// The value itself, without the interface.
    pub fn unboxed(mut self) -> Self {
        self.boxed = false;
        self
    }

    /// No value at all, which an interface that holds nil is not.
    pub fn is_none(&self) -> bool {
        !self.boxed && matches!(self.value, Value::Nil)
    }

    /// Its type as messages name it.
    pub fn type_name(&self) -> &'static str {
        match self.boxed {
            true => "interface {}",
            false => self.value.type_name(),
        }
    }
}
