//! What templates work on: Go's values.
//!
//! A [`Value`] is a value of a concrete type, or nil. Maps are shared and can
//! be changed while a template runs, as Go's are, so values belong to one
//! render and one thread; parsed templates are what threads share.

mod drop;
mod func;
mod list;
mod map;
mod object;
mod text;
pub mod types;

use std::rc::Rc;

pub use func::Func;
pub(crate) use func::Pairs;
pub use list::List;
pub use map::Map;
pub use object::Object;
pub(crate) use object::is_pointer;
pub use text::Str;
pub use types::{IntKind, MapType, Method, MethodBody, SliceType, Type, UintKind};

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// No value: nil without a type.
    #[default]
    Nil,
    /// `bool`
    Bool(bool),
    /// A signed integer.
    Int(i64, IntKind),
    /// An unsigned integer.
    Uint(u64, UintKind),
    /// `float64`
    Float(f64),
    /// `float32`
    Float32(f32),
    /// `complex128`: real and imaginary part.
    Complex(Rc<(f64, f64)>),
    /// `string`
    String(Str),
    /// `[]byte`
    Bytes(Rc<Str>),
    /// A slice.
    List(List),
    /// A map with string keys.
    Map(Map),
    /// A struct, or a pointer to one, of the host.
    Object(Obj),
    /// A function.
    Func(Func),
}

/// A shared object of the host.
#[derive(Clone)]
pub struct Obj(pub Rc<dyn Object>);

impl std::fmt::Debug for Obj {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.type_name())
    }
}

impl std::ops::Deref for Obj {
    type Target = dyn Object;

    fn deref(&self) -> &(dyn Object + 'static) {
        &*self.0
    }
}

impl Value {
    /// `[]byte`
    pub fn bytes(bytes: impl Into<Str>) -> Self {
        Value::Bytes(Rc::new(bytes.into()))
    }

    /// An `int`.
    pub fn int(number: i64) -> Self {
        Value::Int(number, IntKind::Int)
    }

    /// An `int64`.
    pub fn int64(number: i64) -> Self {
        Value::Int(number, IntKind::Int64)
    }

    /// A `string`.
    pub fn string(text: impl Into<Str>) -> Self {
        Value::String(text.into())
    }

    /// An object of the host.
    pub fn object(object: impl Object) -> Self {
        Value::Object(Obj(Rc::new(object)))
    }

    /// Its type; nothing for nil, which has none.
    pub fn ty(&self) -> Option<Type> {
        Some(match self {
            Value::Nil => return None,
            Value::Bool(_) => Type::Bool,
            Value::Int(_, kind) => Type::Int(*kind),
            Value::Uint(_, kind) => Type::Uint(*kind),
            Value::Float(_) => Type::Float64,
            Value::Float32(_) => Type::Float32,
            Value::Complex(_) => Type::Complex,
            Value::String(_) => Type::String,
            Value::Bytes(_) => Type::BYTES,
            Value::List(list) => Type::Slice(list.ty()),
            Value::Map(map) => Type::Map(map.ty()),
            Value::Object(object) => Type::Host(object.type_name()),
            Value::Func(func) => Type::Func(func.signature()),
        })
    }

    /// The name of its type as `%T` prints it: `<nil>` for nil.
    pub fn type_name(&self) -> &'static str {
        self.ty().map_or("<nil>", Type::name)
    }

    /// Whether `if` takes it as true: not false, zero, empty or nil. Structs
    /// are always true.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Nil => false,
            Value::Bool(value) => *value,
            Value::Int(number, _) => *number != 0,
            Value::Uint(number, _) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Float32(number) => *number != 0.0,
            Value::Complex(parts) => parts.0 != 0.0 || parts.1 != 0.0,
            Value::String(text) => !text.is_empty(),
            Value::Bytes(bytes) => !bytes.is_empty(),
            Value::List(list) => !list.items().is_empty(),
            Value::Map(map) => !map.is_empty(),
            Value::Object(_) | Value::Func(_) => true,
        }
    }

    /// It is nil, or a nil slice or map.
    pub fn is_nil(&self) -> bool {
        match self {
            Value::Nil => true,
            Value::List(list) => list.is_nil(),
            Value::Map(map) => map.is_nil(),
            _ => false,
        }
    }

    /// The zero value of a type.
    pub fn zero(ty: Type) -> Self {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int(kind) => Value::Int(0, kind),
            Type::Uint(kind) => Value::Uint(0, kind),
            Type::Float32 => Value::Float32(0.0),
            Type::Float64 => Value::Float(0.0),
            Type::Complex => Value::Complex(Rc::new((0.0, 0.0))),
            Type::String => Value::String(Str::EMPTY),
            Type::Slice(slice) => Value::List(List::nil(slice)),
            Type::Map(map) => Value::Map(Map::nil(map)),
            Type::Any | Type::Raw | Type::Host(_) | Type::Func(_) => Value::Nil,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::string(text)
    }
}

impl From<List> for Value {
    fn from(list: List) -> Self {
        Value::List(list)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Value::Map(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert!(size_of::<Value>() <= 24, "{}", size_of::<Value>());
    }

    #[test]
    fn copies_of_a_map_are_the_map() {
        let map = Map::new(&types::ANY_MAP);
        let copy = map.clone();
        copy.insert(Str::from("a"), Value::int(1));
        assert!(map.contains(b"a"));
    }
}
