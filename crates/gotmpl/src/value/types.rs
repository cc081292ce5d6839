//! Names and shapes of Go's types, as far as templates can tell them apart.

use std::fmt;

use crate::exec::{Args, Context, Failure};

use super::Value;

/// Signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntKind {
    /// `int`, 64 bits wide.
    Int,
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `time.Month`
    Month,
    /// `time.Weekday`
    Weekday,
    /// `time.Duration`
    Duration,
}

/// Unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UintKind {
    /// `uint`, 64 bits wide.
    Uint,
    /// `uint8`, also named `byte`.
    Uint8,
    /// `uint16`
    Uint16,
    /// `uint32`
    Uint32,
    /// `uint64`
    Uint64,
}

/// A type.
#[derive(Clone, Copy)]
pub enum Type {
    /// `bool`
    Bool,
    /// A signed integer.
    Int(IntKind),
    /// An unsigned integer.
    Uint(UintKind),
    /// `float32`
    Float32,
    /// `float64`
    Float64,
    /// `complex128`
    Complex,
    /// `string`
    String,
    /// `interface {}`: a value of any type, or nil.
    Any,
    /// As a parameter: any value at all, unchecked, as Go's `reflect.Value`.
    Raw,
    /// A slice.
    Slice(&'static SliceType),
    /// A map with string keys.
    Map(&'static MapType),
    /// A type of the host: a struct, or a pointer to one.
    Host(&'static str),
    /// A function; the text is its signature.
    Func(&'static str),
}

/// A slice type.
pub struct SliceType {
    /// As Go prints it, such as `[]interface {}`.
    pub name: &'static str,
    /// The type of its elements.
    pub elem: Type,
    /// The type has a name of its own; such types differ from each other.
    pub named: bool,
    /// Methods that templates can call.
    pub methods: &'static [Method],
}

/// A map type with string keys.
pub struct MapType {
    /// As Go prints it, such as `map[string]interface {}`.
    pub name: &'static str,
    /// The type of its values.
    pub elem: Type,
    /// The type has a name of its own; such types differ from each other.
    pub named: bool,
    /// Methods that templates can call.
    pub methods: &'static [Method],
}

/// A method that templates can call.
pub struct Method {
    /// Its name, as templates write it.
    pub name: &'static str,
    /// The types of its parameters; with `variadic` the last one repeats.
    pub params: &'static [Type],
    /// The last parameter may be given any number of times.
    pub variadic: bool,
    /// What it does with its receiver and arguments.
    pub call: MethodBody,
}

/// What a method does.
pub type MethodBody = fn(&mut Context<'_>, &Value, Args<'_>) -> Result<Value, Failure>;

impl SliceType {
    /// An unnamed slice type.
    pub const fn of(name: &'static str, elem: Type) -> Self {
        SliceType {
            name,
            elem,
            named: false,
            methods: &[],
        }
    }
}

impl MapType {
    /// An unnamed map type.
    pub const fn of(name: &'static str, elem: Type) -> Self {
        MapType {
            name,
            elem,
            named: false,
            methods: &[],
        }
    }
}

/// `[]interface {}`
pub static ANY_SLICE: SliceType = SliceType::of("[]interface {}", Type::Any);
/// `[]string`
pub static STRING_SLICE: SliceType = SliceType::of("[]string", Type::String);
/// `[]int`
pub static INT_SLICE: SliceType = SliceType::of("[]int", Type::Int(IntKind::Int));
/// `[]uint8`, that is `[]byte`
pub static BYTE_SLICE: SliceType = SliceType::of("[]uint8", Type::Uint(UintKind::Uint8));
/// `[][]interface {}`
pub static ANY_SLICE_SLICE: SliceType = SliceType::of("[][]interface {}", Type::Slice(&ANY_SLICE));
/// `map[string]interface {}`
pub static ANY_MAP: MapType = MapType::of("map[string]interface {}", Type::Any);
/// `map[string]string`
pub static STRING_MAP: MapType = MapType::of("map[string]string", Type::String);

impl Type {
    /// `int`
    pub const INT: Type = Type::Int(IntKind::Int);
    /// `int64`
    pub const INT64: Type = Type::Int(IntKind::Int64);
    /// `[]interface {}`
    pub const LIST: Type = Type::Slice(&ANY_SLICE);
    /// `[]string`
    pub const STRINGS: Type = Type::Slice(&STRING_SLICE);
    /// `[]uint8`
    pub const BYTES: Type = Type::Slice(&BYTE_SLICE);
    /// `map[string]interface {}`
    pub const DICT: Type = Type::Map(&ANY_MAP);

    /// As Go prints it.
    pub fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int(IntKind::Int) => "int",
            Type::Int(IntKind::Int8) => "int8",
            Type::Int(IntKind::Int16) => "int16",
            Type::Int(IntKind::Int32) => "int32",
            Type::Int(IntKind::Int64) => "int64",
            Type::Int(IntKind::Month) => "time.Month",
            Type::Int(IntKind::Weekday) => "time.Weekday",
            Type::Int(IntKind::Duration) => "time.Duration",
            Type::Uint(UintKind::Uint) => "uint",
            Type::Uint(UintKind::Uint8) => "uint8",
            Type::Uint(UintKind::Uint16) => "uint16",
            Type::Uint(UintKind::Uint32) => "uint32",
            Type::Uint(UintKind::Uint64) => "uint64",
            Type::Float32 => "float32",
            Type::Float64 => "float64",
            Type::Complex => "complex128",
            Type::String => "string",
            Type::Any => "interface {}",
            Type::Raw => "reflect.Value",
            Type::Slice(slice) => slice.name,
            Type::Map(map) => map.name,
            Type::Host(name) | Type::Func(name) => name,
        }
    }

    /// A value of the other type may stand where this one is asked for.
    pub fn takes(self, other: Type) -> bool {
        match (self, other) {
            (Type::Any | Type::Raw, _) => true,
            (Type::Slice(a), Type::Slice(b)) => {
                a.name == b.name || !(a.named && b.named) && a.elem.same(b.elem)
            }
            (Type::Map(a), Type::Map(b)) => {
                a.name == b.name || !(a.named && b.named) && a.elem.same(b.elem)
            }
            _ => self.same(other),
        }
    }

    /// Both are one type.
    pub fn same(self, other: Type) -> bool {
        self.name() == other.name()
    }

    /// Nil is a value of the type.
    pub fn can_be_nil(self) -> bool {
        match self {
            Type::Any | Type::Raw | Type::Slice(_) | Type::Map(_) | Type::Func(_) => true,
            Type::Host(name) => name.starts_with('*'),
            _ => false,
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        self.same(*other)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
