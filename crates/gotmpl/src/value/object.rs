//! Values that the host provides: structs with fields and methods.

use std::any::Any;

use super::types::Method;
use super::{Str, Value};

/// A struct, or a pointer to one, of the host.
pub trait Object: Any {
    /// Its type as Go prints it, such as `*chart.Metadata`.
    fn type_name(&self) -> &'static str;

    /// The names of its exported fields, in their order.
    fn fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// The value of a field; nothing if there is no such field.
    fn field(&self, _name: &str) -> Option<Value> {
        None
    }

    /// Methods that templates can call.
    fn methods(&self) -> &'static [Method] {
        &[]
    }

    /// What it prints as, where it has a `String` or `Error` method.
    fn text(&self) -> Option<Str> {
        None
    }

    /// What `%#v` prints, where it has a `GoString` method.
    fn go_text(&self) -> Option<Str> {
        None
    }

    /// Whether it equals another object, where its type can be compared.
    /// `None` for types that cannot. Pointers compare by identity, which
    /// needs no answer here.
    fn equals(&self, _other: &dyn Object) -> Option<bool> {
        None
    }

    /// Itself, for hosts that know what they put in.
    fn as_any(&self) -> &dyn Any;
}

/// It is a pointer.
pub(crate) fn is_pointer(object: &dyn Object) -> bool {
    object.type_name().starts_with('*')
}
