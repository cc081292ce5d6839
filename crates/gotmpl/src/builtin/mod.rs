//! The functions that every template has.

mod compare;
mod escape;
mod index;

use crate::error::Failure;
use crate::exec::Operand;
use crate::exec::Run;
use crate::fmt;
use crate::value::{Str, Type, Value};

pub(crate) use escape::{html, javascript, query};

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    And,
    Or,
    Not,
    Call,
    Index,
    Slice,
    Len,
    Print,
    Printf,
    Println,
    Html,
    Js,
    UrlQuery,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Builtin {
    pub fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"and" => Builtin::And,
            b"or" => Builtin::Or,
            b"not" => Builtin::Not,
            b"call" => Builtin::Call,
            b"index" => Builtin::Index,
            b"slice" => Builtin::Slice,
            b"len" => Builtin::Len,
            b"print" => Builtin::Print,
            b"printf" => Builtin::Printf,
            b"println" => Builtin::Println,
            b"html" => Builtin::Html,
            b"js" => Builtin::Js,
            b"urlquery" => Builtin::UrlQuery,
            b"eq" => Builtin::Eq,
            b"ne" => Builtin::Ne,
            b"lt" => Builtin::Lt,
            b"le" => Builtin::Le,
            b"gt" => Builtin::Gt,
            b"ge" => Builtin::Ge,
            _ => return None,
        })
    }

    /// Its parameters, and whether the last one repeats.
    pub fn params(self) -> (&'static [Type], bool) {
        use Builtin::{
            And, Call, Eq, Ge, Gt, Html, Index, Js, Le, Len, Lt, Ne, Not, Or, Print, Printf,
            Println, Slice, UrlQuery,
        };
        match self {
            And | Or | Call | Index | Slice | Eq => (&[Type::Raw, Type::Raw], true),
            Not | Len => (&[Type::Raw], false),
            Ne | Lt | Le | Gt | Ge => (&[Type::Raw, Type::Raw], false),
            Print | Println | Html | Js | UrlQuery => (&[Type::Any], true),
            Printf => (&[Type::String, Type::Any], true),
        }
    }
}

/// Calls a function that needs nothing but its arguments.
pub(crate) fn call(builtin: Builtin, args: &[Operand], run: &mut Run) -> Result<Operand, Failure> {
    let first = args.first().map_or(&Value::Nil, |operand| &operand.value);
    let second = args.get(1).map_or(&Value::Nil, |operand| &operand.value);
    let truth = match builtin {
        Builtin::Index => return index::index(args),
        Builtin::Slice => return index::slice(args).map(Operand::plain),
        Builtin::Len => {
            let item = args.first().unwrap_or(&Operand::NONE);
            return index::length(item).map(Operand::plain);
        }
        Builtin::Not => !first.is_true(),
        Builtin::Eq => compare::equal(first, args.get(1..).unwrap_or_default())?,
        Builtin::Ne => !compare::equal(first, args.get(1..).unwrap_or_default())?,
        Builtin::Lt => compare::less(first, second)?,
        Builtin::Le => compare::less_or_equal(first, second)?,
        Builtin::Gt => !compare::less_or_equal(first, second)?,
        Builtin::Ge => !compare::less(first, second)?,
        _ => {
            let text = text(builtin, args);
            run.charge(text.len())?;
            return Ok(Operand::plain(Value::String(Str::from(text))));
        }
    };
    Ok(Operand::plain(Value::Bool(truth)))
}

/// Functions that make text.
fn text(builtin: Builtin, args: &[Operand]) -> Vec<u8> {
    let values: Vec<Value> = args.iter().map(|operand| operand.value.clone()).collect();
    match builtin {
        Builtin::Print => fmt::sprint(&values),
        Builtin::Println => fmt::sprintln(&values),
        Builtin::Printf => match values.split_first() {
            Some((Value::String(format), rest)) => fmt::sprintf(format, rest),
            _ => Vec::new(),
        },
        Builtin::Html => html(&joined(&values)),
        Builtin::Js => javascript(&joined(&values)),
        _ => query(&joined(&values)),
    }
}

/// The arguments of an escaping function as one text.
fn joined(values: &[Value]) -> Vec<u8> {
    if let [Value::String(text)] = values {
        return text.to_vec();
    }
    let shown: Vec<Value> = values
        .iter()
        .map(|value| match value {
            Value::Nil => Value::String(Str::from_static("<no value>")),
            value => value.clone(),
        })
        .collect();
    fmt::sprint(&shown)
}
